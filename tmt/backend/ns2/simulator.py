"""The ns-2 program: where it is, how it is called, and what is said when it fails."""

from __future__ import annotations

import hashlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.backend.base import RunError
from tmt.errors import OutputError, SimulatorError

if TYPE_CHECKING:
    from collections.abc import Sequence

STDOUT, STDERR = "stdout.txt", "stderr.txt"
LAST_LINES = 5
LAST_BYTES = 4096
_LONGEST_POLL_MS = 2**31 - 1

_HOME = Path(__file__).resolve().parents[3] / "clift-ns2"


@dataclass(frozen=True, slots=True)
class Simulator:
    """The built ns-2, the script that it runs, and a hash of the build and of all scripts."""

    program: Path
    script: Path
    stamp: str

    @classmethod
    def find(cls) -> Simulator:
        """Return the simulator that the environment variable CLIFT_NS names, else the checkout's own.

        Raises
        ------
        SimulatorError
            When it is not there; the message says how to build it.
        """
        named = os.environ.get("CLIFT_NS")
        program = Path(named).absolute() if named else _HOME / "build" / "ns"
        if not os.access(program, os.X_OK) or not program.is_file():
            why = (
                "CLIFT_NS names no program" if named else "the simulator is not built; `make setup` builds it"
            )
            raise SimulatorError(f"{program}: {why}")
        script = _HOME / "tcl" / "replay.tcl"
        return cls(program, script, _stamp(program, script.parent))

    def run(
        self, arguments: Sequence[str], directory: Path, timeout_s: float | None = None
    ) -> tuple[list[str], float]:
        """Run the script in `directory`, which keeps what it prints, and return its argv and its wall time.

        Parameters
        ----------
        arguments
            Alternating keys and values of the script.
        directory
            Where it runs and leaves its records.
        timeout_s
            Wall time after which it is killed, with all that it has started; None waits for ever.

        Raises
        ------
        RunError
            When it cannot be started, exits with another status than 0, is killed, or its time is up.
        """
        argv = [str(self.program), str(self.script), *arguments]
        with (directory / STDOUT).open("wb") as stdout, (directory / STDERR).open("wb") as stderr:
            started = time.perf_counter()
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=directory,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise RunError(argv, f"cannot be started: {os.strerror(error.errno or 0)}", "") from error
            try:
                in_time = _ends(process, timeout_s)
            finally:
                _end(process)
            wall_time_s = time.perf_counter() - started
        if not in_time:
            raise RunError(argv, f"stopped after {timeout_s:g} s", last_words(directory), timed_out=True)
        if status := process.returncode:
            raise RunError(argv, _outcome(status), last_words(directory), status=status)
        return argv, wall_time_s


def _stamp(program: Path, scripts: Path) -> str:
    """Return a hash of the build's stamp, or of the program where there is none, and of the scripts."""
    build = program.with_name("stamp")
    digest = hashlib.sha256(build.read_bytes() if build.is_file() else _content(program))
    for script in sorted(scripts.glob("*.tcl")):
        digest.update(f"\0{script.name}\0".encode())
        digest.update(script.read_bytes())
    return digest.hexdigest()


def _content(program: Path) -> bytes:
    with program.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def last_words(directory: Path) -> str:
    """Return the last lines of what a run printed to stderr, or to stdout where stderr is empty."""
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


def _ends(process: subprocess.Popen[bytes], timeout_s: float | None) -> bool:
    """Wait until the process ends (True) or its time is up (False).

    A file descriptor of the process wakes us the moment that it ends; `Popen.wait` with a timeout looks every
    50 ms, as long as a short run lasts.
    """
    descriptor = os.pidfd_open(process.pid)
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        return bool(ended.poll(None if timeout_s is None else min(1000 * timeout_s, _LONGEST_POLL_MS)))
    finally:
        os.close(descriptor)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children if it still runs, whichever way we leave it."""
    if process.poll() is None:
        # Not yet waited for, so that its number cannot have passed to another process.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _outcome(status: int) -> str:
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
