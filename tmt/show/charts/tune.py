"""Charts of a search as Vega-Lite specifications; the page's script fills in rows, colours and widths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from tmt.show.charts.parts import (
    INK,
    LOOKS,
    PAPER,
    QUIET,
    ROW_PX,
    ROWS,
    panel_header,
    point,
    told,
    with_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.show.charts.vega import Spec

CROSS = "M-1,-1L1,1M1,-1L-1,1"


def finalists(schemes: Sequence[str], order: Sequence[str], title: str) -> Spec:
    """A row for each finalist: `part` search with a full mark, held out with a hollow one below."""
    base = alt.Chart().encode(
        y=alt.Y("candidate:N", sort=list(order), axis=_names()),
        yOffset=alt.YOffset("part:N", sort=["search", "held out"]),
    )
    search, unseen = "datum.part === 'search'", "datum.part !== 'search'"
    colour = _colour(schemes)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=_x("low", title), x2="high", color=colour),
        point(base.transform_filter(search), x=_x("mean", title), color=colour, shape=_shape(schemes)),
        base.transform_filter(unseen)
        .mark_point(filled=False, fill=PAPER, aria=True, size=55, strokeWidth=2, opacity=1)
        .encode(x=_x("mean", title), color=colour, shape=_shape(schemes), **told()),
    ]
    return with_parameters(alt.layer(*layers).properties(height=2.5 * ROW_PX * len(order)), LOOKS)


def candidates(schemes: Sequence[str], x: str, y: str, limit: float | None) -> Spec:
    """Every simulated candidate: objective `x` against `y`, or in a row of its scheme where `y` is empty.

    Those that `front` marks have a ring and, with two objectives, a line. `limit` is a bound on `y`.
    """
    base = alt.Chart()
    across = _x("x", x)
    if y:
        down: Any = alt.Y("y:Q", title=y, scale=alt.Scale(zero=False))
    else:
        down = alt.Y("scheme:N", sort=list(schemes), axis=_names())
    points = base.mark_point(filled=True, aria=True, size=45, opacity=0.75).encode(
        x=across,
        y=down,
        color=_colour(schemes, legend=bool(y)),
        shape=_shape(schemes, legend=bool(y)),
        **told(),
    )
    front = base.transform_filter("datum.front")
    ring = front.mark_point(filled=False, stroke=INK, size=190, strokeWidth=1.5, opacity=1).encode(
        x=across, y=down
    )
    layers = [ring, points]
    if y and limit is None:
        line = front.mark_line(stroke=QUIET, strokeDash=[4, 3]).encode(x=across, y=down, order="x:Q")
        layers.insert(0, line)
    if limit is not None:
        layers.append(base.mark_rule(stroke=INK, strokeDash=[6, 3]).encode(y=alt.datum(limit)))
    height = 300 if y else ROW_PX * len(schemes)
    return with_parameters(alt.layer(*layers).properties(height=height), LOOKS)


def race(schemes: Sequence[str], looks: Sequence[int]) -> Spec:
    """A line for each candidate over the courses of each look; a cross where it leaves the race."""
    axis = alt.Axis(values=list(looks))
    x = alt.X("courses:Q", title="courses", axis=axis, scale=alt.Scale(zero=False))
    # Close rivals have room: the scale is logarithmic beyond 5 %.
    scale = alt.Scale(type="symlog", constant=5, zero=False)
    y = alt.Y("gap:Q", title="difference from the winner (%)", scale=scale)
    base = alt.Chart().encode(x=x, y=y)
    line = base.mark_line(strokeWidth=1.2, opacity=0.7).encode(color=_colour(schemes), detail="candidate:N")
    points = base.mark_point(filled=True, aria=True, size=28, opacity=0.9).encode(
        color=_colour(schemes), shape=_shape(schemes), **told()
    )
    out = base.transform_filter("datum.leaves").mark_point(shape=CROSS, stroke=INK, size=60, opacity=0.8)
    return with_parameters(alt.layer(line, points, out).properties(height=300), LOOKS)


def sensitivity(schemes: Sequence[str], parameters: Sequence[str], title: str) -> Spec:
    """A panel for each parameter: the objective over its values, the winner's with a ring."""
    x = alt.X("value:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30, labelLimit=130))
    base = alt.Chart().encode(x=x)
    colour = _colour(schemes, legend=False)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    winner = base.transform_filter("datum.winner")
    layers = [
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=title), y2="high", color=colour),
        point(base, size=60, y=y, color=colour, shape=_shape(schemes, legend=False)),
        # The first layer gives the order of the values, so it has all of them.
        winner.mark_point(filled=False, stroke=INK, size=190, strokeWidth=1.5, opacity=1).encode(y=y),
    ]
    facet = alt.Facet("parameter:N", sort=list(parameters), header=panel_header())
    panels = alt.layer(*layers).properties(height=170).facet(facet=facet, columns=2, data=ROWS)
    return with_parameters(panels.resolve_scale(x="independent"), LOOKS)


def _x(field: str, title: str) -> alt.X:
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))


def _names() -> alt.Axis:
    limit_px = alt.ExprRef("narrow ? 210 : 260")
    return alt.Axis(title=None, ticks=False, domain=False, grid=False, labelLimit=limit_px, labelPadding=8)


def _legend(shown: bool) -> alt.Legend | None:
    return alt.Legend(title=None, orient="top", columns=alt.ExprRef("narrow ? 2 : 0")) if shown else None


def _colour(schemes: Sequence[str], *, legend: bool = True) -> alt.Color:
    return alt.Color("scheme:N", scale=alt.Scale(domain=list(schemes)), legend=_legend(legend))


def _shape(schemes: Sequence[str], *, legend: bool = True) -> alt.Shape:
    return alt.Shape("scheme:N", scale=alt.Scale(domain=list(schemes)), legend=_legend(legend))
