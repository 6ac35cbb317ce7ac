"""Counts of a conversion: uses of the slots, fates of the data LLDUs, and the laws between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one conversion.

    Attributes
    ----------
    slots
        Slots of the trace.
    data_rows, repair_slots, retransmission_slots, dropped_tail
        Slots with first transmissions of data LLDUs, with repair LLDUs, with retransmissions; slots of the
        last incomplete run of `fec`, which carry nothing.
    stalled_slots
        Slots that stayed idle, because no process was free or the window was full.
    delivered, lost, unsettled
        Fates of the data LLDUs.
    sent_bytes, delivered_bytes
        Bytes of the slots in use, and of the delivered data LLDUs; None where the trace has no sizes.
    """

    slots: int
    data_rows: int
    repair_slots: int
    retransmission_slots: int
    dropped_tail: int
    delivered: int
    lost: int
    unsettled: int
    stalled_slots: int = 0
    sent_bytes: int | None = None
    delivered_bytes: int | None = None

    @property
    def efficiency(self) -> float:
        """Throughput efficiency: delivered data LLDUs / slots; NaN when there is no slot.

        The dropped tail does not count as slots. A stalled slot does: the scheme wastes it. Where the trace
        has sizes, LLDUs and slots count with their bytes.
        """
        if self.sent_bytes is not None and self.delivered_bytes is not None:
            return self.delivered_bytes / self.sent_bytes if self.sent_bytes else float("nan")
        used = self.slots - self.dropped_tail
        return self.delivered / used if used else float("nan")

    def check(self) -> None:
        """Raise when a slot or a row was counted twice or not at all, which would be a defect of ours.

        Raises
        ------
        AssertionError
            When the conservation laws do not hold.
        """
        uses = self.data_rows + self.repair_slots + self.retransmission_slots
        uses += self.stalled_slots + self.dropped_tail
        fates = self.delivered + self.lost + self.unsettled
        if uses != self.slots or fates != self.data_rows:
            raise AssertionError(f"a conversion lost count of its slots or rows: {self}")
