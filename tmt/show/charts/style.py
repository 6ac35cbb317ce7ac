"""Style of every chart: colour, marker and dash of each TCP variant and scheme; Vega-Lite's configuration.

Colours are those of Okabe and Ito (Color Universal Design, 2008), which people with the common kinds of
colour blindness can tell apart; markers and dashes repeat the distinction for print in grey.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from tmt.core.schemes import SCHEMES
from tmt.spec.stacks import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Spec = dict[str, Any]
Row = dict[str, Any]

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY = "#CC79A7", "#E69F00", "#56B4E9"
INK, MUTED, PALE = "#222222", "#7A7A7A", "#D9D9D9"

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
"""Colours of things that are neither TCP variants nor schemes, in their order."""
FLOW_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION)

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
"""SVG paths, of radius 1, of the markers, by matplotlib's letters."""

NO_MARKER = "M-2,0H2"
"""Path of a line without markers, for its legend."""

DASHES = {"-": [1, 0], "--": [7, 4], ":": [2, 3], "-.": [8, 3, 2, 3]}
"""Vega's dash patterns by matplotlib's signs."""

INKS = {
    "light": {"ink": "#1d2329", "quiet": "#57616b", "grid": "#e8ecef", "rule": "#d9dfe4", "paper": "#ffffff"},
    "dark": {"ink": "#e8edf1", "quiet": "#a3aeb8", "grid": "#2a3239", "rule": "#38424b", "paper": "#14181c"},
}
"""Colours of text, lines and background, by colour scheme."""

DARK_STRENGTH = 0.72
"""Share of a colour that is kept on a dark page; the rest is white."""


@dataclass(frozen=True, slots=True)
class MemberStyle:
    """Label and drawing style of a TCP variant or a scheme.

    `colour` is #rrggbb; `marker` is matplotlib's letter, `dash` matplotlib's sign.
    """

    label: str
    colour: str
    marker: str
    dash: str

    @property
    def dark_colour(self) -> str:
        """The colour on a dark page."""
        if self.colour == INK:
            return "#e8edf1"
        parts = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return "#" + "".join(f"{round(255 - (255 - part) * DARK_STRENGTH):02x}" for part in parts)


Look = tuple[str, str, str]
"""Colour, marker and dash."""

_TCP_LOOKS: dict[str, Look] = {
    "newreno": (MUTED, "o", ":"),
    "westwood": (ORANGE, "s", "-."),
    "hybla": (GREEN, "^", "--"),
    "cubic": (BLUE, "D", "-"),
    "compound": (PURPLE, "v", "--"),
    "bbr": (VERMILLION, "P", "-"),
    "bbr3": (SKY, "X", "-."),
    "prague": (PURPLE, "8", "-"),
    "fectcp": (INK, "h", "-"),
    "bic": (MUTED, "*", "-."),
    "cdg": (ORANGE, "<", "-."),
    "dctcp": (INK, ">", "-."),
    "highspeed": (BLUE, "d", "-."),
    "htcp": (PURPLE, "p", "-."),
    "illinois": (VERMILLION, "H", "-."),
    "lp": (SKY, "8", "-."),
    "nv": (INK, "o", "-."),
    "scalable": (MUTED, "s", "-."),
    "vegas": (ORANGE, "^", "-."),
    "veno": (GREEN, "D", "-."),
    "yeah": (BLUE, "v", "-."),
}
_SCHEME_LOOKS: dict[str, Look] = {
    "none": (MUTED, "o", ":"),
    "fec": (GREEN, "s", "-."),
    "arq": (VERMILLION, "^", "--"),
    "harq": (BLUE, "D", "-"),
    "harq-processes": (PURPLE, "P", "-"),
    "sliding-window": (ORANGE, "X", "--"),
    "tetrys": (SKY, "v", "-."),
    "rlc": (INK, "*", ":"),
    "hybrid": (MUTED, "8", "-"),
    "go-back-n": (MUTED, "p", "--"),
    "rlc-over-fec": (GREEN, "p", ":"),
    "rlc-over-arq": (VERMILLION, "<", ":"),
    "rlc-over-harq": (BLUE, ">", ":"),
    "rlc-over-harq-processes": (ORANGE, "d", "-"),
    "rlc-over-sliding-window": (SKY, "h", "-"),
    "rlc-over-tetrys": (PURPLE, "H", "--"),
}
"""Looks by name, so that a new member does not change those of others."""

_SPARE_COLOURS = (SKY, PURPLE, ORANGE, GREEN, BLUE, VERMILLION, MUTED)
_SPARE_MARKERS = "os^DvPXh*<>dpH8"
_SPARE_DASH = "--"


def looks_of(names: Iterable[str], own: Mapping[str, Look]) -> dict[str, Look]:
    """Return the look of each name: its declared one, or else a free one, unused colours first."""
    taken = {look[:2] for look in own.values()}
    colours = sorted(_SPARE_COLOURS, key=lambda one: any(one == colour for colour, _ in taken))
    markers = sorted(_SPARE_MARKERS, key=lambda one: any(one == marker for _, marker in taken))
    spare = (pair for pair in zip(cycle(colours), cycle(markers), strict=False) if pair not in taken)
    return {name: own[name] if name in own else (*next(spare), _SPARE_DASH) for name in names}


LINE_LOOKS: tuple[Look, ...] = tuple(
    (colour, marker, "-") for colour, marker in zip((*COLOURS, INK), "oDs^vXP", strict=True)
)
"""Looks of lines that are neither TCP variants nor schemes."""

TCP_LOOKS = looks_of(VARIANTS, _TCP_LOOKS)
SCHEME_LOOKS = looks_of([*SCHEMES, *_SCHEME_LOOKS], _SCHEME_LOOKS)
"""Looks by name; the name of a scheme above another one is such as ``rlc-over-arq``."""

TCP_STYLES = {name: MemberStyle(VARIANTS[name].label, *look) for name, look in TCP_LOOKS.items()}
SCHEME_STYLES = {
    name: MemberStyle(name if name == "none" else name.upper(), *look) for name, look in SCHEME_LOOKS.items()
}


def tcp_label(name: str) -> str:
    """Return the display name of a TCP variant."""
    return TCP_STYLES[name].label if name in TCP_STYLES else name


def tcp_styles(names: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each TCP variant; undeclared variants get free looks."""
    own = {name: TCP_LOOKS[name] for name in names if name in TCP_LOOKS}
    return [MemberStyle(tcp_label(name), *look) for name, look in looks_of(names, own).items()]


def scheme_styles(labels: Sequence[str], names: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each scheme by label and name; the first of a name has the declared look."""
    first = {name: label for label, name in reversed(list(zip(labels, names, strict=True)))}
    own = {label: SCHEME_LOOKS[name] for name, label in first.items() if name in SCHEME_LOOKS}
    return [MemberStyle(label, *look) for label, look in looks_of(labels, own).items()]


PRINT_FONT = "Liberation Sans"


def configuration(
    members: Sequence[MemberStyle] = (), *, font: str = PRINT_FONT, scheme: str = "light"
) -> Spec:
    """Return Vega-Lite's configuration: the look of all charts, and the members' colours and markers.

    Charts for print use one face of their font, because vl-convert writes several faces in random order.
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
        "style": {"quiet": {"fill": ink["quiet"], "fontStyle": italic}},
        "range": {
            "category": [member.colour for member in members],
            "symbol": [MARKER_PATHS[member.marker] for member in members],
        },
    }
