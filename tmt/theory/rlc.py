"""Radio link control (3GPP TS 38.322) on regular slots, over the bare link and above HARQ processes.

Over the bare link bursts of erasures are rare: the segments of a burst have arrived, or are given up, before
the next burst. The receiver detects a burst that ends in slot s when slot s + 1 arrives. After t-Reassembly
it reports the burst, and the report takes a round trip. Consecutive slots retransmit the burst.

Above HARQ processes that never stall, with independent erasures, RLC retransmits an LLDU that HARQ gives up.
In order, a segment waits for the latest of all segments before it. Those of one process exclude each other;
those of different processes are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tmt.core.declaration import taken
from tmt.core.errors import UsageError
from tmt.theory.arq import harq_processes
from tmt.theory.channel import Performance, RegularLink, burst_length_moments

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

Mode = Literal["acknowledged", "unacknowledged"]
Delivery = Literal["in-order", "any-order"]

NEGLIGIBLE = 1e-9
"""Two small numbers: the correlation of neighbouring slots below which they count as independent, and the
probability below which further rounds of RLC are ignored.
"""

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Bursts:
    """Bursts of erased slots: how many begin in a slot, means of their length in slots and of its square."""

    per_slot: float
    length: float
    square: float

    @classmethod
    def of(cls, channel: TwoStateChannel) -> Bursts:
        """Return the bursts of a channel (UsageError when it erases no slot, or all)."""
        length, square = burst_length_moments(channel)
        return cls(channel.erasure_probability / length, length, square)

    @property
    def erased(self) -> float:
        """Fraction of the slots that are erased."""
        return self.per_slot * self.length


def rlc(
    channel: TwoStateChannel,
    link: RegularLink,
    reassembly_ns: int = 35_000_000,
    mode: Mode = "acknowledged",
    delivery: Delivery = "in-order",
) -> Performance:
    """Return the performance of RLC over the bare link, with one report for each gap.

    `reassembly_ns` is t-Reassembly; `delivery` counts in acknowledged mode only.
    """
    unacknowledged = taken("mode", Mode, mode) == "unacknowledged"
    in_order = taken("delivery", Delivery, delivery) == "in-order"
    erased = channel.erasure_probability
    if erased in (0.0, 1.0):
        delay_s = np.nan if erased else link.recovery_delay_s(0.0)
        return Performance(1.0 - erased, delay_s, erased if unacknowledged else 0.0)
    bursts = Bursts.of(channel)
    if unacknowledged:
        return rlc_unacknowledged(bursts, link, reassembly_ns)
    return rlc_acknowledged(bursts, link, reassembly_ns, in_order=in_order)


def rlc_recovery_slots(link: RegularLink, reassembly_ns: int) -> int:
    """Return D, the slots from a burst's end to its first retransmission in acknowledged mode.

    D = ceil((T + decode time + t-Reassembly + RTT) / T) for slots at distances T.
    """
    report_ns = link.slot_interval_ns + link.decode_time_ns + reassembly_ns + link.rtt_ns
    return -(-report_ns // link.slot_interval_ns)


def rlc_acknowledged(
    bursts: Bursts, link: RegularLink, reassembly_ns: int, *, in_order: bool = True
) -> Performance:
    """Return the performance of acknowledged mode.

    With D slots to the first retransmission, each of the L segments of a burst is D + L - 1 slots late. In
    order, the m-th of the D - 1 segments between burst and retransmissions waits D + L - 1 - m slots.
    """
    slots = rlc_recovery_slots(link, reassembly_ns)
    late_slots = bursts.square + (slots - 1) * bursts.length
    if in_order:
        late_slots += (slots - 1) * (bursts.length - 1 + slots / 2)
    per_segment = bursts.per_slot / (1.0 - bursts.erased)  # the other slots carry retransmissions
    return Performance(1.0 - bursts.erased, link.recovery_delay_s(per_segment * late_slots), 0.0)


def rlc_unacknowledged(bursts: Bursts, link: RegularLink, reassembly_ns: int) -> Performance:
    """Return the performance of unacknowledged mode.

    The first segment after a burst waits for t-Reassembly, the i-th one i - 1 slots less.
    """
    interval_ns = link.slot_interval_ns
    waits = sum(range(reassembly_ns, 0, -interval_ns)) / interval_ns
    per_delivery = bursts.per_slot / (1.0 - bursts.erased)
    return Performance(1.0 - bursts.erased, link.recovery_delay_s(per_delivery * waits), bursts.erased)


def rlc_over_harq_processes(
    channel: TwoStateChannel,
    link: RegularLink,
    processes: int = 16,
    max_transmissions: int = 4,
    reassembly_ns: int = 35_000_000,
    max_retransmissions: int = 8,
    delivery: Delivery = "in-order",
) -> Performance:
    """Return the performance of RLC with one report for each segment that HARQ gives up.

    HARQ loses q = p^R of its LLDUs, also of RLC's retransmissions. The first retransmission follows D slots
    after the segment, as over the bare link. R is `max_transmissions`; RLC gives up a segment after
    `max_retransmissions`, and `reassembly_ns` is its t-Reassembly. UsageError when the erasures of slots are
    correlated, processes stall, or t-Reassembly ends before HARQ gives up.
    """
    taken("delivery", Delivery, delivery)
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
    """Return the mean wait of a segment in slots: the sum over n of the probability that it waits more than n
    slots.
    """
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
