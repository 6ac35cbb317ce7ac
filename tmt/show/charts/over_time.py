"""Charts of single runs over simulated time, one panel below the other."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from tmt.show.charts.parts import coloured, picture, source, stacked, stairs, table, titled_spec, y_axis
from tmt.show.charts.style import BLUE, FLOW_COLOURS, INK, PALE, TCP_STYLES, VERMILLION, tcp_label
from tmt.spec.stacks import DEFAULT_STACK, FECTCP, STACK_LABELS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tmt.core.measure.timeline import Timeline
    from tmt.run.experiment import ExperimentResult
    from tmt.show.charts.style import Row, Spec

PALE_BLUE = "#c3e3f7"

MOST_NAMED = 8
"""Names in a legend."""

PANEL_PX = 110
"""Height of a panel."""


def run_chart(result: ExperimentResult) -> Spec:
    """Return the chart of a run: capacity and goodput, delay, queue and window."""
    row = result.row
    tcp, link = str(row["tcp"]), row["forward_trace"] or "a plain link"
    stack = "" if row["stack"] == DEFAULT_STACK else f", {STACK_LABELS[str(row['stack'])]},"
    name = tcp_label(tcp) if tcp == FECTCP else f"TCP {tcp_label(tcp)}"
    return timeline_chart(result.timeline(), tcp, f"{name}{stack} over {link}, RTT {row['rtt_s']} s")


def timeline_chart(timeline: Timeline, tcp: str, title: str) -> Spec:
    """Return the chart of a run's timeline; an unknown queue has no panel.

    A single flow has the colour of its TCP variant `tcp`; several flows have one colour each.
    """
    edges_s, (least, median, high) = timeline.edges_s, timeline.delay_s * 1e3
    tables = {"delay": stairs(edges_s, low=least, high=high, line_0=median)}
    looks = {"least to 95th percentile": PALE_BLUE, "median": BLUE}
    panels = [_goodput(timeline, tcp, tables), _bands("delay", "One-way delay (ms)", looks)]
    if timeline.queue_packets is not None:
        least, mean, most = timeline.queue_packets
        tables["queue"] = stairs(edges_s, low=least, high=most, line_0=mean)
        panels.append(_bands("queue", "Queue (packets)", {"least to greatest": PALE, "mean": INK}))
    panels.append(_window(timeline, tcp, tables))
    x = alt.X("time:Q", scale=alt.Scale(domain=[0, float(edges_s[-1])], nice=False))
    chart = stacked(panels, x, "simulated time (s)", height=PANEL_PX).resolve_scale(color="independent")
    return picture(chart, title, tables)


def _goodput(timeline: Timeline, tcp: str, tables: dict[str, list[Row]]) -> Any:
    flows = {f"line_{flow}": series / 1e6 for flow, series in enumerate(timeline.goodput_bps)}
    looks, heading = _flow_looks(len(flows), tcp, "goodput"), "Goodput (Mbit/s)"
    if timeline.capacity_bps is None:
        tables["goodput"] = stairs(timeline.edges_s, **flows)
        return alt.layer(*_lines("goodput", list(looks), coloured(heading, looks, MOST_NAMED)))
    offered = timeline.capacity_bps / 1e6
    tables["goodput"] = stairs(timeline.edges_s, low=np.zeros_like(offered), high=offered, **flows)
    return _bands("goodput", heading, {"capacity of the link": PALE} | looks)


def _window(timeline: Timeline, tcp: str, tables: dict[str, list[Row]]) -> Any:
    flows = {f"line_{flow}": series for flow, series in enumerate(timeline.cwnd_packets)}
    tables["window"] = table(time=timeline.sample_s, **flows)
    looks, losses = _flow_looks(len(flows), tcp, "window"), []
    kinds = (
        ("lost on the link", timeline.link_lost_s, VERMILLION),
        ("dropped by the queue", timeline.queue_dropped_s, INK),
    )
    for place, (kind, times_s, colour) in enumerate(kinds):
        if len(times_s):
            looks |= {kind: colour}
            tables[kind] = table(time=times_s)
            losses.append((kind, PANEL_PX * (0.97 - 0.06 * place)))
    named = coloured("Congestion window (segments)", looks, MOST_NAMED)
    layers = _lines("window", list(looks)[: len(flows)], named)
    for kind, y in losses:
        ticks = source(kind).mark_tick(size=7, thickness=1, opacity=1)
        layers.append(named(ticks.encode(x="time:Q", y=alt.value(y)), kind))
    return alt.layer(*layers)


def _flow_looks(flows: int, tcp: str, alone: str) -> dict[str, str]:
    """Return the colours of the flows by their names."""
    if flows == 1:
        return {alone: TCP_STYLES[tcp].colour}
    return dict(zip((f"flow {flow}" for flow in range(flows)), cycle(FLOW_COLOURS), strict=False))


def _bands(name: str, heading: str, looks: Mapping[str, str]) -> Any:
    """Return a panel with a band, named by the first of `looks`, behind lines."""
    named, (band, *lines) = coloured(heading, looks, MOST_NAMED), looks
    area = source(name).mark_area(opacity=1, line=False).encode(y="low:Q", y2="high")
    return alt.layer(named(area, band), *_lines(name, lines, named))


def _lines(name: str, lines: Sequence[str], named: Callable[[Any, str], Any]) -> list[Any]:
    line = source(name).mark_line(strokeWidth=1.5)
    return [
        named(line.encode(y=alt.Y(f"line_{place}:Q", title=None)), label) for place, label in enumerate(lines)
    ]


PANELS = (
    ("capacity", "Offered capacity (delivered rows)", 90),
    ("lost_rows", "LLDUs given up, or slots erased", 60),
    ("queue", "Queue length (packets)", 90),
    ("window", "Congestion window (segments)", 110),
    ("srtt", "Smoothed round-trip time", 90),
    ("arrivals", "Arrivals at the receiver (IP packets)", 90),
    ("delay", "One-way delay, median and range", 90),
)
"""Panels of a run's course from top to bottom: name, title, height."""

LOSSES = ("link lost", "queue dropped", "retransmission")
"""Kinds of events in the lowest panel."""

CHANNEL = ("lost_rows", "capacity")
"""Panels that describe the channel alone."""

RUN_TOLD = {"tooltip": "run:N", "description": "run:N"}


def course(panels: Sequence[str], units: Mapping[str, tuple[str, float]], *, zooms: bool) -> Spec:
    """The course of several runs over one time axis, one panel below the other.

    `units` holds unit and scale of each panel. With `zooms`, a reader can drag and zoom the time axis.
    """
    charts = [
        _course_panel(name, title, units.get(name, ("",))[0]).properties(height=height)
        for name, title, height in PANELS
        if name in panels
    ]
    if any(kind in panels for kind in LOSSES):
        charts.append(_moments())
    x = alt.X("time:Q", scale=alt.Scale(domainMin=0, domainMax=alt.ExprRef("end_s"), nice=False))
    spec = titled_spec(stacked(charts, x, "simulated time (s)").resolve_scale(color="shared"))
    if zooms:
        select = {"type": "interval", "encodings": ["x"], "zoom": "wheel![event.ctrlKey || event.metaKey]"}
        panels_of = enumerate(spec["vconcat"])
        names = [panel["layer"][0].setdefault("name", f"panel_{i}") for i, panel in panels_of]
        spec["params"].append({"name": "time", "select": select, "bind": "scales", "views": names})
    return spec


def _course_panel(name: str, title: str, unit: str) -> Any:
    base = alt.Chart().transform_filter(alt.datum.panel == name).encode(color=_run_colour())
    y = y_axis("value", ticks=3, domain=[0, 100] if name == "lost_rows" else None)
    if name == "delay":
        base = base.transform_flatten(["time", "value", "low", "high"])
        area = base.mark_area(opacity=1, fillOpacity=0.25, line=False)
        layers = [area.encode(y=y_axis("low", ticks=3), y2="high"), base.mark_line(strokeWidth=1.4)]
    else:
        base = base.transform_flatten(["time", "value"])
        layers = [base.mark_line(interpolate="step-after", strokeWidth=1.4)]
    layers[-1] = layers[-1].encode(y=y, **RUN_TOLD)
    return alt.layer(*layers).properties(
        title=alt.Title(f"{title}, {unit}" if unit else title, frame="group")
    )


def _moments() -> Any:
    ticks = (
        alt.Chart()
        .transform_filter(alt.FieldOneOfPredicate(field="panel", oneOf=list(LOSSES)))
        .transform_flatten(["time"])
        .mark_tick(thickness=1, opacity=1, aria=True)
        .encode(
            y=alt.Y("panel:N", sort=list(LOSSES), axis=alt.Axis(title=None, grid=False)),
            yOffset="run:N",
            color=_run_colour(),
            **RUN_TOLD,
        )
    )
    heading = alt.Title("Losses and retransmissions", frame="group")
    return alt.layer(ticks).properties(height=80, title=heading)


def _run_colour() -> alt.Color:
    lines = "[split(datum.label, ', ')[0], join(slice(split(datum.label, ', '), 1), ', ')]"
    label = f"narrow ? {lines} : datum.label"
    legend = alt.Legend(
        title=None, orient="top", columns=1, labelLimit=600, labelExpr=label, symbolType="stroke"
    )
    return alt.Color("run:N", sort=None, legend=legend)
