"""What kernels do with vectors is what the same functions do in Python."""

from __future__ import annotations

import numpy as np
import pytest

from tmt.kernels._jit import kernel
from tmt.kernels.vectors import WIDTH, choose, counted, each, first, how_many, load, pack, store, total


def with_numbers(a, b, conditions, small, count, out):
    one, other, these = load(a, np.uintp(1)), load(b, 2), load(conditions, 3)
    store(one + other, out, 0)
    store(one - other, out, WIDTH)
    store(choose(these, one, other), out, 2 * WIDTH)
    store(counted(these), out, 3 * WIDTH)
    store(choose(first(count), each(count), load(small, 1)), out, 4 * WIDTH)
    store(each(total(one)), out, 5 * WIDTH)
    store(each(how_many(these)), out, 6 * WIDTH)


def with_conditions(a, b, conditions, small, count, out):
    one, other, these = load(a, np.uintp(1)), load(b, 2), load(conditions, 3)
    store(one > other, out, 0)
    store(one == other, out, WIDTH)
    store(these & (one > other), out, 2 * WIDTH)
    store(these | (one > other), out, 3 * WIDTH)
    store(~these, out, 4 * WIDTH)
    store(first(count) & each(count > 3), out, 5 * WIDTH)


@pytest.mark.parametrize("count", [-1, 0, 1, 7, WIDTH - 1, WIDTH, WIDTH + 1])
@pytest.mark.parametrize(
    ("function", "kind"), [(with_numbers, np.int64), (with_numbers, np.uint8), (with_conditions, np.bool_)]
)
def test_vectors__are_the_same_in_kernels_and_in_python(function, kind, count) -> None:
    rng = np.random.default_rng(16)
    n = WIDTH + 3
    a, b = rng.integers(-3, 3, n), rng.integers(-3, 3, n)
    if kind == np.int64:
        a *= 2**40
    conditions, small = rng.random(n) < 0.5, rng.integers(0, 256, n).astype(np.uint8)
    compiled, plain = np.ones((2, 7 * WIDTH), kind)
    function(a, b, conditions, small, count, plain)
    kernel(function)(a, b, conditions, small, count, compiled)
    assert compiled.tolist() == plain.tolist()


def packed(a, conditions, out):
    pack(load(conditions, 0), load(a, 1), out, np.uintp(2))


@pytest.mark.parametrize("share", [0, 0.2, 0.5, 0.9, 1])
def test_vectors__are_packed_in_kernels_as_in_python(share) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        a, conditions = rng.integers(-(2**60), 2**60, WIDTH + 1), rng.random(WIDTH) < share
        compiled, plain = np.zeros((2, WIDTH + 3), np.int64)
        packed(a, conditions, plain)
        kernel(packed)(a, conditions, compiled)
        n = 2 + int(conditions.sum())
        assert compiled[:n].tolist() == plain[:n].tolist() == [0, 0, *a[1:][conditions].tolist()]
        assert compiled[-1] == plain[-1] == 0
