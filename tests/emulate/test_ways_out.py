"""Ways out of the emulated network: from a port of the receiver to a host of the real network."""

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tmt import Path as LinkPath, PlainLink
from tmt.core.errors import UsageError
from tmt.run.emulate.emulation import Emulation, WayOut
from tmt.run.emulate.emulator import run

CLIENT = """
import socket, sys
with socket.create_connection((sys.argv[1], 8080)) as connection:
    connection.sendall(b"x" * 300_000)
    connection.shutdown(socket.SHUT_WR)
    answer = connection.makefile().read()
with open(sys.argv[2], "w") as file:
    file.write(answer)
"""
REFUSED = """
import socket
try:
    with socket.create_connection(("10.0.0.2", 8080)) as connection:
        sys.exit(connection.recv(1))
except ConnectionResetError:
    pass
"""


@pytest.fixture
def counting_host() -> Iterator[int]:
    """A server outside that says how many bytes it was sent; gives its port."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            count = 0
            while block := connection.recv(1 << 16):
                count += len(block)
            connection.sendall(str(count).encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def emulation(way_out: str, *command: str) -> Emulation:
    return Emulation(
        command=(sys.executable, "-c", *command),
        forward=PlainLink(1e7),
        path=LinkPath(0.02),
        ways_out=(WayOut(9000, "127.0.0.1", 1), WayOut.parse(way_out)),
    )


@pytest.mark.usefixtures("emulator")
@pytest.mark.parametrize("receiver", ["10.0.0.2", "fd00::2"])
def test_way_out__carries_bytes_and_their_ends(counting_host: int, receiver: str, tmp_path: Path) -> None:
    result = run(
        emulation(f"8080=127.0.0.1:{counting_host}", CLIENT, receiver, str(tmp_path / "answer")), record=True
    )
    assert result.status == 0, result.packets
    assert (tmp_path / "answer").read_text() == "300000"
    # It all went over the link first.
    assert result.packets["size_bytes"][result.packets["direction"] == 0].sum() > 300_000


@pytest.mark.usefixtures("emulator")
def test_way_out__to_nobody_looks_like_a_reset_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    assert run(emulation(f"8080=127.0.0.1:{free}", f"import sys{REFUSED}")).status == 0


@pytest.mark.parametrize(
    "text", ["8080", "8080=host", "8080=:80", "0=host:80", "8080=host:65536", "x=host:80"]
)
def test_way_out__that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="must be PORT=HOST:PORT"):
        WayOut.parse(text)


def test_way_out__takes_an_address_of_ipv6() -> None:
    assert WayOut.parse("80=[2001:db8::1]:443") == WayOut(80, "2001:db8::1", 443)
