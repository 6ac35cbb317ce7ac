"""The paper's numbers beside ours: one line each, and a summary of each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.kuhn2014 import published
from analysis.kuhn2014.measures import Cells
from analysis.kuhn2014.published import Value


@dataclass(frozen=True, slots=True)
class Compared:
    """A published number and our cell of the same place; `low` and `high` bound our mean's 95 % interval."""

    value: Value
    mean: float
    low: float
    high: float
    count: int

    @property
    def deviation(self) -> float:
        """Ours relative to the paper's, minus 1."""
        return self.mean / self.value.value - 1


@dataclass(frozen=True, slots=True)
class Target:
    """A group of published numbers, how far each and all may be off, and which tables show it."""

    name: str
    chosen: Callable[[Value], bool]
    worst: float
    rms: float | None


TARGETS = (
    Target("ten CUBIC goodputs (figures 10, 11)", lambda v: v.measure == "goodput_bps", 0.10, 0.04),
    Target("table 3, all 60 cells", lambda v: v.place == "table 3", 0.12, 0.05),
    Target("table 1, four probabilities", lambda v: v.measure == "retransmission_ratio", 0.25, None),
    Target("table 2, 85 % and 99 %", lambda v: v.measure in ("delay_p85_s", "delay_p99_s"), 0.30, None),
)
"""Groups of published numbers, with the wanted worst and rms deviations."""

SAME_AS_NEW_RENO = ("compound", "westwood")
"""Variants whose transfers are New Reno's: at 69 packets they differ from it by less than 1 %."""


def origin(value: Value) -> str:
    """Return if our number was fitted to the paper's, follows from one that was, or is predicted."""
    if value.measure in ("goodput_bps", "retransmission_ratio", "delay_p85_s", "delay_p99_s"):
        return "fitted"
    if value.measure == "completion_s" and value.tcp != "hybla":
        return "as New Reno" if value.tcp in SAME_AS_NEW_RENO else "fitted"
    return "predicted"


def lines(cells: Cells) -> list[Compared]:
    """Return every published number with our value; LookupError when a cell is missing."""
    found = []
    for value in published.read():
        place = {"es_n0_db": value.es_n0_db, "scheme": value.scheme, "tcp": value.tcp or None}
        cell = cells.one(value.scenario, value.measure, **place)
        found.append(Compared(value, cell["mean"], cell["low"], cell["high"], int(cell["count"])))
    return found


def worst(chosen: Sequence[Compared]) -> Compared:
    """Return the line that is furthest from the paper."""
    return max(chosen, key=lambda line: abs(line.deviation))
