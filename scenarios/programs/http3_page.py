"""A web page by HTTP/3 and CUBIC: `http3_page.py server OBJECTS BYTES`, `http3_page.py client OBJECTS`."""

import asyncio
import json
import sys
import time

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent

WINDOW_BYTES = 32 << 20
"""Flow control of a stream and a connection; aioquic's own of 1 MiB would bound the page."""


class End(QuicConnectionProtocol):
    """Either end: the server answers each request, the client counts bytes and objects."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)
        self.http = H3Connection(self._quic)
        self.received_bytes, self.objects, self.all_there = 0, 0, asyncio.Event()

    def quic_event_received(self, event: QuicEvent) -> None:
        """Answer, or count."""
        for one in self.http.handle_event(event):
            if isinstance(one, HeadersReceived) and sys.argv[1] == "server":
                self.http.send_headers(one.stream_id, [(b":status", b"200")])
                self.http.send_data(one.stream_id, bytes(int(sys.argv[3])), end_stream=True)
                self.transmit()
            elif isinstance(one, DataReceived):
                self.received_bytes += len(one.data)
                self.objects += one.stream_ended
                if self.objects == int(sys.argv[2]):
                    self.all_there.set()

    def ask(self, number: int) -> None:
        """Ask for an object."""
        path = f"/{number}".encode()
        headers = [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"server"), (b":path", path)]
        self.http.send_headers(self._quic.get_next_available_stream_id(), headers, end_stream=True)


def settings(**own: object) -> QuicConfiguration:
    """Return the settings of an end."""
    return QuicConfiguration(
        congestion_control_algorithm="cubic",
        alpn_protocols=H3_ALPN,
        max_data=WINDOW_BYTES,
        max_stream_data=WINDOW_BYTES,
        **own,
    )


async def give() -> None:
    """Serve for ever."""
    own = settings(is_client=False)
    own.load_cert_chain("cert.pem", "key.pem")
    await serve("0.0.0.0", 443, configuration=own, create_protocol=End)
    await asyncio.Future()


async def load() -> None:
    """Load all objects at once, and print how long that took with the handshake."""
    begin = time.monotonic()
    configuration = settings(cafile="cert.pem")
    async with connect("server", 443, configuration=configuration, create_protocol=End) as page:
        for number in range(int(sys.argv[2])):
            page.ask(number)
        page.transmit()
        await page.all_there.wait()
        took_s = time.monotonic() - begin
        print(json.dumps({"bytes": page.received_bytes, "time_total": took_s}), flush=True)


asyncio.run(give() if sys.argv[1] == "server" else load())
