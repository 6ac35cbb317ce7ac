"""The state recursion of the Gilbert-Elliott channel, slot by slot."""

from __future__ import annotations

from tmt.core.kernels import BoolArray, Float64Array, kernel


@kernel
def gilbert_elliott(
    draws: Float64Array,
    alpha: float,
    beta: float,
    error_good: float,
    error_bad: float,
    bad: bool,
    erased: BoolArray,
) -> bool:
    """Fill `erased`, [n_slots], from uniform numbers, and return the state of the slot after the last one.

    `draws`, [n_slots, 2], are in [0, 1): one decides the slot's fate, one the next state. `alpha` and `beta`
    are the probabilities of staying in the good and in the bad state; `error_good` and `error_bad` are the
    erasure probabilities of the states. `bad` is the state of the first slot.
    """
    for slot in range(len(erased)):
        if bad:
            erased[slot] = draws[slot, 0] < error_bad
            bad = draws[slot, 1] < beta
        else:
            erased[slot] = draws[slot, 0] < error_good
            bad = draws[slot, 1] >= alpha
    return bad
