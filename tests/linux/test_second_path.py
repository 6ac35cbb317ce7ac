"""Program runs over two paths: MPTCP uses both links, and goes on when one fails."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from waiting import PATIENCE_S

from tests.linux.program_machine import PATH, PYTHON, RUN, Machine, client, flows_of, transfer

SECOND = PATH.format(seed=1)
SIZE = 5_000_000
ALONE_NS = 8e9 * SIZE / 5e6
"""Time of the data alone on one link of 5 Mbit/s."""

TAKE = """\
import socket
with socket.create_server(("", 8000)) as listener, listener.accept()[0] as peer:
    while peer.recv(65536):
        pass
"""
GIVE = """\
import socket, sys
with socket.create_connection(("10.0.0.1", 8000)) as peer:
    peer.sendall(bytes(int(sys.argv[1])))
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1)
"""


def sent_bytes(folder: Path, path: int, direction: int) -> int:
    """Return the bytes of packets that were sent on a path in a direction."""
    on_path = [int(number) for number, *_, own in flows_of(folder) if int(own) == path]
    packets = np.load(folder / "packets.npy")
    chosen = (packets["event"] == 0) & (packets["direction"] == direction) & np.isin(packets["flow"], on_path)
    return int(packets["size_bytes"][chosen].sum())


@pytest.mark.parametrize("version", ["4", "6"])
def test_download__uses_both_links(version: str, machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    ended = own.run(transfer(own.folder, SIZE, version), second=SECOND)
    assert ended["client"].status == 0
    count, duration_ns, *_ = own.output("client").split()
    assert int(count) == SIZE
    assert ALONE_NS / 2 < int(duration_ns) < 1.25 * ALONE_NS / 2
    flows = {(protocol, ip, near, path) for _, protocol, ip, near, _, _, path in flows_of(own.folder)}
    expected = {("tcp", version, "8000", path) for path in ("0", "1")}
    # A socket with IPv6 also answers the offer of an IPv4 address, at which this server does not listen.
    assert flows == expected | ({("tcp", "4", "8000", "1")} if version == "6" else set())
    assert min(sent_bytes(own.folder, path, 0) for path in (0, 1)) > 0.4 * SIZE


def test_upload__uses_both_links(tmp_path: Path, machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    for name, text in (("take.py", TAKE), ("give.py", GIVE)):
        (tmp_path / "files" / name).write_text(text)
    ended = own.run(
        f"{RUN}files {tmp_path / 'files'}\nready tcp:8000\n"
        f"program server\nend near\ncommand exec {PYTHON} $FILES/take.py\n"
        f"program client\nend far\ncommand exec {PYTHON} $FILES/give.py {SIZE}\n",
        second=SECOND,
    )
    assert ended["client"].status == 0
    assert ALONE_NS / 2 < ended["client"].end_ns - ended["client"].start_ns < 1.25 * ALONE_NS / 2
    assert min(sent_bytes(own.folder, path, 1) for path in (0, 1)) > 0.4 * SIZE


def test_second_path_that_hardly_carries__does_not_hold_up_the_first(
    machine: Callable[[str], Machine],
) -> None:
    own = machine("run")
    slow = SECOND.replace("forward_rate_bps 5000000", "forward_rate_bps 2000")
    ended = own.run(transfer(own.folder, SIZE), second=slow)
    assert ended["client"].status == 0
    count, duration_ns, *_ = own.output("client").split()
    assert int(count) == SIZE
    assert int(duration_ns) < 1.2 * ALONE_NS + 2e9


def test_run__is_the_same_again(machine: Callable[[str], Machine]) -> None:
    one, other = machine("one"), machine("another folder")
    for own in (one, other):
        own.run(transfer(own.folder, 500_000), second=SECOND)
    for name in ("packets.npy", "ended.txt", "flows.txt", "counters.tsv"):
        assert (other.folder / name).read_bytes() == (one.folder / name).read_bytes()


@pytest.mark.parametrize("line", ["duration_ns 5", "forward_rate_bps much", "loop"])
def test_wrong_line__is_told(line: str, machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    own.prepare(client("true"), second=f"{SECOND}{line}\n")
    process = own.start()
    printed = process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 2
    assert "second.txt: " in printed.splitlines()[-1]
    assert line.split(maxsplit=1)[0] in printed.splitlines()[-1]
