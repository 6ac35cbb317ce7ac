"""Groups of flows, and users of a line, as results: rows, harm and fairness, from hand arithmetic."""

import json
from typing import Any

import pytest
from result_rows import frame, run

from tmt.cli.compare_command import _as_json
from tmt.results.comparison import compare
from tmt.results.dataset import Results, find_axes
from tmt.results.groups import ALONE, harm
from tmt.show.page.comparison_page import groups_table as differences_of_groups
from tmt.show.page.report_page import groups_table


def group(tcp: str, goodput_bps: float, share: float, **values: Any) -> dict[str, Any]:
    settings = {"tcp": tcp, "count": 1, "direction": "forward", "rtt_s": None, "transfer_bytes": None}
    figures = {"goodput_bps": goodput_bps, "share": share, "delay_p95_s": 0.2, "convergence_s": None}
    return {"group": tcp} | settings | figures | values


def campaign(factor: float = 1.0) -> Results:
    """Two seeds: CUBIC alone, BBR alone (of seed 1 only), and both beside each other."""
    rows = []
    for seed in (1, 2):
        rows.append(run(tcp="cubic", flows=1, seed=seed, goodput_bps=8e6, delay_p95_s=0.1))
        if seed == 1:
            rows.append(run(tcp="bbr", flows=1, seed=seed, goodput_bps=9e6, delay_p95_s=0.1))
        groups = [group("cubic", 2e6 * factor, 0.25), group("bbr", 6e6 * factor, 0.75, group="bbr start=5")]
        mix = {"tcp": "cubic + bbr start=5", "flows": 2, "goodput_bps": 8e6 * factor}
        rows.append(run(**mix, seed=seed, groups=json.dumps(groups)))
    return Results("mix", "", frame(rows))


@pytest.mark.parametrize(
    ("alone", "beside", "more_is_better", "expected"),
    [
        (8, 2, True, 0.75),
        (8, 8, True, 0),
        (8, 10, True, -0.25),
        (0.1, 0.2, False, 0.5),
        (0.2, 0.1, False, -1),
    ],
)
def test_harm__is_the_share_of_the_greater_value_that_rivals_take(
    alone: float, beside: float, more_is_better: bool, expected: float
) -> None:
    # Ware et al., HotNets 2019: (x - y) / x for goodput, (y - x) / y for delay; x alone, y beside rivals.
    assert harm(alone, beside, more_is_better=more_is_better) == pytest.approx(expected)


def test_groups__are_rows_with_harm_against_the_same_flows_alone() -> None:
    found = campaign().groups
    rows = found.runs.set_index(["tcp", "beside", "seed"])
    assert len(rows) == 3 + 2 * 2
    assert rows.loc[("cubic", "bbr start=5", 1), "harm"] == 0.75
    assert rows.loc[("bbr start=5", "cubic", 1), "harm"] == pytest.approx(1 / 3)
    assert rows.loc[("bbr start=5", "cubic", 1), "harm_delay"] == 0.5
    assert rows["harm"].isna().sum() == 3 + 1  # the flows alone, and BBR where no run has it alone
    assert found.axes[-1].levels == (ALONE, "bbr start=5", "cubic")
    cells = found.cells.to_frame().set_index(["tcp", "beside", "measure"])
    assert cells.loc[("cubic", "bbr start=5", "share"), "mean"] == 25
    assert cells.loc[("cubic", "bbr start=5", "harm"), "runs"] == 2


def test_groups__stand_at_the_place_of_their_run() -> None:
    groups = json.dumps([group("cubic", 2e6, 0.25), group("bbr", 6e6, 0.75, rtt_s=0.7)])
    runs = frame(
        [run(tcp="cubic + bbr rtt=0.7", flows=2, rtt_s=rtt_s, groups=groups) for rtt_s in (0.1, 0.5)]
    )
    found = Results("mix", "", runs, find_axes(runs)).groups
    assert found is not None
    assert found.runs["rtt_s"].tolist() == [0.1, 0.1, 0.5, 0.5]
    assert len(found.cells.points) == 4


def test_groups__are_none_in_a_campaign_without_any() -> None:
    assert Results("plain", "", frame([run(flows=1)])).groups is None


def test_report__has_a_row_for_each_group() -> None:
    found = campaign().groups
    table = groups_table(found.cells)
    labels = [column["label"] for column in table["columns"]]
    rows = [dict(zip(labels, row, strict=True)) for row in table["rows"]]
    beside = {(row["Group"], row["beside"]): row["Share of the group"] for row in rows}
    assert beside["CUBIC", "bbr start=5"] == "25 ±0"
    assert beside["CUBIC", ALONE] is None


def test_groups_of_two_campaigns__are_compared_pair_by_pair() -> None:
    first, second = campaign().groups, campaign(1.5).groups
    found = compare(first, second, ("a", "b")).to_frame().set_index(["tcp", "beside", "measure"])
    of_both = compare(campaign(), campaign(1.5), ("a", "b")).groups
    assert of_both.to_frame().set_index(found.index.names)["difference"].equals(found["difference"])
    assert found.loc[("cubic", "bbr start=5", "goodput_bps"), "relative"] == pytest.approx(0.5)
    assert found.loc[("cubic", ALONE, "goodput_bps"), "difference"] == 0


def test_groups_of_two_campaigns__are_a_table_of_the_page_and_a_part_of_the_json() -> None:
    both = compare(campaign(), campaign(1.5), ("a", "b"))
    table = differences_of_groups(both.groups)
    labels = [column["label"] for column in table["columns"]]
    rows = [dict(zip(labels, row, strict=True)) for row in table["rows"]]
    change = {(row["Measure"], row["Group"], row["beside"]): row["Change (%)"] for row in rows}
    assert change["Goodput", "CUBIC", "bbr start=5"] == 50
    assert change["Goodput", "CUBIC", ALONE] == 0
    assert {row["Measure"] for row in rows} >= {"Share of the group", "Harm to goodput"}
    cells = json.loads(_as_json(both, None))["groups"]
    (cubic,) = [
        cell for cell in cells if (cell["group"], cell["point"]["beside"]) == ("cubic", "bbr start=5")
    ]
    assert cubic["measures"]["goodput_bps"]["relative"] == pytest.approx(0.5)


def line(goodputs_mbps: dict[int, list[float]], at_once: tuple[str, ...] = ()) -> Results:
    """Return the runs of the users of a line under two seeds, by seed, and runs of all users at once."""
    rows = [
        run(
            seed=seed,
            trace=f"user {user}",
            trace_parameters=json.dumps({"users": 3, "user": user, "scheduler": "round-robin"}),
            goodput_bps=goodput * 1e6,
            capacity_bps=5e6,
        )
        for seed, goodputs in goodputs_mbps.items()
        for user, goodput in [*enumerate(goodputs, 1), *((user, 3.0) for user in at_once)]
    ]
    runs = frame(rows)
    return Results("line", "", runs, find_axes(runs))


def test_users__are_one_row_a_line_with_its_sum_and_fairness() -> None:
    # Jain's index is (sum x)^2 / (n sum x^2): 9 / (3 * 3) = 1 and 36 / (3 * 14) = 6 / 7.
    users = line({1: [1, 1, 1], 2: [1, 2, 3]}).users
    assert users.runs["goodput_bps"].tolist() == [3e6, 6e6]
    assert users.runs["fairness"].tolist() == pytest.approx([1, 6 / 7])
    assert users.runs["capacity_bps"].tolist() == [15e6, 15e6]
    assert users.axes == ()
    (cell,) = users.cells.cells
    assert cell.intervals["fairness"].mean == pytest.approx((1 + 6 / 7) / 2)


def test_users__leave_out_a_line_that_lacks_a_user() -> None:
    results = line({1: [1, 1, 1], 2: [1, 2]})
    assert results.users.runs["seed"].tolist() == [1]
    assert line({1: [1, 1]}).users is None


def test_users__leave_out_runs_of_all_users_at_once() -> None:
    found = line({1: [1, 1, 1]}, at_once=("all",)).users
    assert found.runs["goodput_bps"].tolist() == [3e6]
