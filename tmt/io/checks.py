"""Rules that every trace keeps, checked in one place while it streams by, across the borders of chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.io.refusals import refusal
from tmt.schema import LINK_TRACE
from tmt.units import seconds_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.schema import Column, Table
    from tmt.trace import Trace

PIECE_ROWS = 1 << 15
"""Rows checked at a time: a column's piece and values derived from it fit the processor's cache."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A row that may not be: its number from 0, and the reason's key in `REFUSALS` with its values."""

    row: int
    key: str
    column: Column
    values: dict[str, int]

    def reason(self, *, seconds: bool = False) -> str:
        """Return the sentence, in nanoseconds or, for files that hold seconds, in those."""
        if not (seconds and self.column.name.endswith("_ns")):
            return refusal(self.key, column=self.column.name, **self.values)
        shown = {name: seconds_text(value) for name, value in self.values.items()}
        return refusal(self.key, column=self.column.name.removesuffix("_ns"), **shown)


class Checker:
    """Checks the rows of one trace, chunk after chunk, in order.

    Parameters
    ----------
    table
        Declaration of the rows.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._previous: dict[str, int] = {}
        self.rows = 0
        """Rows seen so far."""

    def check(self, chunk: Trace) -> Violation | None:
        """Return the first defect of `chunk` by the order that `tmt.io.refusals` states, or None."""
        columns = chunk.columns
        for start in range(0, len(chunk), PIECE_ROWS):
            piece = {
                column.name: _numbers(column, getattr(chunk, column.name)[start : start + PIECE_ROWS])
                for column in columns
            }
            if not self._holds(columns, piece):
                return self._first_violation(columns, piece)
            for column in columns:
                if column.order != "any":
                    self._previous[column.name] = int(piece[column.name][-1])
            self.rows += len(piece[self._table.names[0]])
        return None

    def _holds(self, columns: tuple[Column, ...], piece: dict[str, npt.NDArray[Any]]) -> bool:
        """Whether a piece of at least one row has no defect: the pass that every row takes, so few steps."""
        for column in columns:
            values = piece[column.name]
            if column.order == "any":
                least, most = values.min(), values.max()
            else:
                least, most = values[0], values[-1]
                if column.name in self._previous and least <= self._previous[column.name]:
                    return False
                if not (values[1:] > values[:-1]).all():
                    return False
            lower, upper = _bounds(column)
            if least < lower or most > upper:
                return False
        if self._table is not LINK_TRACE or piece["delay_ns"].min() >= 0:
            return True
        return not _delivered_without_delay(piece).any()

    def _first_violation(self, columns: tuple[Column, ...], piece: dict[str, npt.NDArray[Any]]) -> Violation:
        """Locate the defect of a piece that `_holds` refused."""
        found: list[Violation] = []
        for column in columns:
            found += self._of_column(column, piece[column.name])
        if self._table is LINK_TRACE:
            column = LINK_TRACE.column("delay_ns")
            found += [
                Violation(self.rows + int(row), "delivered_without_delay", column, {})
                for row in np.flatnonzero(_delivered_without_delay(piece))[:1]
            ]
        return min(found, key=lambda violation: violation.row)

    def _of_column(self, column: Column, values: npt.NDArray[Any]) -> list[Violation]:
        """The first row that breaks each rule of one column, in order of precedence."""
        lower, upper = _bounds(column)
        found: list[Violation] = []

        def note(where: npt.NDArray[np.bool_], key: str, **limits: int) -> None:
            for row in np.flatnonzero(where)[:1]:
                shown = {"value": int(values[row]), **limits}
                if key == "not_sorted":
                    shown["previous"] = int(before[row])
                found.append(Violation(self.rows + int(row), key, column, shown))

        if column.dtype == "|b1":
            note(values > upper, "not_flag")
            return found
        if column.null is not None and column.minimum is not None:
            note(values < lower, "below_minimum_or_null", minimum=column.minimum, null=column.null)
        else:
            note(values < lower, "below_minimum", minimum=lower)
        note(values > upper, "above_maximum", maximum=upper)
        if column.order != "any":
            before = np.concatenate(([self._previous.get(column.name, -1)], values[:-1]))
            note(values == before, "repeated")
            note(values < before, "not_sorted")
        return found


def _numbers(column: Column, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take flags as bytes: a file may hold others than 0 and 1."""
    return values.view(np.uint8) if column.dtype == "|b1" else values


def _bounds(column: Column) -> tuple[int, int]:
    """Least and greatest value that may stand in memory."""
    if column.dtype == "|b1":
        return 0, 1
    limits = np.iinfo(column.dtype)
    lower = column.minimum if column.null is None else column.null
    return (
        int(limits.min) if lower is None else lower,
        int(limits.max) if column.maximum is None else column.maximum,
    )


def _delivered_without_delay(piece: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    without: npt.NDArray[np.bool_] = (piece["delay_ns"] < 0) & (piece["delivered"] != 0)
    return without
