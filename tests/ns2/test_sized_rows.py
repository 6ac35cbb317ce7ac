"""Rows of their own sizes in ns-2: a 5G trace at its offered rate, segmentation by hand, bytes counted."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from link_traces import sent_once
from naive import on_link

from tests.ns2.conftest import Datagrams
from tmt import NoScheme, SlidingWindow
from tmt.core.convert import convert
from tmt.core.trace import LinkTrace, PhyTrace

pytestmark = pytest.mark.ns2

MS = 1_000_000
S = 1_000_000_000


def sized_trace(tx_ns: list[int], sizes: list[int], lost: tuple[int, ...] = ()) -> LinkTrace:
    return sent_once(tx_ns, lost=lost, sizes=sizes)


@pytest.mark.parametrize("direction", ["DL", "UL"])
def test_packed_rows__carry_the_offered_rate_of_a_5g_trace(
    direction: str, measured_data: Path, send_datagrams: Datagrams
) -> None:
    with gzip.open(measured_data / "formats" / "ns3mmwave_RxPacketTrace.txt.gz", "rt") as file:
        header, *lines = (line.rstrip("\n").split("\t") for line in file)
    column = {name: number for number, name in enumerate(header)}
    blocks = [fields for fields in lines if fields[column["DL/UL"]] == direction]
    tx_ns: list[int] = []
    for fields in blocks:
        time_ns = round(float(fields[column["time"]]) * S)
        tx_ns.append(max(time_ns, tx_ns[-1] + 1) if tx_ns else time_ns)
    sizes = [int(fields[column["tbSize"]]) for fields in blocks]
    span_ns = tx_ns[-1] - tx_ns[0]
    offered_bps = 8 * sum(sizes) * S / span_ns
    assert 140e6 < offered_bps < 160e6  # the issue: 152 Mbit/s

    gap_ns = int(8 * 1500 * S / 600e6)  # above the rate of the link at every moment
    sendings = [(number * gap_ns, 1500) for number in range((tx_ns[-1]) // gap_ns)]
    run = send_datagrams(sized_trace(tx_ns, sizes), sendings, duration_s=2, packed_=1, limit_=2000)
    assert run.status == 0, run.stderr
    assert 8 * run.counters["bytes_delivered"] * S / span_ns == pytest.approx(offered_bps, rel=0.02)
    assert run.counters["bytes_offered"] == sum(sizes)
    assert run.counters["bytes_used"] == pytest.approx(sum(sizes), rel=0.01)


def test_packed_rows__segment_and_concatenate_as_rlc_does(send_datagrams: Datagrams) -> None:
    # Grants of 100, 400, 300 and 1000 bytes carry SDUs of 250, 450, 60 and 500 bytes:
    # 100 | 150 250 | 200 60 40 | 460. The third grant is lost, and with it SDUs 1, 2 and 3.
    grants = sized_trace([10 * MS, 20 * MS, 30 * MS, 40 * MS], [100, 400, 300, 1000], lost=(2,))
    sendings = [(1 * MS, 250), (2 * MS, 450), (3 * MS, 60), (4 * MS, 500)]
    run = send_datagrams(grants, sendings, delay_s=0.005, packed_=1, limit_=10)
    assert run.fates() == {
        0: ("received", 25 * MS),
        1: ("link_lost", 35 * MS),
        2: ("link_lost", 35 * MS),
        3: ("link_lost", 45 * MS),
    }
    assert (run.counters["bytes_offered"], run.counters["bytes_used"]) == (1800, 250 + 450 + 60 + 500)


def test_padded_rows__begin_a_packet_in_a_row_of_its_own(send_datagrams: Datagrams) -> None:
    # The same grants, padded: 100 + 150 of 400 | 300 + 150 of 1000, and no row is left for the others.
    grants = sized_trace([10 * MS, 20 * MS, 30 * MS, 40 * MS], [100, 400, 300, 1000])
    sendings = [(1 * MS, 250), (2 * MS, 450), (3 * MS, 60)]
    run = send_datagrams(grants, sendings, delay_s=0.005, limit_=10)
    assert run.fates() == {0: ("received", 25 * MS), 1: ("received", 45 * MS)}
    assert (run.counters["bytes_offered"], run.counters["bytes_used"]) == (1800, 1800)
    assert run.counters["packets_queued"] == 1


def test_queue_that_empties__wastes_the_rest_of_a_row(send_datagrams: Datagrams) -> None:
    grants = sized_trace([10 * MS, 20 * MS, 30 * MS], [1000, 1000, 1000])
    run = send_datagrams(grants, [(1 * MS, 300), (11 * MS, 300), (12 * MS, 300)], delay_s=0, packed_=1)
    assert run.fates() == {0: ("received", 10 * MS), 1: ("received", 20 * MS), 2: ("received", 20 * MS)}
    assert (run.counters["rows_used"], run.counters["bytes_used"]) == (2, 900)


SENT_ONCE: dict[str, dict[str, Any]] = {
    "no scheme": {"scheme": "none"},
    "a process for each slot": {"scheme": "harq-processes", "processes_": 400, "max_transmissions_": 1},
    "one copy": {"scheme": "harq-processes", "repetitions_": 1},
}
"""Schemes that send each unit once and never stall."""


@pytest.mark.parametrize("scheme", SENT_ONCE)
@pytest.mark.parametrize("packed", [0, 1])
@pytest.mark.parametrize("seed", range(2))
def test_online_without_retransmission__agrees_with_the_trace_of_none(
    seed: int, packed: int, scheme: str, send_datagrams: Datagrams
) -> None:
    rng = np.random.default_rng(seed)
    n = 400
    # Slots at even nanoseconds, packets at odd ones: the order of two events at one moment is undefined.
    tx_ns = 2 * np.cumsum(rng.integers(MS, 10 * MS, n))
    decode_ns = np.where(rng.random(n) < 0.1, 0, 3 * MS)
    phy = PhyTrace(tx_ns, decode_ns, size_bytes=rng.integers(1, 4000, n).astype(np.uint32))
    times_ns = 2 * np.cumsum(rng.integers(1, 10 * MS, 300)) + 1
    sendings = list(zip(times_ns.tolist(), rng.integers(1, 3000, 300).tolist(), strict=True))
    common = {"packed_": packed, "limit_": 300, "in_order_": 0}
    offline = send_datagrams(convert(phy, NoScheme()), sendings, **common)
    online = send_datagrams(phy, sendings, **SENT_ONCE[scheme], **common)
    assert (offline.status, online.status) == (0, 0), online.stderr
    assert online.fates() == offline.fates()
    for name in ("rows_used", "bytes_used"):
        assert online.counters[name] == offline.counters[name]


@pytest.mark.parametrize(
    "link",
    [
        on_link.on_link(SlidingWindow, coding_window=6, repair_interval=3),
        on_link.tetrys(coding_window=30, repair_interval=3, rtt_ns=20 * MS),
    ],
    ids=["sliding-window", "tetrys"],
)
@pytest.mark.parametrize("packed", [0, 1])
def test_online_code__agrees_with_its_trace_on_a_link_that_is_never_idle(
    packed: int, link: on_link.OnLink, send_datagrams: Datagrams
) -> None:
    scheme: Any = link.scheme
    rng = np.random.default_rng(packed)
    n = 1000
    tx_ns = 2 * np.cumsum(rng.integers(MS, 10 * MS, n))
    decode_ns = np.where(rng.random(n) < 0.25, 0, rng.integers(1, 60 * MS, n))
    phy = PhyTrace(tx_ns, decode_ns, size_bytes=rng.integers(1, 1000, n).astype(np.uint32))
    sendings = [(1 + 2 * i, int(size)) for i, size in enumerate(rng.integers(1, 1500, 2000))]
    common = {"packed_": packed, "limit_": 2000, "in_order_": 0, "duration_s": tx_ns[-200] / 1e9}
    offline = send_datagrams(convert(phy, *link), sendings, **common)
    online = send_datagrams(
        phy,
        sendings,
        scheme=scheme.name,
        coding_window_=scheme.coding_window,
        repair_interval_=scheme.repair_interval,
        **common,
    )
    assert (offline.status, online.status) == (0, 0), online.stderr
    assert (offline.counters["packets_lost"] > 0) == (scheme.name == "sliding-window")
    assert len(offline.fates()) > 200
    assert online.fates() == offline.fates()
