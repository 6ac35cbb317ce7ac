"""The course of one run, drawn with matplotlib: window, arrivals, delays, losses above each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.report.looks import tcp_looks
from tmt.results.cells import point_label
from tmt.results.course import panels
from tmt.results.measures import delay_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tmt.results.cells import Summary
    from tmt.results.course import Layer
    from tmt.results.dataset import Results, RunRecords


def draw_course(results: Results, summary: Summary, records: RunRecords, figure: Figure) -> None:
    """Draw the course of one run, one panel below the other."""
    run = results.runs.iloc[records.row]
    end_s = float(run["simulated_s"])
    course = panels(records, end_s, summary.rate_unit, delay_unit(results.runs))
    heights = [panel.height for panel in course]
    stack = figure.subplots(len(course), 1, sharex=True, height_ratios=heights, squeeze=False).ravel()
    tcp, scheme, point = summary.keys[records.row]
    own = tcp_looks(summary.tcps)[tcp]
    for panel, axes in zip(course, stack, strict=True):
        for layer in panel.layers:
            _draw_layer(axes, layer, layer.colour or own.colour)
        axes.set_title(f"{panel.title} ({panel.unit})" if panel.unit else panel.title)
        if panel.unit:
            axes.set_ylim(bottom=0)
        else:
            axes.set_yticks([])
            axes.set_ylim(0, 4)
            axes.legend(loc="upper left", ncols=3)
    stack[-1].set_xlim(0, end_s)
    stack[-1].set_xlabel("simulated time (s)")
    place = [f"{own.label} over {summary.schemes[scheme]}", point_label(results.axes, summary, point)]
    title = ", ".join(filter(None, [*place, f"seed {run['seed']}"]))
    figure.suptitle(verbatim(title), fontsize=10)


def _draw_layer(axes: Axes, layer: Layer, colour: str) -> None:
    data = np.asarray(layer.data, dtype=np.float64)
    if layer.span is not None:
        axes.vlines(data, *layer.span, color=colour, linewidth=0.6, label=layer.label)
    elif not len(data):
        return
    elif layer.kind == "band":
        axes.fill_between(data[:, 0], data[:, 1], data[:, 2], color=colour, alpha=0.3, linewidth=0)
    else:
        style = "steps-post" if layer.kind == "step" else "default"
        axes.plot(data[:, 0], data[:, 1], color=colour, drawstyle=style, linewidth=1.0)


def verbatim(text: str) -> str:
    """Return text that matplotlib draws as it is, not as mathematics; a leading underscore would hide it."""
    escaped = text.replace("$", r"\$")
    return " " + escaped if escaped.startswith("_") else escaped
