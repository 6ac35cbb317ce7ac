"""The code with feedback by its definition: an unbounded receiver, and a sender that knows its reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from naive.schemes import UNSETTLED, Converted, Row
from naive.sliding_window import REPAIR_KEYS, coefficients, determines, rank


@dataclass(frozen=True, order=True)
class Slot:
    """A used slot at the receiver: when it knows of it, and the equation that arrives or is erased."""

    at: int
    slot: int
    is_repair: bool = field(compare=False)
    arrives: bool = field(compare=False)
    equation: dict[int, int] = field(compare=False)


@dataclass
class Receiver:
    """Everything that it has received so far."""

    known: dict[int, int] = field(default_factory=dict)
    erased: set[int] = field(default_factory=set)
    equations: list[dict[int, int]] = field(default_factory=list)
    repairs: int = 0

    def take(self, slot: Slot) -> None:
        self.repairs += slot.is_repair
        if not slot.arrives:
            self.erased |= set() if slot.is_repair else set(slot.equation)
            return
        self.equations.append(slot.equation)
        open_ = self.open()
        for unit in {u for e in open_ for u in e}:
            if determines(open_, unit):
                self.known[unit] = slot.at

    def open(self) -> list[dict[int, int]]:
        """Return the equations in what is not known; known units are constants."""
        parts = [{u: c for u, c in e.items() if u not in self.known} for e in self.equations]
        self.equations = [e for e in parts if e]
        return self.equations

    def missing(self) -> int:
        return len(self.erased - set(self.known)) - rank(self.open())

    def first(self) -> int:
        unit = 0
        while unit in self.known:
            unit += 1
        return unit


def tetrys(
    tx: Sequence[int], decode: Sequence[int], window: int, interval: int, rtt: int, detection_delay: int
) -> Converted:
    uses: list[str] = []
    first_slots: list[int] = []
    under_way: list[Slot] = []
    receiver = Receiver()
    repairs = count = 0
    for s in range(len(tx)):
        for report in sorted(slot for slot in under_way if slot.at + rtt <= tx[s]):
            receiver.take(report)
            under_way.remove(report)
        lacking = range(receiver.first(), len(first_slots))
        regular_is_due = count >= interval
        if receiver.missing() > repairs - receiver.repairs:
            use = "repair"
        elif regular_is_due and lacking:
            use, count = "repair", 0
        else:
            count = 0 if regular_is_due else count
            use = "data" if len(lacking) < window else "stall"
        uses.append(use)
        if use == "stall":
            continue
        if use == "repair":
            equation = dict(zip(lacking, coefficients(repairs % REPAIR_KEYS, len(lacking)), strict=True))
            repairs += 1
        else:
            equation = {len(first_slots): 1}
            first_slots.append(s)
            count += 1
        at = tx[s] + (decode[s] or detection_delay)
        under_way.append(Slot(at, s, use == "repair", decode[s] > 0, equation))
    for report in sorted(under_way):
        receiver.take(report)

    rows = []
    for unit, s in enumerate(first_slots):
        if unit in receiver.known:
            rows.append(Row(tx[s], receiver.known[unit] - tx[s], True, 1))
        else:
            rows.append(Row(tx[s], UNSETTLED, False, 1))
    return Converted(rows, first_slots, uses)
