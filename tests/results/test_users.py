"""Users of a line as one result: sums and Jain's index, from numbers computed by hand."""

import json

import pytest
from result_rows import frame, run

from tmt.results.dataset import Results, find_axes


def campaign(goodputs_mbps: dict[int, list[float]]) -> Results:
    """Return the runs of the users of a line under two seeds, by seed."""
    rows = [
        run(
            seed=seed,
            trace=f"user {user}",
            trace_parameters=json.dumps({"users": 3, "user": user, "scheduler": "round-robin"}),
            goodput_bps=goodput * 1e6,
            capacity_bps=5e6,
        )
        for seed, goodputs in goodputs_mbps.items()
        for user, goodput in enumerate(goodputs, 1)
    ]
    runs = frame(rows)
    return Results("line", "", runs, find_axes(runs))


def test_users__are_one_row_a_line_with_its_sum_and_fairness() -> None:
    # Jain's index is (sum x)^2 / (n sum x^2): 9 / (3 * 3) = 1 and 36 / (3 * 14) = 6 / 7.
    users = campaign({1: [1, 1, 1], 2: [1, 2, 3]}).users
    assert users is not None
    assert users.runs["goodput_bps"].tolist() == [3e6, 6e6]
    assert users.runs["fairness"].tolist() == pytest.approx([1, 6 / 7])
    assert users.runs["capacity_bps"].tolist() == [15e6, 15e6]
    assert users.axes == ()
    (cell,) = users.cells.cells
    assert cell.intervals["fairness"].mean == pytest.approx((1 + 6 / 7) / 2)


def test_users__leave_out_a_line_that_lacks_a_user() -> None:
    results = campaign({1: [1, 1, 1], 2: [1, 2]})
    assert results.users is not None
    assert results.users.runs["seed"].tolist() == [1]
    assert campaign({1: [1, 1]}).users is None
