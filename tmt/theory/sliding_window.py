"""A sliding-window code on a two-state channel: loss and delay.

Small windows have an exact chain (`small_window`). For longer ones the law here holds as long as the window
spans the recoveries.

Let D be the erased source LLDUs that the receiver lacks, minus the repair LLDUs that it got since it lacked
none. D grows by one with an erased source LLDU and falls by one with a repair LLDU that arrives. Random
coefficients make all equations independent, so that everything is recovered when D reaches 0, and nothing
before. The time from the first erasure until then is one recovery.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.channel import stationary_law
from tmt.theory.link import Performance, RegularLink
from tmt.theory.small_window import LONGEST, small_window

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel


@dataclass(frozen=True, slots=True)
class Recovery:
    """Means of one recovery, from the erasure of a source LLDU on.

    Attributes
    ----------
    end : [k + 1, 2]
        Probability of each place in the period and channel state, in the first slot after the recovery.
    recovered, lost
        Source LLDUs that the recovery brings back, and those that it gives up.
    wait_slots
        Sum of the waits of the former, in slots.
    """

    end: FloatArray
    recovered: float
    lost: float
    wait_slots: float


def sliding_window(
    channel: TwoStateChannel, link: RegularLink, coding_window: int, repair_interval: int
) -> Performance:
    """Return the performance of the code with window W and one repair LLDU after every k source LLDUs.

    Up to `small_window.LONGEST` it is exact. With a longer window, all LLDUs of a recovery that lasts longer
    than W source LLDUs count as lost. In truth the code gives up an LLDU only when W newer ones have followed
    it and no repair LLDU has served it. The loss is then too high, and the delay too low.

    Parameters
    ----------
    coding_window, repair_interval
        W and k, 1 or more each.

    Raises
    ------
    UsageError
        When the window or the interval is less than 1.
    """
    for name, value in (("coding_window", coding_window), ("repair_interval", repair_interval)):
        if value < 1:
            raise UsageError(f"{name} is {value}: it must be at least 1")
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
    recovered, lost, waits = (
        sum(weights[start] * getattr(one, name) for start, one in recoveries.items())
        for name in ("recovered", "lost", "wait_slots")
    )
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

    For each channel state and each D, `weights` has the probability, the mean of the LLDUs that the receiver
    lacks, and that of the sum of their waits so far.
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
