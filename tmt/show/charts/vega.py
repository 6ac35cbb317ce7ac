"""Vega-Lite: the look of all charts, and specifications that are drawn as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.show.charts.style import MemberStyle

Spec = dict[str, Any]
Row = dict[str, Any]

MARKER_PATHS = {
    "o": "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
    "s": "M-.9,-.9H.9V.9H-.9Z",
    "^": "M0,-1.1L1.1,.85H-1.1Z",
    "v": "M0,1.1L1.1,-.85H-1.1Z",
    "D": "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "P": "M-.35,-1.1H.35V-.35H1.1V.35H.35V1.1H-.35V.35H-1.1V-.35H-.35Z",
    "X": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "*": "M0,-1.2L.3,-.4L1.15,-.35L.5,.15L.7,1L0,.5L-.7,1L-.5,.15L-1.15,-.35L-.3,-.4Z",
    "h": "M-.9,-.5L0,-1.05L.9,-.5V.5L0,1.05L-.9,.5Z",
    "<": "M-1.1,0L.85,-1.1V1.1Z",
    ">": "M1.1,0L-.85,-1.1V1.1Z",
    "d": "M0,-1.2L.7,0L0,1.2L-.7,0Z",
    "p": "M0,-1.1L1.05,-.34L.65,.89H-.65L-1.05,-.34Z",
    "H": "M-1.05,0L-.52,-.9H.52L1.05,0L.52,.9H-.52Z",
    "8": "M-.41,-1H.41L1,-.41V.41L.41,1H-.41L-1,.41V-.41Z",
}
"""SVG paths of radius 1 of the markers, by matplotlib's letters."""

NO_MARKER = "M-2,0H2"
"""Path of a line without markers, for its legend."""

DASHES = {"-": [1, 0], "--": [7, 4], ":": [2, 3], "-.": [8, 3, 2, 3]}
"""Vega's dash patterns by matplotlib's signs."""

INKS = {
    "light": {"ink": "#1d2329", "quiet": "#57616b", "grid": "#e8ecef", "rule": "#d9dfe4", "paper": "#ffffff"},
    "dark": {"ink": "#e8edf1", "quiet": "#a3aeb8", "grid": "#2a3239", "rule": "#38424b", "paper": "#14181c"},
}
"""Colours of text, lines and background, by colour scheme."""

PRINT_WIDTH_PX = 680
PRINT_FONT = "Liberation Sans"


def configuration(
    members: Sequence[MemberStyle] = (), *, font: str = PRINT_FONT, scheme: str = "light"
) -> Spec:
    """Return Vega-Lite's configuration: the look of all charts, and the members' colours and markers.

    Charts for print use one face of their font: vl-convert writes several faces in an order of chance.
    """
    bold, italic = ("normal", "normal") if font == PRINT_FONT else ("bold", "italic")
    ink = INKS[scheme]
    label = {"labelColor": ink["ink"], "titleColor": ink["quiet"], "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": ink["paper"],
        "font": font,
        "padding": 4,
        "lineBreak": "\n",
        "view": {"stroke": None},
        "mark": {"aria": False},
        "axis": {
            **label,
            "titleFontWeight": "normal",
            "labelSeparation": 6,
            "gridColor": ink["grid"],
            "domainColor": ink["rule"],
            "tickColor": ink["rule"],
        },
        "header": {**label, "labelFontSize": 13, "labelFontWeight": bold, "labelPadding": 4},
        "legend": {
            **label,
            "labelLimit": 400,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "symbolOpacity": 1,
            "columnPadding": 14,
            "offset": 8,
        },
        "title": {
            "color": ink["quiet"],
            "anchor": "start",
            "fontSize": 12,
            "fontWeight": "normal",
            "offset": 6,
            "limit": 700,
        },
        "text": {"color": ink["ink"], "fontSize": 12, "baseline": "middle"},
        "style": {
            "quiet": {"fill": ink["quiet"], "fontStyle": italic},
        },
        "range": {
            "category": [member.colour for member in members],
            "symbol": [MARKER_PATHS[member.marker] for member in members],
        },
    }


def finished(spec: Spec, config: Spec) -> Spec:
    """Return a specification that is drawn as it is; a character that XML does not allow is replaced."""
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
