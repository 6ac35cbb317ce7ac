"""Label, colour, marker and dash of the TCP variants and schemes of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from tmt.figures.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PURPLE,
    SCHEME_STYLES,
    SKY,
    TCP_STYLES,
    VERMILLION,
)
from tmt.results.order import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DARK_STRENGTH = 0.72
"""Part of a colour that is kept on a dark page; the rest is white."""


@dataclass(frozen=True, slots=True)
class MemberStyle:
    """Label, colour (#rrggbb), marker (matplotlib's letter) and dash (matplotlib's sign)."""

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


_TCP_DASHES = {
    "newreno": ":",
    "westwood": "-.",
    "hybla": "--",
    "cubic": "-",
    "compound": "--",
    "bbr": "-",
    "bbr3": "-.",
    "fectcp": "-",
}


def tcp_styles(names: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each TCP variant; undeclared variants take colours that are left."""
    spare = _spare({TCP_STYLES[name].colour for name in names if name in TCP_STYLES})
    styles = []
    for name in names:
        style = TCP_STYLES.get(name)
        colour, marker = (style.colour, style.marker) if style else next(spare)
        label = style.label if style else name
        styles.append(MemberStyle(label, colour, marker, _TCP_DASHES.get(name, "-.")))
    return styles


def scheme_styles(labels: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each scheme; the first label of a scheme has the declared style."""
    families = [family(label) for label in labels]
    spare = _spare({SCHEME_STYLES[name].colour for name in families if name in SCHEME_STYLES})
    styles, taken = [], set()
    for label, name in zip(labels, families, strict=True):
        if name in SCHEME_STYLES and name not in taken:
            style = SCHEME_STYLES[name]
            styles.append(MemberStyle(label, style.colour, style.marker, style.dash))
        else:
            colour, marker = next(spare)
            dash = SCHEME_STYLES[name].dash if name in SCHEME_STYLES else "--"
            styles.append(MemberStyle(label, colour, marker, dash))
        taken.add(name)
    return styles


def _spare(taken: set[str]) -> Iterator[tuple[str, str]]:
    """Give colours and markers without end, free ones first."""
    pairs = (
        (SKY, "v"),
        (PURPLE, "P"),
        (ORANGE, "X"),
        (GREEN, "^"),
        (BLUE, "D"),
        (VERMILLION, "s"),
        (MUTED, "o"),
    )
    return cycle([pair for pair in pairs if pair[0] not in taken] or list(pairs))
