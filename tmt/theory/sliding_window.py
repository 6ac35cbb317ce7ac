"""A sliding-window code on a two-state channel: loss and delay.

Windows up to `LONGEST` have an exact chain of waiting LLDUs. An arriving repair LLDU serves the oldest
waiting source LLDU, if it covers that one. If W newer LLDUs have followed a waiting LLDU, it is lost together
with all served LLDUs, because their equations contain it. When no LLDU waits, all served ones are recovered.
If 2 W newer LLDUs have followed a served LLDU before that, it has left the receiver's window and is lost. The
chain therefore has a state for each set of the last W source LLDUs.

For longer windows the following law holds as long as the window spans the recoveries. Let D be the number of
erased source LLDUs that the receiver lacks, minus the number of repair LLDUs received since it last lacked
none. D grows by one with an erased source LLDU and falls by one with a repair LLDU that arrives. Random
coefficients make all equations independent, so everything is recovered when D reaches 0, and nothing before.
The time from the first erasure until then is one recovery.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.theory.channel import Performance, RegularLink, at_least, stationary_law

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

LONGEST = 12
"""The largest window: the chain has 2^W sets of waiting LLDUs."""

MOST_PERIODS = 100_000
SETTLED = 1e-10
"""The chain is followed until the losses of a period change by no more than this share."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """Means of one recovery, from the erasure of a source LLDU on.

    It recovers some source LLDUs, after a sum of waits, and gives up others. `end`, [k + 1, 2], is the law of
    the place in the period and the channel state in the first slot after the recovery.
    """

    end: FloatArray
    recovered: float
    lost: float
    wait_slots: float


def sliding_window(
    channel: TwoStateChannel, link: RegularLink, coding_window: int, repair_interval: int
) -> Performance:
    """Return the performance of the code with window W and one repair LLDU after every k source LLDUs.

    Up to `LONGEST` it is exact. With a longer window, all LLDUs of a recovery that lasts longer than W source
    LLDUs count as lost. In fact the code gives up an LLDU only when W newer ones have followed it and no
    repair LLDU has served it. The computed loss is therefore too high, and the delay too low. W is
    `coding_window` and k `repair_interval`, 1 or more each.
    """
    at_least(1, coding_window=coding_window, repair_interval=repair_interval)
    if coding_window <= LONGEST:
        return small_window(channel, link, coding_window, repair_interval)
    move, errors, period = channel.transition(), channel.errors, repair_interval + 1
    recoveries = {
        (place, state): _recovery(channel, coding_window, repair_interval, place, state)
        for place in range(repair_interval)
        for state in (0, 1)
        if errors[state] > 0
    }
    # A chain over the slots in which the receiver lacks nothing; a recovery is one step.
    chain = np.zeros((period, 2, period, 2))
    for place in range(period):
        for state in (0, 1):
            starts = errors[state] if place < repair_interval else 0.0
            chain[place, state, (place + 1) % period] = (1.0 - starts) * move[state]
            if starts:
                chain[place, state] += starts * recoveries[place, state].end
    law = stationary_law(chain.reshape(2 * period, 2 * period)).reshape(period, 2)
    weights = {start: law[start] * errors[start[1]] for start in recoveries}
    recovered = sum(weights[start] * one.recovered for start, one in recoveries.items())
    lost = sum(weights[start] * one.lost for start, one in recoveries.items())
    waits = sum(weights[start] * one.wait_slots for start, one in recoveries.items())
    erased = channel.erasure_probability
    erased_per_recovery = recovered + lost
    loss = float(erased * lost / erased_per_recovery) if erased else 0.0
    if loss == 1.0:
        return Performance(0.0, np.nan, 1.0)
    wait = float(erased * waits / erased_per_recovery) / (1.0 - loss) if erased else 0.0
    return Performance(repair_interval / period * (1.0 - loss), link.recovery_delay_s(wait), loss)


def _recovery(
    channel: TwoStateChannel, coding_window: int, repair_interval: int, place: int, state: int
) -> Recovery:
    """Follow a recovery from the erasure of a source LLDU at a place in the period and a channel state.

    For each channel state and each D, `weights` holds the probability, the mean number of missing LLDUs, and
    the mean sum of their waits so far.
    """
    move, erase = channel.transition(), channel.errors
    end = np.zeros((repair_interval + 1, 2))
    recovered = wait_slots = 0.0
    weights = np.zeros((3, 2, coding_window + 2))
    weights[:2, :, 1] = move[state]
    sources = 1
    while True:
        place = (place + 1) % (repair_interval + 1)
        if place < repair_interval and sources == coding_window:
            break
        weights[2] += weights[1]
        missed, arrived = weights * erase[:, None], weights * (1.0 - erase)[:, None]
        if place < repair_interval:
            sources += 1
            missed[1] += missed[0]
            arrived[:, :, 1:] += missed[:, :, :-1]
            weights = arrived
        else:
            missed[:, :, :-1] += arrived[:, :, 1:]
            end[0] += missed[0, :, 0] @ move
            recovered += float(missed[1, :, 0].sum())
            wait_slots += float(missed[2, :, 0].sum())
            missed[:, :, 0] = 0.0
            weights = missed
        weights = np.einsum("vsd,st->vtd", weights, move)
    end[place] += weights[0].sum(axis=1)
    return Recovery(end, recovered, float(weights[1].sum()), wait_slots)


def small_window(
    channel: TwoStateChannel, link: RegularLink, coding_window: int, repair_interval: int
) -> Performance:
    """Return the same for a window of up to `LONGEST`, exactly."""
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

    A set of waiting LLDUs is a number whose bit i is the LLDU that i newer ones have followed. `sets`, [2,
    2^W], is the law of channel state and set. `served`, [2 W, 2, 2^W], is the same, times the probability
    that a served LLDU is not yet recovered, by the number of newer LLDUs after it.
    """

    def __init__(self, channel: TwoStateChannel, window: int) -> None:
        self._move, self._erase = channel.transition(), channel.errors[:, None]
        self._window, self._half = window, 1 << window - 1
        self.sets = np.zeros((2, 1 << window))
        self.sets[:, 0] = channel.stationary
        self.served = np.zeros((2 * window, 2, 1 << window))

    def send_source(self) -> float:
        """Send a source LLDU; return the mean number of LLDUs that are lost then."""
        late = slice(self._half, None)  # sets whose oldest LLDU has now waited too long
        lost = self.sets[:, late].sum() + self.served[:, :, late].sum()
        self.served[:, :, late] = 0.0
        lost += self.served[-1].sum()
        self.served = np.concatenate([np.zeros_like(self.served[:1]), self.served[:-1]])
        self.sets, self.served = self._followed(self.sets), self._followed(self.served)
        self._pass_slot()
        return float(lost)

    def send_repair(self) -> FloatArray:
        """Send a repair LLDU; return the mean numbers of recovered LLDUs, by the number of newer LLDUs after
        each.
        """
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
        """Append a source LLDU to each set; it waits if it is erased."""
        rest = weights[..., : self._half] + weights[..., self._half :]
        after = np.empty_like(weights)
        after[..., 0::2], after[..., 1::2] = rest * (1.0 - self._erase), rest * self._erase
        return after

    def _pass_slot(self) -> None:
        self.sets = self._move.T @ self.sets
        self.served = self._move.T @ self.served
