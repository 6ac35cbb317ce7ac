"""Receives data on TCP port 5000 over any number of connections; run at the receiver of an emulation."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

PORT = 5000


def main() -> None:
    """Receive until the process is ended."""
    with socket.create_server(("", PORT), backlog=1024) as server:
        while True:
            connection, _ = server.accept()
            threading.Thread(target=_receive, args=(connection,), daemon=True).start()


def _receive(connection: socket.socket) -> None:
    with connection, suppress(ConnectionResetError):  # the end of a sender whose time is up
        while connection.recv(1 << 16):
            pass


if __name__ == "__main__":
    main()
