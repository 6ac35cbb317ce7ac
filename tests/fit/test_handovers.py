"""Handovers that were put into a trace, or measured, are found; where there are none, none are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from in_process import tmt

from tmt import Bernoulli, Handover
from tmt.core.generate import lay_over
from tmt.core.trace import PhyTrace
from tmt.io import read_trace
from tmt.theory.fit.handovers import find_handovers

MS = 10**6
S = 10**9
STARLINK = Path(__file__).resolve().parents[2] / "traces/measured/starlink.parquet"


def line(slots: int = 120_000) -> PhyTrace:
    """Slots of 1 ms, decoded after 5 ms."""
    return PhyTrace(np.arange(slots) * MS, np.full(slots, 5 * MS))


def test_starlink__hands_over_every_15_seconds() -> None:
    """The eight longest pauses of the file, as numpy.diff gives them, begin 15 s after one another."""
    trace = read_trace(STARLINK)
    gaps_ns = np.diff(trace.tx_time_ns)
    longest = np.sort(np.argsort(gaps_ns)[-8:])
    found = find_handovers(trace, 15 * S)
    assert found.are_found
    assert [round(one.begin_s * 1e9) for one in found.handovers] == trace.tx_time_ns[longest].tolist()
    assert [round(one.outage_s * 1e9) for one in found.handovers] == gaps_ns[longest].tolist()
    begins_s = [one.begin_s for one in found.handovers]
    assert np.diff(begins_s) == pytest.approx(7 * [15], abs=0.01)


@pytest.mark.parametrize("period_s", [10, 12, 13, 14, 16, 17])
def test_other_periods__are_not_found(period_s: int) -> None:
    assert not find_handovers(read_trace(STARLINK), period_s * S).are_found


@pytest.mark.parametrize("queue", ["kept", "lost"])
def test_planted_handovers__are_found(queue: str) -> None:
    channel = Handover(15, first=7, outage=0.1, queue=queue, capacity=(1, 0.5))  # type: ignore[arg-type]
    noisy = lay_over(line(), Bernoulli(0.05).realisation(3))
    found = find_handovers(lay_over(noisy, channel.realisation(1)), 15 * S)
    assert found.are_found
    assert len(found.handovers) == 8
    for number, one in enumerate(found.handovers):
        # Rows of 1 ms, of which some are erased: the interruption is a little longer than the outage.
        assert one.begin_s == pytest.approx(7 + 15 * number, abs=0.02)
        assert 0.1 <= one.outage_s < 0.12
        rates = (950, 475) if number % 2 == 0 else (475, 950)
        assert one.rates_per_s == pytest.approx(rates, rel=0.1)
        assert one.delays_s == (0.005, 0.005)


def test_interruptions_of_a_whole_day__are_no_handovers() -> None:
    """Two seconds of each minute are lost, at random places: the law has 5,760 periods."""
    slots = 10 * 86_400
    begins = np.random.default_rng(1).integers(0, slots - 10, 2 * 1440)
    decode_ns = np.full(slots, 5 * MS)
    decode_ns[np.unique(begins[:, None] + np.arange(10))] = 0
    found = find_handovers(PhyTrace(np.arange(slots) * 100 * MS, decode_ns), 15 * S)
    assert len(found.handovers) == 5760
    assert not found.are_found


def test_step_of_delay__is_told() -> None:
    trace = lay_over(line(), Handover(15, outage=0.1).realisation(1))
    later = (trace.tx_time_ns // (15 * S)) % 2 == 1
    trace = replace(trace, decode_time_ns=np.where(later, 9 * MS, 5 * MS))
    steps = [one.delays_s for one in find_handovers(trace, 15 * S).handovers]
    assert steps[:3] == [(0.005, 0.009), (0.009, 0.005), (0.005, 0.009)]


@pytest.mark.parametrize("seed", range(20))
def test_independent_erasures__are_no_handovers(seed: int) -> None:
    trace = lay_over(line(), Bernoulli(0.6).realisation(seed))
    assert not find_handovers(trace, 15 * S).are_found


def test_trace_without_interruptions__has_none() -> None:
    found = find_handovers(line(), 15 * S)
    assert (found.chance, found.handovers) == (1.0, ())


def test_inspect__shows_them_and_says_so(tmp_path: Path) -> None:
    shown = tmt("inspect", "--handover-period", 15, STARLINK, folder=tmp_path)
    assert shown.status == 0
    assert "period 15 s: handovers;" in " ".join(shown.out.split())
    assert "68.05 ms" in shown.out
