"""Parts that all charts share: data source, colours, axes, tooltips and the parameters for their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.show.charts.vega import Spec

ROWS = alt.NamedData("rows")

INK, QUIET, PAPER = (alt.ExprRef(name) for name in ("ink", "quiet", "paper"))
"""Colours that depend on the colour scheme, which the configuration of a mark with a colour cannot give."""

ROW_PX = 24
"""Height of one row of a chart with a row for each member."""

LOOKS = {"narrow": False, "ink": "black", "quiet": "gray", "paper": "white"}
"""Parameters of every chart about its place, with their values before `tmt.show.charts.vega.filled`."""

PARAMETERS = {"measure": "", "across": "", "heading": "", "members": [], "axis": 0, "end_s": 1} | LOOKS
"""Parameters of a campaign's chart, likewise."""


def x_axis(field: str) -> alt.X:
    """Return a horizontal axis of numbers."""
    return alt.X(field, type="quantitative", axis=alt.Axis(title=None, tickCount=6))


def y_axis(field: str, ticks: int = 5, domain: Sequence[float] | None = None) -> alt.Y:
    """Return a vertical axis of numbers."""
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    return alt.Y(field, type="quantitative", axis=alt.Axis(title=None, tickCount=ticks), scale=scale)


def point(base: Any, size: int = 65, **channels: Any) -> Any:
    """Return full marks with a tooltip."""
    return base.mark_point(filled=True, aria=True, size=size, opacity=1).encode(**channels, **told())


def told() -> dict[str, Any]:
    """Return the channels of a mark's tooltip, and of its text for assistive technology."""
    return {"tooltip": alt.Tooltip("about", type="nominal"), "description": alt.Description("about:N")}


def panel_header() -> alt.Header:
    """Return the heading of each panel."""
    return alt.Header(title=None, labelAnchor="start", labelOrient="top")


def with_parameters(chart: Any, parameters: Mapping[str, Any]) -> Spec:
    """Return a chart as a dict, with its data source and parameters."""
    spec: Spec = chart.properties(data=ROWS).to_dict(validate=False)
    del spec["$schema"], spec["config"]
    # Not by Altair, which would copy all panels for each parameter.
    spec["params"] = [{"name": name, "value": value} for name, value in parameters.items()] + spec.get(
        "params", []
    )
    return spec


def titled_spec(chart: Any) -> Spec:
    """Return a campaign's chart as a dict, with the parameter `heading` as its title."""
    return with_parameters(
        chart.properties(title=alt.Title(text=alt.ExprRef("heading"), anchor="start")), PARAMETERS
    )
