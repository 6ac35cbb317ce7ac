"""Charts of campaigns as Vega-Lite specifications, which the report's page and the figures for print share.

Each function returns a specification with one data source, `rows`, and parameters for its texts. Rows and
parameters are filled in by `tmt.figures.vega` for print, and by the page's script for reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

Spec = dict[str, Any]
Kind = Literal["tcp", "scheme"]

DASHES = {"-": [1, 0], "--": [7, 4], ":": [2, 3], "-.": [8, 3, 2, 3]}
"""Vega's dash patterns by matplotlib's signs."""

ROWS = alt.NamedData("rows")

INK, QUIET, PAPER = (alt.ExprRef(name) for name in ("ink", "quiet", "paper"))
"""Colours that depend on the colour scheme, which the configuration of a mark with a colour cannot give."""

ROW_PX = 24
"""Height of one row of a chart with a row for each member."""

_INTERVAL = (
    "(isValid(datum.low) ? '\\n95 % interval [' + format(datum.low, '.4~r') + ', ' + "
    "format(datum.high, '.4~r') + ']' : '\\nno interval: a single run')"
)
_ABOUT = (
    "datum.tcp + ', ' + datum.scheme + '\\n' + measure + ': ' + format(datum.mean, '.4~r') + "
    + _INTERVAL
    + " + '\\n' + datum.runs + (datum.runs == 1 ? ' run' : ' runs')"
    " + (isValid(datum.paper) ? '\\n' + datum.source + ': ' + format(datum.paper, '.4~r') : '')"
)
"""Text of a mean's tooltip; assistive technology reads the same text."""


class Members:
    """The members of one kind, TCP variants or schemes: their order, markers and dashes.

    Colours are no part of a specification: they are the `category` range of its configuration.
    """

    def __init__(self, kind: Kind, labels: Sequence[str], dashes: Sequence[str]) -> None:
        self.kind = kind
        self.labels = list(labels)
        self.dashes = [DASHES[dash] for dash in dashes]
        self._legend = alt.Legend(
            title=None,
            orient="top",
            values=alt.ExprRef("members"),
            columns=alt.ExprRef("narrow ? 3 : 0"),
        )

    def colour(self, *, legend: bool = True) -> alt.Color:
        """Return the colour of the members."""
        shown = self._legend if legend else None
        return alt.Color(self.kind, type="nominal", scale=alt.Scale(domain=self.labels), legend=shown)

    def shape(self, *, legend: bool = True) -> alt.Shape:
        """Return the marker of the members."""
        shown = self._legend if legend else None
        return alt.Shape(self.kind, type="nominal", scale=alt.Scale(domain=self.labels), legend=shown)

    def dash(self, *, legend: bool = True) -> alt.StrokeDash:
        """Return the dash pattern of the members."""
        # Vega-Lite joins the legends of equal domains; one more member keeps the hidden legend apart.
        more = 0 if legend else 1
        scale = alt.Scale(domain=self.labels + [""] * more, range=self.dashes + [[1, 0]] * more)
        return alt.StrokeDash(self.kind, type="nominal", scale=scale, legend=self._legend if legend else None)

    def rows(self) -> alt.Y:
        """Return one row for each member."""
        axis = alt.Axis(title=None, ticks=False, domain=False, grid=False, labelLimit=180, labelPadding=8)
        return alt.Y(self.kind, type="nominal", sort=self.labels, axis=axis)

    def facet(self) -> alt.Facet:
        """Return one panel for each member."""
        return alt.Facet(self.kind, type="nominal", sort=self.labels, header=_header())


def compare(inner: Members, outer: Members, places: Sequence[str] = (), *, zero: bool = False) -> Spec:
    """One measure: a panel for each outer member, a row for each inner one.

    Parameters
    ----------
    zero
        Whether the values are differences, with a line at 0.
    places
        Points of the grid, values of the field `place`: one row of panels for each. Empty for a single point.
    """
    base = alt.Chart().transform_calculate(about=_ABOUT).encode(y=inner.rows())
    colour = inner.colour(legend=False)
    number = "format(datum.mean, '.3~r')"
    interval = (
        f"{number} + (isValid(datum.low) && !narrow ? '  [' + format(datum.low, '.3~r') + ', ' + "
        "format(datum.high, '.3~r') + ']' : '')"
    )
    value = base.transform_calculate(text=interval).encode(x=alt.value("width"), text="text:N")
    letters = base.encode(x=alt.value("width"), text=alt.Text(f"{inner.kind}_letters", type="nominal"))
    layers = [
        base.mark_tick(color=QUIET, opacity=1, thickness=1.5, bandSize=ROW_PX).encode(x=_x("capacity")),
        base.mark_rule(strokeWidth=2).encode(x=_x("low"), x2="high", color=colour),
        base.transform_flatten(["seeds"])
        .mark_circle(size=10, opacity=1, yOffset=7)
        .encode(x=_x("seeds"), color=colour),
        base.transform_filter("isValid(datum.paper)")
        .mark_rule(stroke=INK, yOffset=-7)
        .encode(x=_x("paper_low"), x2="paper_high"),
        base.transform_filter("isValid(datum.paper)")
        .mark_point(fill=PAPER, stroke=INK, shape="diamond", size=45, yOffset=-7, opacity=1)
        .encode(x=_x("paper")),
        base.mark_point(filled=True, aria=True, size=65, opacity=1).encode(
            x=_x("mean"), color=colour, shape=inner.shape(legend=False), **_told()
        ),
        value.mark_text(align="left", dx=10),
        letters.mark_text(align="left", dx=alt.ExprRef("narrow ? 52 : 142"), style="quiet"),
    ]
    if zero:
        layers.append(_zero_line("x"))
    panel = alt.layer(*layers).properties(height=alt.Step(ROW_PX))
    if not places:
        return _panels(panel, outer, columns=1)
    column = alt.Column(outer.kind, type="nominal", sort=outer.labels, header=_header())
    header = alt.Header(title=None, labelExpr="split(datum.label, ', ')")  # one line for each axis
    row = alt.Row("place:N", sort=list(places), header=header)
    return _spec(panel.facet(row=row, column=column, data=ROWS))


def before_and_after(inner: Members, outer: Members) -> Spec:
    """One measure in two campaigns: a row for each inner member, hollow mark `first`, full mark `second`."""
    about = (
        "datum.tcp + ', ' + datum.scheme + '\\n' + measure + ': ' + format(datum.first, '.4~r') + ' → ' + "
        "format(datum.second, '.4~r')"
    )
    base = alt.Chart().transform_calculate(about=about).encode(y=inner.rows())
    colour = inner.colour(legend=False)
    text = "(narrow ? '' : format(datum.first, '.3~r') + ' → ') + format(datum.second, '.3~r')"
    value = base.transform_calculate(text=text).encode(x=alt.value("width"), text="text:N")
    mark = base.encode(color=colour, shape=inner.shape(legend=False))
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=_x("first"), x2="second", color=colour),
        mark.mark_point(filled=False, fill=PAPER, size=65, strokeWidth=2, opacity=1).encode(x=_x("first")),
        mark.mark_point(filled=True, aria=True, size=65, opacity=1).encode(x=_x("second"), **_told()),
        value.mark_text(align="left", dx=10),
    ]
    return _panels(alt.layer(*layers).properties(height=alt.Step(ROW_PX)), outer, columns=1)


def sweep(inner: Members, outer: Members, *, numeric: bool, zero: bool = False) -> Spec:
    """One measure over one axis of the grid, whose number in `levels` is the parameter `axis`.

    With `zero` the values are differences, with a line at 0.
    """
    x = (
        alt.X("level:Q", title=None, scale=alt.Scale(zero=False, padding=12))
        if numeric
        else alt.X("level:N", title=None, sort=None, axis=alt.Axis(labelAngle=0))
    )
    plain = (
        alt.Chart()
        .transform_calculate(level="datum.levels[axis]")
        .transform_calculate(about=_ABOUT)
        .encode(x=x)
    )
    base = plain.encode(color=inner.colour())
    papers = plain.transform_filter("isValid(datum.paper)")
    layers = [
        base.mark_line().encode(y=_y("mean"), strokeDash=inner.dash(legend=False)),
        base.mark_rule(strokeWidth=1.6).encode(y=_y("low"), y2="high"),
        base.mark_point(filled=True, aria=True, size=50, opacity=1).encode(
            y=_y("mean"), shape=inner.shape(), **_told()
        ),
        papers.mark_rule(stroke=INK, xOffset=7).encode(y=_y("paper_low"), y2="paper_high"),
        papers.mark_point(fill=PAPER, stroke=INK, shape="diamond", size=45, xOffset=7, opacity=1).encode(
            y=_y("paper")
        ),
    ]
    if zero:
        layers.append(_zero_line("y"))
    return _panels(alt.layer(*layers).properties(height=170), outer)


def _zero_line(channel: Literal["x", "y"]) -> Any:
    return alt.Chart().mark_rule(stroke=QUIET, strokeDash=[4, 3]).encode(**{channel: alt.datum(0)})


def trade(inner: Members, outer: Members) -> Spec:
    """Goodput (`mean`) against delay (`delay`), both with their intervals."""
    about = (
        "datum.tcp + ', ' + datum.scheme + '\\n' + measure + ': ' + format(datum.mean, '.4~r') + "
        "'\\n' + across + ': ' + format(datum.delay, '.4~r')"
    )
    base = alt.Chart().transform_calculate(about=about).encode(color=inner.colour())
    layers = [
        base.mark_rule(strokeWidth=1.6).encode(x=_x("delay_low"), x2="delay_high", y=_y("mean")),
        base.mark_rule(strokeWidth=1.6).encode(x=_x("delay"), y=_y("low"), y2="high"),
        base.mark_point(filled=True, aria=True, size=65, opacity=1).encode(
            x=_x("delay"), y=_y("mean"), shape=inner.shape(), **_told()
        ),
    ]
    return _panels(alt.layer(*layers).properties(height=180), outer)


def delays(inner: Members, outer: Members) -> Spec:
    """Quantiles of the one-way delay, one row for each inner member."""
    names = {
        "least": "least",
        "median": "median",
        "p85": "85th percentile",
        "p95": "95th percentile",
        "p99": "99th percentile",
    }
    lines = " + ".join(f"'\\n{words}: ' + format(datum.{name}, '.4~r')" for name, words in names.items())
    about = f"datum.tcp + ', ' + datum.scheme + ', ' + measure + {lines}"
    base = alt.Chart().transform_calculate(about=about).encode(y=inner.rows())
    colour = inner.colour(legend=False)
    value = base.transform_calculate(text="format(datum.median, '.3~r')").encode(
        x=alt.value("width"), text="text:N"
    )
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=_x("least"), x2="p99", color=colour),
        base.mark_rule(strokeWidth=7, strokeOpacity=0.45).encode(x=_x("median"), x2="p95", color=colour),
        base.mark_point(filled=True, aria=True, size=65, opacity=1).encode(
            x=_x("median"), color=colour, shape=inner.shape(legend=False), **_told()
        ),
        value.mark_text(align="left", dx=10),
    ]
    return _panels(alt.layer(*layers).properties(height=alt.Step(ROW_PX)), outer, columns=1)


def distribution(inner: Members, outer: Members) -> Spec:
    """Distribution functions of the one-way delays of single runs."""
    line = (
        alt.Chart()
        .transform_calculate(about="datum.tcp + ', ' + datum.scheme + ', seed ' + datum.seed")
        .transform_flatten(["delay", "share"])
        .mark_line(aria=True)
        .encode(
            x=_x("delay"),
            y=_y("share", domain=[0, 1]),
            order=alt.Order("share", type="quantitative"),
            color=inner.colour(),
            strokeDash=inner.dash(),
            detail="run:N",
            **_told(),
        )
    )
    return _panels(line.properties(height=170), outer)


PANELS: tuple[tuple[str, str, str, int], ...] = (
    ("capacity", "Offered capacity of the link (delivered rows)", "step", 90),
    ("lost_rows", "LLDUs given up; slots erased without a scheme or under an online one", "step", 60),
    ("queue", "Queue length (packets)", "step", 90),
    ("window", "Congestion window (segments)", "step", 110),
    ("srtt", "Smoothed round-trip time", "step", 90),
    ("arrivals", "Arrivals at the receiver (IP packets)", "step", 90),
    ("delay", "One-way delay, median and range", "band", 90),
)
"""Panels of a run's course from top to bottom: name, title, how it is drawn, height."""

LOSSES = ("link lost", "queue dropped", "retransmission")
"""Kinds of moments in the lowest panel."""

PARAMETERS = {
    "measure": "",
    "across": "",
    "heading": "",
    "members": [],
    "narrow": False,
    "axis": 0,
    "end_s": 1,
    "ink": "black",
    "quiet": "gray",
    "paper": "white",
}
"""Parameters of every chart, with their values before `tmt.figures.vega.filled`."""

CHANNEL = ("lost_rows", "capacity")
"""Panels that describe the channel alone."""


def course(panels: Sequence[str], units: dict[str, str], *, zooms: bool) -> Spec:
    """The course of several runs over one time axis, one panel below the other.

    Parameters
    ----------
    units
        Unit of each panel that has one.
    zooms
        Whether a reader can drag and zoom the time axis; a figure for print cannot.
    """
    shown = [panel for panel in PANELS if panel[0] in panels]
    losses = any(kind in panels for kind in LOSSES)
    charts = [
        _course_panel(*panel, units.get(panel[0], ""), last=not losses and panel is shown[-1])
        for panel in shown
    ]
    if losses:
        charts.append(_moments())
    stacked = alt.vconcat(*charts, spacing=6).resolve_scale(x="shared", color="shared")
    spec = _spec(stacked)
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
        y=_y("value", ticks=3, domain=[0, 100] if name == "lost_rows" else None),
        tooltip="run:N",
        description="run:N",
    )
    layers = [line]
    if kind == "band":
        layers.insert(
            0, base.mark_area(opacity=1, fillOpacity=0.25, line=False).encode(y=_y("low", ticks=3), y2="high")
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
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=600, symbolType="stroke")
    return alt.Color("run:N", sort=None, legend=legend)


def _x(field: str) -> alt.X:
    return alt.X(field, type="quantitative", axis=alt.Axis(title=None, tickCount=6))


def _y(field: str, ticks: int = 5, domain: Sequence[float] | None = None) -> alt.Y:
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    return alt.Y(field, type="quantitative", axis=alt.Axis(title=None, tickCount=ticks), scale=scale)


def _told() -> dict[str, Any]:
    """Return the channels of a mark that tells about itself."""
    return {"tooltip": alt.Tooltip("about", type="nominal"), "description": alt.Description("about:N")}


def _header() -> alt.Header:
    return alt.Header(title=None, labelAnchor="start", labelOrient="top")


def _panels(chart: Any, outer: Members, columns: int = 2) -> Spec:
    """Return the specification with a panel for each member of the outer kind that has rows."""
    return _spec(chart.facet(facet=outer.facet(), columns=columns, data=ROWS))


def _spec(chart: Any) -> Spec:
    """Return a chart as a dict, with its data source and the parameters for its texts."""
    titled = chart.properties(data=ROWS, title=alt.Title(text=alt.ExprRef("heading"), anchor="start"))
    spec: Spec = titled.to_dict(validate=False)
    del spec["$schema"], spec["config"]
    # Not by Altair: its `add_params` copies all panels for each parameter.
    spec["params"] = [{"name": name, "value": value} for name, value in PARAMETERS.items()] + spec.get(
        "params", []
    )
    return spec
