"""Messages of one line when the system refuses memory, threads, files, libraries or streams."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import TYPE_CHECKING

from tmt.core.errors import first_line

if TYPE_CHECKING:
    from types import FrameType

OF_STREAMS = frozenset({errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT})
"""Error numbers of a stream that cannot be written."""

PRINTERS = ("click.", "rich.", "tmt.cli.")
"""Modules that write to stdout; those that read or write files are others."""

NO_THREAD = ("can't start new thread", "Failed to launch worker thread", "OS can't spawn worker thread")
"""Words of Python, Arrow and Rust for a thread that the system has refused."""


def refused_by_system(error: BaseException) -> str | None:
    """Return a message for a refusal of the system; None for an error that is a defect of ours."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if any(words in str(error) for words in NO_THREAD):
        return "no more threads can be started; raise the limit of processes"
    library = _library_that_failed(error)
    if library is not None:
        return f"the library {library} cannot be loaded: {_reason(_first_cause(error))}"
    if isinstance(error, OSError):
        return _failed_call(error)
    return None


def end_with(line: str, status: int) -> int:
    """Print the message, where stderr can be written, and return the exit status."""
    if sys.stderr is not None:
        try:
            print(line, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            _discard(2)
    return status


def open_closed_stdout() -> None:
    """Give a closed stdout a stream that refuses output, so that no result is lost without a word.

    It also keeps the descriptor from the files that the command opens.
    """
    if sys.stdout is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
        sys.stdout = os.fdopen(1, "w")


def _library_that_failed(error: BaseException) -> str | None:
    """Name the library in whose import an error was raised; None where it was raised elsewhere.

    A library that lacks memory or files ends its import in any kind of error.
    """
    for frame in _frames(error):
        library = _module_of(frame).partition(".")[0]
        if frame.f_code.co_name == "<module>" and library not in {"tmt", "__main__"}:
            return library
    name = (error.name or "tmt").partition(".")[0] if isinstance(error, ImportError) else "tmt"
    return None if name == "tmt" else name


def _frames(error: BaseException) -> list[FrameType]:
    """Return the frames through which an error has passed, the outermost first."""
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__)]


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _first_cause(error: BaseException) -> BaseException:
    """Return the error at the beginning: libraries wrap it in advice of many lines."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def _failed_call(error: OSError) -> str:
    """Return a message that names the refused file or stream, and the reason."""
    is_of_stdout = _module_of(_frames(error)[-1]).startswith(PRINTERS)
    if error.filename is None and error.errno in OF_STREAMS and is_of_stdout:
        _discard(1)
        return f"standard output cannot be written: {_reason(error)}"
    return _reason(error)


def _discard(descriptor: int) -> None:
    """Discard the rest of a stream, so that the interpreter does not try to write it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _reason(error: BaseException) -> str:
    """Return an error in one line, with the file that it is about."""
    if not isinstance(error, OSError):
        return first_line(error)
    reason = error.strerror or first_line(error)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
