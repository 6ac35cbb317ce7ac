"""Recommendation of a search with its certainty, as plain data for terminal, JSON and page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from tmt.results.measures import possible
from tmt.results.statistics import Interval
from tmt.results.tune.race import upper
from tmt.results.tune.task import QUEUE, SCHEME, levels_of, neighbours

if TYPE_CHECKING:
    from tmt.results.statistics import FloatArray
    from tmt.results.tune.race import Evidence, Race
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
    """A candidate on the courses of the search and on the held-out courses.

    `change` is held out minus search, for the first objective.
    """

    standing: Standing
    held_out: dict[str, Interval]
    change: Interval


@dataclass(frozen=True, slots=True)
class Level:
    """A value of a parameter, with the winner's values of the others; or the best candidate of a scheme or
    queue.

    `loss` is the winner's advantage over it, on common courses.
    """

    parameter: str
    value: Value
    standing: Standing
    loss: Interval


@dataclass(frozen=True, slots=True)
class Bounded:
    """A constraint, the winner's mean, and whether the winner certainly keeps the constraint."""

    text: str
    mean: Interval
    holds: bool
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The result of a search; it has no winner if no candidate could be judged.

    `ties` may be as good as the winner: the race could not tell them apart. `most_better` bounds, with
    probability `level`, the advantage over the winner of any simulated or ruled-out candidate, in the unit of
    the objective; NaN for a front. `most_unseen_better` bounds the share of the unsimulated candidates that
    are better; None if all were simulated. `runner_up` is the nearest rival with its loss against the winner;
    `runner_up_held_out` is the same loss on the held-out courses.
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
    race, winner, level = search.race, search.winner, search.race.rules.level
    standings = [_standing(search, number) for number in range(len(search.candidates))]
    if winner is None:
        return Recommendation(standings, _counts(search), race.stopped, level)
    several = len(race.goal.objectives) > 1
    front = race.front() if several else [winner]
    unseen = 1.0 - (1.0 - level) ** (1.0 / max(1, len(search.drawn)))
    rival = next((one for one in search.finalists if one != winner), None)
    return Recommendation(
        standings,
        _counts(search),
        race.stopped,
        level,
        winner=standings[winner],
        ties=[standings[one] for one in race.racing if one != winner and one not in front],
        front=[standings[one] for one in sorted(front, key=lambda one: -race.evidence.means()[one])],
        most_better=math.nan if several else _most_better(race, winner),
        most_unseen_better=unseen if "waits" in race.fates else None,
        runner_up=None if rival is None else _versus(search, winner, "", None, rival),
        runner_up_held_out=None if rival is None else search.held_out.advantage(winner, rival, level),
        finalists=[_finalist(search, standings[one]) for one in search.finalists],
        sensitivity=_sensitivity(search, winner),
        constraints=_constraints(race, winner),
    )


def _standing(search: Search, number: int) -> Standing:
    candidate, race = search.candidates[number], search.race
    values = _values(race.evidence, number, race.rules.level)
    return Standing(number, candidate.name, candidate.settings, race.fates[number], values)


def _values(evidence: Evidence, number: int, level: float) -> dict[str, Interval]:
    """Return the mean of each objective of a candidate."""
    return {aim.text: evidence.of_objective(number, aim, level) for aim in evidence.goal.objectives}


def _most_better(race: Race, winner: int) -> float:
    """The best candidate is still in the race with probability `level`, so only those in it count."""
    others = [one for one in race.racing if one != winner]
    bounds = (upper(race.evidence.advantage(one, winner, race.test_level)) for one in others)
    return max(bounds, default=0.0)


def _versus(search: Search, winner: int, parameter: str, value: Value, other: int) -> Level:
    loss = search.race.evidence.advantage(winner, other, search.race.rules.level)
    return Level(parameter, value, _standing(search, other), loss)


def _finalist(search: Search, standing: Standing) -> Finalist:
    level, aim, number = search.race.rules.level, search.race.goal.objectives[0], standing.number
    unseen, seen = (
        aim.shown(1.0) * evidence.scores()[number] for evidence in (search.held_out, search.race.evidence)
    )
    return Finalist(standing, _values(search.held_out, number, level), _difference(unseen, seen, level))


def _sensitivity(search: Search, winner: int) -> list[Level]:
    """Return the best candidate of each scheme and queue, then those that differ in one parameter."""
    candidates, fates, means = search.candidates, search.race.fates, search.race.evidence.means()
    found = []
    kinds = [(key, name) for key in (SCHEME, QUEUE) for name in levels_of(candidates, key)]
    for kind, name in kinds:
        own = [
            at
            for at, one in enumerate(candidates)
            if one.settings.get(kind) == name and np.isfinite(means[at])
        ]
        if own:
            best = max(own, key=lambda at: (at == winner, fates[at] == "races", means[at]))
            found.append(_versus(search, winner, kind, name, best))
    for key in [one for one in candidates[winner].settings if one not in (SCHEME, QUEUE)]:
        members = neighbours(candidates, candidates[winner], key)
        levels = {candidates[at].settings[key]: at for at in members if np.isfinite(means[at])}
        if len(levels) > 1:
            order = levels_of([candidates[at] for at in levels.values()], key)
            found += [_versus(search, winner, key, value, levels[value]) for value in order]
    return found


def _constraints(race: Race, winner: int) -> list[Bounded]:
    found = []
    for constraint in race.goal.constraints:
        margin = race.evidence.margin(winner, constraint, race.rules.level)
        limit, above = constraint.limit, margin.scaled(-1 if constraint.is_upper else 1)
        mean = Interval(limit + above.mean, limit + above.low, limit + above.high, margin.count)
        mean = possible(mean, constraint.measure.column)
        found.append(Bounded(constraint.text, mean, margin.mean >= 0, margin.low >= 0))
    return found


def _counts(search: Search) -> dict[str, int]:
    race, fates = search.race, search.race.fates
    return {
        "candidates": len(fates),
        "ruled_out": fates.count("ruled out"),
        "simulated": len(search.simulated),
        "not_simulated": fates.count("waits"),
        **{fate: fates.count(fate) for fate in ("eliminated", "infeasible", "failed")},
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
    half_width = float(special.stdtrit(freedom, (1 + level) / 2)) * math.sqrt(sum(parts))
    return Interval(mean, mean - half_width, mean + half_width, len(first))
