"""Codes over a sliding window, without feedback and with it: against hand arithmetic and long traces."""

import itertools
import math

import numpy as np
import pytest
from conversions import converted
from naive import on_link, repair_queue
from naive.on_link import OnLink

from tmt import GilbertElliott, SlidingWindow
from tmt.theory import Performance, RegularLink, TwoStateChannel, sliding_window, tetrys

LINK = RegularLink(0, 10, 10)


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
    # k = 1, independent erasures. An LLDU is unknown after its own repair LLDU if both are erased, or if it
    # is erased and the LLDU before is unknown. The repair LLDU j LLDUs later recovers it if all repair LLDUs
    # until then arrive, the source LLDUs before the last one are erased, and the last one arrives. After
    # j = 3 it has left the receiver's window.
    unknown = p * p / (1 - p + p * p)
    recovered = {j: unknown * (p * (1 - p)) ** (j - 1) * (1 - p) ** 2 for j in (1, 2, 3)}
    loss = unknown - sum(recovered.values())
    found = sliding_window(TwoStateChannel(1 - p, p), LINK, 2, 1)
    assert math.isclose(found.residual_loss, loss, rel_tol=1e-8)
    waits = (p - unknown) * 1 + sum((2 * j + 1) * share for j, share in recovered.items())
    assert math.isclose(wait_slots(found.recovery_delay_s), waits / (1 - loss), rel_tol=1e-8)


@pytest.mark.parametrize(
    ("window", "interval", "p"),
    [(1, 1, 0.3), (3, 1, 0.4), (4, 2, 0.25), (5, 3, 0.2), (4, 4, 0.1), (3, 5, 0.3)],
)
def test_small_window__loses_what_its_queue_loses(window: int, interval: int, p: float) -> None:
    """The queue has all lacking LLDUs in its state; the tests of the scheme compare it with ranks."""
    found = sliding_window(TwoStateChannel(1 - p, p), LINK, window, interval)
    assert found.residual_loss == pytest.approx(repair_queue.loss(p, window, interval), rel=1e-8)


@pytest.mark.parametrize(
    ("window", "interval", "alpha", "beta"),
    [(6, 2, 0.95, 0.5), (8, 3, 0.9, 0.1), (10, 5, 0.995, 0.5), (12, 1, 0.9, 0.7), (12, 5, 0.95, 0.05)],
)
def test_small_window__has_the_law_of_traces(window: int, interval: int, alpha: float, beta: float) -> None:
    """Two million slots of seed 5; four standard errors are below 6 % of losses and waits."""
    erased = GilbertElliott(alpha, beta).erasures(5).next(2_000_000)
    delay_ns, counts = converted(OnLink(SlidingWindow(window, interval)), erased, 10, 10)
    expected = sliding_window(TwoStateChannel(alpha, beta), LINK, window, interval)
    assert expected.residual_loss > 1e-3
    assert counts.lost / counts.data_rows == pytest.approx(expected.residual_loss, rel=0.06)
    waited = delay_ns.mean() / 10 - 1
    assert waited == pytest.approx(wait_slots(expected.recovery_delay_s), rel=0.06)
    assert counts.efficiency == pytest.approx(expected.efficiency, rel=0.001)


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
        delay_ns, counts = converted(OnLink(SlidingWindow(60, interval)), np.array(padded) == 0, 10, 10)
        assert len(delay_ns) == counts.data_rows
        waits = sorted(delay_ns[delay_ns > 10] // 10 - 1)
        different += waits != sorted(walked(padded, interval))
    assert different <= 3


@pytest.mark.parametrize("parameters", [(0.99, 0.01), (0.95, 0.05), (0.99, 0.5), (0.998, 0.8)])
def test_law__is_that_of_long_traces_where_the_window_is_long(parameters: tuple[float, float]) -> None:
    """A million slots of seed 5; four standard errors of the waits are below 8 %."""
    erased = GilbertElliott(*parameters).erasures(5).next(1_000_000)
    delay_ns, counts = converted(OnLink(SlidingWindow(400, 4)), erased, 10, 10)
    expected = sliding_window(TwoStateChannel(*parameters), LINK, 400, 4)
    waited = delay_ns.mean() / 10 - 1
    assert waited == pytest.approx(wait_slots(expected.recovery_delay_s), rel=0.08)
    assert counts.lost == pytest.approx(expected.residual_loss * counts.data_rows, abs=5)
    assert counts.efficiency == pytest.approx(expected.efficiency, abs=2e-5)


def test_small_window__loses_everything_where_everything_is_erased() -> None:
    found = sliding_window(TwoStateChannel(0.5, 0.5, 1.0, 1.0), LINK, 4, 2)
    assert (found.efficiency, found.residual_loss) == (0.0, 1.0)
    assert math.isnan(found.recovery_delay_s)


def test_sliding_window__without_erasures_and_without_a_window() -> None:
    found = sliding_window(TwoStateChannel(0.9, 0.5, 0.0, 0.0), LINK, 5, 4)
    assert (found.efficiency, found.residual_loss) == (pytest.approx(0.8), 0.0)


def link(feedback_slots: int) -> RegularLink:
    """Slots of 10 ns that take 10 ns to decode, and to be detected as erased."""
    return RegularLink(10 * (feedback_slots - 1), 10, 10, 10)


def slots_waited(found: Performance, feedback_slots: int) -> float:
    return (found.recovery_delay_s - link(feedback_slots).recovery_delay_s(0.0)) * 1e9 / 10


@pytest.mark.parametrize("p", [0.1, 0.5])
@pytest.mark.parametrize(("window", "interval"), [(1, 1), (5, 3)])
def test_sender_that_knows_everything__repairs_at_once(p: float, window: int, interval: int) -> None:
    # Every slot carries a source LLDU or the repair LLDU that is needed, and 1 - p of them arrive. An erased
    # LLDU waits for the first slot that arrives: 1 / (1 - p) slots.
    found = tetrys(TwoStateChannel(1 - p, p), link(1), window, interval)
    assert math.isclose(found.efficiency, 1 - p)
    assert math.isclose(slots_waited(found, 1), p / (1 - p))
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
    assert math.isclose(slots_waited(found, 2), waits)


@pytest.mark.parametrize(("window", "interval", "slots", "expected"), [(9, 1, 3, 1 / 2), (9, 4, 5, 4 / 5)])
def test_without_erasures__one_slot_in_k_plus_1_is_repair(
    window: int, interval: int, slots: int, expected: float
) -> None:
    found = tetrys(TwoStateChannel(0.5, 0.5, 0.0, 0.0), link(slots), window, interval)
    assert math.isclose(found.efficiency, expected)
    assert math.isclose(slots_waited(found, slots), 0.0, abs_tol=1e-9)


def test_full_window__uses_w_slots_of_a_round_trip() -> None:
    # One source LLDU in 200 is followed by a regular repair LLDU, most often in a slot that would stall.
    found = tetrys(TwoStateChannel(0.5, 0.5, 0.0, 0.0), link(7), 3, 200)
    assert found.efficiency == pytest.approx(3 / 7, rel=1 / 200)


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
    scheme = on_link.tetrys(window, interval, link(slots).rtt_ns, detection_delay_ns=10)
    delay_ns, counts = converted(scheme, erased, 10, 10)
    expected = tetrys(TwoStateChannel(alpha, beta), link(slots), window, interval)
    assert counts.efficiency == pytest.approx(expected.efficiency, rel=0.003)
    waited = delay_ns.mean() / 10 - 1
    assert waited == pytest.approx(slots_waited(expected, slots), rel=0.025)


def test_tetrys__delivers_nothing_where_everything_is_erased() -> None:
    found = tetrys(TwoStateChannel(0.5, 0.5, 1.0, 1.0), link(2), 3, 1)
    assert found.efficiency == 0.0
    assert math.isnan(found.recovery_delay_s)
