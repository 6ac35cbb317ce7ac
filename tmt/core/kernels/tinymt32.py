"""Coding coefficients of RFC 8681 from the generator TinyMT32 of RFC 8682."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.kernels import Int64Array

MASK_31, MASK_32 = 0x7FFFFFFF, 0xFFFFFFFF
MAT_1, MAT_2, TEMPERING = 0x8F7011EE, 0xFC78FF1F, 0x3793FDFF


@kernel
def coding_coefficients(keys: int, window: int) -> npt.NDArray[np.uint8]:
    """Return the coefficients of a window of source units for the repair keys 0 to `keys` - 1.

    Returns
    -------
    [keys, window], uint8
        Line i has those of key i: bytes of TinyMT32 with seed i that are not 0 (RFC 8681, section 3.6).
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
