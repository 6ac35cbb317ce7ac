"""The race: few courses for all candidates, more for those that may still be the best.

The test is one-sided and paired on common courses. Its level is divided by the number of looks and of
candidates. Therefore the best candidate is eliminated with a probability of at most 1 - `level` in the whole
search, whichever candidate leads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from tmt.core.words.values import percent
from tmt.results.measures import possible
from tmt.results.statistics import t_interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.results.statistics import FloatArray, Interval
    from tmt.results.tune.objectives import Constraint, Goal, Objective

Cell = tuple[int, int]
"""Index of a candidate, and of a course."""

Outcome = dict[str, float]
"""A candidate's value of each measure on a course; NaN if its run failed."""


class Evidence:
    """Values of each measure so far: [n_candidates, n_courses], NaN where unknown."""

    def __init__(self, goal: Goal, n_candidates: int, n_courses: int) -> None:
        self.goal = goal
        self.values = {measure.name: np.full((n_candidates, n_courses), np.nan) for measure in goal.measures}
        self.cells: set[Cell] = set()

    def add(self, outcomes: Mapping[Cell, Outcome]) -> None:
        """Add the outcomes of candidates on courses."""
        self.cells |= outcomes.keys()
        for cell, outcome in outcomes.items():
            for name, value in outcome.items():
                self.values[name][cell] = value

    def missing(self, candidates: Iterable[int], courses: Iterable[int]) -> list[Cell]:
        """Return the cells without an outcome, course after course."""
        chosen = list(candidates)
        return [(one, course) for course in courses for one in chosen if (one, course) not in self.cells]

    def scores(self, objective: int = 0) -> FloatArray:
        """Return the scores of an objective, signed so that larger is better: [n_candidates, n_courses]."""
        return self.goal.objectives[objective].scores(self.values)

    def means(self, objective: int = 0) -> FloatArray:
        """Return the mean score of each candidate over its own courses; NaN without any."""
        return _means(self.scores(objective))

    def violations(self) -> FloatArray:
        """Return by how much each candidate's means miss the constraints, over the limits; 0 if none."""
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
        found = found.scaled(objective.shown(1.0))
        return possible(found, objective.single.column) if objective.single else found

    def margin(self, candidate: int, constraint: Constraint, level: float) -> Interval:
        """Return the distance of a candidate's mean from a bound, and its interval."""
        return t_interval(constraint.margins(self._values_of(candidate)), level)

    def _values_of(self, candidate: int) -> dict[str, FloatArray]:
        return {name: values[candidate] for name, values in self.values.items()}


def one_sided(alpha: float) -> float:
    """Return the level of an interval each of whose bounds fails with probability `alpha`."""
    return 1.0 - 2.0 * alpha


def lower(interval: Interval) -> float:
    """Return the lower bound; minus infinity with too few courses."""
    return -math.inf if math.isnan(interval.low) else interval.low


def upper(interval: Interval) -> float:
    """Return the upper bound; infinity with too few courses."""
    return math.inf if math.isnan(interval.high) else interval.high


def not_dominated(points: Sequence[Sequence[float]]) -> list[int]:
    """Return the points that no other dominates: better in one coordinate, at least as good in the rest."""
    table = np.asarray(points, dtype=np.float64)
    return [
        number
        for number, point in enumerate(table)
        if not np.any(np.all(table >= point, axis=1) & np.any(table > point, axis=1))
    ]


def _means(table: FloatArray) -> FloatArray:
    means: FloatArray = np.ma.masked_invalid(table).mean(axis=1).filled(np.nan)
    return means


Fate = Literal["waits", "ruled out", "races", "eliminated", "infeasible", "failed"]
Evaluate = Callable[[Sequence["Cell"]], Mapping["Cell", "Outcome"]]
"""Gives the requested outcomes of candidates on courses."""

GROWTH = 1.5
"""Courses of a look, in multiples of those of the look before."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When a race eliminates candidates and when it stops.

    The first look has `first` courses, the last one `most`. The best candidate survives with probability
    `level`. Candidates are as good as each other if they differ by less than `tolerance` times the leader's
    score.
    """

    first: int
    most: int
    level: float
    tolerance: float

    def looks(self) -> list[int]:
        """Return the number of courses of each look."""
        counts = [self.first]
        while counts[-1] < self.most:
            counts.append(min(self.most, math.ceil(counts[-1] * GROWTH)))
        return counts


@dataclass(slots=True)
class Look:
    """A stage of the race: courses so far, the leader, and the mean score of each candidate still in the
    race.
    """

    courses: int
    leader: int
    scores: dict[int, float]
    eliminated: dict[int, Fate] = field(default_factory=dict)


class Race:
    """A race over the candidates that `enter` admits.

    At most `most_simulated` of the `n_candidates` of the space take part. `evaluate` simulates. `bounds` are
    upper bounds on the scores: [n_candidates, n_courses], infinite where none is known.
    """

    def __init__(
        self,
        goal: Goal,
        n_candidates: int,
        most_simulated: int,
        rules: Rules,
        evaluate: Evaluate,
        bounds: FloatArray | None = None,
    ) -> None:
        self.goal, self.rules, self.evidence = goal, rules, Evidence(goal, n_candidates, rules.most)
        self.fates: list[Fate] = ["waits"] * n_candidates
        self.looks: list[Look] = []
        self.stopped = ""
        self._evaluate, self._bounds = evaluate, bounds
        parts = 2 if goal.constraints else 1
        # The bounds are used in one more look, and the final upper bounds on the rest are another one.
        looks = len(rules.looks()) + 1 + (bounds is not None)
        tests = looks * max(1, most_simulated - 1) * parts
        self.test_level = one_sided((1 - rules.level) / tests)
        self._constraint_level = one_sided(
            (1 - rules.level) / (looks * most_simulated * parts * max(1, len(goal.constraints)))
        )

    @property
    def racing(self) -> list[int]:
        """The candidates that may still be the best."""
        return [number for number, fate in enumerate(self.fates) if fate == "races"]

    def enter(self, candidates: Sequence[int]) -> None:
        """Run candidates on the first courses, and compare them with those in the race."""
        for number in candidates:
            self.fates[number] = "races"
        self._simulate(candidates, self.rules.first)
        self._judge(self.rules.first)

    def rule_out(self, candidates: Sequence[int]) -> list[int]:
        """Return the candidates whose upper bounds leave a chance; the others are never simulated."""
        if self._bounds is None or not (leaders := self._leaders()):
            return list(candidates)
        scores = self.evidence.scores()
        kept = []
        for number in candidates:
            gaps = [t_interval(scores[leader] - self._bounds[number], self.test_level) for leader in leaders]
            if max(map(lower, gaps)) > 0:
                self.fates[number] = "ruled out"
            else:
                kept.append(number)
        return kept

    def bounds_of_means(self) -> FloatArray | None:
        """Return the mean upper bound of each candidate over the first courses; None without bounds."""
        return None if self._bounds is None else self._bounds[:, : self.rules.first].mean(axis=1)

    def run(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Give the candidates in the race more courses until it is decided; `tell` names each look."""
        for courses in self.rules.looks()[1:]:
            if self._is_decided():
                return
            tell(f"race of {len(self.racing)} candidates over {courses} courses")
            self._simulate(self.racing, courses)
            self._judge(courses)
        if not self._is_decided():
            self.stopped = f"all {self.rules.most} courses were used"

    def leader(self) -> int | None:
        """Return the candidate with the best mean among those that miss the constraints least."""
        racing = self.racing
        if not racing:
            return None
        violations, means = self.evidence.violations(), self.evidence.means()
        best = min(racing, key=lambda one: (violations[one], -means[one]))
        return None if np.isnan(means[best]) else best

    def front(self) -> list[int]:
        """Return the candidates in the race that no other one dominates, by the means of all objectives."""
        violations = self.evidence.violations()
        return self._not_dominated([one for one in self.racing if violations[one] == 0] or self.racing)

    def _simulate(self, candidates: Sequence[int], courses: int) -> None:
        wanted = self.evidence.missing(candidates, range(courses))
        if wanted:
            self.evidence.add(self._evaluate(wanted))

    def _judge(self, courses: int) -> None:
        """Eliminate candidates that are worse than a leader, miss a constraint, or have failed too often."""
        eliminated: dict[int, Fate] = {}
        means, done = self.evidence.means(), np.isfinite(self.evidence.scores()).sum(axis=1)
        for one in self.racing:
            if done[one] <= courses / 2:
                eliminated[one] = "failed"
            elif any(upper(margin) < 0 for margin in self._margins(one)):
                eliminated[one] = "infeasible"
        for number, fate in eliminated.items():
            self.fates[number] = fate
        leaders = self._leaders()
        for one in self.racing:
            if one not in leaders and any(self._exceeds(leader, one) for leader in leaders):
                eliminated[one] = self.fates[one] = "eliminated"
        if (leader := self.leader()) is not None:
            scores = {one: float(means[one]) for one in [*self.racing, *eliminated]}
            self.looks.append(Look(courses, leader, scores, eliminated))

    def _leaders(self) -> list[int]:
        """Return the candidates that may eliminate others: those that certainly keep the constraints."""
        keeping = [one for one in self.racing if all(lower(margin) >= 0 for margin in self._margins(one))]
        return self._not_dominated(keeping)

    def _not_dominated(self, among: Sequence[int]) -> list[int]:
        """Return the candidates that no other one dominates in the means of all objectives."""
        means = [self.evidence.means(number) for number in range(len(self.goal.objectives))]
        return [among[at] for at in not_dominated([[mean[one] for mean in means] for one in among])]

    def _exceeds(self, leader: int, one: int) -> bool:
        """Whether the leader is certainly better in every objective."""
        objectives = range(len(self.goal.objectives))
        return all(
            lower(self.evidence.advantage(leader, one, self.test_level, aim)) > 0 for aim in objectives
        )

    def _margins(self, one: int) -> list[Interval]:
        """Return the distance of a candidate's mean from each bound."""
        level, constraints = self._constraint_level, self.goal.constraints
        return [self.evidence.margin(one, constraint, level) for constraint in constraints]

    def _is_decided(self) -> bool:
        racing = self.racing
        if len(racing) <= 1:
            self.stopped = "one candidate is left" if racing else "no candidate is left"
            return True
        leader = self.leader()
        if leader is None or len(self.goal.objectives) > 1 or self.goal.constraints:
            return False
        room = self.rules.tolerance * abs(float(self.evidence.means()[leader]))
        rivals = [one for one in racing if one != leader]
        if all(upper(self.evidence.advantage(one, leader, self.test_level)) <= room for one in rivals):
            tolerance = percent(self.rules.tolerance)
            self.stopped = f"nothing left is better than the leader by more than {tolerance} of its value"
            return True
        return False
