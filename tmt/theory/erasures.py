"""P(m, n): probability of m erasures in n consecutive LLDUs (Kuhn 2014, section 3.4; Yee and Weldon 1995)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel


def erasure_count_law(channel: TwoStateChannel, n: int) -> FloatArray:
    """Return P(m, n) for m = 0..n: the probability of m erasures in n LLDUs, from a stationary start.

    Parameters
    ----------
    channel
        The channel; error probabilities in both states may lie strictly between 0 and 1.
    n
        Number of consecutive LLDUs, 0 or more.

    Returns
    -------
    [n + 1], float64, indexed by the number of erasures.

    Raises
    ------
    UsageError
        When `n` is negative.
    """
    law: FloatArray = np.einsum("s,stm->m", channel.stationary, conditional_count_laws(channel, n))
    return law


def conditional_count_laws(channel: TwoStateChannel, n: int) -> FloatArray:
    """Return the joint law of the erasures in n LLDUs and the next state, given the state of the first LLDU.

    The recursion runs over both states at once: with f(t, m) the probability of m erasures so far and of
    being in state t, one LLDU turns f(t, m) into (1 - e_t) f(t, m) + e_t f(t, m - 1), and one step of the
    chain mixes the states.

    Returns
    -------
    [2, 2, n + 1], float64: state of the first LLDU, state of the slot after the last, number of erasures.

    Raises
    ------
    UsageError
        When `n` is negative.
    """
    if n < 0:
        raise UsageError(f"n is {n}: a number of LLDUs is 0 or more")
    law = np.zeros((2, 2, n + 1))
    law[[0, 1], [0, 1], 0] = 1.0
    for _ in range(n):
        law = step(emit(law, channel.errors), channel.transition())
    return law


def emit(law: FloatArray, errors: FloatArray) -> FloatArray:
    """Send one LLDU: add one erasure to `law`, [..., state, erasures], with the state's error probability."""
    sent = law * (1.0 - errors)[:, None]
    sent[..., 1:] += erase(law, errors)[..., 1:]
    return sent


def erase(law: FloatArray, errors: FloatArray) -> FloatArray:
    """Send one LLDU that is erased: the part of `emit` in which the number of erasures grows.

    The last entry of `law` must be 0, because the array ends there.
    """
    erased = np.zeros_like(law)
    erased[..., 1:] = (law * errors[:, None])[..., :-1]
    return erased


def step(law: FloatArray, transition: FloatArray) -> FloatArray:
    """Move the chain by `transition`, [2, 2]; the states are the last axis but one of `law`."""
    moved: FloatArray = np.einsum("...sm,st->...tm", law, transition)
    return moved
