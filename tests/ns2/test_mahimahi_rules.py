"""A packed link against the rules of mahimahi's `LinkQueue`, packet by packet, with mixed sizes.

The rules of ``src/frontend/link_queue.cc``: each line of a trace is an opportunity of some bytes. The packet
in transit takes what it needs, and the packets behind it take the rest. The rest is lost when the queue is
empty. The trace repeats: all its times again, later by its last one.
"""

from collections.abc import Iterable, Iterator
from itertools import count
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


def link_queue(opportunities_ns: Iterable[int], sendings: list[tuple[int, int]]) -> list[int]:
    """Return the time of each packet's last byte: one loop over opportunities, one over their bytes."""
    left_ns: list[int] = []
    queue: list[int] = []
    arrivals = iter(sendings)
    following = next(arrivals, None)
    for now_ns in opportunities_ns:
        while following is not None and following[0] < now_ns:
            queue.append(following[1])
            following = next(arrivals, None)
        if following is None and not queue:
            break
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


def opportunities_ns(times_ms: list[int]) -> Iterator[int]:
    """Yield the opportunities of all repetitions, as mahimahi reads them from the lines of a trace."""
    for repetition in count():
        for time_ms in times_ms:
            yield (time_ms + repetition * times_ms[-1]) * MS


def drawn_times_ms(seed: int) -> list[int]:
    """Return the lines of a trace: several in one millisecond, outages; the first one draws ten of 200 ms."""
    if seed == 0:
        return [200] * 10
    rng = np.random.default_rng(seed)
    gaps = rng.choice([0, 0, 0, 1, 2, 50, 400], int(rng.integers(1, 200)))
    return [int(time) for time in 1 + np.cumsum(gaps)]


@pytest.mark.parametrize("seed", range(12))
def test_packed_link__repeats_as_mahimahi_does(seed: int, send_datagrams: Datagrams) -> None:
    """Each line is a row in its millisecond; the trace covers milliseconds 1 to the last one.

    Both play at one clock then, except that the run begins at millisecond 1. Packets are sent half a
    millisecond off, so that times in whole milliseconds tell all.
    """
    times_ms = drawn_times_ms(seed)
    rng = np.random.default_rng(100 + seed)
    sizes = rng.choice([40, 100, 576, 1200, 1500], 400)
    mean_ms = times_ms[-1] / len(times_ms) * sizes.mean() / OPPORTUNITY_BYTES
    gaps_ms = rng.choice([0.2, 0.5, 2.0], 400) * rng.exponential(mean_ms, 400)
    sent_ms = 1 + np.cumsum(gaps_ms).astype(np.int64)
    sendings = [(int(ms) * MS + MS // 2, int(size)) for ms, size in zip(sent_ms, sizes, strict=True)]

    ranks = [times_ms[:i].count(time) for i, time in enumerate(times_ms)]
    run = send_datagrams(
        sent_once([time * MS + rank for time, rank in zip(times_ms, ranks, strict=True)]),
        [(time - MS, size) for time, size in sendings],
        delay_s=0,
        duration_s=1e5,
        lldu_bytes_=OPPORTUNITY_BYTES,
        packed_=1,
        limit_=len(sendings),
        loop_=1,
        begin_=0.001,
        length_=times_ms[-1] / 1000,
    )
    assert run.status == 0, run.stderr
    received = [time // MS + 1 for _, (event, time) in sorted(run.fates().items()) if event == "received"]
    expected = [time // MS for time in link_queue(opportunities_ns(times_ms), sendings)]
    assert received == expected
    assert len(received) == len(sendings)
    assert expected[-1] > times_ms[-1]
