"""The search finds what an exhaustive one finds, for less, and says how sure it is."""

from __future__ import annotations

import numpy as np
import pytest
from planted import Planted, grid_of

from tmt.metrics.statistics import rank
from tmt.tune.objectives import parse_goal
from tmt.tune.race import Rules
from tmt.tune.search import search

GOODPUT = parse_goal(["goodput"], [])
RULES = Rules(first=4, most=20, level=0.95, tolerance=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_search__finds_the_winner_of_the_exhaustive_search_or_a_tie(seed: int) -> None:
    candidates = grid_of(4, 6)
    means = 100 + 8 * np.random.default_rng(seed).normal(size=len(candidates))
    planted = Planted(means, seed)
    found = search(candidates, GOODPUT, RULES, 256, 5, planted)
    table = [[planted.value(one, course) for one in range(len(candidates))] for course in range(20)]
    best = {place.column for place in rank(np.array(table)) if place.among_best}
    assert found.winner in best
    searched = sum(course < 20 for _, course in planted.cells)
    assert searched < 0.6 * 20 * len(candidates)


@pytest.mark.parametrize("seed", range(5))
def test_search__finds_a_planted_optimum_within_a_tenth_of_the_exhaustive_cost(seed: int) -> None:
    levels = (8, 8, 8, 4)
    candidates = grid_of(*levels)
    places = np.array([[one.settings[f"p{axis}"] for axis in range(4)] for one in candidates])
    optimum = np.random.default_rng(seed).integers(levels)
    distance = ((places - optimum) / np.array(levels)) ** 2
    planted = Planted(100 - 60 * distance.sum(axis=1), seed)
    found = search(candidates, GOODPUT, RULES, 160, 5, planted)
    assert found.winner is not None
    assert planted.means[found.winner] >= 99  # the optimum has 100, a neighbour of it at least 96
    assert len(planted.cells) <= len(candidates) * 20 / 10


def test_search__gives_identical_candidates_as_ties() -> None:
    candidates = grid_of(3)
    planted = Planted(np.array([50.0, 50.0, 10.0]), 1, own=0.0)
    found = search(candidates, GOODPUT, RULES, 256, 5, planted)
    assert found.race.racing == [0, 1]
    assert found.race.evidence.cells == {(one, course) for one in range(3) for course in range(4)}
    assert "nothing left is better" in found.race.stopped
