"""What a page leaves out when a campaign is too large for it."""

from __future__ import annotations

import json
from typing import Any

from tmt.report.room import fit


def _data(points: int) -> dict[str, Any]:
    cells = [
        {"point": point, "seeds": {"goodput_bps": [1.5] * 100}, "values": {"goodput_bps": [1.5] * 30}}
        for point in range(points)
    ]
    differences = {"rows": [["x" * 100]] * 100, "keys": [[0]] * 100}
    names = ("paper", "distributions", "timelines")
    return {
        "points": [[point] for point in range(points)],
        "cells": cells,
        "differences": differences,
        **{name: [{"point": points - 1}] for name in names},
    }


def _size(data: dict[str, Any]) -> int:
    return len(json.dumps(data, separators=(",", ":")))


def test_fit__leaves_alone_what_there_is_room_for() -> None:
    data = _data(10)
    assert fit(data, _size(data)) == []
    assert data == _data(10)


def test_fit__takes_single_values_before_differences_before_points() -> None:
    whole = _size(_data(100))
    single, differences = 100 * (100 * 4 + 15), 100 * 104
    first = _data(100)
    assert len(fit(first, whole - 1000)) == 1
    assert first["differences"]["rows"]
    second = _data(100)
    assert len(fit(second, whole - single - 1000)) == 2
    assert len(second["points"]) == 100
    third = _data(100)
    said = fit(third, whole - single - differences - 3000)
    kept = len(third["points"])
    assert f"the first {kept} of 100 points" in said[-1]
    assert 50 < kept < 100
    assert {cell["point"] for cell in third["cells"]} == set(range(kept))
    assert third["timelines"] == []
    assert _size(third) <= whole - single - differences - 3000
