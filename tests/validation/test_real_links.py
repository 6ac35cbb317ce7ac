"""Published values beside ours: verdicts by hand, and a scenario for each value."""

import csv
from pathlib import Path

import pytest

from analysis.real_links import NAMES, OBJECTIVES, Pair
from tmt import Scenario
from tmt.results.statistics import Interval

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


@pytest.mark.parametrize(
    ("source", "theirs", "mean", "half", "verdict"),
    [
        ("a paper", 10, 10.9, 0.5, "agrees"),  # 9 % apart
        ("a paper", 10, 8, 2.5, "agrees"),  # 5.5 to 10.5
        ("a paper", 10, 8, 1, "near"),  # a factor of 1.25
        ("a paper", 10, 20, 1, "apart"),
        ("a paper", 10, 10, 5, "open: too few runs"),
        (OBJECTIVES, 10, 9.9, 0.1, "met"),
        (OBJECTIVES, 10, 10.1, 0.1, "missed"),
    ],
)
def test_verdict__follows_from_ratio_and_interval(
    source: str, theirs: float, mean: float, half: float, verdict: str
) -> None:
    ours = Interval(mean, mean - half, mean + half, 5)
    assert Pair(source, "a link", "CUBIC", theirs, ours, "s", 200).verdict == verdict


def test_objective__is_missed_by_a_transfer_that_does_not_end() -> None:
    pair = Pair(OBJECTIVES, "a link", "CUBIC", 10, None, "s", 200)
    assert (pair.shown, pair.verdict) == ("more than 200", "missed")


def test_published_values__belong_to_scenarios_of_the_page() -> None:
    titles = {Scenario.read(SCENARIOS / f"{name}.toml").title for name in NAMES}
    with (SCENARIOS / "real-links-published.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["scenario"] for row in rows} <= titles
    # Kosek's four loss rates, then for two controls: four links of picoquic, 15 objectives, Starlink.
    assert len(rows) == 4 + 2 * (4 + 15 + 1)
