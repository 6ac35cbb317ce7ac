"""What a receiver takes of packets in any order: acknowledgements beside an own reading of RFC 7323."""

from pathlib import Path

import numpy as np
import pytest
from experiments import asked
from link_traces import sent_once

from tmt import TraceLink
from tmt.core.measure.transport import RECEIVED, SENT, Records
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import write_trace
from tmt.spec.stacks import LINUX


def acknowledged(packets: Records, *, protects: bool) -> tuple[list[int], list[int], int]:
    """Return the numbers that ACKs had, those expected, and the number of rejected packets.

    Each packet is acknowledged at once. With PAWS (RFC 7323, 5.3) a packet is dropped if its timestamp is
    more than a tick of 1 ms older than TS.Recent: the largest one of packets at, or one before, the number
    that the last ACK asked for.
    """
    has: set[int] = set()
    expected: list[int] = []
    found: list[int] = []
    missing = asked_for = rejected = 0
    recent_ns = -1
    for packet in packets:
        number, time_ns = int(packet["sequence"]), int(packet["time_ns"])
        if packet["event"] == RECEIVED and packet["direction"] == 0:
            stamp_ns = time_ns - int(packet["delay_ns"])
            if protects and recent_ns >= 0 and recent_ns // NS_PER_MS - stamp_ns // NS_PER_MS > 1:
                rejected += 1
                continue
            if number in (asked_for, asked_for - 1):
                recent_ns = max(recent_ns, stamp_ns)
            has.add(number)
            while missing in has:
                missing += 1
        elif packet["event"] == SENT and packet["direction"] == 1:
            found.append(number)
            expected.append(missing - 1)
            asked_for = number + 1
    return found, expected, rejected


@pytest.mark.ns2
@pytest.mark.usefixtures("kernel", "simulator")
@pytest.mark.parametrize("stack", [LINUX, "modern"])
def test_late_packet__behind_a_retransmission_is_dropped(stack: str, tmp_path: Path) -> None:
    # Slots of 300 bytes each ms; one in twenty comes 0.23 s late or more, as through ARQ; no two at one time.
    late = np.random.default_rng(3).geometric(0.95, 60_000) - 1
    delay_ns = 30 * NS_PER_MS + 230_300_000 * late
    trace = sent_once(np.arange(60_000) * NS_PER_MS, delay_ns, lldu_bytes=300)
    write_trace(tmp_path / "link.npy", trace)
    run = asked(
        tcp="newreno",
        stack=stack,
        forward=TraceLink(tmp_path / "link.npy", 300),
        rtt_ns=NS_PER_S // 5,
        queue_packets=89,
        in_order=False,
        delayed_acks=False,
        duration_ns=20 * NS_PER_S,
    ).run()
    found, expected, rejected = acknowledged(run.packets, protects=True)
    assert len(found) > 1000
    assert found == expected
    assert rejected > 10
    found, expected, _ = acknowledged(run.packets, protects=False)
    assert found != expected
