"""A transfer by QUIC with CUBIC: `aioquic_transfer.py server BYTES`, and `aioquic_transfer.py client`."""

import asyncio
import json
import sys
import time

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent, StreamDataReceived

WINDOW_BYTES = 32 << 20
"""Flow control of a stream and a connection; aioquic's own of 1 MiB would bound the transfer."""


class Server(QuicConnectionProtocol):
    """Answers each request with the bytes."""

    def quic_event_received(self, event: QuicEvent) -> None:
        """Send the bytes when a request is complete."""
        if isinstance(event, StreamDataReceived) and event.end_stream:
            self._quic.send_stream_data(event.stream_id, bytes(int(sys.argv[2])), end_stream=True)
            self.transmit()


def settings(**own: object) -> QuicConfiguration:
    """Return the settings of an end."""
    return QuicConfiguration(
        congestion_control_algorithm="cubic", max_data=WINDOW_BYTES, max_stream_data=WINDOW_BYTES, **own
    )


async def send() -> None:
    """Serve for ever."""
    own = settings(is_client=False)
    own.load_cert_chain("cert.pem", "key.pem")
    await serve("0.0.0.0", 443, configuration=own, create_protocol=Server)
    await asyncio.Future()


async def fetch() -> None:
    """Fetch the bytes once, and print how long that took with the handshake."""
    begin = time.monotonic()
    async with connect("server", 443, configuration=settings(cafile="cert.pem")) as connection:
        reader, writer = await connection.create_stream()
        writer.write_eof()
        size = len(await reader.read())
        print(json.dumps({"bytes": size, "time_total": time.monotonic() - begin}), flush=True)


asyncio.run(send() if sys.argv[1] == "server" else fetch())
