"""Upper bound on the size of a page: parts are left out of the page of a large campaign, with a warning."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.show.page.page_parts import Record

MOST_CHARACTERS = 4_400_000
"""Upper bound on the characters of a page's data; text, style and scripts take 1.5 MB of 6 MB."""


def fit(data: Record, most: int = MOST_CHARACTERS) -> list[str]:
    """Remove parts of the page's data, least missed first, until it fits; return a warning for each part."""
    steps: tuple[Callable[[Record, int], str], ...] = (
        _drop_single_values,
        _drop_differences,
        _drop_courses,
        _drop_points,
    )
    warnings = []
    for step in steps:
        excess = _size(data) - most
        if excess <= 0:
            break
        warnings.append(step(data, excess))
    return warnings


def _size(content: Any) -> int:
    return len(json.dumps(content, separators=(",", ":")))


def _drop_single_values(data: Record, _: int) -> str:
    cells = data["rows"]["compare"]
    place = cells["names"].index("seeds")
    for row in cells["rows"]:
        row[place] = []
    return "The charts show no single runs, for the page's size."


def _drop_differences(data: Record, _: int) -> str:
    data["tables"]["differences"].update(rows=[], keys=[])
    return "The paired differences are left out, for the page's size."


def _drop_courses(data: Record, _: int) -> str:
    for name in ("distribution", "timeline", "channel"):
        if name in data["rows"]:
            data["rows"][name]["rows"] = []
    return "Single runs over time are left out, for the page's size."


def _drop_points(data: Record, excess: int) -> str:
    """Keep the first points of the grid that fit, and at least one."""
    total = len(data["points"])
    sizes = [0] * total
    for table in _with_points(data):
        place = table["names"].index("point")
        for row in table["rows"]:
            sizes[row[place]] += _size(row) + 1
    kept = total
    while kept > 1 and excess > 0:
        kept -= 1
        excess -= sizes[kept]
    data["points"] = data["points"][:kept]
    for table in _with_points(data):
        place = table["names"].index("point")
        table["rows"] = [row for row in table["rows"] if row[place] < kept]
    return f"The charts show the first {kept} of {total} points of the grid, for the page's size."


def _with_points(data: Record) -> list[Record]:
    return [table for table in data["rows"].values() if "point" in table["names"]]
