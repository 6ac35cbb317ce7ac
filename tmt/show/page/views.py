"""The charts of a campaign's page: rows as flat records, specifications, captions and columns of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.results.dataset import matches
from tmt.results.measures import delay_unit
from tmt.results.over_time import LEVELS, delay_quantiles_s, recorded, run_over_time
from tmt.results.values import digits, interval_fields
from tmt.show.charts import campaign as charts
from tmt.show.charts.over_time import CHANNEL, course
from tmt.show.charts.style import scheme_styles, tcp_label, tcp_styles
from tmt.show.page.page import titled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Results
    from tmt.results.over_time import RunRecords
    from tmt.show.charts.style import Row, Spec

Heads = tuple[tuple[str, str], ...]
"""Fields of a row and their headings; ``levels.0`` is the first member of `levels`."""

GOODPUT, DELAY = "goodput_bps", "delay_p95_s"

INTERVAL: Heads = (("low", "low"), ("high", "high"))
COURSE_HEADS: Heads = (
    ("run", "run"),
    ("panel", "panel"),
    ("time", "time (s)"),
    ("value", "value"),
    *INTERVAL,
)

CAPTIONS = {
    "compare": "{measure}{where}: mean over seeds with its 95 % interval. Small dots: single runs. Upright "
    "lines: capacity of the whole link trace. Letters: within a group, two rows without a common letter "
    "differ significantly (paired over seeds, Holm's correction).",
    "sweep": "{measure} over {axis}: mean over seeds with its 95 % interval.",
    "trade": "Goodput over the 95th percentile of delay{where}: further up and further left is better. "
    "Bars: 95 % intervals.",
    "delay": "One-way delay of packets{where}. Mark and number: median. Thick bar: median to 95th "
    "percentile. Thin line: least to 99th percentile. All are means over seeds.",
    "distribution": "Distribution of one-way delays in the runs that kept their packet records{where}: share "
    "of packets that were faster.",
    "timeline": "Single runs over simulated time. Drag a panel to move along the time axis. Turn the wheel "
    "with Ctrl to zoom. Double-click to show all. Without a scheme or under an online one, erased slots "
    "count; under another one, LLDUs given up.",
    "channel": "The channel over time as seeds met it: share of erased slots, and what the others carried.",
}
"""Caption of each view; the page's script fills in ``{measure}``, ``{where}`` and ``{axis}``."""

PUBLISHED_NOTE = "Hollow diamonds: published values with their reading errors."
"""Sentence of a caption if such values exist."""

NOTHING = "Nothing to draw: choose at least one TCP variant and one scheme that were run at this point."
NO_RECORDS = "None of the chosen runs kept its packet records."


@dataclass(frozen=True, slots=True)
class View:
    """One chart of the page."""

    name: str
    rows: list[Row]
    specs: dict[str, Spec]
    """Choices that narrow the rows: ``measure``, ``point``, ``line`` (along one axis) and ``runs``."""
    selects: tuple[str, ...]
    """Choices that narrow the rows: ``measure``, ``point``, ``line`` (along one axis) and ``runs``."""
    heads: Heads
    caption: str
    """With ``{measure}``, ``{where}`` and ``{axis}`` to be filled in."""
    nothing: str = NOTHING
    heading: str = ""
    """Heading of the chart; empty for a view of the chosen measure."""
    measure: str = ""
    """Name of the chart's content, if `heading` says more."""
    across: str = ""
    """Label of the horizontal measure, if there is one."""


def members(summary: Summary) -> tuple[charts.Members, charts.Members]:
    """Return the TCP variants and the schemes of a campaign."""
    schemes = scheme_styles(summary.schemes, summary.scheme_names)
    return charts.Members("tcp", tcp_styles(summary.tcps)), charts.Members("scheme", schemes)


def both_ways(summary: Summary, chart: Callable[..., Spec], **more: Any) -> dict[str, Spec]:
    """Return a chart's specifications, by how it groups."""
    tcps, schemes = members(summary)
    return {"scheme": chart(tcps, schemes, **more), "tcp": chart(schemes, tcps, **more)}


def sweeps(results: Results, summary: Summary, *, zero: bool = False) -> dict[str, Spec]:
    """Return the charts over axes of numbers and of names; none if every axis has one level."""
    kinds = {axis.is_numeric for axis in results.axes if len(axis.levels) > 1}
    return {
        f"{by}-{'numbers' if numeric else 'names'}": spec
        for numeric in sorted(kinds)
        for by, spec in both_ways(summary, charts.sweep, numeric=numeric, zero=zero).items()
    }


def place_heads(results: Results) -> Heads:
    """Return the fields that name a cell: TCP variant, scheme, and its level on each axis."""
    levels = ((f"levels.{i}", titled(axis.label, axis.unit)) for i, axis in enumerate(results.axes))
    return (("tcp", "TCP"), ("scheme", "scheme"), *levels)


def mean_heads(counted: str) -> Heads:
    """Return the fields of a mean with its interval, over `counted` things."""
    return (("mean", "{measure}"), *INTERVAL, ("runs", counted))


def views(results: Results, summary: Summary) -> list[View]:
    """Return the charts for which the results have rows."""
    place = place_heads(results)
    means = (*place, *mean_heads("runs"))
    titles = {measure.column: titled(measure.label, measure.unit) for measure in summary.measures}
    goodput, late = (titles.get(column, "") for column in (GOODPUT, DELAY))
    both = (("mean", goodput), *INTERVAL, ("delay", late), ("delay_low", "low"), ("delay_high", "high"))
    unit = delay_unit(results.runs)[0]
    delay = titled("One-way delay", unit)
    quantiles = ((field, titled(name, unit)) for field, name in charts.DELAY_QUANTILES.items())
    shares = (("seed", "seed"), ("delay", delay), ("share", "share"))
    cells = cell_rows(results, summary)
    published = f" {PUBLISHED_NOTE}" if any(row["paper"] is not None for row in cells) else ""
    compare, sweep = CAPTIONS["compare"] + published, CAPTIONS["sweep"] + published
    possible = [
        View("compare", cells, both_ways(summary, charts.compare), ("measure", "point"), means, compare),
        View("sweep", cells, sweeps(results, summary), ("measure", "line"), means, sweep),
        View(
            "trade",
            trade_rows(summary),
            both_ways(summary, charts.trade),
            ("point",),
            (*place, *both),
            CAPTIONS["trade"],
            heading=f"{goodput} over {late}",
            measure=goodput,
            across=late,
        ),
        View(
            "delay",
            delay_rows(results, summary),
            both_ways(summary, charts.delays),
            ("point",),
            (*place, *quantiles),
            CAPTIONS["delay"],
            heading=delay,
        ),
        View(
            "distribution",
            distribution_rows(results, summary),
            both_ways(summary, charts.distribution),
            ("point",),
            (*place[:2], *shares),
            CAPTIONS["distribution"] + _part_shown(results),
            nothing=NO_RECORDS,
            heading=f"Share of packets over {titled('one-way delay', unit)}",
        ),
        *_courses(results, summary),
    ]
    return with_rows(possible)


def with_rows(possible: list[View]) -> list[View]:
    """Return the views that have something to draw."""
    return [view for view in possible if view.rows and view.specs]


def _courses(results: Results, summary: Summary) -> list[View]:
    """Return the views of single runs, and of the channel as seen by runs without a scheme."""
    rows = course_rows(results, summary)
    if not rows:
        return []
    units = course_units(results, summary)
    without = {row["run"] for row in rows} - {row["run"] for row in rows if row["panel"] == "capacity"}
    more = _part_shown(results)
    if without:
        more += (
            f" Capacity, lost rows and queue of {len(without)} runs are missing: their link traces are "
            "no longer in the campaign's cache, or have too many rows to show."
        )
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    over_time = {
        "timeline": (rows, panels, more),
        "channel": (_channel_rows(results, summary, rows), CHANNEL, ""),
    }
    found = []
    for name, (shown, drawn, told) in over_time.items():
        specs = dict.fromkeys(("scheme", "tcp"), course(drawn, units, zooms=True))
        caption = CAPTIONS[name] + told
        found.append(View(name, shown, specs, ("runs",), COURSE_HEADS, caption, nothing=NO_RECORDS))
    return found


def _part_shown(results: Results) -> str:
    """Return a sentence on the recorded runs that the page does not show, if any."""
    shown, kept = len(results.records), len(recorded(results.runs))
    return f" Of {kept} runs with packet records {shown} are shown." if shown < kept else ""


def _channel_rows(results: Results, summary: Summary, rows: list[Row]) -> list[Row]:
    """Return capacity and erasures of each trace and seed of a recorded run without a scheme."""
    bare = {
        label for label, name in zip(summary.schemes, summary.scheme_names, strict=True) if name == "none"
    }
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if row["scheme"] in bare and row["panel"] in CHANNEL:
            key = (tuple(row["time"][:2]), tuple(row["value"]), row["panel"])
            found.setdefault(key, row | {"run": channel_of(summary, row)})
    return list(found.values())


def cell_rows(results: Results, summary: Summary) -> list[Row]:
    """Return one row for each cell and measure: mean, interval, single runs, letters, published value."""
    published = {
        (id(match.cell), match.measure.column): {
            "paper": digits(match.value),
            "paper_low": digits(match.value - match.error),
            "paper_high": digits(match.value + match.error),
            "source": match.source,
        }
        for match in matches(results, summary)
    }
    rows = []
    for measure in summary.measures:
        column = measure.column
        for cell in summary.cells:
            if column not in cell.intervals:
                continue
            letters = cell.letters.get(column, {})
            row = {
                "column": column,
                **interval_fields(cell.intervals[column]),
                "runs": len(cell.rows),
                "seeds": [digits(value) for value in cell.single[column]] if len(cell.rows) > 1 else [],
                "tcp_letters": letters.get("tcp", ""),
                "scheme_letters": letters.get("scheme", ""),
                "capacity": digits(cell.capacity_bps * measure.scale) if column == GOODPUT else None,
            }
            rows.append(place_of(summary, cell) | row | published.get((id(cell), column), {"paper": None}))
    return rows


def trade_rows(summary: Summary) -> list[Row]:
    """Return goodput and delay of each cell that has both."""
    return [
        place_of(summary, cell)
        | interval_fields(cell.intervals[GOODPUT])
        | interval_fields(cell.intervals[DELAY], "delay")
        for cell in summary.cells
        if {GOODPUT, DELAY} <= cell.intervals.keys()
    ]


def delay_rows(results: Results, summary: Summary) -> list[Row]:
    """Return quantiles of the one-way delay of each cell, as means over its seeds."""
    _, scale = delay_unit(results.runs)
    return [
        place_of(summary, cell)
        | dict(
            zip(charts.DELAY_QUANTILES, (digits(value * scale) for value in cell.quantiles_s), strict=True)
        )
        for cell in summary.cells
        if all(math.isfinite(value) for value in cell.quantiles_s)
    ]


def distribution_rows(results: Results, summary: Summary) -> list[Row]:
    """Return the distribution of delays of each run that kept its records and delivered something."""
    _, scale = delay_unit(results.runs)
    shares = [digits(level) for level in LEVELS]
    return [
        _run(results, summary, records) | {"delay": quantiles, "share": shares}
        for records in results.records
        if (quantiles := [digits(value * scale) for value in delay_quantiles_s(records)])
    ]


def course_rows(results: Results, summary: Summary) -> list[Row]:
    """Return the series of each run that kept its records."""
    units = course_units(results, summary)
    rows = []
    for records in results.records:
        row = results.runs.iloc[records.row]
        run = _run(results, summary, records) | {"end_s": float(row["simulated_s"])}
        for series in run_over_time(records, row):
            _, scale = units.get(series.panel, ("", 1.0))
            found = {"panel": series.panel, "time": _rounded(series.time_s)}
            for name, column in (("value", series.value), ("low", series.low), ("high", series.high)):
                if len(column):
                    found[name] = _rounded(np.asarray(column) * scale)
            rows.append(run | found)
    return rows


def course_units(results: Results, summary: Summary) -> dict[str, tuple[str, float]]:
    """Return unit and scale of the panels of a course that have a unit."""
    rate, delay = summary.rate_unit, delay_unit(results.runs)
    return {"capacity": rate, "arrivals": rate, "lost_rows": ("%", 100.0), "srtt": delay, "delay": delay}


def _rounded(values: Iterable[float]) -> list[float | None]:
    """Return numbers with four digits, whole ones as integers, to keep the page small."""
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
    """Return the scheme, point and seed of a run: runs that differ only in TCP see the same channel."""
    return ", ".join(filter(None, [row["scheme"], summary.point_label(row["point"]), f"seed {row['seed']}"]))
