"""How the page shows TCP variants and schemes: the house's colours and markers, and spare ones for others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from tmt.figures.style import (
    BLUE,
    GREEN,
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


@dataclass(frozen=True, slots=True)
class Look:
    """Label, colour (#rrggbb), marker (matplotlib's letter) and dash (matplotlib's sign)."""

    label: str
    colour: str
    marker: str
    dash: str


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
_SCHEME_MARKERS = {"none": "o", "fec": "s", "arq": "^", "harq": "D"}


def tcp_looks(names: Sequence[str]) -> list[Look]:
    """Return how each TCP variant is shown; unknown ones take what the known ones leave."""
    spare = _spare({TCP_STYLES[name].colour for name in names if name in TCP_STYLES})
    looks = []
    for name in names:
        style = TCP_STYLES.get(name)
        colour, marker = (style.colour, style.marker) if style else next(spare)
        looks.append(Look(style.label if style else name, colour, marker, _TCP_DASHES.get(name, "-.")))
    return looks


def scheme_looks(labels: Sequence[str]) -> list[Look]:
    """Return how each scheme is shown: the first of a family (the label up to the bracket) has its look."""
    families = [family(label) for label in labels]
    spare = _spare({SCHEME_STYLES[name].colour for name in families if name in SCHEME_STYLES})
    looks, taken = [], set()
    for label, name in zip(labels, families, strict=True):
        if name in SCHEME_STYLES and name not in taken:
            style = SCHEME_STYLES[name]
            looks.append(Look(label, style.colour, _SCHEME_MARKERS[name], style.dash))
        else:
            colour, marker = next(spare)
            dash = SCHEME_STYLES[name].dash if name in SCHEME_STYLES else "--"
            looks.append(Look(label, colour, marker, dash))
        taken.add(name)
    return looks


def _spare(taken: set[str]) -> Iterator[tuple[str, str]]:
    """Colours and markers without end, those that nobody has taken first."""
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
