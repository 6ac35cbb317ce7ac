"""Ways out of an emulated network: connections that arrive in there go on from out here."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from functools import partial
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Sequence
    from types import TracebackType

    from tmt.run.emulate.emulation import WayOut

BLOCK_BYTES = 1 << 16


class Relay:
    """Joins each connection to a receiver's port with a new one to the host that the port stands for.

    Within the block a thread does this; with it, all connections end.

    Parameters
    ----------
    handed_out
        Socket over which the emulator sends its listening sockets, one for each of `ways`, in their order.
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
                return  # the emulator has failed, and says why elsewhere
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
    """Carry bytes both ways; a host that cannot be reached looks like one that resets the connection."""
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
