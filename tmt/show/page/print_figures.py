"""The report's figures for print: the page's charts, one file each."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from tmt.results.values import slug
from tmt.show.charts import campaign as charts
from tmt.show.charts.files import save_charts
from tmt.show.charts.over_time import course
from tmt.show.charts.parts import filled
from tmt.show.charts.style import INK, MUTED, configuration, tcp_styles
from tmt.show.page.page import titled
from tmt.show.page.views import GOODPUT, PUBLISHED_NOTE, cell_rows, course_rows, course_units, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results
    from tmt.show.charts.style import Row, Spec

FORMATS = ("pdf", "svg")

MOST_POINTS = 12
"""Number of grid points that get a figure each."""

MOST_COURSES = 8
"""Number of runs that get a figure over time, evenly spread over those that kept records."""

NOTE = (
    "Mean and 95 % interval over the seeds (dots). Grey lines: capacity of the whole link trace.",
    "Letters: within a panel, two rows without a common letter differ significantly (paired t tests, Holm).",
)
"""Caption of the figure of `tmt run`."""


def print_figures(results: Results, summary: Summary, folder: Path) -> Iterator[Path]:
    """Draw the figures into `folder`, each as PDF and SVG; yield the paths as they are written."""
    return save_charts(
        (spec, [folder / f"{name}.{ending}" for ending in FORMATS])
        for name, spec in _named_apart(_figures(results, summary))
    )


def _named_apart(figures: Iterable[tuple[str, Spec]]) -> Iterator[tuple[str, Spec]]:
    """Number names that occur twice; long names are cut before they differ."""
    written: Counter[str] = Counter()
    for name, spec in figures:
        written[name] += 1
        yield (name if written[name] == 1 else f"{name}-{written[name]}"), spec


def comparison_chart(results: Results, summary: Summary) -> Spec | None:
    """Return the goodput of all cells, None if no run has succeeded.

    The panels of one point of the grid are stacked; several points are rows of panels.
    """
    rows = [row for row in cell_rows(results, summary) if row["column"] == GOODPUT]
    if not rows:
        return None
    levels = [summary.levels(point) for point in range(len(summary.points))]
    places = ["\n".join(axis.named([at[axis.column]])[0] for axis in summary.axes) for at in levels]
    tcps, schemes = members(summary)
    config = configuration(tcps.styles)
    config["title"] |= {"color": INK, "fontSize": 15, "fontWeight": "bold", "subtitleColor": MUTED}
    config["header"]["labelFontWeight"] = "bold"
    spec = filled(
        charts.compare(tcps, schemes, places if len(places) > 1 else ()),
        [row | {"place": places[row["point"]]} for row in rows],
        config,
        heading=f"{results.title}: goodput in {summary.rate_unit[0]}",
        narrow=len(places) > 1,
    )
    spec["title"]["subtitle"] = [*NOTE, *([PUBLISHED_NOTE] if any(row["paper"] for row in rows) else [])]
    return spec


def _figures(results: Results, summary: Summary) -> Iterator[tuple[str, Spec]]:
    """Yield name and specification of each figure."""
    cells = cell_rows(results, summary)
    tcps, schemes = members(summary)
    for measure in summary.measures:
        if not measure.is_compared:
            continue
        mine = [row for row in cells if row["column"] == measure.column]
        heading = titled(measure.label, measure.unit)
        stem = slug(measure.column.rsplit("_", 1)[0])
        compare = charts.compare(tcps, schemes)
        for point in range(min(len(summary.points), MOST_POINTS)):
            place = summary.point_label(point)
            name = f"{stem}-by-scheme" + (f"-{slug(place)}" if place else "")
            rows = [row for row in mine if row["point"] == point]
            yield name, _filled(compare, rows, tcps, ", ".join(filter(None, [heading, place])))
        for number, axis in enumerate(results.axes):
            if axis.is_numeric and len(axis.levels) > 1:
                rows = _along(summary, mine, number)
                over = f"{heading} over {titled(axis.label, axis.unit)}"
                spec = charts.sweep(tcps, schemes, numeric=True)
                yield f"{stem}-over-{slug(axis.label)}", _filled(spec, rows, tcps, over, axis=number)
    yield from _courses(results, summary)


def _courses(results: Results, summary: Summary) -> Iterator[tuple[str, Spec]]:
    rows = course_rows(results, summary)
    runs = list(dict.fromkeys(row["run"] for row in rows))
    units = course_units(results, summary)
    configs = {style.label: configuration([style]) for style in tcp_styles(summary.tcps)}
    specs: dict[tuple[str, ...], Spec] = {}
    for run in runs[:: math.ceil(len(runs) / MOST_COURSES) or 1]:
        mine = [row for row in rows if row["run"] == run]
        panels = tuple(row["panel"] for row in mine)
        if panels not in specs:
            specs[panels] = course(panels, units, zooms=False)
        config, end_s = configs[mine[0]["tcp"]], mine[0]["end_s"]
        yield f"timeline-{slug(run)}", filled(specs[panels], mine, config, end_s=end_s)


def _along(summary: Summary, rows: list[Row], number: int) -> list[Row]:
    """Return the rows along one axis through the first point, in the order of its levels."""
    first = summary.points[0]
    line = [
        row
        for row in rows
        if all(level == first[k] for k, level in enumerate(summary.points[row["point"]]) if k != number)
    ]
    return sorted(line, key=lambda row: summary.points[row["point"]][number])


def _filled(spec: Spec, rows: list[Row], tcps: charts.Members, heading: str, **more: Any) -> Spec:
    there = [label for label in tcps.labels if any(row["tcp"] == label for row in rows)]
    config, more = configuration(tcps.styles), more | {"measure": heading, "heading": heading}
    return filled(spec, rows, config, members=there, **more)
