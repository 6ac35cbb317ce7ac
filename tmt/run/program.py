"""Run a backend's program once: in its own directory, for a limited time, with all its processes ended."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tmt.core.errors import OutputError, SimulatorError
from tmt.core.provenance import file_sha256, file_version
from tmt.run import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tmt.core.provenance import FileVersion

STDOUT, STDERR = "stdout.txt", "stderr.txt"
LAST_LINES = 5
LAST_BYTES = 4096
_LONGEST_POLL_MS = 2**31 - 1
_ROOT = Path(__file__).resolve().parents[2]

FROM_THE_WHEEL = "the wheel of TMT holds it: `pip install --force-reinstall --no-deps WHEEL`"
"""Remedy for an installation without the simulator or the emulator."""


def remedy(target: str, elsewhere: str) -> str:
    """Return the remedy for a missing program: a target of `make` in a checkout, else `elsewhere`."""
    return f"`make {target}` builds it" if (_ROOT / "Makefile").is_file() else elsewhere


def built_program(variable: str, default: Path, missing: str) -> Path:
    """Return the program that an environment variable names, else the checkout's own at `default`.

    SimulatorError, which says how to build it (`missing`), when it is missing or cannot be run.
    """
    named = os.environ.get(variable)
    program = Path(named).absolute() if named else default
    if not os.access(program, os.X_OK) or not program.is_file():
        raise SimulatorError(f"{program}: {f'{variable} names no program' if named else missing}")
    return program


def build_stamp(program: Path, rebuild: str) -> str:
    """Return the hash of the sources that a program was built from; without a matching stamp, its own hash.

    The file ``stamp`` beside the program names its sources' hash, then its own. SimulatorError, with the
    remedy `rebuild`, when it belongs to another program, as after a compilation without the build script.
    """
    stamp = program.with_name("stamp")
    text = stamp.read_text(errors="replace").strip() if stamp.is_file() else ""
    sources, _, built = text.partition(" ")
    content = program_hash(program)
    if built not in ("", content):
        raise SimulatorError(
            f"{program}: the stamp beside it is of another program; {rebuild}, or remove {stamp}"
        )
    return sources if built else content


def program_hash(program: Path) -> str:
    """Return the hash of a program's content; each version of the file is read once."""
    return _hash(program, file_version(program))


@lru_cache(maxsize=16)
def _hash(program: Path, _version: FileVersion | None) -> str:
    return file_sha256(program)


class Process(Protocol):
    """A child process; see `subprocess.Popen`."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Return the exit status, or the negative number of the signal that killed it; None while it runs."""

    def wait(self) -> int | None:
        """Wait for its end; return the same."""


def run_program(
    name: str,
    argv: Sequence[str],
    directory: Path,
    timeout_s: float | None = None,
    environment: Mapping[str, str] | None = None,
    fork: Callable[[], Process | None] = lambda: None,
) -> float:
    """Run a program in `directory`, which keeps its output, and return its wall time in seconds.

    `name` is the program's name in messages. After `timeout_s` of wall time (None: never) it is killed, with
    all its children. `fork` may return its process, which already runs in its directory; else it is started
    here. RunError when it cannot be started, exits with a status other than 0, is killed, or
    exceeds its time.
    """
    with (directory / STDOUT).open("wb") as stdout, (directory / STDERR).open("wb") as stderr:
        started = time.perf_counter()
        try:
            process = fork() or subprocess.Popen(
                argv,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            reason = f"cannot be started: {os.strerror(error.errno or 0)}"
            raise RunError(argv, reason, "", program=name) from error
        try:
            in_time = _ends(process, timeout_s)
        finally:
            _end(process)
        wall_time_s = time.perf_counter() - started
    if not in_time:
        reason = f"stopped after {timeout_s:g} s"
        raise RunError(argv, reason, last_words(directory), program=name, timed_out=True)
    if status := process.returncode:
        raise RunError(argv, _outcome(status), last_words(directory), program=name, status=status)
    return wall_time_s


def last_words(directory: Path) -> str:
    """Return the last lines that a run printed to stderr, or to stdout if stderr is empty."""
    for name in (STDERR, STDOUT):
        try:
            with (directory / name).open("rb") as file:
                file.seek(-min(LAST_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
                lines = file.read().decode(errors="replace").strip().splitlines()
        except OSError as error:
            raise OutputError(f"{directory / name}: {os.strerror(error.errno or 0)}") from error
        if lines:
            return "\n".join(lines[-LAST_LINES:])
    return ""


def _ends(process: Process, timeout_s: float | None) -> bool:
    """Wait until the process ends (True) or its time is up (False).

    A file descriptor of the process wakes this one as soon as it ends; `Popen.wait` with a timeout polls
    every 50 ms, which is as long as a short run.
    """
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:  # it has ended, and SIGCHLD is ignored
        return True
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        return bool(ended.poll(None if timeout_s is None else min(1000 * timeout_s, _LONGEST_POLL_MS)))
    finally:
        os.close(descriptor)


def _end(process: Process) -> None:
    """Kill the process and its children if it still runs when the block is left."""
    if process.poll() is None:
        # It has not been waited for, so its number cannot have passed to another process.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _outcome(status: int) -> str:
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
