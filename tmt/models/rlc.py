"""Radio link control on regular slots, to first order in the erasure probability.

Erasures are so rare that a gap is closed before the next one opens. A segment that is erased in slot s is
missed when slot s + 1 arrives. After t-Reassembly the receiver reports it, and the report takes a round trip.
"""

from __future__ import annotations

from tmt.models.link import Performance, RegularLink


def rlc_recovery_slots(link: RegularLink, reassembly_ns: int) -> int:
    """Return the slots from an erased segment to its retransmission in acknowledged mode."""
    report_ns = link.slot_interval_ns + link.decode_time_ns + reassembly_ns + link.rtt_ns
    return -(-report_ns // link.slot_interval_ns)


def rlc_acknowledged(
    erased: float, link: RegularLink, reassembly_ns: int, *, in_order: bool = True
) -> Performance:
    """Return the performance of acknowledged mode where a fraction `erased` of the slots is erased.

    With D slots to the retransmission, an erased segment is D slots late. In order, the i-th segment after it
    waits D - i slots: D (D + 1) / 2 slots for each erasure.
    """
    slots = rlc_recovery_slots(link, reassembly_ns)
    late_slots = slots * (slots + 1) / 2 if in_order else slots
    return Performance(1.0 - erased, link.recovery_delay_s(erased * late_slots), 0.0)


def rlc_unacknowledged(erased: float, link: RegularLink, reassembly_ns: int) -> Performance:
    """Return the performance of unacknowledged mode where a fraction `erased` of the slots is erased.

    The segment after an erased one waits for t-Reassembly, the i-th one i - 1 slots less.
    """
    interval_ns = link.slot_interval_ns
    waits_ns = sum(range(reassembly_ns, 0, -interval_ns))
    return Performance(1.0 - erased, link.recovery_delay_s(erased * waits_ns / interval_ns), erased)
