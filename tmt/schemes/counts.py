"""What became of a trace's slots and of the data LLDUs in them, and the laws that bind these numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Bookkeeping of one conversion.

    Attributes
    ----------
    slots
        Slots of the trace.
    data_rows, repair_slots, retransmission_slots, dropped_tail
        What they carried: first transmissions of data LLDUs, repair LLDUs, repeated data LLDUs; slots of
        the last incomplete run of `fec`, which carry nothing.
    delivered, lost, unsettled
        What became of the data LLDUs.
    """

    slots: int
    data_rows: int
    repair_slots: int
    retransmission_slots: int
    dropped_tail: int
    delivered: int
    lost: int
    unsettled: int

    @property
    def efficiency(self) -> float:
        """Throughput efficiency: delivered data LLDUs / slots used; NaN when no slot was used."""
        used = self.slots - self.dropped_tail
        return self.delivered / used if used else float("nan")

    def check(self) -> None:
        """Stop when a slot or a row has been counted twice or not at all, which would be a defect of ours.

        Raises
        ------
        AssertionError
            When the conservation laws do not hold.
        """
        uses = self.data_rows + self.repair_slots + self.retransmission_slots + self.dropped_tail
        fates = self.delivered + self.lost + self.unsettled
        if uses != self.slots or fates != self.data_rows:
            raise AssertionError(f"a conversion lost count of its slots or rows: {self}")
