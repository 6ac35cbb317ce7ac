"""Parts that are left out of the page of a campaign that is too large."""

import json
from typing import Any

from tmt.show.page.campaign_page import fit


def _data(points: int) -> dict[str, Any]:
    cells = [[point, [1.5] * 100, [1.5] * 30] for point in range(points)]
    return {
        "points": [[point] for point in range(points)],
        "rows": {
            "compare": {"names": ["point", "seeds", "mean"], "rows": cells},
            "timeline": {"names": ["point", "value"], "rows": [[points - 1, [1.5] * 2000]]},
        },
        "tables": {"differences": {"rows": [["x" * 100]] * 100, "keys": [[0]] * 100}},
    }


def _size(data: dict[str, Any]) -> int:
    return len(json.dumps(data, separators=(",", ":")))


def test_fit__leaves_a_page_that_fits_as_it_is() -> None:
    data = _data(10)
    assert fit(data, _size(data)) == []
    assert data == _data(10)


def test_fit__removes_single_values_differences_courses_and_points_in_this_order() -> None:
    whole = _size(_data(100))
    single, differences, courses = 100 * 399, 100 * 104, 2000 * 4

    first = _data(100)
    assert len(fit(first, whole - 1000)) == 1
    assert first["tables"]["differences"]["rows"]

    second = _data(100)
    assert len(fit(second, whole - single - 1000)) == 2
    assert second["rows"]["timeline"]["rows"]

    third = _data(100)
    assert len(fit(third, whole - single - differences - 1000)) == 3
    assert third["rows"]["timeline"]["rows"] == []
    assert len(third["points"]) == 100

    fourth = _data(100)
    most = whole - single - differences - courses - 3000
    warnings = fit(fourth, most)
    kept = len(fourth["points"])
    assert f"the first {kept} of 100 points" in warnings[-1]
    assert 50 < kept < 100
    assert {row[0] for row in fourth["rows"]["compare"]["rows"]} == set(range(kept))
    assert _size(fourth) <= most
