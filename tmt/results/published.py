"""Published values: read from a CSV file, and matched with the cells that repeat them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import COLUMNS, PUBLISHED_COLUMNS
from tmt.core.errors import InputError
from tmt.results.dataset import Published
from tmt.results.values import texts

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Axis, Results
    from tmt.results.measures import Measure


@dataclass(frozen=True, slots=True)
class Match:
    """A published value and the cell for the same place; `value` and `error` are in the measure's unit."""

    cell: Cell
    measure: Measure
    value: float
    error: float
    source: str

    @property
    def deviation(self) -> float:
        """Mean of the cell relative to the published value, minus 1."""
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
            level == item.levels.get(column, level) for column, level in summary.levels(cell.point).items()
        )
    ]


def read_published(path: Path, axes: tuple[Axis, ...], title: str) -> tuple[Published, ...]:
    """Read published values; further columns than `PUBLISHED_COLUMNS` hold levels of axes, by their labels.

    A value whose column `scenario` names another title is left out.

    Raises
    ------
    InputError
        When the file cannot be read or is not as `docs/report.md` says.
    """
    labels = {axis.label: axis for axis in axes}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            missing = [name for name in PUBLISHED_COLUMNS if name not in names]
            if missing:
                needed = ", ".join(PUBLISHED_COLUMNS)
                raise InputError(path, f"column {missing[0]} is missing; needed: {needed}", 1)
            rows = (row for row in reader if row.get("scenario") in {None, "", title})
            return tuple(_published(path, reader.line_num, row, labels) for row in rows)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is no text in UTF-8") from error
    except csv.Error as error:
        raise InputError(path, f"is no CSV: {error}") from error


def unmatched_warnings(values: tuple[Published, ...], runs: pd.DataFrame) -> list[str]:
    """Return a warning that names the columns, TCP variants and schemes that no finished run has, if any.

    A value without TCP describes the channel alone and belongs to no run.
    """
    named = [value for value in values if value.tcp]
    known = {
        "column": {column.name for column in COLUMNS},
        "TCP": set(runs["tcp"]),
        "scheme": set(runs["scheme"]),
    }
    unknown = [
        f"{what} {', '.join(map(repr, missing))}"
        for what, there in known.items()
        if (missing := sorted({getattr(value, what.lower()) for value in named} - there))
    ]
    return [f"Published values are left out: no finished run has {' or '.join(unknown)}."] if unknown else []


def _published(path: Path, line: int, row: dict[str, str], labels: dict[str, Axis]) -> Published:
    try:
        value, error = float(row["value"]), float(row["error"] or 0)
    except (TypeError, ValueError):
        value = error = math.nan
    if not (math.isfinite(value) and math.isfinite(error)):
        raise InputError(path, f"value {row['value']!r} or error {row['error']!r} is no number", line)
    levels = {
        axis.column: next((level for level in axis.levels if texts([level]) == [row[label]]), row[label])
        for label, axis in labels.items()
        if row.get(label)
    }
    return Published(
        row["column"], row["tcp"] or "", row["scheme"] or "", levels, value, error, row["source"]
    )
