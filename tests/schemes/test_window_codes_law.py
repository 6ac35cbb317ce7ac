"""Sliding-window code and Tetrys: random coefficients, limits that other schemes have, laws of loss."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from naive import on_link, repair_queue
from naive.sliding_window import coefficients, product
from naive.traces import converted

from tmt import Bernoulli, Fec, SlidingWindow
from tmt.core.code_converter import products
from tmt.core.kernels.gf256 import coding_coefficients, next_word, start
from tmt.core.trace import PhyTrace


def test_tinymt32__gives_the_numbers_of_rfc_8682() -> None:
    """The first ten numbers of seed 1 in the RFC's figure 2."""
    state = np.zeros(4, np.int64)
    start(1, state)
    first = (2545341989, 981918433, 3715302833, 2387538352, 3591001365)
    then = (3820442102, 2114400566, 2196103051, 2783359912, 764534509)
    assert [next_word(state) for _ in range(10)] == [*first, *then]


def test_coefficients__are_those_of_the_twin() -> None:
    assert coding_coefficients(40, 20).tolist() == [coefficients(key, 20) for key in range(40)]


def test_products__are_those_of_the_field() -> None:
    # 2 * 128 = x^8 = x^4 + x^3 + x^2 + 1 = 29, and every element but 0 has an inverse.
    table = products()
    assert table[2, 128] == 29
    assert all(table[a, b] == product(a, b) for a, b in itertools.product(range(0, 256, 7), range(256)))
    assert (np.sort(table[1:, 1:], axis=1) == np.arange(1, 256)).all()


@settings(max_examples=100)
@given(st.integers(1, 6), st.lists(st.booleans(), max_size=120))
def test_window_of_one_interval__is_the_block_code_with_one_repair_lldu(k: int, arrives: list[bool]) -> None:
    n = len(arrives) - len(arrives) % (k + 1)
    tx, decode = list(range(0, 10 * n, 10)), [3 * a for a in arrives[:n]]
    found, expected = converted(SlidingWindow(k, k), tx, decode)[0], converted(Fec(k, 1), tx, decode)[0]
    assert [row[2] for row in found] == [row[2] for row in expected]
    assert [row for row in found if row[2]] == [row for row in expected if row[2]]


def unknown_after_repair(p: float, unit: int) -> float:
    """Probability that unit u is unknown after its own repair unit, W = 2 and k = 1.

    It is erased, and its repair unit is (if the unit before is known) or has another unknown (if it is not).
    """
    if unit < 0:
        return 0.0
    before = unknown_after_repair(p, unit - 1)
    return p * p * (1 - before) + p * before


def recovered_by_step(p: float) -> list[float]:
    """Probabilities that an unknown unit is recovered j = 1, 2, 3 units later.

    Every repair unit until then arrives, and the source units between are erased. Four units later it has
    left the receiver's window.
    """
    return [(p * (1 - p)) ** (j - 1) * (1 - p) ** 2 for j in (1, 2, 3)]


@pytest.mark.jit
def test_law_at_w_2__equals_exhaustive_enumeration() -> None:
    erasure = np.array([0.1, 0.5, 0.8])
    lost = np.zeros((3, 3))
    for pattern in itertools.product((0, 1), repeat=12):
        rows, _ = converted(SlidingWindow(2, 1), list(range(12)), list(pattern))
        weights = np.prod([1 - erasure if arrives else erasure for arrives in pattern], axis=0)
        lost += np.outer(weights, [not row[2] for row in rows[:3]])
    expected = [
        [unknown_after_repair(p, unit) * (1 - sum(recovered_by_step(p))) for unit in range(3)]
        for p in erasure.tolist()
    ]
    np.testing.assert_allclose(lost, expected, rtol=1e-12)


@pytest.mark.jit
def test_law_at_w_2__is_that_of_long_traces() -> None:
    """A million slots, p = 0.3, seed 8: four standard errors are 0.0015 of the loss, 1 % of the delay."""
    p = 0.3
    decode = np.where(Bernoulli(p).erasures(8).next(1_000_000), 0, 1).astype(np.int64)
    converter = SlidingWindow(2, 1).converter()
    rows = converter.feed(PhyTrace(np.arange(len(decode)), decode))
    converter.finish()
    unknown = p * p / (1 - p + p * p)
    steps = recovered_by_step(p)
    counts = converter.counts
    assert counts.lost / counts.data_rows == pytest.approx(unknown * (1 - sum(steps)), abs=0.0015)
    # Delays: 1 of what arrives; 1 + 1 slot by the own repair unit; 2 j + 1 + 1 by the one j units later.
    parts = [(1 - p, 1), (p - unknown, 2), *((unknown * s, 2 * j + 2) for j, s in enumerate(steps, 1))]
    expected = sum(part * delay for part, delay in parts) / sum(part for part, _ in parts)
    assert rows.delay_ns[rows.delivered].mean() == pytest.approx(expected, rel=0.01)


@pytest.mark.jit
@pytest.mark.parametrize(("window", "interval"), [(2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (4, 3)])
def test_ranks__are_those_of_a_queue_at_small_windows(window: int, interval: int) -> None:
    """All patterns of nine slots, and slots that arrive after them, until everything is decided."""
    scheme = SlidingWindow(window, interval)
    for pattern in itertools.product((0, 1), repeat=9):
        arrives = pattern + (1,) * ((interval + 1) * (2 * window // interval + 3))
        rows, _ = converted(scheme, list(range(len(arrives))), list(arrives))
        lost = [number for number, row in enumerate(rows) if not row[2]]
        assert lost == repair_queue.lost_units(arrives, window, interval), pattern


@pytest.mark.parametrize("p", [0.1, 0.3, 0.6])
def test_queue__has_the_law_at_w_2(p: float) -> None:
    lost = p * p / (1 - p + p * p) * (1 - sum(recovered_by_step(p)))
    assert math.isclose(repair_queue.loss(p, 2, 1), lost, rel_tol=1e-9)


@pytest.mark.jit
@pytest.mark.parametrize(("window", "interval", "p"), [(3, 1, 0.4), (4, 2, 0.25), (4, 1, 0.5)])
def test_law_of_the_queue__is_that_of_long_traces(window: int, interval: int, p: float) -> None:
    """A million slots of seed 9: four standard errors of the loss are below 0.003."""
    decode = np.where(Bernoulli(p).erasures(9).next(1_000_000), 0, 1).astype(np.int64)
    converter = SlidingWindow(window, interval).converter()
    converter.feed(PhyTrace(np.arange(len(decode)), decode))
    converter.finish()
    counts, expected = converter.counts, repair_queue.loss(p, window, interval)
    assert expected > 0.01
    assert counts.lost / counts.data_rows == pytest.approx(expected, abs=0.003)


LATE = 10**9
"""An RTT that outlasts every trace here."""

NEVER = 65_535
"""A repair interval without regular repair units."""


@settings(max_examples=100)
@given(st.lists(st.booleans(), max_size=150), st.integers(1, 9))
@example([False] * 30 + [True], 1)
def test_without_rtt__it_is_arq_without_rtt(arrives: list[bool], window: int) -> None:
    # Decoded within its slot: one unit at most is missing, and the next slot repairs it. In both schemes.
    tx, decode = list(range(0, 10 * len(arrives), 10)), [3 * a for a in arrives]
    rows, counts = converted(on_link.tetrys(window, NEVER, 0), tx, decode)
    expected, of_arq = converted(on_link.arq(0), tx, decode)
    assert [row[:3] for row in rows] == [row[:3] for row in expected]
    assert counts.repair_slots == of_arq.retransmission_slots


@settings(max_examples=100)
@given(st.lists(st.booleans(), max_size=60), st.integers(1, 9))
def test_late_reports_and_a_window_for_all__are_a_sliding_window(arrives: list[bool], interval: int) -> None:
    tx, decode = list(range(0, 10 * len(arrives), 10)), [3 * a for a in arrives]
    assert converted(on_link.tetrys(60, interval, LATE), tx, decode) == converted(
        SlidingWindow(60, interval), tx, decode
    )


@pytest.mark.parametrize("k", [1, 2, 9])
def test_without_erasures__one_slot_in_k_plus_1_is_repair(k: int) -> None:
    n = 100 * (k + 1)
    rows, counts = converted(on_link.tetrys(600, k, 300), list(range(0, 10 * n, 10)), [3] * n)
    assert (counts.data_rows, counts.repair_slots, counts.stalled_slots) == (100 * k, 100, 0)
    assert {row[1] for row in rows} == {3}


@pytest.mark.parametrize(("window", "rtt"), [(1, 0), (1, 7), (4, 97), (10, 97), (11, 97), (7, 100)])
def test_full_window__uses_w_slots_of_a_round_trip(window: int, rtt: int) -> None:
    # A unit leaves the window rtt + 3 after its slot, and the next slot is ceil((rtt + 3) / 10) slots later.
    slots_per_round = -(-(rtt + 3) // 10)
    n = 50 * slots_per_round
    _, counts = converted(on_link.tetrys(window, NEVER, rtt), list(range(0, 10 * n, 10)), [3] * n)
    assert counts.data_rows == 50 * min(window, slots_per_round)
    assert counts.stalled_slots == n - counts.data_rows


def counted(arrives: tuple[int, ...], rtt: int) -> list[tuple[int, int]]:
    """Return slot and delivery of each unit, by counts: decoding takes a slot, the window is never full.

    Missing are the erased units less the repair units that have arrived since nothing was missing; they are
    recovered together when nothing is missing.
    """
    delivered: dict[int, int] = {}
    first_slots, lacking, missing = list[int](), list[int](), 0
    kinds = list[str]()
    for slot, arrives_now in enumerate(arrives):
        seen = reported_repairs = 0  # by the reports that the sender has
        for other, kind in events(kinds, arrives, slot - rtt):
            reported_repairs += kind == "repair"
            seen = seen + 1 - arrives[other] if kind == "data" else max(0, seen - arrives[other])
        kind = "repair" if seen > kinds.count("repair") - reported_repairs else "data"
        kinds.append(kind)
        if kind == "data":
            first_slots.append(slot)
            if arrives_now:
                delivered[slot] = slot + 1
            else:
                lacking.append(slot)
                missing += 1
        elif arrives_now and missing:
            missing -= 1
            if missing == 0:
                delivered |= dict.fromkeys(lacking, slot + 1)
                lacking = []
    return [(slot, delivered.get(slot, -1)) for slot in first_slots]


def events(kinds: list[str], arrives: tuple[int, ...], until: int) -> list[tuple[int, str]]:
    """Return the slots that the receiver knows of at a time, in the order in which it learns of them."""
    known = sorted((slot + arrives[slot], slot) for slot in range(len(kinds)))
    return [(slot, kinds[slot]) for at, slot in known if at <= until]


@pytest.mark.jit
@pytest.mark.parametrize("rtt", [0, 3])
def test_recoveries__are_those_of_a_count(rtt: int) -> None:
    """All patterns of eleven slots; a pair of equations in 255 is dependent by chance."""
    differing = 0
    for pattern in itertools.product((0, 1), repeat=11):
        rows, _ = converted(on_link.tetrys(20, NEVER, rtt), list(range(11)), list(pattern))
        found = [(tx, tx + delay if delivered else -1) for tx, delay, delivered, _ in rows]
        differing += found != counted(pattern, rtt)
    assert differing <= 2**11 / 150


def test_recovery_of_many_units__is_that_of_a_count() -> None:
    """150 erased slots in a row, then 1 % erasures: 90 units are missing when the first report arrives."""
    rng = random.Random(2)
    pattern = (1,) * 20 + (0,) * 150 + tuple(int(rng.random() > 0.01) for _ in range(330))
    rows, _ = converted(on_link.tetrys(500, NEVER, 90), list(range(500)), list(pattern))
    found = [(tx, tx + delay if delivered else -1) for tx, delay, delivered, _ in rows]
    assert found == counted(pattern, 90)
    assert Counter(at for _, at in found).most_common(1) == [(260, 90)]
