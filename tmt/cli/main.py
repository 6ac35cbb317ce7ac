"""Start of the command line `tmt`; refusals by the system end in one line.

The system may refuse memory, threads, libraries, and output streams.
"""

from __future__ import annotations

import _thread
import errno
import gc
import os
import sys
import traceback
from pathlib import Path

from tmt.core.errors import first_line
from tmt.core.words.refusals import printable

NO_THREAD = ("can't start new thread", "OS can't spawn worker thread")
"""Words of Python's RuntimeError and of a Rust library's panic: neither has a separate class for this."""


def main() -> None:
    """Run the command line. A refusal by the system ends in one line, a bug of TMT in a traceback."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/nonexistent"  # libraries request it while they are imported
    try:
        # Here, because the import of its libraries can fail.
        from tmt.cli.command_line import run  # noqa: PLC0415

        status = run()
    except KeyboardInterrupt as error:
        line = refused_by_system(error)
        status = end_with("interrupted", 130) if line is None else end_with(f"tmt: {line}", 1)
    except SystemExit:
        raise
    except BaseException as error:  # a Rust library's panic is not an Exception
        line = refused_by_system(error)
        if line is None:
            raise
        is_bad_name = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG
        status = end_with(f"tmt: {line}", 2 if is_bad_name else 1)
    gc.freeze()  # skips the last collection, which takes 0.2 s over all imported objects
    raise SystemExit(status)


def refused_by_system(error: BaseException) -> str | None:
    """Return a message for a refusal by the system; None for an error that is a bug of TMT."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    # If OpenBLAS gets no thread, it interrupts the import of numpy, as a user's Ctrl-C does.
    is_cut = isinstance(error, ImportError | KeyboardInterrupt) and not _can_start_a_thread()
    if is_cut or any(words in str(error) for words in NO_THREAD):
        return "no more threads can be started; raise the limit of processes"
    library = _library_that_failed(error)
    if library is not None:
        while (before := error.__cause__ or error.__context__) is not None:
            error = before  # libraries wrap the first error in many lines of advice
        return f"the library {library} cannot be loaded: {_reason(error)}"
    if isinstance(error, OSError):
        return f"standard output cannot be written: {_reason(error)}" if _stdout_fails() else _reason(error)
    return None


def end_with(line: str, status: int) -> int:
    """Print the message, if stderr can be written, and return the exit status."""
    if sys.stderr is not None:
        try:
            print(printable(line), file=sys.stderr, flush=True)
        except (OSError, ValueError):
            _discard(2)
    return status


def open_closed_stdout() -> None:
    """Replace a closed stdout by a stream that refuses output, so that no file gets its descriptor."""
    if sys.stdout is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
        sys.stdout = os.fdopen(1, "w")


def _library_that_failed(error: BaseException) -> str | None:
    """Name the library whose import raised an error of any kind; None if it was raised elsewhere."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        library = str(frame.f_globals.get("__name__")).partition(".")[0]
        if frame.f_code.co_name == "<module>" and library not in {"tmt", "__main__"}:
            return library
    return None


def _can_start_a_thread() -> bool:
    try:
        _thread.start_new_thread(int, ())
    except RuntimeError:
        return False
    return True


def _stdout_fails() -> bool:
    """Whether pending output cannot be written; it is discarded then."""
    try:
        print(end="", flush=True)
    except (OSError, ValueError):
        _discard(1)
        return True
    return False


def _discard(descriptor: int) -> None:
    """Discard the rest of a stream, so that the interpreter does not try to write it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _reason(error: BaseException) -> str:
    if not isinstance(error, OSError):
        return first_line(error)
    reason = error.strerror or first_line(error)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
