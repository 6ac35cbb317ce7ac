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
    """Fill `erased` from uniform numbers, and return the state of the slot after the last one.

    Parameters
    ----------
    draws : [n_slots, 2], float64 in [0, 1)
        Per slot: what decides its fate, and what decides the move to the next slot.
    alpha, beta
        Probability to stay in the good and in the bad state.
    error_good, error_bad
        Probability that a slot is erased in the good and in the bad state.
    bad
        State of the first slot.
    erased : [n_slots], bool
        Result.
    """
    for slot in range(len(erased)):
        if bad:
            erased[slot] = draws[slot, 0] < error_bad
            bad = draws[slot, 1] < beta
        else:
            erased[slot] = draws[slot, 0] < error_good
            bad = draws[slot, 1] >= alpha
    return bad
