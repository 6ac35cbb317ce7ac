"""Input of the models, a link and kinds of numbers, and their output, the performance of a scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tmt.core.declaration import Param, Spec, taken
from tmt.core.errors import UsageError

LEAST, MOST = 1e-12, 1e12
"""Smallest and largest number that a formula takes for a positive quantity."""

Positive = Annotated[float, Param(least=LEAST, most=MOST)]
Quantity = Annotated[float, Param(least=0, most=MOST)]
"""Also of seconds, which are not rounded to nanoseconds here."""
Loss = Annotated[float, Param(least=0, most=1 - LEAST)]
"""A probability below 1."""


def at_least(least: int, **values: int) -> None:
    """Refuse whole numbers below `least` by their names (Refused)."""
    for name, value in values.items():
        taken(name, Annotated[int, Param(least=least)], value)


class RegularLink(Spec):
    """A link with a constant slot interval and a constant decode time."""

    rtt_ns: Annotated[int, "round-trip propagation time", Param("ns", 0)]
    slot_interval_ns: Annotated[int, "time from one slot's `tx_time` to the next one's", Param("ns", 1)]
    decode_time_ns: Annotated[
        int, "time from a slot's `tx_time` until it is decoded, without propagation", Param("ns", 0)
    ] = 0
    detection_delay_ns: Annotated[
        int,
        "time from an erased slot's `tx_time` until the receiver sends its NACK, without propagation",
        Param("ns", 0),
    ] = 0

    @property
    def feedback_slots(self) -> int:
        """Slots from an erased slot to the first that may carry its retransmission, k, at least one."""
        report_ns = self.rtt_ns + self.detection_delay_ns
        return max(1, -(-report_ns // self.slot_interval_ns))

    def feedback_slots_of_all(self) -> int:
        """Return K, the slots until the sender knows the fate of a slot, decoded or erased, at least one.

        UsageError when the feedback of arrivals and of erasures do not take equally many slots.
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
