"""The law of the code with feedback: hand arithmetic, limits, and the conversions."""

import math

import numba
import numpy as np
import pytest
from naive import on_link

from tmt import GilbertElliott
from tmt.core.converter import joined
from tmt.core.trace import PhyTrace
from tmt.theory import Performance, RegularLink, TwoStateChannel, tetrys

needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million slots: the kernel needs the JIT for them"
)


def link(feedback_slots: int) -> RegularLink:
    """Slots of 10 ns that take 10 ns to decode, and to be detected as erased."""
    return RegularLink(10 * (feedback_slots - 1), 10, 10, 10)


def wait_slots(found: Performance, feedback_slots: int) -> float:
    return (found.recovery_delay_s - link(feedback_slots).recovery_delay_s(0.0)) * 1e9 / 10


@pytest.mark.parametrize("p", [0.1, 0.5])
@pytest.mark.parametrize(("window", "interval"), [(1, 1), (5, 3)])
def test_sender_that_knows_everything__repairs_at_once(p: float, window: int, interval: int) -> None:
    # Every slot carries a source LLDU or the repair LLDU that is needed, and 1 - p of them arrive. An erased
    # LLDU waits for the first slot that arrives: 1 / (1 - p) slots.
    found = tetrys(TwoStateChannel(1 - p, p), link(1), window, interval)
    assert math.isclose(found.efficiency, 1 - p)
    assert math.isclose(wait_slots(found, 1), p / (1 - p))
    assert found.residual_loss == 0.0


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_window_of_one__by_hand(p: float) -> None:
    """W = k = 1, feedback after 2 slots.

    The slot after a source LLDU carries the regular repair LLDU. If the source LLDU arrived, the next one
    follows 2 slots after it; if only the repair LLDU arrived, 3 slots. Else every second slot from the third
    on carries a requested repair LLDU, and the next source LLDU follows 2 slots after the one that arrives.
    """
    needed = 1 / (1 - p)  # requested repair LLDUs, if any
    slots = (1 - p) * 2 + p * (1 - p) * 3 + p * p * (3 + 2 * needed)
    waits = p * (1 - p) * 1 + p * p * (3 + 2 * (needed - 1))
    found = tetrys(TwoStateChannel(1 - p, p), link(2), 1, 1)
    assert math.isclose(found.efficiency, 1 / slots)
    assert math.isclose(wait_slots(found, 2), waits)


@pytest.mark.parametrize(("window", "interval", "slots", "expected"), [(9, 1, 3, 1 / 2), (9, 4, 5, 4 / 5)])
def test_without_erasures__one_in_k_plus_1(window: int, interval: int, slots: int, expected: float) -> None:
    found = tetrys(TwoStateChannel(0.5, 0.5, 0.0, 0.0), link(slots), window, interval)
    assert math.isclose(found.efficiency, expected)
    assert math.isclose(wait_slots(found, slots), 0.0, abs_tol=1e-9)


def test_full_window__uses_w_slots_of_a_round_trip() -> None:
    # One source LLDU in 500 is followed by a regular repair LLDU, most often in a slot that would stall.
    found = tetrys(TwoStateChannel(0.5, 0.5, 0.0, 0.0), link(7), 3, 500)
    assert found.efficiency == pytest.approx(3 / 7, rel=1 / 500)


@needs_jit
@pytest.mark.parametrize(
    ("window", "interval", "slots", "alpha", "beta"),
    [
        (2, 5, 3, 0.7, 0.3),
        (3, 2, 3, 0.8, 0.2),
        (6, 4, 5, 0.9, 0.1),
        (8, 3, 4, 0.95, 0.6),
        (30, 2, 3, 0.95, 0.05),
        (5, 1, 8, 0.9, 0.1),
    ],
)
def test_law__is_that_of_traces(window: int, interval: int, slots: int, alpha: float, beta: float) -> None:
    """A million slots of seed 5: four standard errors are 0.3 % of the efficiency, 2.5 % of the waits."""
    erased = GilbertElliott(alpha, beta).erasures(5).next(1_000_000)
    converter = on_link.tetrys(window, interval, link(slots).rtt_ns, detection_delay_ns=10).converter()
    phy = PhyTrace(np.arange(len(erased)) * 10, np.where(erased, 0, 10))
    rows = joined(converter.feed(phy), converter.finish())
    expected = tetrys(TwoStateChannel(alpha, beta), link(slots), window, interval)
    assert converter.counts.efficiency == pytest.approx(expected.efficiency, rel=0.003)
    waited = rows.delay_ns[rows.delivered].mean() / 10 - 1
    assert waited == pytest.approx(wait_slots(expected, slots), rel=0.025)


def test_tetrys__delivers_nothing_where_everything_is_erased() -> None:
    found = tetrys(TwoStateChannel(0.5, 0.5, 1.0, 1.0), link(2), 3, 1)
    assert found.efficiency == 0.0
    assert math.isnan(found.recovery_delay_s)
