"""Acknowledged RLC above HARQ processes, for independent erasures and processes that never stall.

An LLDU that HARQ gives up is repeated by RLC, in slots of its own. In order, a segment waits for the latest
of all segments before it. Those of one process exclude each other; those of different processes are
independent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.harq_processes import harq_processes
from tmt.theory.link import Performance, RegularLink
from tmt.theory.rlc import rlc_recovery_slots

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

NEGLIGIBLE = 1e-9
"""Correlation of neighbouring slots that counts as none, and the probability of further rounds of RLC."""

MOST_ROUNDS = 100


def rlc_over_harq_processes(
    channel: TwoStateChannel,
    link: RegularLink,
    processes: int = 16,
    max_transmissions: int = 4,
    reassembly_ns: int = 35_000_000,
    max_retransmissions: int = 8,
    delivery: str = "in-order",
) -> Performance:
    """Return the performance of RLC with one report for each segment that HARQ gives up.

    HARQ loses q = p^R of its LLDUs, those of RLC's retransmissions, too. The first retransmission follows D
    slots after the segment, as over the bare link.

    Parameters
    ----------
    channel
        A channel with independent erasures.
    processes, max_transmissions
        HARQ's number of processes, and its R.
    reassembly_ns, max_retransmissions
        RLC's t-Reassembly, and the retransmissions after which it gives up a segment.
    delivery
        ``in-order`` or ``any-order``.

    Raises
    ------
    UsageError
        When the erasures of slots are correlated, processes stall, t-Reassembly ends before HARQ gives up, or
        there is no such delivery.
    """
    if delivery not in ("in-order", "any-order"):
        raise UsageError(f"delivery is {delivery!r}; it must be one of in-order, any-order")
    erased = channel.erasure_probability
    if abs(channel.memory) > NEGLIGIBLE and channel.error_good != channel.error_bad:
        raise UsageError(
            f"alpha and beta are {channel.alpha:g} and {channel.beta:g}: the formula is for independent "
            f"erasures, alpha + beta = 1"
        )
    cycle = link.feedback_slots_of_all()
    if processes < cycle:
        raise UsageError(f"processes is {processes}: the formula needs those of a feedback delay, {cycle}")
    harq_ns = (max_transmissions - 1) * cycle * link.slot_interval_ns
    if reassembly_ns < harq_ns:
        raise UsageError(
            f"reassembly is {reassembly_ns / 1e9:g} s: the formula needs the time of HARQ's retransmissions, "
            f"{harq_ns / 1e9:g} s"
        )
    if erased == 1.0:
        return Performance(0.0, math.nan, 1.0)
    below = harq_processes(channel, link, processes, max_transmissions)
    lost = erased**max_transmissions
    rounds = np.arange(max_retransmissions + 1)
    by_round = lost**rounds * (1.0 - lost)
    recovery = rlc_recovery_slots(link, reassembly_ns)
    if delivery == "any-order":
        by_harq = cycle * sum(n * erased**n * (1.0 - erased) for n in range(max_transmissions))
        by_rlc = recovery * float(by_round @ rounds / by_round.sum())
        wait = by_harq / (1.0 - lost) + by_rlc
    else:
        wait = _in_order_wait(erased, max_transmissions, cycle, recovery)
    return Performance(below.efficiency, link.recovery_delay_s(wait), lost ** (max_retransmissions + 1))


def _in_order_wait(erased: float, max_transmissions: int, cycle: int, recovery: int) -> float:
    """Return the mean wait of a segment in slots: the sum of the probabilities that it waits for more."""
    lost = erased**max_transmissions
    rounds = 1 + min(math.ceil(math.log(NEGLIGIBLE) / math.log(lost)), MOST_ROUNDS) if lost else 1
    waits = np.arange(rounds * (recovery + max_transmissions * cycle))
    # HARQ repairs later than each wait: of each process the last transmission before the segment counts.
    whole, rest = np.divmod(waits, cycle)
    log_law = (cycle - rest) * np.log1p(-_late(whole, erased, max_transmissions))
    log_law += rest * np.log1p(-_late(whole + 1, erased, max_transmissions))
    # Given up by HARQ: RLC repeats the segment, and HARQ may give it up again.
    late = np.ones(len(waits))
    late[recovery:] = _late(waits[: len(waits) - recovery] // cycle, erased, max_transmissions)
    for wait in range(recovery, len(waits), recovery):
        stop = min(wait + recovery, len(waits))
        late[wait:stop] += lost * late[wait - recovery : stop - recovery]
    # Of all slots, 1 - p carry a new segment.
    blocked = np.log1p(-(1.0 - erased) * lost * late)
    log_law += np.cumsum(blocked[::-1])[::-1]
    return float((1.0 - np.exp(log_law)).sum())


def _late(cycles: np.ndarray, erased: float, max_transmissions: int) -> FloatArray:
    """Return the probability that HARQ repairs an LLDU with more than `cycles` retransmissions."""
    late: FloatArray = np.maximum(erased ** (cycles + 1.0) - erased**max_transmissions, 0.0)
    return late
