"""Real packets over real interfaces: each has the fate that a slow twin computes, on a machine of any load.

The emulator's records hold the moment at which it read each packet. From these, from sizes and trace the
twin of `Queue/Clift` derives every fate and the moment at which it is due; only lateness is the machine's.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from emulate.conftest import TraceFactory

from tests.ns2.queue_twin import Options, outcomes
from tmt import Path as LinkPath, PlainLink, TraceLink
from tmt.core.schema import PACKET_EVENTS
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run.emulate.emulation import Emulation, EmulationResult
from tmt.run.emulate.emulator import run

pytestmark = pytest.mark.usefixtures("emulator")

SENT, RECEIVED, LINK_LOST, QUEUE_DROPPED = (
    PACKET_EVENTS.index(name) for name in ("sent", "received", "link_lost", "queue_dropped")
)
MOST_LATE_NS = 20 * NS_PER_S
RTT_NS = 40 * NS_PER_MS

DATAGRAMS = """
import random, socket, sys, time
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
random.seed(int(sys.argv[2]))
with socket.socket(family, socket.SOCK_DGRAM) as sender:
    for burst in range(30):
        for _ in range(random.randint(1, 20)):
            sender.sendto(bytes(random.randint(1, 1400)), (sys.argv[1], 9))
        time.sleep(random.choice([0, 0.002, 0.02]))
time.sleep(1)
"""
"""Sends some 300 datagrams in bursts, then waits until the link has settled them."""


BULK = """
import socket
with socket.create_connection(("10.0.0.2", 5000)) as connection:
    connection.sendall(bytes(400_000))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
"""
"""Sends 400,000 bytes over TCP, which the kernel passes on several segments at a time."""

SINK = """
import socket
with socket.create_server(("", 5000)) as server:
    connection, _ = server.accept()
    while connection.recv(1 << 16):
        pass
"""


def emulated(
    path: object,
    options: Options,
    command: tuple[str, ...] = (DATAGRAMS, "10.0.0.2", "7"),
    server: str | None = None,
) -> EmulationResult:
    return run(
        Emulation(
            command=(sys.executable, "-c", *command),
            server=server,
            forward=TraceLink(
                str(path), options.lldu_bytes or None, packing="packed" if options.packed else "padded"
            ),
            back=PlainLink(1e6),
            path=LinkPath(
                RTT_NS / NS_PER_S,
                in_order=options.in_order,
                hold=options.hold_ns / NS_PER_S or None,
                queue_packets=options.limit,
                loop=options.loop,
            ),
        ),
        record=True,
    )


@pytest.mark.parametrize(
    ("receiver", "row_bytes", "limit", "in_order", "hold_ms", "packed", "sized"),
    [
        ("10.0.0.2", 1500, 1000, False, 0, False, False),
        ("10.0.0.2", 400, 6, True, 0, True, False),
        ("10.0.0.2", 3000, 8, True, 0, True, True),
        ("fd00::2", 200, 8, True, 15, False, True),
        ("fd00::2", 33, 4, False, 0, False, False),
    ],
)
def test_fates_and_order__are_those_of_the_twin(
    random_trace: TraceFactory,
    receiver: str,
    row_bytes: int,
    limit: int,
    in_order: bool,
    hold_ms: int,
    packed: bool,
    sized: bool,
) -> None:
    # 12 Mbit/s, and some packets of ten lost, whatever the mean size of a row.
    gap_ns, lost = NS_PER_MS * row_bytes // 1500, min(0.3 * row_bytes / 1500, 0.3)
    path, trace = random_trace(
        "link.npy",
        rows=40_000,
        gap_ns=gap_ns,
        delay_ns=40 * NS_PER_MS,
        lost=lost,
        most_bytes=2 * row_bytes if sized else None,
    )
    options = Options(
        0 if sized else row_bytes,
        limit,
        packed=packed,
        loop=True,
        offset_ns=int(trace.tx_time_ns[0]),
        in_order=in_order,
        hold_ns=hold_ms * NS_PER_MS,
    )
    result = emulated(path, options, (DATAGRAMS, receiver, "7"))
    events = check_against_twin(result, trace, options)
    assert events >= {"received", "link_lost"}
    assert (limit < 100) == ("queue_dropped" in events)


def test_joined_segments__have_fates_of_their_own(random_trace: TraceFactory, tmp_path: Path) -> None:
    path, trace = random_trace("link.npy", rows=40_000, gap_ns=NS_PER_MS, delay_ns=10 * NS_PER_MS, lost=0.02)
    (tmp_path / "sink.py").write_text(SINK)
    options = Options(1500, 50, loop=True, offset_ns=int(trace.tx_time_ns[0]))
    result = emulated(path, options, (BULK,), f"exec {sys.executable} {tmp_path / 'sink.py'}")
    assert check_against_twin(result, trace, options) >= {"received", "link_lost"}
    sent = result.packets[(result.packets["direction"] == 0) & (result.packets["event"] == SENT)]
    assert sent["size_bytes"].max() == 1500
    assert np.count_nonzero(np.diff(sent["time_ns"]) == 0) > 50, "no segments came together"
    assert result.row["forward_packets_refused"] == 0


def check_against_twin(result: EmulationResult, trace: LinkTrace, options: Options) -> set[str]:
    """Compare the fate of each forward packet with the twin's; return the events that occurred."""
    forward = result.packets[result.packets["direction"] == 0]
    sent = forward[forward["event"] == SENT]
    assert len(sent) > 100
    sendings = [(int(row["time_ns"]), int(row["size_bytes"])) for row in sent]
    expected = outcomes(trace, sendings, RTT_NS // 2, options)

    settled = forward[forward["event"] != SENT]
    number = {int(uid): i for i, uid in enumerate(sent["uid"])}
    found = {number[int(row["uid"])]: (PACKET_EVENTS[row["event"]], int(row["time_ns"])) for row in settled}
    assert len(found) == len(settled)
    assert {i: fate for i, (fate, _) in found.items()} == {i: expected[i][0] for i in found}
    # All but those that were still under way when the command ended.
    missing = expected.keys() - found.keys()
    assert len(missing) == result.row["forward_packets_under_way"]

    due = {i: time_ns for i, (event, time_ns) in expected.items() if event != "queue_dropped"}
    lateness_ns = [found[i][1] - due[i] for i in found.keys() & due.keys()]
    assert min(lateness_ns) >= 0
    assert max(lateness_ns) < MOST_LATE_NS
    due_ns = [due[number[int(row["uid"])]] for row in settled if row["event"] != QUEUE_DROPPED]
    assert due_ns == sorted(due_ns)
    return {event for event, _ in found.values()}


def test_trace__that_ends_stops_the_link_and_says_so(random_trace: TraceFactory) -> None:
    path, trace = random_trace("link.npy", rows=20, gap_ns=NS_PER_MS)
    result = emulated(path, Options(1500, 5, offset_ns=int(trace.tx_time_ns[0])))
    assert result.packets is not None
    assert any("trace has ended" in note for note in result.notes)
    assert result.row["forward_packets_under_way"] == 5
    assert result.row["forward_packets_delivered"] <= 20
    assert result.row["forward_rows_offered"] == 20


def test_figures__are_those_of_the_records(random_trace: TraceFactory) -> None:
    path, trace = random_trace("link.npy", rows=9000, gap_ns=NS_PER_MS, delay_ns=10 * NS_PER_MS, lost=0.05)
    result = emulated(path, Options(1500, 10, loop=True, offset_ns=int(trace.tx_time_ns[0])))
    packets, row = result.packets, result.row
    assert np.all(np.diff(packets["time_ns"]) >= 0)
    for direction, word in enumerate(("forward", "return")):
        events = packets["event"][packets["direction"] == direction]
        for event, name in (
            (SENT, "arrived"),
            (RECEIVED, "delivered"),
            (LINK_LOST, "lost"),
            (QUEUE_DROPPED, "overflowed"),
        ):
            assert row[f"{word}_packets_{name}"] == np.count_nonzero(events == event)
    received = packets[(packets["direction"] == 0) & (packets["event"] == RECEIVED)]
    delay_s = np.sort(received["delay_ns"]) / NS_PER_S
    assert row["forward_delay_least_s"] == delay_s[0]
    assert row["forward_delay_most_s"] == delay_s[-1]
    # The emulator's percentiles are at most a 64th too high.
    median_s = delay_s[-(-len(delay_s) // 2) - 1]
    assert median_s <= row["forward_delay_p50_s"] <= median_s * (1 + 1 / 64)
    assert row["forward_packets_refused"] == row["forward_interface_dropped"] == 0
