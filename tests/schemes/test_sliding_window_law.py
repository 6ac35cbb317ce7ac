"""The sliding-window code against RFC 8682's numbers, block codes, a recursion at W = 2, and a queue."""

import itertools
import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import repair_queue
from naive.sliding_window import coefficients, product
from naive.traces import phy_trace, rows_of

from tmt import Bernoulli, Fec, SlidingWindow
from tmt.core.code_converter import products
from tmt.core.kernels.gf256 import coding_coefficients, next_word, start
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace

needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million slots: the kernel needs the JIT for them"
)


def converted(scheme: Scheme, tx: list[int], decode: list[int]) -> list[tuple[int, int, bool, int]]:
    converter = scheme.converter()
    return [
        tuple(row) for row in rows_of(converter.feed(phy_trace(tx, decode))) + rows_of(converter.finish())
    ]


def test_tinymt32__gives_the_numbers_of_rfc_8682() -> None:
    """The first ten numbers of seed 1 in the RFC's figure 2."""
    state = np.zeros(4, np.int64)
    start(1, state)
    assert [next_word(state) for _ in range(10)] == [
        2545341989,
        981918433,
        3715302833,
        2387538352,
        3591001365,
        3820442102,
        2114400566,
        2196103051,
        2783359912,
        764534509,
    ]


def test_coefficients__are_those_of_the_twin() -> None:
    assert coding_coefficients(40, 20).tolist() == [coefficients(key, 20) for key in range(40)]


def test_products__are_those_of_the_field() -> None:
    # 2 * 128 = x^8 = x^4 + x^3 + x^2 + 1 = 29, and every element but 0 has an inverse.
    table = products()
    assert table[2, 128] == 29
    assert all(table[a, b] == product(a, b) for a, b in itertools.product(range(0, 256, 7), range(256)))
    assert (np.sort(table[1:, 1:], axis=1) == np.arange(1, 256)).all()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.integers(1, 6), st.lists(st.booleans(), max_size=120))
def test_window_of_one_interval__is_the_block_code_with_one_repair_lldu(k: int, arrives: list[bool]) -> None:
    n = len(arrives) - len(arrives) % (k + 1)
    tx, decode = list(range(0, 10 * n, 10)), [3 * a for a in arrives[:n]]
    found, expected = converted(SlidingWindow(k, k), tx, decode), converted(Fec(k, 1), tx, decode)
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


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_law_at_w_2__equals_exhaustive_enumeration(p: float) -> None:
    lost = np.zeros(3)
    for pattern in itertools.product((0, 1), repeat=12):
        rows = converted(SlidingWindow(2, 1), list(range(12)), list(pattern))
        weight = math.prod(1 - p if arrives else p for arrives in pattern)
        lost += weight * np.array([not row[2] for row in rows[:3]])
    expected = [unknown_after_repair(p, unit) * (1 - sum(recovered_by_step(p))) for unit in range(3)]
    np.testing.assert_allclose(lost, expected, rtol=1e-12)


@needs_jit
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


@pytest.mark.parametrize(("window", "interval"), [(2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (4, 3)])
def test_ranks__are_those_of_a_queue_at_small_windows(window: int, interval: int) -> None:
    """All patterns of nine slots, and slots that arrive after them, until everything is decided."""
    scheme = SlidingWindow(window, interval)
    for pattern in itertools.product((0, 1), repeat=9):
        arrives = pattern + (1,) * ((interval + 1) * (2 * window // interval + 3))
        rows = converted(scheme, list(range(len(arrives))), list(arrives))
        lost = [number for number, row in enumerate(rows) if not row[2]]
        assert lost == repair_queue.lost_units(arrives, window, interval), pattern


@pytest.mark.parametrize("p", [0.1, 0.3, 0.6])
def test_queue__has_the_law_at_w_2(p: float) -> None:
    lost = p * p / (1 - p + p * p) * (1 - sum(recovered_by_step(p)))
    assert math.isclose(repair_queue.loss(p, 2, 1), lost, rel_tol=1e-9)


@needs_jit
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
