"""Rows of the charts: cells, delays, distributions and courses as flat records."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.results.dataset import matches
from tmt.results.over_time import LEVELS, delay_quantiles_s, run_over_time
from tmt.results.values import delay_unit, digits, interval_fields
from tmt.show.charts.campaign import DELAY_QUANTILES
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Results
    from tmt.results.over_time import RunRecords, Series
    from tmt.show.charts.style import Row

GOODPUT, DELAY = "goodput_bps", "delay_p95_s"


def cell_rows(results: Results, summary: Summary) -> list[Row]:
    """Return one row for each cell and measure: mean, interval, single runs, letters, published value."""
    published = {(id(match.cell), match.measure.column): match for match in matches(results, summary)}
    rows = []
    for measure in summary.measures:
        for cell in summary.cells:
            if measure.column not in cell.intervals:
                continue
            letters = cell.letters.get(measure.column, {})
            single = cell.single[measure.column] if len(cell.rows) > 1 else []
            is_goodput = measure.column == GOODPUT
            row = place_of(summary, cell) | {
                "column": measure.column,
                **interval_fields(cell.intervals[measure.column]),
                "runs": len(cell.rows),
                "seeds": [digits(value) for value in single],
                "tcp_letters": letters.get("tcp", ""),
                "scheme_letters": letters.get("scheme", ""),
                "capacity": digits(cell.capacity_bps * measure.scale) if is_goodput else None,
                "paper": None,
            }
            match = published.get((id(cell), measure.column))
            if match is not None:
                row |= {
                    "paper": digits(match.value),
                    "paper_low": digits(match.value - match.error),
                    "paper_high": digits(match.value + match.error),
                    "source": match.source,
                }
            rows.append(row)
    return rows


def trade_rows(summary: Summary) -> list[Row]:
    """Return goodput and delay of each cell that has both."""
    rows = []
    for cell in summary.cells:
        if not {GOODPUT, DELAY} <= set(cell.intervals):
            continue
        goodput = interval_fields(cell.intervals[GOODPUT])
        delay = interval_fields(cell.intervals[DELAY], "delay")
        rows.append(place_of(summary, cell) | goodput | delay)
    return rows


def delay_rows(results: Results, summary: Summary) -> list[Row]:
    """Return quantiles of the one-way delay of each cell, as means over its seeds."""
    _, scale = delay_unit(results.runs)
    return [
        place_of(summary, cell)
        | dict(zip(DELAY_QUANTILES, (digits(value * scale) for value in cell.quantiles_s), strict=True))
        for cell in summary.cells
        if all(math.isfinite(value) for value in cell.quantiles_s)
    ]


def distribution_rows(results: Results, summary: Summary) -> list[Row]:
    """Return the distribution of delays of each run that kept its records and delivered something."""
    _, scale = delay_unit(results.runs)
    shares = [digits(level) for level in LEVELS]
    rows = []
    for records in results.records:
        quantiles = [digits(value * scale) for value in delay_quantiles_s(records)]
        if quantiles:
            rows.append(_run(results, summary, records) | {"delay": quantiles, "share": shares})
    return rows


def course_rows(results: Results, summary: Summary) -> list[Row]:
    """Return the series of each run that kept its records."""
    units = course_units(results, summary)
    rows = []
    for records in results.records:
        run = _run(results, summary, records)
        row = results.runs.iloc[records.row]
        end_s = float(row["simulated_s"])
        for series in run_over_time(records, row):
            _, scale = units.get(series.panel, ("", 1.0))
            rows.append(run | {"end_s": end_s, "panel": series.panel} | _values(series, scale))
    return rows


def course_units(results: Results, summary: Summary) -> dict[str, tuple[str, float]]:
    """Return unit and scale of the panels of a course that have a unit."""
    rate, delay = summary.rate_unit, delay_unit(results.runs)
    return {"capacity": rate, "arrivals": rate, "lost_rows": ("%", 100.0), "srtt": delay, "delay": delay}


def _values(series: Series, scale: float) -> Row:
    values = {"time": _rounded(series.time_s)}
    for name, column in (("value", series.value), ("low", series.low), ("high", series.high)):
        if len(column):
            values[name] = _rounded(np.asarray(column) * scale)
    return values


def _rounded(values: Iterable[float]) -> list[float | None]:
    """Return numbers of four digits, whole ones as integers: a page holds many of them."""
    short = (digits(float(value), 4) for value in values)
    return [int(value) if value is not None and value.is_integer() else value for value in short]


def cell_members(summary: Summary, cell: Cell) -> tuple[str, str]:
    """Return the labels of a cell's TCP variant and scheme."""
    return tcp_label(summary.tcps[cell.tcp]), summary.schemes[cell.scheme]


def place_of(summary: Summary, cell: Cell) -> Row:
    """Return the fields that name a cell."""
    tcp, scheme = cell_members(summary, cell)
    levels = list(summary.levels(cell.point).values())
    return {"tcp": tcp, "scheme": scheme, "point": cell.point, "levels": levels}


def cell_name(summary: Summary, cell: Cell) -> str:
    """Return a cell's TCP variant and scheme as text."""
    return " over ".join(cell_members(summary, cell))


def _run(results: Results, summary: Summary, records: RunRecords) -> Row:
    tcp, scheme, point = summary.keys[records.row]
    seed = int(results.runs["seed"].iloc[records.row])
    label, name = tcp_label(summary.tcps[tcp]), summary.schemes[scheme]
    row = {"tcp": label, "scheme": name, "point": point, "seed": seed}
    return {"run": f"{label} over {channel_of(summary, row)}"} | row


def channel_of(summary: Summary, row: Row) -> str:
    """Return the scheme, place and seed of a run as text: runs that differ in TCP only see one channel."""
    return ", ".join(filter(None, [row["scheme"], summary.point_label(row["point"]), f"seed {row['seed']}"]))
