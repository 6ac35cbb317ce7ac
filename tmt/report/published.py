"""Published values beside the cells that repeat them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.report.measures import Measure
    from tmt.report.results import Results
    from tmt.report.summary import Cell, Summary


@dataclass(frozen=True, slots=True)
class Match:
    """A published value and our cell of the same place; `value` and `error` are in the measure's unit."""

    cell: Cell
    measure: Measure
    value: float
    error: float
    source: str

    @property
    def deviation(self) -> float:
        """Our mean relative to the published value, minus 1."""
        return self.cell.intervals[self.measure.column].mean / self.value - 1


def matches(results: Results, summary: Summary) -> list[Match]:
    """Return the published values for which the results have a cell with that measure.

    A value that names no level of an axis belongs to every level of it.
    """
    measures = {measure.column: measure for measure in summary.measures}
    return [
        Match(cell, measures[item.column], item.value * scale, item.error * scale, item.source)
        for item in results.published
        if item.column in measures and item.value != 0
        for scale in [measures[item.column].scale]
        for cell in summary.cells
        if (summary.tcps[cell.tcp], summary.schemes[cell.scheme]) == (item.tcp, item.scheme)
        and item.column in cell.intervals
        and all(
            axis.levels[level] == item.levels.get(axis.column, axis.levels[level])
            for axis, level in zip(results.axes, summary.points[cell.point], strict=True)
        )
    ]
