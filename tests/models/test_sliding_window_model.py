"""The law of the sliding-window code: hand arithmetic, all patterns of a recovery, and the conversions."""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest

from tmt.channels import GilbertElliott
from tmt.errors import UsageError
from tmt.models import RegularLink, TwoStateChannel, sliding_window
from tmt.schemes import SlidingWindow
from tmt.trace import PhyTrace

LINK = RegularLink(0, 10, 10)

needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million slots: the kernel needs the JIT for them"
)


def wait_slots(delay_s: float) -> float:
    return delay_s * 1e9 / 10 - 1


def test_repetition__by_hand() -> None:
    # W = k = 1 sends everything twice. Gilbert channel with pi_bad = 1/6: both slots erased with 1/6 * 0.5.
    found = sliding_window(TwoStateChannel(0.9, 0.5), LINK, 1, 1)
    assert math.isclose(found.residual_loss, 1 / 12)
    assert math.isclose(found.efficiency, 11 / 24)
    assert math.isclose(wait_slots(found.recovery_delay_s), (1 / 12) / (11 / 12))


@pytest.mark.parametrize("p", [0.05, 0.4])
def test_window_of_two__by_hand(p: float) -> None:
    # k = 1, independent erasures. The repair LLDU one slot later recovers an erasure (1 - p). Else
    # the next one does, two slots on, if the source LLDU between arrives: p (1 - p) (1 - p). Otherwise the
    # recovery ends after two source LLDUs, of which the second is erased, too, with probability p.
    given_up = p * (1 - (1 - p) ** 2) + p * p
    own, later = 1 - p, p * (1 - p) ** 2
    loss = p * given_up / (own + later + given_up)
    found = sliding_window(TwoStateChannel(1 - p, p), LINK, 2, 1)
    assert math.isclose(found.residual_loss, loss)
    waits = p * (own + 3 * later) / (own + later + given_up)
    assert math.isclose(wait_slots(found.recovery_delay_s), waits / (1 - loss))


def walked(arrives: tuple[int, ...], interval: int) -> list[int]:
    """Return the waits of the source LLDUs of a pattern in which all are recovered, by counting."""
    waits, lacking, surplus = [], [], 0
    for slot, arrived in enumerate(arrives):
        if slot % (interval + 1) < interval:
            lacking += [slot] * (not arrived)
            surplus += not arrived
        elif arrived and lacking:
            surplus -= 1
            if surplus == 0:
                waits += [slot - sent for sent in lacking]
                lacking = []
    assert not lacking
    return waits


@pytest.mark.parametrize("interval", [1, 2])
def test_conversion__recovers_when_the_repair_lldus_are_as_many_as_the_erasures(interval: int) -> None:
    """All patterns of nine slots; repair LLDUs that arrive after them end every recovery.

    In GF(256) one in 255 pairs of coefficients is proportional to another one: of 512 patterns, 3 differ.
    """
    different = 0
    for pattern in itertools.product((0, 1), repeat=9):
        padded = pattern + (1,) * 60
        trace = PhyTrace(np.arange(len(padded)) * 10, np.array(padded) * 10)
        converter = SlidingWindow(60, interval).converter()
        rows = converter.feed(trace)
        assert rows.delivered.all()
        waits = sorted(rows.delay_ns[rows.delay_ns > 10] // 10 - 1)
        different += waits != sorted(walked(padded, interval))
    assert different <= 3


@needs_jit
@pytest.mark.parametrize("parameters", [(0.99, 0.01), (0.95, 0.05), (0.99, 0.5), (0.998, 0.8)])
def test_law__is_that_of_long_traces_where_the_window_is_longer_than_the_recoveries(
    parameters: tuple[float, float],
) -> None:
    """A million slots of seed 5; four standard errors of the waits are below 8 %."""
    erased = GilbertElliott(*parameters).erasures(5).next(1_000_000)
    converter = SlidingWindow(400, 4).converter()
    rows = converter.feed(PhyTrace(np.arange(len(erased)) * 10, np.where(erased, 0, 10)))
    converter.finish()
    expected = sliding_window(TwoStateChannel(*parameters), LINK, 400, 4)
    waited = rows.delay_ns[rows.delivered].mean() / 10 - 1
    assert waited == pytest.approx(wait_slots(expected.recovery_delay_s), rel=0.08)
    assert converter.counts.lost == pytest.approx(expected.residual_loss * len(rows), abs=5)
    assert converter.counts.efficiency == pytest.approx(expected.efficiency, abs=2e-5)


def test_sliding_window__without_erasures_and_without_a_window() -> None:
    found = sliding_window(TwoStateChannel(0.9, 0.5, 0.0, 0.0), LINK, 5, 4)
    assert (found.efficiency, found.residual_loss) == (pytest.approx(0.8), 0.0)
    with pytest.raises(UsageError, match="coding_window is 0"):
        sliding_window(TwoStateChannel(0.9, 0.5), LINK, 0, 4)
