"""Laws of the lengths of erasure bursts and of the gaps between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel


def burst_length_law(channel: TwoStateChannel, longest: int) -> FloatArray:
    """Return the probability that a burst of erased slots has length 1..`longest`: [longest], float64.

    On the simple Gilbert channel the law is geometric, (1 - beta) beta^(l-1), with the mean 1 / (1 - beta)
    that Kuhn 2014, section 3.6 calls t_b. With error probabilities in both states it is of phase type:
    bursts end by a change of state or by luck.

    Raises
    ------
    UsageError
        When the channel has no bursts.
    """
    return _run_length_law(channel, channel.errors, longest)


def gap_length_law(channel: TwoStateChannel, longest: int) -> FloatArray:
    """Return the probability that a gap, the decoded slots between two bursts, has length 1..`longest`.

    Shape and errors are those of `burst_length_law`.
    """
    return _run_length_law(channel, 1.0 - channel.errors, longest)


def mean_burst_length(channel: TwoStateChannel) -> float:
    """Return the mean number of slots in a burst, or NaN where no burst ever begins."""
    rate = _burst_rate(channel)
    return channel.erasure_probability / rate if rate else math.nan


def burst_length_moments(channel: TwoStateChannel) -> tuple[float, float]:
    """Return the means of the length of a burst in slots and of its square (UsageError without bursts)."""
    first = _first_states(channel, channel.errors)
    # The mean of l is first (I - Q)^-1 1, that of l (l + 1) / 2 is first (I - Q)^-2 1.
    remaining = np.linalg.inv(np.eye(2) - channel.transition() * channel.errors)
    mean = float((first @ remaining).sum())
    return mean, 2.0 * float((first @ remaining @ remaining).sum()) - mean


def mean_gap_length(channel: TwoStateChannel) -> float:
    """Return the mean number of decoded slots between two bursts, or NaN where no burst ever begins."""
    rate = _burst_rate(channel)
    return (1.0 - channel.erasure_probability) / rate if rate else math.nan


def _burst_rate(channel: TwoStateChannel) -> float:
    """Bursts per slot: the probability that a slot is decoded and the next one erased."""
    decoded = channel.stationary * (1.0 - channel.errors)
    return float(decoded @ channel.transition() @ channel.errors)


def _run_length_law(channel: TwoStateChannel, inside: FloatArray, longest: int) -> FloatArray:
    """Return the law of the length of a run of slots whose kind has probability `inside`, [2], in each state.

    Each slot after the first is one step of the chain restricted to `inside`.
    """
    transition, alive = channel.transition(), _first_states(channel, inside)
    law = np.empty(longest)
    for index in range(longest):
        law[index] = alive @ transition @ (1.0 - inside)
        alive = alive @ transition * inside
    return law


def _first_states(channel: TwoStateChannel, inside: FloatArray) -> FloatArray:
    """Return the law of the first state of a run: that of a slot inside which follows a slot outside, [2]."""
    if _burst_rate(channel) == 0.0:
        raise UsageError("on this channel no decoded slot is followed by an erased one: it has no bursts")
    before = (channel.stationary * (1.0 - inside)) @ channel.transition() * inside
    first: FloatArray = before / before.sum()
    return first
