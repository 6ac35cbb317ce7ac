"""Courses of runs: series from packet and window records, and from the link trace below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from result_rows import run

from tmt.results.course import BINS, LEVELS, Series, course, delay_quantiles_s
from tmt.results.dataset import RunRecords
from tmt.results.link_course import LinkUse, link_use
from tmt.schema import LINK_TRACE, PACKET_EVENTS, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS

if TYPE_CHECKING:
    from pathlib import Path


def _records(packets: int = 1000, changes: int = 50_000) -> RunRecords:
    """One packet of 1500 bytes every 10 ms, later by 1 us each; every 100th is lost, its copy sent again."""
    table = np.zeros(packets, PACKET_RECORDS.dtype)
    table["time_ns"] = np.arange(packets) * 10_000_000
    table["event"] = PACKET_EVENTS.index("received")
    table["event"][::100] = PACKET_EVENTS.index("link_lost")
    table["event"][50::100] = PACKET_EVENTS.index("sent")
    table["transmission"] = 1
    table["transmission"][50::100] = 2
    table["size_bytes"] = 1500
    table["delay_ns"] = 250_000_000 + np.arange(packets) * 1000
    windows = np.zeros(changes, WINDOW_RECORDS.dtype)
    windows["time_ns"] = np.linspace(0, packets * 10_000_000 - 1, changes).astype(np.int64)
    windows["cwnd_packets"] = 10 + np.arange(changes) % 7
    windows["cwnd_packets"][12_345], windows["cwnd_packets"][31_234] = 99, 1
    windows["srtt_ns"] = 300_000_000
    windows["srtt_ns"][:100] = UNSETTLED
    return RunRecords(0, table, windows)


def _course(records: RunRecords, **values: Any) -> dict[str, Series]:
    return {series.panel: series for series in course(records, pd.Series(run(**values)))}


def test_delay_quantiles__are_those_of_arrivals_only() -> None:
    quantiles = delay_quantiles_s(_records())
    assert len(quantiles) == len(LEVELS)
    assert quantiles[0] == pytest.approx(0.250001)
    assert quantiles[-1] == pytest.approx(0.250999)


def test_delay_quantiles__of_a_run_that_delivered_nothing_are_none() -> None:
    records = _records()
    records.packets["event"] = PACKET_EVENTS.index("sent")
    assert len(delay_quantiles_s(records)) == 0


def test_course__keeps_the_window_s_extremes_in_few_points() -> None:
    window = _course(_records())["window"]
    assert len(window.value) < 1000
    assert (window.value.min(), window.value.max()) == (1, 99)
    assert window.time_s[-1] == 10.0


def test_course__leaves_out_round_trip_times_before_the_first_sample() -> None:
    srtt = _course(_records())["srtt"]
    assert srtt.time_s[0] == pytest.approx(100 * 10 / 49_999, rel=1e-6)
    assert set(srtt.value) == {0.3}


def test_course__counts_every_byte_that_arrives() -> None:
    # 980 arrivals of 1500 bytes: 1.176 Mbit/s over 10 s.
    rates = _course(_records())["arrivals"].value
    assert rates.sum() / BINS == pytest.approx(980 * 1500 * 8 / 10)


def test_course__distinguishes_losses_from_retransmissions() -> None:
    found = _course(_records())
    assert [len(found[kind].time_s) for kind in ("link lost", "queue dropped", "retransmission")] == [
        10,
        0,
        10,
    ]
    assert found["link lost"].time_s[1] == pytest.approx(1.0, abs=0.01)


def test_course__of_a_run_without_any_record_is_empty() -> None:
    nothing = RunRecords(0, np.zeros(0, PACKET_RECORDS.dtype), np.zeros(0, WINDOW_RECORDS.dtype))
    found = _course(nothing)
    assert len(found["window"].value) == len(found["delay"].value) == 0
    assert "queue" not in found


def _sent(time_ns: list[int], dropped: tuple[int, ...] = ()) -> np.ndarray:
    """Packets of 100 bytes with ascending numbers, some of them dropped when they arrive."""
    table = np.zeros(len(time_ns) + len(dropped), PACKET_RECORDS.dtype)
    table["size_bytes"] = 100
    table["time_ns"] = time_ns + [time_ns[uid] for uid in dropped]
    table["uid"] = [*range(len(time_ns)), *dropped]
    table["event"] = PACKET_EVENTS.index("sent")
    table["event"][len(time_ns) :] = PACKET_EVENTS.index("queue_dropped")
    return table


def test_queue_length__follows_the_rows_that_packets_take() -> None:
    # Rows of 50 bytes every 10 ns: a packet takes two. Packet 0 arrives at 5, takes the rows at 10 and 20;
    # packet 1 arrives at 6 and takes 30 and 40; 2 is dropped; 3 arrives at 55 and takes 60 and 70.
    link = LinkUse(np.arange(0, 200, 10), np.ones(20, bool), 50, has_queue=True)
    found = link.queue_length(_sent([5, 6, 7, 55], dropped=(2,)))
    assert found is not None
    time_s, length = found
    assert list(np.round(time_s * 1e9)) == [5, 6, 20, 40, 55, 70]
    assert list(length) == [1, 2, 1, 0, 1, 0]


def test_queue_length__keeps_a_packet_that_finds_too_few_rows() -> None:
    link = LinkUse(np.arange(0, 40, 10), np.ones(4, bool), 50, has_queue=True)
    found = link.queue_length(_sent([5, 6]))
    assert found is not None
    assert list(found[1]) == [1, 2, 1], (
        "rows at 10 and 20 carry the first packet, 30 alone cannot carry the second"
    )


def test_link_use__repeats_the_trace_from_its_offset(tmp_path: Path) -> None:
    # Four rows in 30 ms: a repetition lasts 40 ms. From 15 ms on: 20, 30, 40 (again 0), 50, ... are sent.
    trace = np.zeros(4, LINK_TRACE.dtype)
    trace["tx_time_ns"] = 7 + np.arange(4) * 10_000_000
    trace["delivered"] = [True, True, False, True]
    np.save(tmp_path / "a.npy", trace)
    records = RunRecords(
        0, np.zeros(0, PACKET_RECORDS.dtype), np.zeros(0, WINDOW_RECORDS.dtype), tmp_path / "a.npy"
    )
    row = run(
        forward_lldu_bytes=125, forward_offset_s=0.015, simulated_s=0.06, forward_trace_repeats=1, proxy=False
    )
    link = link_use(records, pd.Series(row))
    assert link is not None
    assert list(link.time_ns // 1_000_000) == [5, 15, 25, 35, 45, 55]
    assert list(link.delivered) == [False, True, True, True, False, True]
    # Of 125 bytes each, a row every 10 ms carries 100 kbit/s; one of three is lost.
    assert list(link.capacity_bps(np.array([0, 0.03, 0.06]))) == pytest.approx([200e3 / 3, 200e3 / 3])
    assert list(link.lost_share(np.array([0, 0.03, 0.06]))) == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize(
    "values",
    [{"forward_online": "arq"}, {"forward_lldu_bytes": None}, {"forward_lldu_bytes": float("nan")}],
)
def test_link_use__needs_a_link_trace_of_equal_rows(tmp_path: Path, values: dict[str, Any]) -> None:
    np.save(tmp_path / "a.npy", np.zeros(4, LINK_TRACE.dtype))
    records = _records()
    beside = RunRecords(0, records.packets, records.windows, tmp_path / "a.npy")
    assert link_use(beside, pd.Series(run(forward_offset_s=0.0, **values))) is None
    absent = RunRecords(0, records.packets, records.windows, tmp_path / "absent.npy")
    assert link_use(absent, pd.Series(run(forward_offset_s=0.0))) is None


@pytest.mark.ns2
def test_queue_length__is_the_limit_whenever_ns2_drops_a_packet(simulator: Path, tmp_path: Path) -> None:
    from tmt.campaign.campaign import open_campaign
    from tmt.campaign.pool import LocalPool
    from tmt.results.reading import read_results

    assert simulator
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        """
[grid]
tcp = ["hybla"]
seeds = 2
records = [1, 2]
[[trace]]
channel = "bernoulli"
probability = 0.05
rate = 1e6
length = 4
lldu_bytes = 400
[[scheme]]
name = "arq"
[link]
rtt = 0.1
queue_packets = 10
window_packets = 60
[[traffic]]
duration = 10
"""
    )
    with open_campaign(scenario, tmp_path / "out") as campaign:
        campaign.execute(campaign.plan(), lambda: LocalPool(1), lambda _: None)
    results = read_results(tmp_path / "out")
    drops = 0
    for records in results.records:
        link = link_use(records, results.runs.iloc[records.row])
        assert link is not None
        queue = link.queue_length(records.packets)
        assert queue is not None
        time_s, length = queue
        assert length.max() == 10
        assert length.min() >= 0
        forward = records.packets[records.packets["direction"] == 0]
        dropped_s = forward["time_ns"][forward["event"] == PACKET_EVENTS.index("queue_dropped")] / 1e9
        for moment_s in dropped_s:
            # Events of the same moment: the queue was full after one of them, or before all of them.
            begin, end = np.searchsorted(time_s, moment_s), np.searchsorted(time_s, moment_s, side="right")
            assert length[max(begin - 1, 0) : end].max() == 10
            drops += 1
    assert drops > 10
