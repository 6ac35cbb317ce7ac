"""Models against TMT beyond the paper's figures: other parameters, short round trips, errors in both states.

Fixed seeds, 12 replicates of 100 000 slots per case. Efficiency and loss must lie within the 99.9 % interval
of the replicates, delays within 1 %.
"""

import numpy as np
import pytest
from scipy import stats

from tmt import GilbertElliott
from tmt.core.convert import convert
from tmt.core.schemes import SCHEMES
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S
from tmt.results.statistics import t_interval
from tmt.theory import Parameters, RegularLink, TwoStateChannel, burst_length_law, evaluate, gap_length_law
from tmt.theory.channel import FloatArray

REPLICATES, SLOTS = 12, 100_000
SLOT_NS, DECODE_NS = 1_000_000, 7_000_000

CASES: list[tuple[str, Parameters, tuple[float, ...], int]] = [
    ("none", {}, (0.95, 0.8, 0.01, 0.7), 20),
    ("fec", {"data": 8, "repair": 2, "depth": 10}, (0.98, 0.9), 20),
    ("fec", {"data": 8, "repair": 4, "depth": 1}, (0.95, 0.8, 0.01, 0.7), 20),
    # Feedback of 5 slots against bursts of 10: attempts are strongly correlated.
    ("arq", {"max_transmissions": 3}, (0.98, 0.9), 5),
    ("arq", {"max_transmissions": 2}, (0.95, 0.8, 0.05, 0.7), 3),
    ("arq", {"max_transmissions": None}, (0.98, 0.9), 5),
    # A block's own rounds are correlated by 0.85^20 = 0.04.
    ("harq", {"data": 10, "repair": 2, "extra": 0, "rounds": 5}, (0.95, 0.9), 20),
    ("harq", {"data": 6, "repair": 0, "extra": 2, "rounds": 1}, (0.97, 0.8, 0.02, 0.8), 100),
]


def _measure(
    scheme: str, parameters: Parameters, channel: tuple[float, ...], link: RegularLink
) -> FloatArray:
    """Efficiency, loss and recovery delay in seconds of each replicate, [REPLICATES, 3]."""
    one = SCHEMES[scheme](**parameters)
    found = np.empty((REPLICATES, 3))
    for seed in range(REPLICATES):
        erased = GilbertElliott(*channel).erasures(seed).next(SLOTS)
        decode_time_ns = np.where(erased, 0, DECODE_NS).astype(np.int64)
        trace = convert(
            PhyTrace(np.arange(SLOTS, dtype=np.int64) * SLOT_NS, decode_time_ns), one, link.rtt_ns / NS_PER_S
        )
        delay_ns = trace.delay_ns[trace.delivered]
        lost = ~trace.delivered & (trace.delay_ns >= 0)
        found[seed] = len(delay_ns) / SLOTS, lost.mean(), (link.rtt_ns / 2 + delay_ns.mean()) / 1e9
    return found


@pytest.mark.parametrize(("scheme", "parameters", "channel", "rtt_slots"), CASES)
def test_model__agrees_with_tmt(
    scheme: str, parameters: Parameters, channel: tuple[float, ...], rtt_slots: int
) -> None:
    link = RegularLink(rtt_slots * SLOT_NS, SLOT_NS, DECODE_NS)
    expected = evaluate(scheme, TwoStateChannel(*channel), link, parameters)
    found = _measure(scheme, parameters, channel, link)
    efficiency, loss = (t_interval(found[:, column], 0.999) for column in (0, 1))
    # Effect of the ends of a trace: a tenth of a hundred slots and a round trip, in 100 000 slots.
    slack = (rtt_slots + 100) / SLOTS * 0.1
    assert efficiency.low - slack <= expected.efficiency <= efficiency.high + slack
    assert loss.low - slack <= expected.residual_loss <= loss.high + slack
    assert found[:, 2].mean() == pytest.approx(expected.recovery_delay_s, rel=0.01)


def test_harq__is_pessimistic_as_documented_where_the_channel_outlasts_the_feedback() -> None:
    # rho^k = 0.91^20 = 0.15: docs/models.md states 1.2 %. Twelve replicates know it to +-0.5 %.
    link = RegularLink(20 * SLOT_NS, SLOT_NS, DECODE_NS)
    parameters: Parameters = {"data": 10, "repair": 2, "extra": 1, "rounds": 3}
    expected = evaluate("harq", TwoStateChannel(0.98, 0.93), link, parameters)
    efficiency = _measure("harq", parameters, (0.98, 0.93), link)[:, 0].mean()
    assert efficiency / expected.efficiency == pytest.approx(1.012, abs=0.006)


@pytest.mark.parametrize("inside", [True, False], ids=["bursts", "gaps"])
def test_length_laws__are_those_of_generated_traces(inside: bool) -> None:
    # Chi-square test over lengths 1..12 and longer, one fixed seed, rejected below a p-value of 0.001.
    parameters = (0.9, 0.7, 0.03, 0.8)
    erased = GilbertElliott(*parameters).erasures(3).next(20_000)
    edges = np.flatnonzero(np.diff(erased)) + 1
    lengths = np.diff(edges)[erased[edges[:-1]] == inside]
    law = (burst_length_law if inside else gap_length_law)(TwoStateChannel(*parameters), 12)
    observed = np.bincount(np.minimum(lengths, 13), minlength=14)[1:]
    expected = len(lengths) * np.append(law, 1 - law.sum())
    assert stats.chisquare(observed, expected).pvalue > 0.001
