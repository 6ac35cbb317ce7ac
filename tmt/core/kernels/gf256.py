"""Codes over GF(256): systems of linear equations, whose unknowns are source units, and coding coefficients.

A system is in reduced echelon form. The coefficients are those of RFC 8681, from the generator TinyMT32 of
RFC 8682.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels import Int64Array, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

UNITS, COLUMNS = 2048, 2048 + 64
"""Most unknown units.

Coefficients per equation; not a power of two, because such rows displace each other from the processor's
cache.
"""

_FIELDS = {
    "product": "(256, 256)u1",
    "n_free": "i8",
    "n_equations": "i8",
    "free": f"{UNITS}i8",
    "leads": f"{UNITS}i8",
    "coefficients": f"({UNITS}, {COLUMNS})u1",
}
_OFFSETS = [sum(np.dtype(f).itemsize for f in list(_FIELDS.values())[:i]) for i in range(len(_FIELDS))]
SYSTEM = np.dtype(
    {
        "names": [*_FIELDS, "words"],
        "formats": [*_FIELDS.values(), f"({UNITS}, {COLUMNS // 8})u8"],
        "offsets": [*_OFFSETS, _OFFSETS[-1]],
    }
)
"""A system of equations.

* product: of two elements of GF(256).
* n_equations, leads, coefficients: equation i gives the unit ``leads[i]`` as a combination of free units,
  with the coefficients of row i. A lead is older than its free units.
* n_free, free: the free units, in any order: unknown units that are no equation's lead.
* words: the memory of `coefficients`, eight a word. It is 0 outside the equations and free units.
"""

LOWEST_BITS = np.uint64(0x0101010101010101)
"""The lowest bits of the eight coefficients in a word."""


@kernel
def add_unknown(unit: int, system: np.void) -> None:
    """Add an unknown unit, newer than all others; no equation contains it."""
    system["free"][system["n_free"]] = unit
    system["n_free"] += 1


@kernel
def reduce_new_equation(system: np.void) -> bool:
    """Reduce the equation in the row behind the last one.

    Return whether it was independent of the others; a dependent equation becomes 0 and changes nothing.
    """
    coefficients, product, free = system["coefficients"], system["product"], system["free"]
    n_free, new, lead = system["n_free"], system["n_equations"], -1
    for i in range(n_free):
        if coefficients[new, i] > 0 and (lead < 0 or free[i] < free[lead]):
            lead = i
    if lead < 0:
        return False
    inverse = 1
    while product[coefficients[new, lead], inverse] != 1:
        inverse += 1
    for i in range(n_free):
        coefficients[new, i] = product[inverse, coefficients[new, i]]
    for i in range(new):
        if coefficients[i, lead] > 0:
            add_multiple(i, new, coefficients[i, lead], system)
    system["leads"][new] = free[lead]
    system["n_equations"] += 1
    remove_free(lead, system)
    return True


@kernel
def add_multiple(line: int, other: int, factor: int, system: np.void) -> None:
    """Add `factor` times line `other` of the coefficients to `line`.

    A coefficient's product is the sum of the products of its bits. Each operation processes the eight
    coefficients of a word; rows are processed eight words at a time, which the compiler vectorises.
    """
    words, product = system["words"], system["product"]
    bit_0, bit_1 = np.uint64(product[factor, 1]), np.uint64(product[factor, 2])
    bit_2, bit_3 = np.uint64(product[factor, 4]), np.uint64(product[factor, 8])
    bit_4, bit_5 = np.uint64(product[factor, 16]), np.uint64(product[factor, 32])
    bit_6, bit_7 = np.uint64(product[factor, 64]), np.uint64(product[factor, 128])
    for i in range((system["n_free"] + 63) // 64 * 8):
        word = words[other, i]
        sum_ = (word & LOWEST_BITS) * bit_0
        sum_ ^= (word >> np.uint64(1) & LOWEST_BITS) * bit_1
        sum_ ^= (word >> np.uint64(2) & LOWEST_BITS) * bit_2
        sum_ ^= (word >> np.uint64(3) & LOWEST_BITS) * bit_3
        sum_ ^= (word >> np.uint64(4) & LOWEST_BITS) * bit_4
        sum_ ^= (word >> np.uint64(5) & LOWEST_BITS) * bit_5
        sum_ ^= (word >> np.uint64(6) & LOWEST_BITS) * bit_6
        sum_ ^= (word >> np.uint64(7) & LOWEST_BITS) * bit_7
        words[line, i] ^= sum_


@kernel
def is_determined(line: int, system: np.void) -> bool:
    """Whether an equation has no free unit, so that it gives the value of its lead."""
    for i in range((system["n_free"] + 7) // 8):  # noqa: SIM110  (kernels have no generators)
        if system["words"][line, i] != 0:
            return False
    return True


@kernel
def oldest_unknown(or_else: int, system: np.void) -> int:
    """Return the oldest unknown unit, or `or_else` (a newer unit) if there is none."""
    oldest = or_else
    for i in range(system["n_free"]):
        oldest = min(oldest, system["free"][i])
    for i in range(system["n_equations"]):
        oldest = min(oldest, system["leads"][i])
    return oldest


@kernel
def remove_oldest(unit: int, system: np.void) -> None:
    """Remove the oldest unknown unit, which only its own equation contains."""
    for i in range(system["n_free"]):
        if system["free"][i] == unit:
            remove_free(i, system)
            return
    for i in range(system["n_equations"]):
        if system["leads"][i] == unit:
            remove_equation(i, system)
            return


@kernel
def remove_free(column: int, system: np.void) -> None:
    """Remove a free unit; the last one takes its place."""
    coefficients, last = system["coefficients"], np.uintp(system["n_free"] - 1)
    system["free"][column] = system["free"][last]
    for i in range(system["n_equations"]):
        coefficients[i, np.uintp(column)] = coefficients[i, last]
        coefficients[i, last] = 0
    system["n_free"] -= 1


@kernel
def remove_equation(line: int, system: np.void) -> None:
    """Remove an equation and its lead; the last equation takes its place."""
    coefficients, last = system["coefficients"], np.uintp(system["n_equations"] - 1)
    system["leads"][line] = system["leads"][last]
    for i in range(system["n_free"]):
        coefficients[np.uintp(line), i] = coefficients[last, i]
        coefficients[last, i] = 0
    system["n_equations"] -= 1


MASK_31, MASK_32 = 0x7FFFFFFF, 0xFFFFFFFF
MAT_1, MAT_2, TEMPERING = 0x8F7011EE, 0xFC78FF1F, 0x3793FDFF


@kernel
def coding_coefficients(keys: int, window: int) -> npt.NDArray[np.uint8]:
    """Return the coefficients of a window of source units for repair keys 0 to `keys` - 1: [keys, window].

    Row i has those of key i: the bytes other than 0 of TinyMT32 with seed i (RFC 8681, section 3.6).
    """
    found = np.zeros((keys, window), np.uint8)
    state = np.zeros(4, np.int64)
    for key in range(keys):
        start(key, state)
        for unit in range(window):
            while found[key, unit] == 0:
                found[key, unit] = next_word(state) & 0xFF
    return found


@kernel
def start(seed: int, state: Int64Array) -> None:
    """Initialise the state, [4], from a seed of 32 bits."""
    state[0], state[1], state[2], state[3] = seed, MAT_1, MAT_2, TEMPERING
    for i in range(1, 8):
        before = state[(i - 1) & 3]
        state[i & 3] ^= (i + 1812433253 * (before ^ (before >> 30))) & MASK_32
    for _ in range(8):
        step(state)


@kernel
def step(state: Int64Array) -> None:
    """Advance the state."""
    y = state[3]
    x = (state[0] & MASK_31) ^ state[1] ^ state[2]
    x ^= (x << 1) & MASK_32
    y ^= (y >> 1) ^ x
    state[0], state[1] = state[1], state[2]
    state[2], state[3] = x ^ ((y << 10) & MASK_32), y
    if y & 1:
        state[1] ^= MAT_1
        state[2] ^= MAT_2


@kernel
def next_word(state: Int64Array) -> int:
    """Advance the state and return 32 random bits."""
    step(state)
    sum_ = (state[0] + (state[2] >> 8)) & MASK_32
    word: int = state[3] ^ sum_
    return word ^ TEMPERING if sum_ & 1 else word
