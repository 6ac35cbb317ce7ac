"""Courses of runs: series from packet and window records, and from the link trace below them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from result_rows import run
from scenario_parts import LOSSY_TRACE

from tmt import read_results, run_scenario
from tmt.core.measure.link_use import link_use
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS
from tmt.results.over_time import BINS, LEVELS, RunRecords, Series, delay_quantiles_s, run_over_time


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
    return {series.panel: series for series in run_over_time(records, pd.Series(run(**values)))}


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


@pytest.mark.ns2
def test_queue_length__is_the_limit_whenever_ns2_drops_a_packet(simulator: Path, tmp_path: Path) -> None:
    assert simulator
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        f"""
seeds = 2
records = [1, 2]
{LOSSY_TRACE}[[scheme]]
name = "arq"
[path]
rtt = 0.1
queue_packets = 10
window_packets = 60
[[traffic]]
tcp = "hybla"
duration = 10
"""
    )
    run_scenario(scenario, tmp_path / "out", jobs=1)
    results = read_results(tmp_path / "out")
    drops = 0
    for records in results.records:
        link = link_use(dict(results.runs.iloc[records.row]), records.link_trace)
        queue = link.queue_length(records.packets)
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
