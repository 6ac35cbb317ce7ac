"""Parts that charts share: axes, legends, tooltips, rows and parameters, and the arrangement of panels."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from tmt.show.charts.style import DASHES, INKS, MARKER_PATHS, NO_MARKER, configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from tmt.show.charts.style import MemberStyle, Row, Spec

PRINT_WIDTH_PX = 680

ROWS = alt.NamedData("rows")

INK, QUIET, PAPER = (alt.ExprRef(name) for name in ("ink", "quiet", "paper"))
"""Colours that depend on light or dark mode, which the configuration cannot set for marks with a colour."""

ROW_PX = 24
"""Height of one row of a chart with a row for each member."""

LOOKS = {"narrow": False, "ink": "black", "quiet": "gray", "paper": "white"}
"""Parameters of every chart about the shown point of the grid, with their values before `filled`."""

PARAMETERS = {"measure": "", "across": "", "heading": "", "members": [], "axis": 0, "end_s": 1} | LOOKS
"""Parameters of a campaign's chart, as above."""


def x_axis(field: str) -> alt.X:
    """Return a horizontal axis of numbers."""
    return alt.X(field, type="quantitative", axis=alt.Axis(title=None, tickCount=6))


def y_axis(field: str, ticks: int = 5, domain: Sequence[float] | None = None) -> alt.Y:
    """Return a vertical axis of numbers."""
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    return alt.Y(field, type="quantitative", axis=alt.Axis(title=None, tickCount=ticks), scale=scale)


def row_axis(limit_px: Any) -> alt.Axis:
    """Return the axis of rows with names."""
    return alt.Axis(title=None, ticks=False, domain=False, grid=False, labelLimit=limit_px, labelPadding=8)


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


def filled(
    spec: Spec, rows: Sequence[Row], config: Spec, width_px: int = PRINT_WIDTH_PX, **parameters: Any
) -> Spec:
    """Return a campaign's chart with its rows, its configuration, its parameters and its width."""
    whole = deepcopy(spec)
    whole["datasets"] = {"rows": list(rows)}
    parameters = INKS["light"] | parameters
    for parameter in whole["params"]:
        parameter["value"] = parameters.get(parameter["name"], parameter.get("value"))
    if "vconcat" in whole:
        for panel in whole["vconcat"]:
            panel["width"] = width_px - 120
    elif "layer" in whole:
        whole |= {"width": width_px, "autosize": {"type": "fit-x", "contains": "padding"}}
    elif "columns" not in whole:
        whole["spec"]["width"] = 170
    elif whole["columns"] == 1:
        whole["spec"]["width"] = width_px - 290
    else:
        whole["spec"]["width"] = width_px // whole["columns"] - 60
    return finished(whole, config)


def finished(spec: Spec, config: Spec) -> Spec:
    """Return a specification without parameters to fill in, without characters that XML does not allow."""
    whole: Spec = _plain({"$schema": alt.SCHEMA_URL} | spec | {"config": config})
    return whole


_NOT_XML = dict.fromkeys(
    [*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd"
)


def _plain(value: Any) -> Any:
    match value:
        case str():
            return value.translate(_NOT_XML)
        case dict():
            return {key: _plain(member) for key, member in value.items()}
        case list() | tuple():
            return [_plain(member) for member in value]
        case _:
            return value


PICTURE_PX = 600
"""Width of the panels of the chart of a single result."""


def picture(chart: Any, title: str | Sequence[str], tables: Mapping[str, Sequence[Row]]) -> Spec:
    """Return the finished chart of a single result, with the tables that its layers name."""
    chart = chart.properties(title=alt.Title(title, color=INKS["light"]["ink"], fontSize=14, offset=10))
    spec: Spec = chart.to_dict(validate=False)
    spec["description"] = title if isinstance(title, str) else " ".join(title)
    spec["datasets"] = {name: list(rows) for name, rows in tables.items()}
    return finished(spec, configuration())


def table(**columns: npt.ArrayLike) -> list[Row]:
    """Return rows from columns of numbers of equal length; NaN becomes None."""
    lists = (np.asarray(column).tolist() for column in columns.values())
    return [
        {name: None if math.isnan(value) else value for name, value in zip(columns, row, strict=True)}
        for row in zip(*lists, strict=True)
    ]


def stairs(edges: npt.NDArray[np.float64], **columns: npt.NDArray[np.float64]) -> list[Row]:
    """Return two rows for each bin between the edges [n + 1]: its value [n] at the bin's start and at its
    end.
    """
    times = np.repeat(edges, 2)[1:-1]
    return table(time=times, **{name: np.repeat(values, 2) for name, values in columns.items()})


def source(name: str, heading: str = "") -> alt.Chart:
    """Return a chart of the rows of a table, with a heading above its panel."""
    return alt.Chart(
        alt.NamedData(name), title=alt.Title(heading, frame="group") if heading else alt.Undefined
    )


def stacked(panels: Sequence[Any], x: alt.X, title: str, height: int | None = None) -> Any:
    """Return panels one below the other over one horizontal axis, labelled at the lowest panel."""
    size = {"width": PICTURE_PX} if height is None else {"width": PICTURE_PX, "height": height}
    shown = []
    for panel in panels:
        last = panel is panels[-1]
        axis = alt.Axis(title=title if last else None, labels=last, ticks=last, tickCount=10)
        shown.append(panel.encode(x=x.copy().axis(axis)).properties(**size))
    return alt.vconcat(*shown, spacing=8).resolve_scale(x="shared")


def in_rows(panels: Sequence[Any], height: int = 150) -> Any:
    """Return panels side by side, as many in a row as fit."""
    across = 3 if len(panels) == 3 else min(2, len(panels))
    width = (PICTURE_PX - 66 * (across - 1)) // across
    sized = [panel.properties(width=width, height=height) for panel in panels]
    return alt.concat(*sized, columns=across, spacing=16)


def log_axis(rows: Sequence[Row], field: str) -> dict[str, Any]:
    """Return scale and axis of a field with positive values, logarithmic, with labels at whole decades."""
    found = [row[field] for row in rows if row[field]]
    low, high = min(found, default=1), max(found, default=1)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return {
        "scale": alt.Scale(type="log", domain=[low / 1.5, high * 1.5], nice=False),
        "axis": alt.Axis(values=[10.0**power for power in decades], format="~g"),
    }


def coloured(heading: str, colours: Mapping[str, str], most: int = 9) -> Callable[[Any, str], Any]:
    """Return a function that names a layer; the panel's heading and the legend share a line.

    The legend holds the first `most` names.
    """
    legend = alt.Legend(
        title=heading,
        orient="top",
        titleOrient="left",
        offset=4,
        symbolType="square",
        symbolStrokeColor="transparent",
        values=list(colours)[:most],
    )
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    colour = alt.Color("layer", type="nominal", scale=scale, legend=legend)
    return lambda layer, name: layer.transform_calculate(layer=json.dumps(name)).encode(color=colour)


def line_looks(field: str, styles: Sequence[MemberStyle]) -> dict[str, Any]:
    """Return colour, dashes and markers of lines by their labels, with one legend above all panels.

    The legend shows dashes only where lines have no markers.
    """
    labels = [style.label for style in styles]
    legend = alt.Legend(title=None, orient="top", symbolSize=60) if len(labels) > 1 else None

    def channel(kind: Any, values: list[Any], *, hidden: bool = False) -> Any:
        # Vega-Lite merges the legends of equal domains; an additional label keeps the hidden legend separate.
        scale = alt.Scale(domain=labels + [""] * hidden, range=values + values[:1] * hidden)
        return kind(field, type="nominal", legend=None if hidden else legend, scale=scale)

    marked = all(style.marker for style in styles)
    return {
        "color": channel(alt.Color, [style.colour for style in styles]),
        "strokeDash": channel(alt.StrokeDash, [DASHES[style.dash] for style in styles], hidden=marked),
        "shape": channel(alt.Shape, [MARKER_PATHS.get(style.marker, NO_MARKER) for style in styles]),
    }
