"""The course of single runs over time as a Vega-Lite specification, one panel below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from tmt.show.charts.chart_parts import titled_spec, y_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.show.charts.vega import Spec

PANELS: tuple[tuple[str, str, str, int], ...] = (
    ("capacity", "Offered capacity (delivered rows)", "step", 90),
    ("lost_rows", "LLDUs given up, or slots erased", "step", 60),
    ("queue", "Queue length (packets)", "step", 90),
    ("window", "Congestion window (segments)", "step", 110),
    ("srtt", "Smoothed round-trip time", "step", 90),
    ("arrivals", "Arrivals at the receiver (IP packets)", "step", 90),
    ("delay", "One-way delay, median and range", "band", 90),
)
"""Panels of a run's course from top to bottom: name, title, how it is drawn, height."""

LOSSES = ("link lost", "queue dropped", "retransmission")
"""Kinds of moments in the lowest panel."""

CHANNEL = ("lost_rows", "capacity")
"""Panels that describe the channel alone."""


def course(panels: Sequence[str], units: Mapping[str, tuple[str, float]], *, zooms: bool) -> Spec:
    """The course of several runs over one time axis, one panel below the other.

    Parameters
    ----------
    units
        Unit of each panel that has one, and its scale.
    zooms
        Whether a reader can drag and zoom the time axis; a figure for print cannot.
    """
    shown = [panel for panel in PANELS if panel[0] in panels]
    losses = any(kind in panels for kind in LOSSES)
    charts = [
        _course_panel(*panel, units.get(panel[0], ("",))[0], last=not losses and panel is shown[-1])
        for panel in shown
    ]
    if losses:
        charts.append(_moments())
    stacked = alt.vconcat(*charts, spacing=6).resolve_scale(x="shared", color="shared")
    spec = titled_spec(stacked)
    if zooms:
        select = {"type": "interval", "encodings": ["x"], "zoom": "wheel![event.ctrlKey || event.metaKey]"}
        names = [
            panel["layer"][0].setdefault("name", f"panel_{i}") for i, panel in enumerate(spec["vconcat"])
        ]
        spec["params"].append({"name": "time", "select": select, "bind": "scales", "views": names})
    return spec


def _course_panel(name: str, title: str, kind: str, height: int, unit: str, *, last: bool) -> Any:
    base = (
        alt.Chart()
        .transform_filter(alt.datum.panel == name)
        .transform_flatten(["time", "value", "low", "high"] if kind == "band" else ["time", "value"])
        .encode(x=_time(last=last), color=_run_colour())
    )
    line = base.mark_line(interpolate="step-after" if kind == "step" else "linear", strokeWidth=1.4).encode(
        y=y_axis("value", ticks=3, domain=[0, 100] if name == "lost_rows" else None),
        tooltip="run:N",
        description="run:N",
    )
    layers = [line]
    if kind == "band":
        layers.insert(
            0,
            base.mark_area(opacity=1, fillOpacity=0.25, line=False).encode(
                y=y_axis("low", ticks=3), y2="high"
            ),
        )
    heading = alt.Title(f"{title}, {unit}" if unit else title, frame="group")
    return alt.layer(*layers).properties(height=height, title=heading)


def _moments() -> Any:
    ticks = (
        alt.Chart()
        .transform_filter(alt.FieldOneOfPredicate(field="panel", oneOf=list(LOSSES)))
        .transform_flatten(["time"])
        .mark_tick(thickness=1, opacity=1, aria=True)
        .encode(
            x=_time(last=True),
            y=alt.Y("panel:N", sort=list(LOSSES), axis=alt.Axis(title=None, grid=False)),
            yOffset="run:N",
            color=_run_colour(),
            tooltip="run:N",
            description="run:N",
        )
    )
    return alt.layer(ticks).properties(
        height=80, title=alt.Title("Losses and retransmissions", frame="group")
    )


def _time(*, last: bool) -> alt.X:
    title = "simulated time (s)" if last else None
    axis = alt.Axis(title=title, labels=last, ticks=last)
    scale = alt.Scale(domainMin=0, domainMax=alt.ExprRef("end_s"), nice=False)
    return alt.X("time:Q", axis=axis, scale=scale)


def _run_colour() -> alt.Color:
    lines = "[split(datum.label, ', ')[0], join(slice(split(datum.label, ', '), 1), ', ')]"
    label = f"narrow ? {lines} : datum.label"
    legend = alt.Legend(
        title=None, orient="top", columns=1, labelLimit=600, labelExpr=label, symbolType="stroke"
    )
    return alt.Color("run:N", sort=None, legend=legend)
