"""Stop-and-wait HARQ processes: utilisation, efficiency, loss and delay, exact on regular slots.

The feedback of an ACK and of a NACK take equally long, K slots, so that a process sends once per cycle of C
slots whatever is erased. Asynchronous processes have C = K, or more where they are more than K; with
synchronous ones C is the least multiple of N that is not below K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.channel import stationary_law
from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import TwoStateChannel


@dataclass(frozen=True, slots=True)
class FeedbackFaults:
    """Probabilities of faults of the feedback.

    Attributes
    ----------
    missed
        Probability that the feedback of a transmission does not arrive; the sender retransmits.
    false
        Probability that the sender reads an ACK as a NACK, or a NACK as an ACK.

    Raises
    ------
    UsageError
        When their sum exceeds 1.
    """

    missed: float = 0.0
    false: float = 0.0

    def __post_init__(self) -> None:
        if self.missed + self.false > 1.0:
            raise UsageError(
                f"missed and false feedback have probability {self.missed + self.false:g} together; "
                "at most 1 is allowed"
            )


def utilisation(link: RegularLink, processes: int, *, synchronous: bool = False) -> float:
    """Return the fraction of slots that carry an LLDU, for any losses.

    It is min(1, N / K) with asynchronous retransmission, and N / C with synchronous retransmission, where C
    is the least multiple of N that is not below K.

    Parameters
    ----------
    processes
        Number of processes, N.
    synchronous
        Whether each process retransmits in its own slots.

    Raises
    ------
    UsageError
        When the feedback of ACK and NACK do not take equally many slots.
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
    transmission, and whether an earlier one was decoded. Rewards per transmission give the efficiency.

    Parameters
    ----------
    processes, max_transmissions
        N and R, 1 or more each.
    faults
        Faults of the feedback; None: there are none.
    synchronous
        Whether each process retransmits in its own slots.

    Raises
    ------
    UsageError
        When the feedback of ACK and NACK do not take equally many slots.
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
                    # The sender repeats on a NACK, on a lost feedback, and on an ACK that it reads as a NACK.
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
    """Return the performance with feedback off, where k consecutive slots carry each LLDU.

    Parameters
    ----------
    repetitions
        Slots that carry each LLDU, k, 1 or more.
    """
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
