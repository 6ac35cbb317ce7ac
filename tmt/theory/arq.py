"""No scheme, and selective-repeat ARQ (Kuhn 2014, section 3.5.3): exact on regular slots.

The NACK of slot s reaches the sender in time for slot s + k, where k is `RegularLink.feedback_slots`, and no
other retransmission is due in that slot. The slots s, s + k, s + 2k, ... therefore carry one LLDU after the
other, and successive ones are k steps of the channel's chain apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel


def no_scheme(channel: TwoStateChannel, link: RegularLink) -> Performance:
    """Return the performance without a scheme (Kuhn 2014, section 3.5): every erased LLDU is lost."""
    lost = channel.erasure_probability
    return Performance(1.0 - lost, link.recovery_delay_s(0.0) if lost < 1.0 else np.nan, lost)


def arq(channel: TwoStateChannel, link: RegularLink, max_transmissions: int | None = None) -> Performance:
    """Return the performance of selective-repeat ARQ (Kuhn 2014, section 3.5.3, exact).

    Every slot that is not erased delivers an LLDU, so the efficiency is 1 - p for any persistency and any
    channel memory. Without a limit the mean number of transmissions is slots / LLDUs = 1 / (1 - p), also for
    any memory, and the delay is RTT/2 + decoding + k T p / (1 - p). With a limit, the channel state of an
    LLDU's first transmission depends on the fate of the LLDU before; the stationary law of that chain of
    states is computed.

    Parameters
    ----------
    max_transmissions
        Transmissions after which an LLDU is given up, 1 or more; None means no limit.

    Raises
    ------
    UsageError
        When `max_transmissions` is less than 1.
    """
    erased = channel.erasure_probability
    if erased == 1.0:
        return Performance(0.0, np.nan, np.nan if max_transmissions is None else 1.0)
    if max_transmissions is None:
        mean_slots = link.feedback_slots * erased / (1.0 - erased)
        return Performance(1.0 - erased, link.recovery_delay_s(mean_slots), 0.0)
    delivered = delivered_by_transmission(channel, link.feedback_slots, max_transmissions)
    retransmissions = float(delivered @ np.arange(max_transmissions) / delivered.sum())
    return Performance(
        1.0 - erased,
        link.recovery_delay_s(link.feedback_slots * retransmissions),
        float(1.0 - delivered.sum()),
    )


def delivered_by_transmission(
    channel: TwoStateChannel, feedback_slots: int, max_transmissions: int
) -> FloatArray:
    """Return the probability that the j-th transmission delivers an LLDU, j = 1..`max_transmissions`.

    Parameters
    ----------
    feedback_slots
        Slots from a transmission of an LLDU to the next one.
    max_transmissions
        Transmissions after which an LLDU is given up, 1 or more.

    Returns
    -------
    [max_transmissions], float64; 1 minus their sum is the loss.

    Raises
    ------
    UsageError
        When `max_transmissions` is less than 1.
    """
    if max_transmissions < 1:
        raise UsageError(f"max_transmissions is {max_transmissions}: an LLDU is sent at least once")
    move = channel.transition(feedback_slots)
    erase, decode = np.diag(channel.errors), np.diag(1.0 - channel.errors)
    still_erased = np.eye(2)
    deliver = []
    for _ in range(max_transmissions):
        deliver.append(still_erased @ decode)
        still_erased = still_erased @ erase @ move
    # Transition from the state of one LLDU's first transmission to that of the next LLDU's, k slots after
    # the last transmission.
    next_lldu = np.sum(deliver, axis=0) @ move + still_erased
    start = _stationary_law(next_lldu)
    return np.array([float((start @ attempt).sum()) for attempt in deliver])


def _stationary_law(transition: FloatArray) -> FloatArray:
    """Return the stationary distribution, [2], of a two-state chain that leaves at least one state."""
    law = np.array([transition[1, 0], transition[0, 1]])
    stationary: FloatArray = law / law.sum()
    return stationary
