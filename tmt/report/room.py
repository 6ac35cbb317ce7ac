"""What a page leaves out when a campaign is too large for it, and says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

ROOM = 5_400_000
"""Characters of data that a page of 6 MB has room for, beside its text, style and script."""


def fit(data: Json, room: int = ROOM) -> list[str]:
    """Take out of the page's data, least missed first, what there is no room for; say what was taken out."""
    steps: tuple[Callable[[Json, int], str], ...] = (_drop_single_values, _drop_differences, _drop_points)
    said = []
    for step in steps:
        excess = _size(data) - room
        if excess <= 0:
            break
        said.append(step(data, excess))
    return said


def _size(content: Any) -> int:
    return len(json.dumps(content, separators=(",", ":")))


def _drop_single_values(data: Json, _: int) -> str:
    for cell in data["cells"]:
        cell["seeds"] = {}
    return "The pictures show no single runs, for the page's size."


def _drop_differences(data: Json, _: int) -> str:
    data["differences"].update(rows=[], keys=[])
    return "The paired differences are left out, for the page's size."


def _drop_points(data: Json, excess: int) -> str:
    """Keep the first points of the grid, as many as there is room for, and at least one."""
    total = len(data["points"])
    sizes = [0] * total
    for cell in data["cells"]:
        sizes[cell["point"]] += _size(cell) + 1
    kept = total
    while kept > 1 and excess > 0:
        kept -= 1
        excess -= sizes[kept]
    data["points"] = data["points"][:kept]
    for name in ("cells", "paper", "distributions", "timelines"):
        data[name] = [item for item in data[name] if item["point"] < kept]
    return f"The pictures show the first {kept} of {total} points of the grid, for the page's size."
