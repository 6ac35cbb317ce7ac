"""Test cases of draft-ietf-ccwg-bbr-06 about rates, in ns-2; clift-ns2/tests/tcp has all 22."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments import asked
from link_traces import sent_once

from tmt import PlainLink, TraceLink
from tmt.core.measure.transport import RECEIVED
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import write_trace
from tmt.run.experiment import ExperimentResult

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

PAYLOAD_SHARE = 1448 / 1500
MARGIN = 0.99
"""Pacing rate over estimated bandwidth, in the phases of gain 1."""


def run(**settings: Any) -> ExperimentResult:
    return asked(**{"tcp": "bbr3", "rtt_ns": 40 * NS_PER_MS} | settings).run()


def cruise_bandwidth_bps(result: ExperimentResult, from_s: float, until_s: float) -> float:
    """The IP rate that the sender takes for the link's: most of the time it cruises."""
    windows = result.windows
    moments_ns = (np.arange(from_s, until_s, 0.01) * NS_PER_S).astype(np.int64)
    rates = windows["pacing_bps"][np.searchsorted(windows["time_ns"], moments_ns, side="right") - 1]
    return float(np.median(rates)) / MARGIN / PAYLOAD_SHARE


@pytest.mark.parametrize(("rate_bps", "rtt_ms"), [(50e6, 20), (10e6, 40), (20e6, 600)])
def test_exiting_startup_on_bandwidth_plateau(rate_bps: float, rtt_ms: int) -> None:
    result = run(forward=PlainLink(rate_bps), rtt_ns=rtt_ms * NS_PER_MS, duration_ns=25 * NS_PER_S)
    assert cruise_bandwidth_bps(result, 20, 25) == pytest.approx(rate_bps, rel=0.02)
    startup = float(result.windows["pacing_bps"].max()) / MARGIN / PAYLOAD_SHARE
    assert startup == pytest.approx(2.77 * rate_bps, rel=0.02)


def test_correctly_managing_sub_packet_bdps() -> None:
    # 1 Mbit/s and 5 ms: two fifths of a packet, with delayed acknowledgements.
    result = run(
        forward=PlainLink(1e6),
        rtt_ns=5 * NS_PER_MS,
        queue_packets=100,
        delayed_acks=True,
        duration_ns=40 * NS_PER_S,
    )
    late = result.windows[result.windows["time_ns"] > 20 * NS_PER_S]
    assert late["cwnd_packets"].min() >= 4
    assert cruise_bandwidth_bps(result, 20, 40) == pytest.approx(1e6, rel=0.02)
    received = result.packets[(result.packets["direction"] == 0) & (result.packets["event"] == RECEIVED)]
    size_bytes = received["size_bytes"][received["time_ns"] > 20 * NS_PER_S].sum()
    assert size_bytes * 8 / 20 == pytest.approx(1e6, rel=0.02)


def test_correctly_managing_sub_packet_bdps_fails_at_64_kbit_per_s() -> None:
    # ProbeRTT comes every 5 s, and a round of several packets takes seconds: no cycle ends without one, so
    # that the filter keeps its first samples, 5 % above the rate; the draft wants 2 %.
    result = run(
        forward=PlainLink(64e3),
        rtt_ns=10 * NS_PER_MS,
        queue_packets=100,
        delayed_acks=True,
        duration_ns=120 * NS_PER_S,
    )
    assert 1.02 * 64e3 < cruise_bandwidth_bps(result, 40, 120) < 1.06 * 64e3
    assert result.windows["cwnd_packets"].max() < 20


def changing_link(path: Path, rates_bps: tuple[float, float], times_s: tuple[float, float]) -> TraceLink:
    """Rows of 1500 bytes at one rate, then at another."""
    gaps = [
        np.full(int(rate * time / 12_000), round(12_000 / rate * NS_PER_S))
        for rate, time in zip(rates_bps, times_s, strict=True)
    ]
    times = np.cumsum(np.concatenate(gaps))
    write_trace(path, sent_once(times, np.full(len(times), 1), [], lldu_bytes=1500))
    return TraceLink(path)


def test_increasing_bandwidth_tenfold_and_ensuring_full_bandwidth_is_reached(tmp_path: Path) -> None:
    link = changing_link(tmp_path / "up.parquet", (5e6, 50e6), (10, 10))
    result = run(forward=link, queue_packets=200, duration_ns=19 * NS_PER_S)
    # The wait for the next probe is at most 3 s.
    assert cruise_bandwidth_bps(result, 9, 10) == pytest.approx(5e6, rel=0.02)
    assert cruise_bandwidth_bps(result, 15, 19) == pytest.approx(50e6, rel=0.02)


def test_decreasing_bandwidth_tenfold_and_ensuring_max_bandwidth_adapts_down(tmp_path: Path) -> None:
    link = changing_link(tmp_path / "down.parquet", (50e6, 5e6), (10, 20))
    result = run(forward=link, queue_packets=33, duration_ns=29 * NS_PER_S)
    assert cruise_bandwidth_bps(result, 8, 10) == pytest.approx(50e6, rel=0.02)
    assert cruise_bandwidth_bps(result, 20, 29) == pytest.approx(5e6, rel=0.02)
