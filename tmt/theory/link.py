"""Input of the models, a link, and their output, the performance of a scheme on it."""

from __future__ import annotations

from dataclasses import dataclass

from tmt.core.errors import UsageError
from tmt.core.units import ns_to_seconds


@dataclass(frozen=True, slots=True)
class RegularLink:
    """A link with a constant slot interval and a constant decode time.

    Attributes
    ----------
    rtt_ns
        Round-trip propagation time.
    slot_interval_ns
        Time from one slot's `tx_time` to the next one's.
    decode_time_ns
        Time from a slot's `tx_time` until it is decoded, without propagation.
    detection_delay_ns
        Time from an erased slot's `tx_time` until the receiver sends its NACK, without propagation.

    Raises
    ------
    UsageError
        When the slot interval is not positive, or another time is negative.
    """

    rtt_ns: int
    slot_interval_ns: int
    decode_time_ns: int = 0
    detection_delay_ns: int = 0

    def __post_init__(self) -> None:
        if self.slot_interval_ns <= 0:
            raise UsageError(
                f"slot interval is {ns_to_seconds(self.slot_interval_ns)} s: it must be more than 0"
            )
        for name in ("rtt_ns", "decode_time_ns", "detection_delay_ns"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}: it must not be negative")

    @property
    def feedback_slots(self) -> int:
        """Slots from an erased slot to the first that may carry its retransmission, k, at least one."""
        report_ns = self.rtt_ns + self.detection_delay_ns
        return max(1, -(-report_ns // self.slot_interval_ns))

    def feedback_slots_of_all(self) -> int:
        """Return K, the slots until the sender knows the fate of a slot, decoded or erased, at least one.

        Raises
        ------
        UsageError
            When the feedback of arrivals and of erasures do not take equally many slots.
        """
        slots = max(1, -(-(self.rtt_ns + self.decode_time_ns) // self.slot_interval_ns))
        if slots != self.feedback_slots:
            raise UsageError(
                f"an ACK takes {slots} slots and a NACK {self.feedback_slots}: the formula needs a detection "
                f"delay equal to the decode time, {self.decode_time_ns / 1e9:g} s"
            )
        return slots

    def recovery_delay_s(self, mean_slots: float) -> float:
        """Return RTT/2 + the decoding time + `mean_slots` slot intervals, in seconds."""
        fixed_ns = self.rtt_ns / 2 + self.decode_time_ns
        return (fixed_ns + mean_slots * self.slot_interval_ns) / 1e9


@dataclass(frozen=True, slots=True)
class Performance:
    """Long-run performance of a scheme.

    Attributes
    ----------
    efficiency
        Throughput efficiency: delivered data LLDUs / slots used.
    recovery_delay_s
        Mean over delivered LLDUs of RTT/2 + delay; NaN when nothing is delivered.
    residual_loss
        Data LLDUs given up / data LLDUs.
    """

    efficiency: float
    recovery_delay_s: float
    residual_loss: float
