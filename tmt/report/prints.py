"""The report's figures for print: the same numbers as the page's, drawn with matplotlib."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tmt.figures.style import INK, new_figure, save
from tmt.report.looks import scheme_looks, tcp_looks
from tmt.report.print_course import draw_course, verbatim
from tmt.results.cells import point_label
from tmt.results.published import matches
from tmt.results.values import slug, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Results
    from tmt.results.measures import Measure
    from tmt.results.published import Match

FORMATS = ("pdf", "svg")
PRINTED = ("goodput_bps", "delay_p95_s", "completion_s")
MOST_PANELS = 12
"""Panels of one figure; a larger grid is for the page, where a reader chooses."""


MOST_COURSES = 8
"""Runs whose course over time is printed, spread evenly over those that kept records; the page has all."""


def print_figures(results: Results, summary: Summary, folder: Path) -> Iterator[Path]:
    """Draw the figures into `folder`, each as PDF and SVG, and give the paths as they are written.

    Raises
    ------
    OutputError
        When a file cannot be written.
    """
    for name, draw, rows in _figures(results, summary):
        with new_figure(height_in=max(2.6, 2.4 * rows)) as figure:
            draw(figure)
            for ending in FORMATS:
                path = folder / f"{name}.{ending}"
                save(figure, path)
                yield path


def _figures(results: Results, summary: Summary) -> Iterator[tuple[str, Callable[[Figure], None], float]]:
    """Give name, drawing and number of rows of each figure."""
    matched = matches(results, summary)
    points = range(min(len(summary.points), MOST_PANELS))
    for measure in summary.measures:
        if measure.column not in PRINTED:
            continue
        stem = slug(measure.column.rsplit("_", 1)[0])
        yield (
            f"{stem}-by-scheme",
            partial(_by_scheme, results, summary, measure, points, matched),
            math.ceil(len(points) / _across(len(points))),
        )
        for number, axis in enumerate(results.axes):
            if axis.is_numeric and len(axis.levels) > 1:
                yield (
                    f"{stem}-over-{slug(axis.label)}",
                    partial(_sweep, results, summary, measure, number, matched),
                    math.ceil(len(summary.schemes) / _across(len(summary.schemes))),
                )
    recorded = results.records
    step = math.ceil(len(recorded) / MOST_COURSES) or 1
    for records in recorded[::step]:
        run = results.runs.iloc[records.row]
        name = "-".join(str(run[key]) for key in ("tcp", "scheme", "seed"))
        yield (
            f"timeline-{records.row}-{slug(name)}",
            partial(draw_course, results, summary, records),
            2.6,
        )


def _across(count: int) -> int:
    """Return how many panels stand side by side."""
    return min(count, 1 if count == 1 else 2)


def _grid(figure: Figure, count: int) -> list[Axes]:
    """Return axes for `count` panels that share their vertical scale."""
    across = _across(count)
    rows = math.ceil(count / across)
    axes = figure.subplots(rows, across, sharey=True, squeeze=False).ravel()
    for spare in axes[count:]:
        spare.set_visible(False)
    return list(axes[:count])


def _by_scheme(
    results: Results,
    summary: Summary,
    measure: Measure,
    points: Sequence[int],
    matched: Sequence[Match],
    figure: Figure,
) -> None:
    """Draw means and intervals, schemes side by side, TCP variants beside each other within each."""
    looks = tcp_looks(summary.tcps)
    step = 0.8 / max(1, len(looks))
    for point, axes in zip(points, _grid(figure, len(points)), strict=True):
        cells = [c for c in summary.cells if c.point == point and measure.column in c.intervals]
        for tcp, look in enumerate(looks):
            mine = [cell for cell in cells if cell.tcp == tcp]
            x = [cell.scheme - 0.4 + (tcp + 0.5) * step for cell in mine]
            _means(axes, x, mine, measure, look.colour, look.marker, look.label)
        for match in matched:
            if match.cell.point == point and match.measure is measure:
                x_paper = match.cell.scheme - 0.4 + (match.cell.tcp + 0.5) * step
                _published(axes, x_paper, match)
        axes.set_xticks(range(len(summary.schemes)), [verbatim(scheme) for scheme in summary.schemes])
        axes.set_xlim(-0.5, len(summary.schemes) - 0.5)
        axes.grid(visible=False, axis="x")
        axes.set_title(verbatim(point_label(results.axes, summary, point)))
        _label_values(axes, measure)
    _finish(figure)


def _sweep(
    results: Results,
    summary: Summary,
    measure: Measure,
    number: int,
    matched: Sequence[Match],
    figure: Figure,
) -> None:
    """Draw means and intervals over one axis, a panel a scheme; the other axes stay at their first level."""
    axis = results.axes[number]
    first = summary.points[0]
    line = {
        i: axis.levels[point[number]]
        for i, point in enumerate(summary.points)
        if all(level == first[k] for k, level in enumerate(point) if k != number)
    }
    for scheme, axes in enumerate(_grid(figure, len(summary.schemes))):
        for tcp, look in enumerate(tcp_looks(summary.tcps)):
            mine = [
                cell
                for cell in summary.cells
                if (cell.tcp, cell.scheme) == (tcp, scheme)
                and cell.point in line
                and measure.column in cell.intervals
            ]
            mine.sort(key=lambda cell: line[cell.point])
            x = [line[cell.point] for cell in mine]
            axes.plot(x, [c.intervals[measure.column].mean for c in mine], look.dash, color=look.colour)
            _means(axes, x, mine, measure, look.colour, look.marker, look.label)
        for match in matched:
            if match.cell.scheme == scheme and match.measure is measure and match.cell.point in line:
                _published(axes, line[match.cell.point], match)
        axes.set_title(verbatim(scheme_looks(summary.schemes)[scheme].label))
        axes.set_xlabel(verbatim(f"{axis.label} ({axis.unit})" if axis.unit else axis.label))
        if len(axis.levels) < 8:
            axes.set_xticks(list(axis.levels), texts(axis.levels))
        _label_values(axes, measure)
    _finish(figure)


def _label_values(axes: Axes, measure: Measure) -> None:
    """Name the vertical axis, once a row of panels."""
    if axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
        axes.set_ylabel(f"{measure.label} ({measure.unit})" if measure.unit else measure.label)


def _means(
    axes: Axes,
    x: Sequence[float],
    cells: Sequence[Cell],
    measure: Measure,
    colour: str,
    marker: str,
    label: str,
) -> None:
    """Draw a mark at each mean and a whisker over its interval, where one is known."""
    if not cells:
        return
    intervals = [cell.intervals[measure.column] for cell in cells]
    half = [interval.half_width for interval in intervals]
    axes.errorbar(
        x,
        [interval.mean for interval in intervals],
        yerr=np.nan_to_num(half),
        fmt=marker,
        color=colour,
        capsize=2,
        linewidth=1.0,
        label=verbatim(label),
    )


def _published(axes: Axes, x: float, match: Match) -> None:
    axes.errorbar(
        [x],
        [match.value],
        yerr=[match.error],
        fmt="D",
        markerfacecolor="white",
        markeredgecolor=INK,
        ecolor=INK,
        markersize=4,
        label="published",
    )


def _finish(figure: Figure) -> None:
    """Begin the panels' common scale at zero, and draw one key for all.

    A bound ends matplotlib's search for the other one, so that this waits until every panel is drawn.
    """
    figure.axes[0].set_ylim(bottom=0)
    entries = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if entries:
        figure.legend(
            entries.values(), entries.keys(), loc="outside upper center", ncols=min(6, len(entries))
        )
