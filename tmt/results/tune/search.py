"""The search: bounds or a sampler, the race, then the courses held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.results.tune.evidence import Evidence
from tmt.results.tune.race import Race, Rules
from tmt.results.tune.sampler import BATCH, Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tmt.results.statistics import FloatArray
    from tmt.results.tune.objectives import Goal
    from tmt.results.tune.race import Evaluate
    from tmt.results.tune.space import Candidate

RANDOM_SHARE = 4
"""Every n-th simulated candidate of a large space is drawn uniformly."""

MOST_FINALISTS = 10
"""Candidates that run on the courses held out."""


@dataclass(frozen=True, slots=True)
class Search:
    """A finished search.

    Attributes
    ----------
    drawn
        Candidates that the sampler drew uniformly; empty if the whole space took part.
    winner
        The recommendation; None when no candidate could be judged.
    finalists
        Winner, front and nearest rivals, which ran on the courses held out; best first.
    held_out
        Their values there; candidates are numbered as in the space.
    """

    candidates: Sequence[Candidate]
    race: Race
    drawn: Sequence[int]
    winner: int | None
    finalists: Sequence[int]
    held_out: Evidence

    @property
    def simulated(self) -> list[int]:
        """The candidates that took part in the race."""
        return [at for at, fate in enumerate(self.race.fates) if fate not in {"waits", "ruled out"}]


def search(
    candidates: Sequence[Candidate],
    goal: Goal,
    rules: Rules,
    most_simulated: int,
    held_out_courses: int,
    evaluate: Evaluate,
    bounds: FloatArray | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Search:
    """Search the candidates for the best one, and judge it on courses that the search has not seen.

    Courses 0 to ``rules.most - 1`` are the search's; those held out have the numbers from there on.

    Parameters
    ----------
    bounds
        Upper bounds on the scores: [n_candidates, rules.most].
    tell
        Called with a line on each stage.

    Raises
    ------
    UsageError
        When the space is large and Optuna is not installed.
    """
    is_large = len(candidates) > most_simulated
    race = Race(goal, len(candidates), min(most_simulated, len(candidates)), rules, evaluate, bounds)
    if is_large:
        drawn = _sampled(race, candidates, most_simulated, tell)
    else:
        drawn = []
        _enter_all(race, candidates, tell)
    race.run(tell)
    winner, finalists = _finalists(race)
    held_out = Evidence(goal, len(candidates), rules.most + held_out_courses)
    if finalists:
        tell(f"{len(finalists)} finalists on the courses held out")
        wanted = held_out.missing(finalists, range(rules.most, rules.most + held_out_courses))
        held_out.add(evaluate(wanted))
    return Search(candidates, race, drawn, winner, finalists, held_out)


def _enter_all(race: Race, candidates: Sequence[Candidate], tell: Callable[[str], None]) -> None:
    """Let every candidate in that the bounds do not rule out; one of each scheme goes first."""
    pilots = _pilots(race, candidates)
    if pilots:
        tell(f"{len(pilots)} candidates, one of each scheme")
        race.enter(pilots)
    others = [number for number in range(len(candidates)) if number not in pilots]
    kept = race.rule_out(others)
    tell(f"{len(kept)} candidates on the first courses; models rule out {len(others) - len(kept)}")
    race.enter(kept)


def _pilots(race: Race, candidates: Sequence[Candidate]) -> list[int]:
    """Return the candidate of each scheme with the highest bound; none without bounds."""
    bounds = race.bounds_of_means()
    if bounds is None:
        return []
    best: dict[str, int] = {}
    for number, one in enumerate(candidates):
        name = one.scheme.full_name
        if name not in best or bounds[number] > bounds[best[name]]:
            best[name] = number
    return list(best.values())


def _sampled(
    race: Race, candidates: Sequence[Candidate], most_simulated: int, tell: Callable[[str], None]
) -> list[int]:
    n_random = max(BATCH, most_simulated // RANDOM_SHARE)
    objectives = range(len(race.goal.objectives))
    sampler = Sampler(candidates, n_random, len(objectives))
    done = 0
    while done < most_simulated and (proposed := sampler.propose(min(BATCH, most_simulated - done))):
        done += len(proposed)
        kept = race.rule_out(proposed)
        tell(f"{done} of {most_simulated} candidates that the sampler proposes")
        race.enter(kept)
        violations, means = race.evidence.violations(), [race.evidence.means(aim) for aim in objectives]
        for number in kept:
            if all(np.isfinite(mean[number]) for mean in means) and np.isfinite(violations[number]):
                # A miss of a constraint costs more than any difference of the objectives.
                cost = [violations[number] * 10 * float(np.nanmax(np.abs(mean))) for mean in means]
                sampler.learn(number, [mean[number] - price for mean, price in zip(means, cost, strict=True)])
    return sampler.drawn


def _finalists(race: Race) -> tuple[int | None, list[int]]:
    """Return the winner, and the finalists: winner, front, then the others by their means."""
    if (leader := race.leader()) is None:
        return None, []
    means, violations = race.evidence.means(), race.evidence.violations()
    front = race.front()
    winner = leader if len(race.goal.objectives) == 1 else _knee(race, front)
    entered = [
        at for at, fate in enumerate(race.fates) if fate in {"races", "eliminated"} and np.isfinite(means[at])
    ]
    ranked = sorted(entered, key=lambda at: (race.fates[at] != "races", violations[at], -means[at]))
    wanted = [winner, *(front if len(race.goal.objectives) > 1 else []), *ranked]
    return winner, list(dict.fromkeys(wanted))[:MOST_FINALISTS]


def _knee(race: Race, front: Sequence[int]) -> int:
    """Return the member of the front nearest to the best of both objectives, scaled to the front."""
    points = np.array([[race.evidence.means(aim)[at] for aim in range(2)] for at in front])
    span = np.ptp(points, axis=0)
    gaps = (points.max(axis=0) - points) / np.where(span > 0, span, 1.0)
    return front[int(np.argmin(np.hypot(*gaps.T)))]
