"""A fork server of ns-2: a process that starts once, and from then on forks a process for each run.

The start takes longer than a short run: ns-2 binds 900 classes and reads its Tcl library. A forked process is
a child of this process, like a started one, so it is awaited and killed in the same way.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import threading
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from tmt.core.provenance import FileVersion, file_version
from tmt.run.program import STDERR, STDOUT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SIZE, _ANSWER = struct.Struct("=I"), struct.Struct("=ii")
"""A request's size in bytes; the id of the forked process (0: none), and why it cannot run, as errno (0: it
does)."""

ANSWER_LIMIT_S = 60.0
"""Time after which a server that does not answer is given up."""

_of_this_thread = threading.local()
"""Holds the thread's own server, because the kernel ends it and its runs with the thread that started it."""

_Identity = tuple[list[str], str, FileVersion | None, dict[str, str]]
"""Words of the command, stamp, version of the program's file, environment."""


class ForkedProcess:
    """A child that the fork server has forked, with the attributes of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or the negative number of the signal that killed it; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for its end; return the same."""
        return self._wait(0)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # SIGCHLD is ignored
                pid, status = self.pid, 0
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def fork_run(
    server: Sequence[str], stamp: str, directory: Path, words: Sequence[str], environment: dict[str, str]
) -> ForkedProcess | None:
    """Return the process of a run, forked by this thread's server; None if that fails.

    `server` are the words of the server's command, without its socket, and `stamp` names its program and
    scripts: another command, stamp or environment needs a new server. `words` are the script and its
    arguments.
    """
    identity = [*server], stamp, file_version(server[0]), environment
    mine: _Server | None = getattr(_of_this_thread, "server", None)
    try:
        if mine is None or mine.identity != identity or mine.process.poll() is not None:
            if mine is not None:
                mine.end()
            _of_this_thread.server = mine = _Server(identity)
        return mine.fork([str(directory.absolute()), STDOUT, STDERR, *words])
    except OSError:
        return None


class _Server:
    def __init__(self, identity: _Identity) -> None:
        self.identity = identity
        self._socket, theirs = socket.socketpair()
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [*identity[0], str(theirs.fileno())],
                    cwd="/",
                    env=identity[-1],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except BaseException:
            self._socket.close()
            raise
        self.end = weakref.finalize(self, _end, self.process, self._socket)

    def fork(self, words: Sequence[str]) -> ForkedProcess | None:
        """Return a new process that runs a request's words; None if it cannot."""
        request = b"".join(os.fsencode(word) + b"\0" for word in words)
        self._socket.settimeout(ANSWER_LIMIT_S)
        try:
            self._socket.sendall(_SIZE.pack(len(request)) + request)
            pid, error = self._answer()
        except BaseException:
            self._abandon()
            raise
        forked = ForkedProcess(pid)
        if not error:
            return forked
        if pid:
            forked.wait()
        return None

    def _answer(self) -> tuple[int, int]:
        content = self._socket.recv(_ANSWER.size, socket.MSG_WAITALL)
        if not content:
            raise ConnectionError("the fork server has ended")
        pid, error = _ANSWER.unpack(content)
        return pid, error

    def _abandon(self) -> None:
        """Kill the server, and a process that it has forked but not named yet."""
        self.process.kill()
        with suppress(OSError):
            if pid := self._answer()[0]:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        self.end()


def _end(process: subprocess.Popen[bytes], ours: socket.socket) -> None:
    process.kill()
    process.wait()
    ours.close()
