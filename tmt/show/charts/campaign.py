"""Charts of campaigns, shared by the report's page and the figures for print.

Each function returns a specification with one data source, `rows`, and parameters for its texts. Rows and
parameters are filled in by `tmt.show.charts.parts.filled` for print, and by the page's script for reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from tmt.show.charts.parts import (
    INK,
    PAPER,
    QUIET,
    ROW_PX,
    ROWS,
    panel_header,
    point,
    row_axis,
    titled_spec,
    told,
    x_axis,
    y_axis,
)
from tmt.show.charts.style import DASHES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tmt.show.charts.style import MemberStyle, Spec

Kind = Literal["tcp", "scheme"]

DELAY_QUANTILES = {
    "least": "least",
    "median": "median",
    "p85": "85th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
}
"""Fields of the delay's quantiles, and their labels."""


def _told(field: str, label: str = "measure") -> str:
    """Return the expression of a line of a tooltip: a label, itself an expression, and a field's number."""
    return f"'\\n' + {label} + ': ' + format(datum.{field}, '.4~r')"


_CELL = "datum.tcp + ', ' + datum.scheme"
_INTERVAL = (
    "(isValid(datum.low) ? '\\n95 % interval [' + format(datum.low, '.4~r') + ', ' + "
    "format(datum.high, '.4~r') + ']' : '\\nno interval: a single run')"
)
_ABOUT = (
    f"{_CELL} + {_told('mean')} + {_INTERVAL} + '\\n' + datum.runs + (datum.runs == 1 ? ' run' : ' runs')"
    f" + (isValid(datum.paper) ? {_told('paper', 'datum.source')} : '')"
)
"""Text of a mean's tooltip; assistive technology reads the same text."""


class Members:
    """The members of one kind, TCP variants or schemes: their order, markers and dashes.

    Colours are not part of a specification: they are the `category` range of its configuration.
    """

    def __init__(self, kind: Kind, styles: Sequence[MemberStyle]) -> None:
        self.kind = kind
        self.styles = styles
        self.labels = [style.label for style in styles]
        self.dashes = [DASHES[style.dash] for style in styles]
        self._legend = alt.Legend(
            title=None, orient="top", values=alt.ExprRef("members"), columns=alt.ExprRef("narrow ? 3 : 0")
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
        # Vega-Lite merges the legends of equal domains; an additional member keeps the hidden legend
        # separate.
        more = 0 if legend else 1
        scale = alt.Scale(domain=self.labels + [""] * more, range=self.dashes + [[1, 0]] * more)
        return alt.StrokeDash(self.kind, type="nominal", scale=scale, legend=self._legend if legend else None)

    def rows(self, about: str) -> Any:
        """Return a chart with a row for each member, and the expression of its tooltips."""
        y = alt.Y(self.kind, type="nominal", sort=self.labels, axis=row_axis(180))
        return alt.Chart().transform_calculate(about=about).encode(y=y)


def compare(inner: Members, outer: Members, places: Sequence[str] = (), *, zero: bool = False) -> Spec:
    """One measure: a panel for each outer member, a row for each inner one.

    With `zero` the values are differences, with a line at 0. With several `places`, points of the grid in the
    field `place`, each has a row of panels.
    """
    # Vega-Lite takes no domain from flattened values, so an invisible line spans them.
    base = inner.rows(_ABOUT).transform_calculate(
        least="extent(datum.seeds)[0]", most="extent(datum.seeds)[1]"
    )
    colour = inner.colour(legend=False)
    number = "format(datum.mean, '.3~r')"
    interval = (
        f"{number} + (isValid(datum.low) && !narrow ? '  [' + format(datum.low, '.3~r') + ', ' + "
        "format(datum.high, '.3~r') + ']' : '')"
    )
    letters = base.encode(x=alt.value("width"), text=alt.Text(f"{inner.kind}_letters", type="nominal"))
    layers = [
        base.mark_tick(color=QUIET, opacity=1, thickness=1.5, bandSize=ROW_PX).encode(x=x_axis("capacity")),
        base.mark_rule(strokeWidth=2).encode(x=x_axis("low"), x2="high", color=colour),
        base.mark_rule(strokeWidth=0).encode(x=x_axis("least"), x2="most"),
        base.transform_flatten(["seeds"])
        .mark_circle(size=10, opacity=1, yOffset=7)
        .encode(x=x_axis("seeds"), color=colour),
        *_published(base, "x", yOffset=-7),
        point(base, x=x_axis("mean"), color=colour, shape=inner.shape(legend=False)),
        _at_end(base, interval),
        letters.mark_text(align="left", dx=alt.ExprRef("narrow ? 52 : 142"), style="quiet"),
    ]
    if zero:
        layers.append(_zero_line("x"))
    if not places:
        return _row_panels(layers, outer)
    panel = alt.layer(*layers).properties(height=alt.Step(ROW_PX))
    column = alt.Column(outer.kind, type="nominal", sort=outer.labels, header=panel_header())
    # Beside the panels: text above them would need more height.
    header = alt.Header(title=None, labelAngle=0, labelAlign="left", labelPadding=12)
    row = alt.Row("place:N", sort=list(places), header=header)
    return titled_spec(panel.facet(row=row, column=column, data=ROWS))


def before_and_after(inner: Members, outer: Members) -> Spec:
    """One measure in two campaigns: a row for each inner member, hollow mark `first`, full mark `second`."""
    about = f"{_CELL} + {_told('first')} + ' → ' + format(datum.second, '.4~r')"
    base = inner.rows(about)
    colour = inner.colour(legend=False)
    text = "(narrow ? '' : format(datum.first, '.3~r') + ' → ') + format(datum.second, '.3~r')"
    mark = base.encode(color=colour, shape=inner.shape(legend=False))
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=x_axis("first"), x2="second", color=colour),
        mark.mark_point(filled=False, fill=PAPER, size=65, strokeWidth=2, opacity=1).encode(
            x=x_axis("first")
        ),
        point(mark, x=x_axis("second")),
        _at_end(base, text),
    ]
    return _row_panels(layers, outer)


def sweep(inner: Members, outer: Members, *, numeric: bool, zero: bool = False) -> Spec:
    """One measure over one axis of the grid; the parameter `axis` is its index in `levels`.

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
    layers = [
        base.mark_line().encode(y=y_axis("mean"), strokeDash=inner.dash(legend=False)),
        base.mark_rule(strokeWidth=1.6).encode(y=y_axis("low"), y2="high"),
        point(base, size=50, y=y_axis("mean"), shape=inner.shape()),
        *_published(plain, "y", xOffset=7),
    ]
    if zero:
        layers.append(_zero_line("y"))
    return _panels(alt.layer(*layers).properties(height=170), outer)


def _at_end(base: Any, text: str) -> Any:
    """Return a text, given as an expression, at the right end of each row."""
    value = base.transform_calculate(text=text).encode(x=alt.value("width"), text="text:N")
    return value.mark_text(align="left", dx=10)


def _published(base: Any, channel: Literal["x", "y"], **offset: float) -> list[Any]:
    """Return hollow diamonds with error bars, beside the marks."""
    papers = base.transform_filter("isValid(datum.paper)")
    axis: Callable[[str], Any] = x_axis if channel == "x" else y_axis
    error = papers.mark_rule(stroke=INK, **offset)
    value = papers.mark_point(fill=PAPER, stroke=INK, shape="diamond", size=45, opacity=1, **offset)
    return [
        error.encode(**{channel: axis("paper_low"), f"{channel}2": "paper_high"}),
        value.encode(**{channel: axis("paper")}),
    ]


def _zero_line(channel: Literal["x", "y"]) -> Any:
    return alt.Chart().mark_rule(stroke=QUIET, strokeDash=[4, 3]).encode(**{channel: alt.datum(0)})


def trade(inner: Members, outer: Members) -> Spec:
    """Goodput (`mean`) against delay (`delay`), both with their intervals."""
    about = f"{_CELL} + {_told('mean')} + {_told('delay', 'across')}"
    base = alt.Chart().transform_calculate(about=about).encode(color=inner.colour())
    layers = [
        base.mark_rule(strokeWidth=1.6).encode(x=x_axis("delay_low"), x2="delay_high", y=y_axis("mean")),
        base.mark_rule(strokeWidth=1.6).encode(x=x_axis("delay"), y=y_axis("low"), y2="high"),
        point(base, x=x_axis("delay"), y=y_axis("mean"), shape=inner.shape()),
    ]
    return _panels(alt.layer(*layers).properties(height=180), outer)


def delays(inner: Members, outer: Members) -> Spec:
    """Quantiles of the one-way delay, one row for each inner member."""
    lines = " + ".join(_told(name, f"'{words}'") for name, words in DELAY_QUANTILES.items())
    about = f"{_CELL} + ', ' + measure + {lines}"
    base = inner.rows(about)
    colour = inner.colour(legend=False)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=x_axis("least"), x2="p99", color=colour),
        base.mark_rule(strokeWidth=7, strokeOpacity=0.45).encode(x=x_axis("median"), x2="p95", color=colour),
        point(base, x=x_axis("median"), color=colour, shape=inner.shape(legend=False)),
        _at_end(base, "format(datum.median, '.3~r')"),
    ]
    return _row_panels(layers, outer)


def distribution(inner: Members, outer: Members) -> Spec:
    """Distribution functions of the one-way delays of single runs."""
    line = (
        alt.Chart()
        .transform_calculate(about=f"{_CELL} + ', seed ' + datum.seed")
        .transform_flatten(["delay", "share"])
        .mark_line(aria=True)
        .encode(
            x=x_axis("delay"),
            y=y_axis("share", domain=[0, 1]),
            order=alt.Order("share", type="quantitative"),
            color=inner.colour(),
            strokeDash=inner.dash(),
            detail="run:N",
            **told(),
        )
    )
    return _panels(line.properties(height=170), outer)


def _row_panels(layers: Sequence[Any], outer: Members) -> Spec:
    """Return the specification with one panel below the other."""
    return _panels(alt.layer(*layers).properties(height=alt.Step(ROW_PX)), outer, columns=1)


def _panels(chart: Any, outer: Members, columns: int = 2) -> Spec:
    """Return the specification with a panel for each outer member that has rows."""
    facet = alt.Facet(outer.kind, type="nominal", sort=outer.labels, header=panel_header())
    return titled_spec(chart.facet(facet=facet, columns=columns, data=ROWS))
