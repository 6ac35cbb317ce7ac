"""Radio link control (3GPP TS 38.322) on regular slots, for bursts of erasures that are rare.

Rare means that the segments of a burst have arrived, or are given up, before the next burst. The receiver
detects a burst that ends in slot s when slot s + 1 arrives. After t-Reassembly it reports the burst, and the
report takes a round trip. Consecutive slots retransmit the burst.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.bursts import burst_length_moments
from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import TwoStateChannel


@dataclass(frozen=True, slots=True)
class Bursts:
    """Bursts of erased slots.

    Attributes
    ----------
    per_slot
        Mean number of bursts that begin in a slot.
    length, square
        Means of a burst's length in slots, and of the square of that length.
    """

    per_slot: float
    length: float
    square: float

    @classmethod
    def of(cls, channel: TwoStateChannel) -> Bursts:
        """Return the bursts of a channel.

        Raises
        ------
        UsageError
            When the channel erases no slot, or all.
        """
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
    mode: str = "acknowledged",
    delivery: str = "in-order",
) -> Performance:
    """Return the performance of RLC over the bare link, with one report for each gap.

    Parameters
    ----------
    reassembly_ns
        t-Reassembly.
    mode
        ``acknowledged`` or ``unacknowledged``.
    delivery
        ``in-order`` or ``any-order``, in acknowledged mode.

    Raises
    ------
    UsageError
        When the mode or the delivery has another name than in the scheme.
    """
    for name, value, allowed in (
        ("mode", mode, ("acknowledged", "unacknowledged")),
        ("delivery", delivery, ("in-order", "any-order")),
    ):
        if value not in allowed:
            raise UsageError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
    unacknowledged = mode == "unacknowledged"
    erased = channel.erasure_probability
    if erased in (0.0, 1.0):
        delay_s = np.nan if erased else link.recovery_delay_s(0.0)
        return Performance(1.0 - erased, delay_s, erased if unacknowledged else 0.0)
    bursts = Bursts.of(channel)
    if unacknowledged:
        return rlc_unacknowledged(bursts, link, reassembly_ns)
    return rlc_acknowledged(bursts, link, reassembly_ns, in_order=delivery == "in-order")


def rlc_recovery_slots(link: RegularLink, reassembly_ns: int) -> int:
    """Return D, the slots from the end of a burst to its first retransmission in acknowledged mode.

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
