"""Styles of the TCP variants and schemes of a campaign."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

from tmt.show.charts.style import (
    BLUE,
    GREEN,
    MUTED,
    ORANGE,
    OTHER_TCP_DASH,
    PURPLE,
    SCHEME_STYLES,
    SKY,
    TCP_STYLES,
    VERMILLION,
    MemberStyle,
    tcp_label,
)
from tmt.show.charts.vega import MARKER_PATHS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.results.cells import Cell, Summary


def page_record(style: MemberStyle) -> dict[str, Any]:
    """Return a style as a page's script takes it."""
    path = MARKER_PATHS[style.marker]
    return {"label": style.label, "light": style.colour, "dark": style.dark_colour, "path": path}


def tcp_styles(names: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each TCP variant; undeclared variants take free colours."""
    spare = _spare({TCP_STYLES[name].colour for name in names if name in TCP_STYLES})
    return [TCP_STYLES.get(name) or MemberStyle(name, *next(spare), OTHER_TCP_DASH) for name in names]


def scheme_styles(labels: Sequence[str], names: Sequence[str]) -> list[MemberStyle]:
    """Return the style of each scheme by label and name; the first of a name has the declared style."""
    spare = _spare({SCHEME_STYLES[name].colour for name in names if name in SCHEME_STYLES})
    styles, taken = [], set()
    for label, name in zip(labels, names, strict=True):
        declared = SCHEME_STYLES.get(name)
        if declared is not None and name not in taken:
            styles.append(replace(declared, label=label))
        else:
            styles.append(MemberStyle(label, *next(spare), "--" if declared is None else declared.dash))
        taken.add(name)
    return styles


def cell_name(summary: Summary, cell: Cell) -> str:
    """Return a cell's TCP variant and scheme as text."""
    return f"{tcp_label(summary.tcps[cell.tcp])} over {summary.schemes[cell.scheme]}"


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
