"""A packed link against the rules of mahimahi's `LinkQueue`, packet by packet, with mixed sizes.

The rules of ``src/frontend/link_queue.cc``: each line of a trace is an opportunity of some bytes. The packet
in transit takes what it needs, and the packets behind it take the rest. The rest is lost when the queue is
empty.
"""

from pathlib import Path

import numpy as np
import pytest
from link_traces import sent_once

from tests.ns2.conftest import Datagrams
from tmt.importers.mahimahi import read_opportunities_ms

pytestmark = pytest.mark.ns2

MS = 1_000_000
OPPORTUNITY_BYTES = 1500
PACKETS = 4000
TRACES = (
    "Verizon-LTE-short.down",
    "Verizon-LTE-short.up",
    "ATT-LTE-driving-2016.down",
    "ATT-LTE-driving-2016.up",
)


def link_queue(opportunities_ns: list[int], sendings: list[tuple[int, int]]) -> list[int]:
    """Return the time of each packet's last byte: one loop over opportunities, one over their bytes."""
    left_ns: list[int] = []
    queue: list[int] = []
    arrivals = iter(sendings)
    following = next(arrivals, None)
    for now_ns in opportunities_ns:
        while following is not None and following[0] < now_ns:
            queue.append(following[1])
            following = next(arrivals, None)
        bytes_left = OPPORTUNITY_BYTES
        while bytes_left > 0 and queue:
            taken = min(bytes_left, queue[0])
            queue[0] -= taken
            bytes_left -= taken
            if queue[0] == 0:
                queue.pop(0)
                left_ns.append(now_ns)
    return left_ns


def row_times_ns(path: Path) -> list[int]:
    """Return a time of its own for each opportunity, those of one millisecond a nanosecond apart."""
    times_ms = read_opportunities_ms(str(path)).tolist()
    found: list[int] = []
    for time_ms in times_ms:
        earliest = time_ms * MS
        found.append(max(earliest, found[-1] + 1) if found else earliest)
    return found


@pytest.mark.parametrize("sizes", [(40,), (40, 1500), (1500,), (40, 100, 576, 1200, 1500)], ids=str)
@pytest.mark.parametrize("name", TRACES)
def test_packed_link__serves_packets_as_mahimahi_does(
    name: str, sizes: tuple[int, ...], measured_data: Path, send_datagrams: Datagrams
) -> None:
    rows_ns = row_times_ns(measured_data / "mahimahi_cellular" / name)
    rng = np.random.default_rng(len(name) + sum(sizes))
    drawn = rng.choice(sizes, PACKETS)
    # About the rate of the link, in bursts, half a millisecond off its opportunities: queues fill and empty.
    mean_ns = (rows_ns[-1] - rows_ns[0]) / len(rows_ns) * drawn.mean() / OPPORTUNITY_BYTES
    gaps_ns = rng.choice([0.2, 0.5, 2.0], PACKETS) * rng.exponential(mean_ns, PACKETS)
    times_ns = rows_ns[0] + np.cumsum(gaps_ns).astype(np.int64) // MS * MS + MS // 2
    sendings = list(zip(times_ns.tolist(), drawn.tolist(), strict=True))

    trace = sent_once(rows_ns, packing="packed")
    run = send_datagrams(
        trace, sendings, delay_s=0, duration_s=1000, lldu_bytes_=OPPORTUNITY_BYTES, packed_=1, limit_=PACKETS
    )
    assert run.status == 0, run.stderr
    expected = link_queue(rows_ns, sendings)
    assert len(expected) > PACKETS // 2
    received = [time for number, (event, time) in sorted(run.fates().items()) if event == "received"]
    assert received == expected
