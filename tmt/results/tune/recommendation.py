"""Recommendation of a search with its certainty, as plain data for terminal, JSON and page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from tmt.results.statistics import Interval
from tmt.results.tune.race import upper
from tmt.results.tune.task import SCHEME, levels_of, neighbours

if TYPE_CHECKING:
    from tmt.results.statistics import FloatArray
    from tmt.results.tune.search import Search
    from tmt.results.tune.task import Value


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate at the end of the search: its fate and the mean of each objective over its courses."""

    number: int
    name: str
    settings: dict[str, Value]
    fate: str
    values: dict[str, Interval]


@dataclass(frozen=True, slots=True)
class Finalist:
    """A candidate on the courses of the search and on those held out.

    `change` is held out minus search, for the first objective.
    """

    standing: Standing
    held_out: dict[str, Interval]
    change: Interval


@dataclass(frozen=True, slots=True)
class Level:
    """A value of a parameter, with the others as the winner has them, or the best candidate of a scheme.

    `loss` is the winner's advantage over it, on common courses.
    """

    parameter: str
    value: Value
    standing: Standing
    loss: Interval


@dataclass(frozen=True, slots=True)
class Bounded:
    """A constraint, the winner's mean, and whether the winner keeps the constraint surely."""

    text: str
    mean: Interval
    holds: bool
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The result of a search.

    Attributes
    ----------
    winner
        None when no candidate could be judged.
    ties
        Candidates that may be as good: the race did not tell them from the winner.
    most_better
        Upper bound on the advantage of any simulated or ruled-out candidate over the winner, in the unit of
        the objective, with probability `level`; NaN for a front.
    runner_up
        The nearest rival, with its loss against the winner.
    runner_up_held_out
        The same loss on the courses held out.
    most_unseen_better
        Upper bound on the share of the candidates that were not simulated and are better; None if all were.
    """

    standings: list[Standing]
    counts: dict[str, int]
    stopped: str
    level: float
    winner: Standing | None = None
    ties: list[Standing] = field(default_factory=list)
    front: list[Standing] = field(default_factory=list)
    most_better: float = math.nan
    most_unseen_better: float | None = None
    runner_up: Level | None = None
    runner_up_held_out: Interval | None = None
    finalists: list[Finalist] = field(default_factory=list)
    sensitivity: list[Level] = field(default_factory=list)
    constraints: list[Bounded] = field(default_factory=list)

    @property
    def is_useful(self) -> bool:
        """Whether there is a winner that keeps the constraints."""
        return self.winner is not None and all(one.holds for one in self.constraints)


def recommend(search: Search) -> Recommendation:
    """Return the recommendation of a search."""
    return _Reader(search).read()


class _Reader:
    def __init__(self, search: Search) -> None:
        self._search, self._race = search, search.race
        race = search.race
        self._evidence, self._goal, self._level = race.evidence, race.goal, race.rules.level

    def read(self) -> Recommendation:
        search, race = self._search, self._race
        standings = [self._standing(number) for number in range(len(search.candidates))]
        winner = search.winner
        if winner is None:
            return Recommendation(standings, self._counts(), race.stopped, self._level)
        several = len(self._goal.objectives) > 1
        front = race.front() if several else [winner]
        rival = next((one for one in search.finalists if one != winner), None)
        return Recommendation(
            winner=standings[winner],
            ties=[standings[one] for one in race.racing if one != winner and one not in front],
            front=[standings[one] for one in sorted(front, key=lambda one: -self._evidence.means()[one])],
            most_better=math.nan if several else self._most_better(winner),
            most_unseen_better=self._most_unseen_better(),
            runner_up=None if rival is None else self._versus("", None, rival),
            runner_up_held_out=None
            if rival is None
            else search.held_out.advantage(winner, rival, self._level),
            finalists=[self._finalist(standings[one]) for one in search.finalists],
            sensitivity=self._sensitivity(winner),
            constraints=self._constraints(winner),
            standings=standings,
            counts=self._counts(),
            stopped=race.stopped,
            level=self._level,
        )

    def _standing(self, number: int) -> Standing:
        candidate = self._search.candidates[number]
        values = {
            aim.text: self._evidence.of_objective(number, aim, self._level) for aim in self._goal.objectives
        }
        return Standing(number, candidate.name, candidate.settings, self._race.fates[number], values)

    def _most_better(self, winner: int) -> float:
        """The best candidate is still in the race with probability `level`; so only those in it count."""
        level = self._race.test_level
        others = [one for one in self._race.racing if one != winner]
        return max((upper(self._evidence.advantage(one, winner, level)) for one in others), default=0.0)

    def _most_unseen_better(self) -> float | None:
        drawn = len(self._search.drawn)
        if "waits" not in self._race.fates:
            return None
        return float(1.0 - (1.0 - self._level) ** (1.0 / drawn))

    def _versus(self, parameter: str, value: Value, other: int) -> Level:
        assert self._search.winner is not None
        loss = self._evidence.advantage(self._search.winner, other, self._level)
        return Level(parameter, value, self._standing(other), loss)

    def _finalist(self, standing: Standing) -> Finalist:
        held_out = {
            aim.text: self._search.held_out.of_objective(standing.number, aim, self._level)
            for aim in self._goal.objectives
        }
        aim = self._goal.objectives[0]
        seen, unseen = (
            aim.shown(1.0) * evidence.scores()[standing.number]
            for evidence in (self._evidence, self._search.held_out)
        )
        return Finalist(standing, held_out, _difference(unseen, seen, self._level))

    def _sensitivity(self, winner: int) -> list[Level]:
        candidates, means = self._search.candidates, self._evidence.means()
        found = []
        entered = [at for at in range(len(candidates)) if np.isfinite(means[at])]
        for name in levels_of(candidates, SCHEME):
            own = [at for at in entered if candidates[at].settings[SCHEME] == name]
            if own:
                best = max(own, key=lambda at: (at == winner, self._race.fates[at] == "races", means[at]))
                found.append(self._versus(SCHEME, name, best))
        for key in candidates[winner].settings:
            if key != SCHEME:
                members = neighbours(candidates, candidates[winner], key)
                levels = {candidates[at].settings[key]: at for at in members if np.isfinite(means[at])}
                if len(levels) > 1:
                    order = levels_of([candidates[at] for at in levels.values()], key)
                    found += [self._versus(key, value, levels[value]) for value in order]
        return found

    def _constraints(self, winner: int) -> list[Bounded]:
        found = []
        for constraint in self._goal.constraints:
            margin = self._evidence.margin(winner, constraint, self._level)
            limit, above = constraint.limit, margin.scaled(-1 if constraint.is_upper else 1)
            mean = Interval(limit + above.mean, limit + above.low, limit + above.high, margin.count)
            found.append(Bounded(constraint.text, mean, margin.mean >= 0, margin.low >= 0))
        return found

    def _counts(self) -> dict[str, int]:
        race, fates = self._race, self._race.fates
        return {
            "candidates": len(fates),
            "ruled_out": fates.count("ruled out"),
            "simulated": len(self._search.simulated),
            "not_simulated": fates.count("waits"),
            "eliminated": fates.count("eliminated"),
            "infeasible": fates.count("infeasible"),
            "failed": fates.count("failed"),
            "left": len(race.racing),
            "courses": race.rules.most,
            "courses_used": max((look.courses for look in race.looks), default=0),
            "outcomes": len(race.evidence.cells),
            "exhaustive": len(fates) * race.rules.most,
        }


def _difference(first: FloatArray, second: FloatArray, level: float) -> Interval:
    """Return the difference of the means of two samples, and Welch's interval."""
    first, second = first[np.isfinite(first)], second[np.isfinite(second)]
    mean = float(first.mean() - second.mean()) if len(first) and len(second) else math.nan
    if min(len(first), len(second)) < 2 or not (np.ptp(first) or np.ptp(second)):
        return Interval(mean, math.nan, math.nan, len(first))
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in (first, second)]
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(s) - 1) for part, s in zip(parts, (first, second), strict=True)
    )
    half_width = float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(sum(parts))
    return Interval(mean, mean - half_width, mean + half_width, len(first))
