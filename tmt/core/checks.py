"""Rules of every trace, checked while it streams by, across the borders of chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.schema import ERASABLE, LINK_TRACE, Column, Table
from tmt.core.trace import LinkTrace, PhyTrace, Trace
from tmt.core.units import NS_PER_S, seconds_text
from tmt.core.words.refusals import refusal

if TYPE_CHECKING:
    import numpy.typing as npt


PIECE_ROWS = 1 << 15
"""Rows checked at a time: a piece of a column and its derived values fit the processor's cache."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A row that is not allowed: its number from 0, and the reason's key in `REFUSALS` with its values."""

    row: int
    key: str
    column: Column
    values: dict[str, int]

    def reason(self, *, seconds: bool = False) -> str:
        """Return the message, with times in nanoseconds or, for files in seconds, in seconds."""
        if not (seconds and self.column.name.endswith("_ns")):
            return refusal(self.key, column=self.column.name, **self.values)
        shown = {name: seconds_text(value) for name, value in self.values.items()}
        return refusal(self.key, column=self.column.name.removesuffix("_ns"), **shown)


class Checker:
    """Checks the rows of one trace, which `table` declares, chunk after chunk, in order.

    Rows lie inside `extent`; without one, None.
    """

    def __init__(self, table: Table, extent: Extent | None = None) -> None:
        self._table, self._extent = table, extent
        self._previous: dict[str, int] = {}
        self.rows = 0
        """Rows seen so far."""

    def check(self, chunk: Trace) -> Violation | None:
        """Return the first defect of `chunk`, in the order of precedence of `tmt.core.words.refusals`, or
        None.
        """
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
        """Whether a piece of at least one row has no defect; every row passes through here, so it does
        little.
        """
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
        if self._extent is not None:
            times_ns = piece["tx_time_ns"]
            if times_ns[0] < self._extent.begin_ns or times_ns[-1] >= self._extent.end_ns:
                return False
        if self._table is not LINK_TRACE or piece["delay_ns"].min() >= 0:
            return True
        return not _delivered_without_delay(piece).any()

    def _first_violation(self, columns: tuple[Column, ...], piece: dict[str, npt.NDArray[Any]]) -> Violation:
        """Locate the defect of a piece that `_holds` refused."""
        found: list[Violation] = []
        for column in columns:
            found += self._of_column(column, piece[column.name])
        if self._extent is not None:
            found += self._outside(self._extent, piece["tx_time_ns"])
        if self._table is LINK_TRACE:
            column = LINK_TRACE.column("delay_ns")
            found += [
                Violation(self.rows + int(row), "delivered_without_delay", column, {})
                for row in np.flatnonzero(_delivered_without_delay(piece))[:1]
            ]
        return min(found, key=lambda violation: violation.row)

    def _outside(self, extent: Extent, times_ns: npt.NDArray[np.int64]) -> list[Violation]:
        """The first row before the trace's beginning, and the first one after its end."""
        column = self._table.column("tx_time_ns")
        found = []
        for where, key, limits in (
            (times_ns < extent.begin_ns, "before_begin", {"begin": extent.begin_ns}),
            (times_ns >= extent.end_ns, "after_end", {"end": extent.end_ns}),
        ):
            for row in np.flatnonzero(where)[:1]:
                shown = {"value": int(times_ns[row]), **limits}
                found.append(Violation(self.rows + int(row), key, column, shown))
        return found

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


class DecodeTimes:
    """Tells decode times that are moments on the clock of `tx_time` instead of durations, chunk by chunk.

    Moments are never before their slots, and grow as fast as those. Durations may also exceed all times of a
    short trace, but do not grow so.
    """

    def __init__(self) -> None:
        self._may_be_moments = True
        self._ends_ns: list[tuple[int, int]] = []

    def see(self, chunk: Trace) -> None:
        """Take the next rows; those of a link trace have no decode times."""
        if not (self._may_be_moments and isinstance(chunk, PhyTrace)):
            return
        is_good = chunk.decode_time_ns > 0
        sent_ns, decoded_ns = chunk.tx_time_ns[is_good], chunk.decode_time_ns[is_good]
        if len(sent_ns):
            self._may_be_moments = bool((decoded_ns >= sent_ns).all())
            first, last = ((int(sent_ns[row]), int(decoded_ns[row])) for row in (0, -1))
            self._ends_ns = [(self._ends_ns or [first])[0], last]

    def reason(self, *, seconds: bool) -> str | None:
        """Return the reason to refuse the rows so far, or None."""
        if not (self._may_be_moments and self._ends_ns):
            return None
        (first_ns, first_decoded_ns), (last_ns, last_decoded_ns) = self._ends_ns
        span_ns, growth_ns = last_ns - first_ns, last_decoded_ns - first_decoded_ns
        if span_ns < NS_PER_S or 2 * growth_ns < span_ns:
            return None
        unit = "" if seconds else "_ns"
        wrong = f"decode_time{unit} grows with tx_time{unit}"
        return f"{wrong}; it must be the time from sending to decoding, 0 if erased"


def _numbers(column: Column, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Read flags as bytes: a file may hold values other than 0 and 1."""
    return values.view(np.uint8) if column.dtype == "|b1" else values


def _bounds(column: Column) -> tuple[int, int]:
    """Least and greatest value allowed in memory."""
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


TraceT = TypeVar("TraceT", bound=PhyTrace | LinkTrace)


def checked(trace: TraceT) -> TraceT:
    """Return the trace with columns of their declared types.

    InputError at the first defect: a column of another type or length, or a row that no file may hold.
    """
    name = f"{trace.table.kind} trace"
    arrays: dict[str, Any] = {column.name: _array(trace, column) for column in trace.columns}
    rows = len(arrays["tx_time_ns"])
    for column, values in arrays.items():
        if len(values) != rows:
            raise InputError(name, f"{column} has {len(values)} rows; tx_time_ns has {rows}")
    if not rows:
        raise InputError(name, refusal("no_rows"))
    if trace.size_bytes is not None and trace.metadata.get("lldu_bytes") is not None:
        raise InputError(name, refusal("sizes_twice"))
    violation = Checker(trace.table, Extent.said(trace.metadata)).check(replace(trace, **arrays))
    if violation is not None:
        raise InputError(name, violation.reason(), f"row {violation.row + 1}")
    for declared in trace.columns:
        arrays[declared.name] = arrays[declared.name].astype(declared.dtype, copy=False)
    return replace(trace, **arrays)


def _array(trace: PhyTrace | LinkTrace, column: Column) -> npt.NDArray[Any]:
    """Return a column as an array of flags or of whole numbers, as declared."""
    name, values = f"{trace.table.kind} trace", np.asarray(getattr(trace, column.name))
    if values.dtype.kind == "f" and np.isnan(values).any():
        row = int(np.argwhere(np.isnan(values))[0, 0]) + 1
        key = "null_erased" if column is ERASABLE else "null"
        raise InputError(name, refusal(key, column=column.name), f"row {row}")
    kinds = "b" if column.dtype == "|b1" else "iu"
    if values.dtype.kind not in kinds or values.ndim != 1:
        found = f"{column.name} {values.dtype.name}{list(values.shape)}"
        columns = f"{trace.table.described}; found: {found}"
        raise InputError(name, refusal("columns", kind=trace.table.kind, columns=columns))
    return values
