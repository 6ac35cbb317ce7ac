"""Values of candidates on common courses, and the paired comparisons that decide between candidates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.results.statistics import t_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tmt.results.statistics import FloatArray, Interval
    from tmt.results.tune.objectives import Constraint, Goal, Objective

Cell = tuple[int, int]
"""Number of a candidate, and of a course."""

Outcome = dict[str, float]
"""A candidate's value of each measure on a course; NaN where its run has failed."""


class Evidence:
    """Values of each measure so far: [n_candidates, n_courses], NaN where unknown."""

    def __init__(self, goal: Goal, n_candidates: int, n_courses: int) -> None:
        self.goal = goal
        self.values = {measure.name: np.full((n_candidates, n_courses), np.nan) for measure in goal.measures}
        self.cells: set[Cell] = set()

    def add(self, outcomes: Mapping[Cell, Outcome]) -> None:
        """Take the outcomes of candidates on courses."""
        self.cells |= outcomes.keys()
        for cell, outcome in outcomes.items():
            for name, value in outcome.items():
                self.values[name][cell] = value

    def missing(self, candidates: Iterable[int], courses: Iterable[int]) -> list[Cell]:
        """Return the cells without an outcome, course after course."""
        chosen = list(candidates)
        return [(one, course) for course in courses for one in chosen if (one, course) not in self.cells]

    def scores(self, objective: int = 0) -> FloatArray:
        """Return the scores of an objective, larger ones better: [n_candidates, n_courses]."""
        return self.goal.objectives[objective].scores(self.values)

    def means(self, objective: int = 0) -> FloatArray:
        """Return the mean score of each candidate over its own courses; NaN without any."""
        return _means(self.scores(objective))

    def violations(self) -> FloatArray:
        """Return by how much each candidate's means miss the constraints, in parts of the limits; 0: none."""
        total = np.zeros(next(iter(self.values.values())).shape[0])
        for constraint in self.goal.constraints:
            missed = -_means(constraint.margins(self.values)) / (abs(constraint.limit) or 1.0)
            total += np.where(np.isnan(missed), np.inf, np.maximum(missed, 0.0))
        return total

    def advantage(self, one: int, other: int, level: float, objective: int = 0) -> Interval:
        """Return the mean of score `one` minus score `other` on their common courses, and its interval."""
        scores = self.goal.objectives[objective].scores
        return t_interval(scores(self._values_of(one)) - scores(self._values_of(other)), level)

    def of_objective(self, candidate: int, objective: Objective, level: float) -> Interval:
        """Return the mean of an objective as it is shown, and its interval."""
        found = t_interval(objective.scores(self._values_of(candidate)), level)
        return found.scaled(objective.shown(1.0))

    def margin(self, candidate: int, constraint: Constraint, level: float) -> Interval:
        """Return the distance of a candidate's mean from a bound, and its interval."""
        return t_interval(constraint.margins(self._values_of(candidate)), level)

    def _values_of(self, candidate: int) -> dict[str, FloatArray]:
        return {name: values[candidate] for name, values in self.values.items()}


def one_sided(alpha: float) -> float:
    """Return the level of the interval of which each bound fails with probability `alpha`."""
    return 1.0 - 2.0 * alpha


def lower(interval: Interval) -> float:
    """Return the lower bound; minus infinity where too few courses tell none."""
    return -math.inf if math.isnan(interval.low) else interval.low


def upper(interval: Interval) -> float:
    """Return the upper bound; infinity where too few courses tell none."""
    return math.inf if math.isnan(interval.high) else interval.high


def not_dominated(points: Sequence[Sequence[float]]) -> list[int]:
    """Return the points that no other one dominates: is better in one coordinate, and as good in the rest."""
    table = np.asarray(points, dtype=np.float64)
    return [
        number
        for number, point in enumerate(table)
        if not np.any(np.all(table >= point, axis=1) & np.any(table > point, axis=1))
    ]


def _means(table: FloatArray) -> FloatArray:
    means: FloatArray = np.ma.masked_invalid(table).mean(axis=1).filled(np.nan)
    return means
