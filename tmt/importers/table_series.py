"""Rate series of a table: a row for each interval, with its rate, its share of losses and its delay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from tmt.core.declaration import Param, PositiveSeconds
from tmt.core.errors import InputError, UsageError
from tmt.core.units import MAX_TIME_NS, NS_PER_S
from tmt.importers.columns import AMOUNT_UNITS, RATE_UNITS, SHARE_UNITS, is_missing
from tmt.importers.log_files import UNITS_NS
from tmt.importers.notes import agreed, left_out
from tmt.importers.rate_series import RateSeries, durations

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int64Array
    from tmt.importers.columns import NamedColumn, TableRows
    from tmt.importers.log_files import Row

Gap = Annotated[
    PositiveSeconds | None,
    "longest time from one row of a rate series to the next; what is longer is a hole in the measurement",
    Param(
        "s",
        1 / NS_PER_S,
        MAX_TIME_NS // NS_PER_S,
        absent="three times the median, if two thirds differ from it by a tenth at most",
    ),
]
Holes = Annotated[
    Literal["remove", "outage"],
    "what a hole in a rate series stands for: time to remove, or an outage that carries nothing",
]

_MOST_BPS = 1e15
_CAPACITY = "the rates are taken as the capacity; a rate of traffic is only a lower bound of it"
_USUAL_GAP = 3
"""Number of median steps between rows above which a row does not last until the next one."""


class SeriesColumns(NamedTuple):
    """Columns of a rate series.

    Without `end` a row lasts until the next one; if `end` is `time`, it covers the time since the row before.
    """

    time: NamedColumn
    rate: NamedColumn | None = None
    loss: NamedColumn | None = None
    delay: NamedColumn | None = None
    end: NamedColumn | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for column in self if column is not None for name in column.names]


class _Interval(NamedTuple):
    """A row; missing values are NaN."""

    place: int | str
    start_ns: int
    end_ns: int
    rate_bps: float
    loss: float
    delay_ns: float


def read_series(rows: TableRows, columns: SeriesColumns, gap_ns: int | None, holes: str) -> RateSeries:
    """Return the series of a table, whose rows must be in order of time (InputError, UsageError).

    Rows with equal times are averaged, their amounts added; rows without a rate are left out. A row lasts
    until its end, or else as long as `_lasting` says.
    """
    without_rate = 0
    is_amount = columns.rate is not None and columns.rate.unit in AMOUNT_UNITS

    def interval(row: Row, time_ns: int) -> _Interval | None:
        nonlocal without_rate
        rate_bps, loss, delay_ns = 0.0, np.nan, np.nan
        if columns.rate is not None:
            if is_missing(row[columns.rate.name]):
                without_rate += 1
                return None
            unit_bps = (RATE_UNITS | AMOUNT_UNITS)[columns.rate.unit]
            rate_bps = unit_bps * row.number(columns.rate.name, 0, _MOST_BPS / unit_bps)
        if columns.loss is not None and not is_missing(row[columns.loss.name]):
            share = SHARE_UNITS[columns.loss.unit]
            loss = share * row.number(columns.loss.name, 0, 1 / share)
        if columns.delay is not None and not is_missing(row[columns.delay.name]):
            delay_ns = row.time_ns(columns.delay.name, UNITS_NS[columns.delay.unit], 0)
        end_ns = rows.clock.end_ns(row, columns.end, time_ns) if columns.end else 0
        return _Interval(row.place, time_ns, end_ns, rate_bps, loss, delay_ns)

    path, found = rows.path, rows.parsed(interval)
    notes = rows.notes
    if columns.rate is not None:
        notes = [_CAPACITY, *notes, *left_out(without_rate, "row", f"without {columns.rate.name}")]
    if not found:
        raise rows.none_left()
    places = [one.place for one in found]
    start = np.array([one.start_ns for one in found], np.int64)
    values = np.array([one[3:] for one in found], np.float64)
    for number, column in ((1, columns.loss), (2, columns.delay)):
        if column is not None:
            values[:, number], note = _held(path, values[:, number], column.name)
            notes += note
    if columns.end not in (None, columns.time):
        end = np.array([one.end_ns for one in found], np.int64)
        if gap_ns is not None:
            short = (start[1:] > end[:-1]) & (start[1:] - end[:-1] <= gap_ns)
            end[:-1] = np.where(short, start[1:], end[:-1])
    else:
        start, places, values, note = _merged(path, start, places, values, adds_up=is_amount)
        start, end, said = _lasting(start, gap_ns, since_before=columns.end is not None)
        notes += [*note, said]
    duration, removed = durations(path, start, end, places)
    series = RateSeries(
        duration,
        values[:, 0] / (duration / NS_PER_S) if is_amount else values[:, 0],
        values[:, 1] if columns.loss else None,
        np.rint(values[:, 2]).astype(np.int64) if columns.delay else None,
    )
    if removed and holes == "outage":
        series, said = _with_outages(series, start, end)
        return replace(series, notes=(*notes, said))
    return replace(series, notes=(*notes, *removed))


def _held(path: str, values: FloatArray, name: str) -> tuple[FloatArray, list[str]]:
    """Return values in which a missing one is replaced by that of the row before, or of the first row that
    has one.
    """
    there = ~np.isnan(values)
    if there.all():
        return values, []
    if not there.any():
        raise InputError(path, f"no row has a value of {name}")
    at = np.maximum.accumulate(np.where(there, np.arange(len(values)), int(np.argmax(there))))
    missing = int((~there).sum())
    return values[at], [f"{agreed(missing, 'row', 'have')} no {name}: that of the row before holds"]


def _merged(
    path: str, start: Int64Array, places: list[int | str], values: FloatArray, *, adds_up: bool
) -> tuple[Int64Array, list[int | str], FloatArray, list[str]]:
    """Return the rows with those of equal times averaged, or amounts added; InputError for a step back."""
    steps = np.diff(start)
    if (steps < 0).any():
        at = int(np.argmax(steps < 0)) + 1
        raise InputError(path, f"time goes back by {-steps[at - 1] / NS_PER_S:g} s", places[at])
    first = np.flatnonzero(np.append(True, steps > 0))
    merged = len(start) - len(first)
    counts = np.diff(np.append(first, len(start)))
    values = np.add.reduceat(values, first, axis=0) / counts[:, None]
    if adds_up:
        values[:, 0] *= counts
    how = "added to" if adds_up else "averaged with"
    notes = [f"{agreed(merged, 'row', 'are', 'of the same time')} {how} the row before"] if merged else []
    return start[first], [places[row] for row in first], values, notes


def _lasting(
    stamps: Int64Array, gap_ns: int | None, *, since_before: bool
) -> tuple[Int64Array, Int64Array, str]:
    """Return start and end of each row, and a note on the one without a neighbour.

    That row, and one beside a gap, lasts the median of the steps that are no gaps.
    """
    steps, usual, how = np.diff(stamps), NS_PER_S, "a guess for the only one"
    if len(steps):
        usual, how = int(np.median(steps)), "the usual time from row to row"
        if gap_ns is None:
            usual_steps = int((10 * np.abs(steps - usual) <= usual).sum())
            gap_ns = _USUAL_GAP * usual if 3 * usual_steps >= 2 * len(steps) else MAX_TIME_NS
        if steps.min() > gap_ns:
            reason = f"--gap is {gap_ns / NS_PER_S:g}; rows are {steps.min() / NS_PER_S:g} s apart, or more"
            raise UsageError(reason)
        usual = int(np.median(steps[steps <= gap_ns]))
        steps = np.where(steps > gap_ns, usual, steps)
    which = "first" if since_before else "last"
    note = f"the {which} row lasts {usual / NS_PER_S:g} s, {how}"
    if since_before:
        return stamps - np.append(usual, steps), stamps, note
    return stamps, stamps + np.append(steps, usual), note


def _with_outages(series: RateSeries, start: Int64Array, end: Int64Array) -> tuple[RateSeries, str]:
    """Return the series with an interval for each gap; it carries nothing, whatever its rate."""
    at = np.flatnonzero(start[1:] > end[:-1]) + 1
    holes = start[at] - end[at - 1]
    loss = np.zeros(len(start)) if series.loss is None else series.loss
    outages = RateSeries(
        np.insert(series.duration_ns, at, holes),
        np.insert(series.rate_bps, at, 0.0),
        np.insert(loss, at, 1.0),
        None if series.delay_ns is None else np.insert(series.delay_ns, at, 0),
    )
    which = f"without a measurement, {holes.sum() / NS_PER_S:.1f} s in all,"
    return outages, f"{agreed(len(at), 'hole', 'count', which)} as outage"
