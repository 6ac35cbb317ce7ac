"""The charts of the page: rows, specifications, captions and the columns of their tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.results.over_time import recorded
from tmt.results.values import delay_unit
from tmt.show.charts import campaign as charts
from tmt.show.charts.over_time import CHANNEL, course
from tmt.show.charts.style import scheme_styles, tcp_styles
from tmt.show.page import chart_rows
from tmt.show.page.page import titled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results
    from tmt.show.charts.style import Row, Spec

Pair = tuple[charts.Members, charts.Members]
"""Inner and outer members of a chart."""

Heads = tuple[tuple[str, str], ...]
"""Fields of a row and their headings; ``levels.0`` is the first member of `levels`."""

COURSE_HEADS: Heads = (
    *(("run", "run"), ("panel", "panel"), ("time", "time (s)")),
    *(("value", "value"), ("low", "low"), ("high", "high")),
)

CAPTIONS = {
    "compare": "{measure}{where}: mean over seeds with its 95 % interval. Small dots: single runs. Upright "
    "lines: capacity of the link under the scheme. Letters: within a group, two rows without a common letter "
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
"""Sentence of a caption where there are such values."""

NOTHING = "Nothing to draw: choose at least one TCP variant and one scheme that were run at this point."
NO_RECORDS = "None of the chosen runs kept its packet records."


@dataclass(frozen=True, slots=True)
class View:
    """One chart of the page.

    Attributes
    ----------
    specs
        Specification by how the chart groups: TCP variants inside schemes (``scheme``), or the other way.
    selects
        Choices that narrow the rows besides variants and schemes: ``measure``, ``point``, ``line`` (points
        along one axis) and ``runs``.
    caption
        With ``{measure}``, ``{where}`` and ``{axis}`` to be filled in.
    heading
        Line above the chart; empty for a view of the chosen measure.
    measure
        Name of what the chart shows, where `heading` is given and says more.
    across
        Label of the horizontal measure, where there is one.
    """

    name: str
    rows: list[Row]
    specs: dict[str, Spec]
    selects: tuple[str, ...]
    heads: Heads
    caption: str
    nothing: str = NOTHING
    heading: str = ""
    measure: str = ""
    across: str = ""


def members(summary: Summary) -> Pair:
    """Return the TCP variants and the schemes of a campaign."""
    schemes = scheme_styles(summary.schemes, summary.scheme_names)
    return charts.Members("tcp", tcp_styles(summary.tcps)), charts.Members("scheme", schemes)


def both_ways(summary: Summary, chart: Callable[..., Spec], **more: Any) -> dict[str, Spec]:
    """Return a chart's specifications, by how it groups."""
    tcps, schemes = members(summary)
    return {"scheme": chart(tcps, schemes, **more), "tcp": chart(schemes, tcps, **more)}


def sweeps(results: Results, summary: Summary, *, zero: bool = False) -> dict[str, Spec]:
    """Return the charts over axes of numbers and of names; none where every axis has one level."""
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
    return (("mean", "{measure}"), ("low", "low"), ("high", "high"), ("runs", counted))


def views(results: Results, summary: Summary) -> list[View]:
    """Return the charts for which the results have rows."""
    place = place_heads(results)
    means = (*place, *mean_heads("runs"))
    titles = {measure.column: titled(measure.label, measure.unit) for measure in summary.measures}
    goodput, late = (titles.get(column, "") for column in (chart_rows.GOODPUT, chart_rows.DELAY))
    of_goodput = (("mean", goodput), ("low", "low"), ("high", "high"))
    of_delay = (("delay", late), ("delay_low", "low"), ("delay_high", "high"))
    unit = delay_unit(results.runs)[0]
    delay = titled("One-way delay", unit)
    quantiles = ((field, titled(name, unit)) for field, name in charts.DELAY_QUANTILES.items())
    shares = (("seed", "seed"), ("delay", delay), ("share", "share"))
    cells = chart_rows.cell_rows(results, summary)
    published = f" {PUBLISHED_NOTE}" if any(row["paper"] is not None for row in cells) else ""
    possible = [
        _view("compare", cells, both_ways(summary, charts.compare), ("measure", "point"), means, published),
        _view("sweep", cells, sweeps(results, summary), ("measure", "line"), means, published),
        _view(
            "trade",
            chart_rows.trade_rows(summary),
            both_ways(summary, charts.trade),
            ("point",),
            (*place, *of_goodput, *of_delay),
            heading=f"{goodput} over {late}",
            measure=goodput,
            across=late,
        ),
        _view(
            "delay",
            chart_rows.delay_rows(results, summary),
            both_ways(summary, charts.delays),
            ("point",),
            (*place, *quantiles),
            heading=delay,
        ),
        _view(
            "distribution",
            chart_rows.distribution_rows(results, summary),
            both_ways(summary, charts.distribution),
            ("point",),
            (*place[:2], *shares),
            _part_shown(results),
            nothing=NO_RECORDS,
            heading=f"Share of packets over {titled('one-way delay', unit)}",
        ),
        *_courses(results, summary),
    ]
    return with_rows(possible)


def with_rows(possible: list[View]) -> list[View]:
    """Return the views that have something to draw."""
    return [view for view in possible if view.rows and view.specs]


def _view(
    name: str,
    rows: list[Row],
    specs: dict[str, Spec],
    selects: tuple[str, ...],
    heads: Heads,
    more: str = "",
    **texts: str,
) -> View:
    return View(name, rows, specs, selects, heads, CAPTIONS[name] + more, **texts)


def _courses(results: Results, summary: Summary) -> list[View]:
    """Return the views of single runs, and of the channel that runs without a scheme saw."""
    rows = chart_rows.course_rows(results, summary)
    if not rows:
        return []
    units = chart_rows.course_units(results, summary)
    without = {row["run"] for row in rows} - {row["run"] for row in rows if row["panel"] == "capacity"}
    more = _part_shown(results)
    if without:
        more += (
            f" Capacity, lost rows and queue of {len(without)} runs are missing: their link traces are "
            "no longer in the campaign's cache, or have too many rows to show."
        )
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    return [
        _over_time("timeline", rows, course(panels, units, zooms=True), more),
        _over_time("channel", _channel_rows(results, summary, rows), course(CHANNEL, units, zooms=True)),
    ]


def _over_time(name: str, rows: list[Row], spec: Spec, more: str = "") -> View:
    specs = {"scheme": spec, "tcp": spec}
    return _view(name, rows, specs, ("runs",), COURSE_HEADS, more, nothing=NO_RECORDS)


def _part_shown(results: Results) -> str:
    """Return a sentence on the runs with records that the page does not show, if any."""
    shown, kept = len(results.records), len(recorded(results.runs))
    return f" Of {kept} runs with packet records {shown} are shown." if shown < kept else ""


def _channel_rows(results: Results, summary: Summary, rows: list[Row]) -> list[Row]:
    """Return capacity and erasures of each trace and seed that a recorded run without a scheme met."""
    bare = {
        label for label, name in zip(summary.schemes, summary.scheme_names, strict=True) if name == "none"
    }
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if row["scheme"] in bare and row["panel"] in CHANNEL:
            key = (tuple(row["time"][:2]), tuple(row["value"]), row["panel"])
            found.setdefault(key, row | {"run": chart_rows.channel_of(summary, row)})
    return list(found.values())
