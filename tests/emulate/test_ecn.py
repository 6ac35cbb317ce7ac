"""The kernel's TCP with ECN over an emulated link: the receiving kernel counts what the queue marked."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tmt import CoDel, Path as LinkPath, PlainLink
from tmt.core.schema import PACKET_EVENTS
from tmt.run.emulate.emulation import Emulation
from tmt.run.emulate.emulator import run

pytestmark = pytest.mark.usefixtures("emulator")

CLIENT = """
import socket, sys
with socket.create_connection((sys.argv[1], 5000)) as connection:
    connection.sendall(bytes(3_000_000))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
"""

SERVER = """
import json, pathlib, socket, sys
with socket.create_server(("::", 5000), family=socket.AF_INET6, dualstack_ipv6=True) as server:
    connection, _ = server.accept()
    while connection.recv(1 << 16):
        pass
    counters = {}
    for name in ("netstat", "snmp"):
        lines = pathlib.Path("/proc/self/net", name).read_text().splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            counters |= dict(zip((names.split()[0] + one for one in names.split()[1:]), values.split()[1:]))
    counters |= dict(line.split() for line in pathlib.Path("/proc/self/net/snmp6").read_text().splitlines())
    pathlib.Path(sys.argv[1]).write_text(json.dumps(counters))
"""
"""Takes all bytes, then writes the counters of its kernel: `IpExt:InCEPkts`, `Ip6InCEPkts` and others."""


@pytest.mark.parametrize(
    ("address", "counter"), [("10.0.0.2", "IpExt:InCEPkts"), ("fd00::2", "Ip6InCEPkts")], ids=["ipv4", "ipv6"]
)
def test_marks__arrive_at_the_receiving_kernel(address: str, counter: str, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    result = run(
        Emulation(
            command=(sys.executable, "-c", CLIENT, address),
            server=f"exec {sys.executable} {tmp_path / 'server.py'} {tmp_path / 'counters.json'}",
            forward=PlainLink(10e6),
            path=LinkPath(0.04, queue=CoDel(), queue_packets=1000),
            sysctls=("net.ipv4.tcp_ecn=1",),
        ),
        record=True,
    )
    counters = json.loads((tmp_path / "counters.json").read_text())
    forward = result.packets[result.packets["direction"] == 0]
    events = {name: np.count_nonzero(forward["event"] == code) for code, name in enumerate(PACKET_EVENTS)}
    assert int(counters[counter]) == events["marked"] == result.row["forward_packets_marked"] > 3
    # A packet with a wrong checksum of its IP header is dropped before it is counted as one with a mark.
    assert int(counters["Ip:InHdrErrors"]) == int(counters["IpExt:InCsumErrors"]) == 0
    assert events["aqm_dropped"] == result.row["forward_packets_aqm_dropped"] == 0
    assert events["queue_dropped"] == 0
    assert forward["transmission"].max() == 1, "marks take the place of losses"
