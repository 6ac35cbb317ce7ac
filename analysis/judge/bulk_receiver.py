"""Takes whatever comes on TCP port 5000, one sender after another; run at the receiver of an emulation."""

from __future__ import annotations

import socket
from contextlib import suppress

PORT = 5000


def main() -> None:
    """Receive until somebody ends us."""
    with socket.create_server(("", PORT)) as server:
        while True:
            connection, _ = server.accept()
            with connection, suppress(ConnectionResetError):  # how `bulk_sender.py` ends
                while connection.recv(1 << 16):
                    pass


if __name__ == "__main__":
    main()
