"""Find and run the emulator program, and forward connections to other hosts; no process outlives this one."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import struct
import subprocess
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from tmt.core.errors import EmulatorError
from tmt.run import RunError
from tmt.run.emulate.emulation import EmulationResult, read_result
from tmt.run.program import FROM_THE_WHEEL, STDERR, STDOUT, remedy
from tmt.run.setup import queue_for, ready_path

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from tmt.run.emulate.emulation import Emulation, WayOut

FAILURE = "failure.txt"
GRACE_S = 6.0
"""Longest time for an emulation to end after SIGTERM; it gives its own processes 2 s, twice."""

_HOME = Path(__file__).resolve().parents[3] / "clift-ns2"


def run(
    emulation: Emulation, *, record: bool = False, output: Path | None = None, timeout_s: float | None = None
) -> EmulationResult:
    """Run a command over emulated links; return the fates of its packets and, if `record`, a row for each.

    Without `output`, a folder for `stdout.txt` and `stderr.txt`, the command uses this process's standard
    streams and terminal. The command and the server, with all their children, end with the emulation, after
    `timeout_s` of wall time at the latest (None: never). The emulation ends with this process, however that
    ends.

    EmulatorError when this machine cannot emulate, or the server ends before it listens; InputError and
    UsageError when a link trace cannot be used.
    """
    program = find_program()
    links = ready_path(emulation.forward, emulation.back, emulation.path, emulation.mtu_bytes)
    path = replace(emulation.path, queue_packets=queue_for(links, emulation.path))
    emulation = replace(emulation, path=path)
    with TemporaryDirectory(prefix="tmt-emulate-") as name:
        folder = Path(name)
        argv = [str(program), *emulation.arguments(links, folder, record=record)]
        status = _run(argv, emulation.command, emulation.ways_out, output, timeout_s)
        failure = folder / FAILURE
        if failure.exists():
            raise EmulatorError(failure.read_text().strip())
        return read_result(folder, emulation, links, status, record=record)


def find_program() -> Path:
    """Return the built emulator (EmulatorError if missing)."""
    program = _HOME / "build" / "clift-emulate"
    if not os.access(program, os.X_OK):
        raise EmulatorError(f"{program}: the emulator is missing; {remedy('setup', FROM_THE_WHEEL)}")
    return program


def _run(
    argv: Sequence[str],
    command: Sequence[str],
    ways_out: Sequence[WayOut],
    output: Path | None,
    timeout_s: float | None,
) -> int:
    """Run the emulator, which runs the command, and return the command's exit status."""
    # The emulator holds the lifeline's other end: it sees when this process ends, and ends, too.
    ours, lifeline = socket.socketpair()
    with ours:
        with lifeline:
            argv = [*argv, "lifeline", str(lifeline.fileno()), "--", *command]
            with ExitStack() as files:
                stdout, stderr = (
                    None if output is None else files.enter_context((output / name).open("wb"))
                    for name in (STDOUT, STDERR)
                )
                process = subprocess.Popen(argv, pass_fds=[lifeline.fileno()], stdout=stdout, stderr=stderr)
        with _terminal_signals_left_to_the_command():
            try:
                with Relay(ours, ways_out):
                    return process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                outcome = f"stopped after {timeout_s:g} s"
                raise RunError(argv, outcome, "", timed_out=True, program="the emulator") from None
            finally:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the emulator if it still runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _terminal_signals_left_to_the_command() -> Iterator[None]:
    """Let Ctrl-C and Ctrl-backslash end only the command: its results are still read."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A function instead of SIG_IGN, which the emulator would inherit.
    kept = {number: signal.signal(number, _do_nothing) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _do_nothing(*_: object) -> None:
    pass


BLOCK_BYTES = 1 << 16


class Relay:
    """Forwards each connection to a receiver's port to the host that the port stands for.

    Within the block a thread does this; at its end all connections end. Over the socket `handed_out` the
    emulator sends its listening sockets, one for each of `ways`, in their order.
    """

    def __init__(self, handed_out: socket.socket, ways: Sequence[WayOut]) -> None:
        self._handed_out, self._ways = handed_out, ways
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        if self._ways:
            self._thread.start()
            self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ways:
            self._loop.call_soon_threadsafe(self._done.set)
            self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._done = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        servers: list[asyncio.Server] = []
        accepting = asyncio.create_task(self._accept(servers))
        await self._done.wait()
        accepting.cancel()
        for server in servers:
            server.close()

    async def _accept(self, servers: list[asyncio.Server]) -> None:
        self._handed_out.setblocking(False)
        for way in self._ways:
            descriptor = await self._next()
            if descriptor is None:
                return  # the emulator has failed, and reports why elsewhere
            listening = socket.socket(fileno=descriptor)
            servers.append(await asyncio.start_server(partial(_join, way), sock=listening))

    async def _next(self) -> int | None:
        while True:
            try:
                _, descriptors, _, _ = socket.recv_fds(self._handed_out, 1, 1)
            except BlockingIOError:
                await _readable(self._loop, self._handed_out)
                continue
            return descriptors[0] if descriptors else None


async def _readable(loop: asyncio.AbstractEventLoop, waited_for: socket.socket) -> None:
    found = asyncio.Event()
    loop.add_reader(waited_for, found.set)
    try:
        await found.wait()
    finally:
        loop.remove_reader(waited_for)


async def _join(way: WayOut, reader: StreamReader, writer: StreamWriter) -> None:
    """Copy bytes both ways; an unreachable host looks like one that resets the connection."""
    try:
        far_reader, far_writer = await asyncio.open_connection(way.host, way.host_port)
    except OSError:
        _reset(writer)
        return
    try:
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
    except OSError:
        _reset(writer)
        _reset(far_writer)
    finally:
        writer.close()
        far_writer.close()


def _reset(writer: StreamWriter) -> None:
    now = struct.pack("ii", 1, 0)  # struct linger: on, 0 s
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
    writer.transport.abort()


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    while block := await reader.read(BLOCK_BYTES):
        writer.write(block)
        await writer.drain()
    writer.write_eof()
