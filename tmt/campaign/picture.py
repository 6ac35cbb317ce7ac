"""The results of a campaign as the figure wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.figures.comparison import Panel, Row, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.campaign.summary import Cell, Group


def rows(groups: Sequence[Group]) -> list[Row]:
    """Return one row for each point of the grid, with a panel for each scheme."""
    by_point: dict[str, list[Group]] = {}
    for group in groups:
        by_point.setdefault(group.label, []).append(group)
    return [Row(label, tuple(map(_panel, members))) for label, members in by_point.items()]


def _panel(group: Group) -> Panel:
    return Panel(
        group.scheme,
        group.scheme_name,
        group.capacity_kbps,
        tuple(map(_variant, group.cells)),
    )


def _variant(cell: Cell) -> Variant:
    goodput = cell.goodput_kbps
    return Variant(cell.tcp, goodput.mean, goodput.low, goodput.high, cell.values_kbps, cell.among_best)
