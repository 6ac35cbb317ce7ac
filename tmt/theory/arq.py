"""Schemes that repeat whole LLDUs, or nothing: ARQ, and stop-and-wait HARQ processes; exact on regular slots.

With selective-repeat ARQ (Kuhn 2014, section 3.5.3) the NACK of slot s reaches the sender in time for slot
s + k, where k is `RegularLink.feedback_slots`, and no other retransmission is due in that slot. The slots s,
s + k, s + 2k, ... therefore carry one LLDU after the other, and successive ones are k steps of the channel's
chain apart.

With processes the feedback of an ACK and of a NACK take equally long, K slots, so a process sends once per
cycle of C slots, whatever is erased. Asynchronous processes have C = max(K, number of processes); with
synchronous ones C is the least multiple of N that is not below K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Probability, Spec
from tmt.theory.channel import Performance, RegularLink, at_least, stationary_law

if TYPE_CHECKING:
    from tmt.core.declaration import Rules
    from tmt.theory.channel import FloatArray, TwoStateChannel


def no_scheme(channel: TwoStateChannel, link: RegularLink) -> Performance:
    """Return the performance without a scheme (Kuhn 2014, section 3.5): every erased LLDU is lost."""
    lost = channel.erasure_probability
    return Performance(1.0 - lost, link.recovery_delay_s(0.0) if lost < 1.0 else np.nan, lost)


def arq(channel: TwoStateChannel, link: RegularLink, max_transmissions: int | None = None) -> Performance:
    """Return the performance of selective-repeat ARQ (Kuhn 2014, section 3.5.3, exact).

    Every slot that is not erased delivers an LLDU, so the efficiency is 1 - p for any persistency and any
    channel memory. Without a limit the mean number of transmissions is slots / LLDUs = 1 / (1 - p), also for
    any memory, and the delay is RTT/2 + decoding + k T p / (1 - p). With a limit of `max_transmissions` (1 or
    more), the channel state at an LLDU's first transmission depends on the fate of the LLDU before; the
    stationary law of that chain of states is computed.
    """
    erased = channel.erasure_probability
    if erased == 1.0:
        return Performance(0.0, np.nan, np.nan if max_transmissions is None else 1.0)
    if max_transmissions is None:
        mean_slots = link.feedback_slots * erased / (1.0 - erased)
        return Performance(1.0 - erased, link.recovery_delay_s(mean_slots), 0.0)
    delivered = delivered_by_transmission(channel, link.feedback_slots, max_transmissions)
    retransmissions = float(delivered @ np.arange(max_transmissions) / delivered.sum())
    delay_s = link.recovery_delay_s(link.feedback_slots * retransmissions)
    return Performance(1.0 - erased, delay_s, float(1.0 - delivered.sum()))


def delivered_by_transmission(
    channel: TwoStateChannel, feedback_slots: int, max_transmissions: int
) -> FloatArray:
    """Return the probability that the j-th transmission delivers an LLDU, j = 1..`max_transmissions`.

    An LLDU is sent again after `feedback_slots` slots, and given up after `max_transmissions` (1 or more)
    transmissions. The result, [max_transmissions], float64, has the sum 1 - loss.
    """
    at_least(1, max_transmissions=max_transmissions)
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
    leave = np.array([next_lldu[1, 0], next_lldu[0, 1]])
    start = leave / leave.sum()
    return np.array([float((start @ attempt).sum()) for attempt in deliver])


class FeedbackFaults(Spec):
    """Faults of the feedback."""

    missed: Annotated[
        Probability, "probability that the feedback of a transmission does not arrive; the sender retransmits"
    ] = 0.0
    false: Annotated[
        Probability, "probability that the sender reads an ACK as a NACK, or a NACK as an ACK"
    ] = 0.0

    def rules(self) -> Rules:
        """Refuse probabilities of feedback errors whose sum exceeds 1."""
        if self.missed + self.false > 1.0:
            yield "false", "missed + false of at most 1"


def utilisation(link: RegularLink, processes: int, *, synchronous: bool = False) -> float:
    """Return the fraction of slots that carry an LLDU, for any losses.

    With N `processes` it is min(1, N / K), and if they are `synchronous`, so that each retransmits in its own
    slots, N / C. UsageError when the feedback of ACK and NACK do not take equally many slots.
    """
    if synchronous:
        return processes / _retransmission_slots(link, processes, synchronous=True)
    return min(1.0, processes / link.feedback_slots_of_all())


def harq_processes(
    channel: TwoStateChannel,
    link: RegularLink,
    processes: int,
    max_transmissions: int,
    faults: FeedbackFaults | None = None,
    *,
    synchronous: bool = False,
) -> Performance:
    """Return the performance of N processes with at most R transmissions of an LLDU.

    A process is a Markov chain over its transmissions. Its state is the channel's state, the number of the
    transmission, and whether an earlier one was decoded. Rewards per transmission give the efficiency. N is
    `processes`, R `max_transmissions`, 1 or more each; errors and `synchronous` are those of `utilisation`.
    """
    faults = faults or FeedbackFaults()
    cycle = _retransmission_slots(link, processes, synchronous=synchronous)
    move, errors = channel.transition(cycle), channel.errors
    most = max_transmissions
    chain = np.zeros((2, most, 2, 2, most, 2))
    delivers = np.zeros((2, most, 2))
    for state in (0, 1):
        for sent in range(most):
            delivers[state, sent, 0] = 1.0 - errors[state]
            for had in (0, 1):
                for has, weight in ((1, 1.0 - errors[state]), (had, errors[state])):
                    # The sender repeats after a NACK, after lost feedback, and after an ACK that it reads as
                    # a NACK.
                    again = faults.missed + faults.false if has else 1.0 - faults.false
                    again *= sent + 1 < most
                    if again:
                        chain[state, sent, had, :, sent + 1, has] += weight * again * move[state]
                    chain[state, sent, had, :, 0, 0] += weight * (1.0 - again) * move[state]
    law = stationary_law(chain.reshape(4 * most, 4 * most)).reshape(2, most, 2)
    delivered = (law * delivers).sum(axis=(0, 2))
    total = float(delivered.sum())
    mean_cycles = float(delivered @ np.arange(most)) / total if total else np.nan
    return Performance(
        utilisation(link, processes, synchronous=synchronous) * total,
        link.recovery_delay_s(cycle * mean_cycles),
        1.0 - total / float(law[:, 0, :].sum()),
    )


def blind_repetition(channel: TwoStateChannel, link: RegularLink, repetitions: int) -> Performance:
    """Return the performance with feedback off, where `repetitions` (1 or more) slots carry each LLDU."""
    step, alive = channel.transition(), channel.stationary
    delivered = np.zeros(repetitions)
    for slot in range(repetitions):
        delivered[slot] = alive @ (1.0 - channel.errors)
        alive = (alive * channel.errors) @ step
    total = float(delivered.sum())
    mean_slots = float(delivered @ np.arange(repetitions)) / total if total else np.nan
    return Performance(total / repetitions, link.recovery_delay_s(mean_slots), 1.0 - total)


def _retransmission_slots(link: RegularLink, processes: int, *, synchronous: bool) -> int:
    """Slots from a transmission of an LLDU to the next one."""
    slots = link.feedback_slots_of_all()
    return -(-slots // processes) * processes if synchronous else slots
