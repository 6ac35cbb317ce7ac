"""A sliding-window code with a small window on a two-state channel: a Markov chain of waiting LLDUs.

A repair LLDU that arrives serves the oldest erased source LLDU that waits, if it covers that one. A waiting
LLDU that W newer ones have followed is lost, and so are all served ones: their equations contain it. When
none waits, all served ones are recovered. A served LLDU that 2 W newer ones have followed before has left the
receiver's window, and is lost. So the chain has a state for each set of the last W source LLDUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

LONGEST = 12
"""The largest window: the chain has 2^W sets of waiting LLDUs."""

MOST_PERIODS = 100_000
SETTLED = 1e-10
"""The chain is followed until the losses of a period change by no more than this share."""


def small_window(
    channel: TwoStateChannel, link: RegularLink, coding_window: int, repair_interval: int
) -> Performance:
    """Return the performance of the code with window W and one repair LLDU after every k source LLDUs.

    Parameters
    ----------
    coding_window, repair_interval
        W, 1 to `LONGEST`, and k, 1 or more.
    """
    if channel.erasure_probability == 1.0:
        return Performance(0.0, np.nan, 1.0)
    chain = _Chain(channel, coding_window)
    ages = np.arange(2 * coding_window)
    wait_slots = ages + ages // repair_interval + 1  # until the repair LLDU after a whole period
    lost = waits = 0.0
    for period in range(MOST_PERIODS):
        before = lost, waits
        lost = sum(chain.send_source() for _ in range(repair_interval))
        waits = float(chain.send_repair() @ wait_slots)
        if period > 4 * coding_window and np.allclose([lost, waits], before, rtol=SETTLED, atol=0.0):
            break
    loss = lost / repair_interval
    wait = waits / repair_interval / (1.0 - loss)
    efficiency = repair_interval / (repair_interval + 1) * (1.0 - loss)
    return Performance(efficiency, link.recovery_delay_s(wait), loss)


class _Chain:
    """The law of channel and receiver before a slot.

    A set of waiting LLDUs is a number whose bit i is the LLDU that i newer ones have followed.

    Attributes
    ----------
    sets : [2, 2^W]
        Probability of each channel state and set.
    served : [2 W, 2, 2^W]
        The same, times the probability that a served LLDU is not recovered; by the newer ones after it.
    """

    def __init__(self, channel: TwoStateChannel, window: int) -> None:
        self._move, self._erase = channel.transition(), channel.errors[:, None]
        self._window, self._half = window, 1 << window - 1
        self.sets = np.zeros((2, 1 << window))
        self.sets[:, 0] = channel.stationary
        self.served = np.zeros((2 * window, 2, 1 << window))

    def send_source(self) -> float:
        """Send a source LLDU; return the mean of the LLDUs that are lost then."""
        late = slice(self._half, None)  # sets whose oldest LLDU this one makes late
        lost = self.sets[:, late].sum() + self.served[:, :, late].sum()
        self.served[:, :, late] = 0.0
        lost += self.served[-1].sum()
        self.served = np.concatenate([np.zeros_like(self.served[:1]), self.served[:-1]])
        self.sets, self.served = self._followed(self.sets), self._followed(self.served)
        self._pass_slot()
        return float(lost)

    def send_repair(self) -> FloatArray:
        """Send a repair LLDU; return the means of the recovered LLDUs, by the newer ones after each."""
        sets, served = self.sets * self._erase, self.served * self._erase
        came, came_served = self.sets - sets, self.served - served
        sets[:, 0] += came[:, 0]
        for oldest in range(self._window):
            having, rest = slice(1 << oldest, 2 << oldest), slice(0, 1 << oldest)
            sets[:, rest] += came[:, having]
            served[:, :, rest] += came_served[:, :, having]
            served[oldest, :, rest] += came[:, having]
        recovered: FloatArray = served[:, :, 0].sum(axis=1)
        served[:, :, 0] = 0.0
        self.sets, self.served = sets, served
        self._pass_slot()
        return recovered

    def _followed(self, weights: FloatArray) -> FloatArray:
        """Put a source LLDU behind each set; it waits if it is erased."""
        rest = weights[..., : self._half] + weights[..., self._half :]
        after = np.empty_like(weights)
        after[..., 0::2], after[..., 1::2] = rest * (1.0 - self._erase), rest * self._erase
        return after

    def _pass_slot(self) -> None:
        self.sets = self._move.T @ self.sets
        self.served = self._move.T @ self.served
