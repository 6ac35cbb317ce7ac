"""The search: bounds or a sampler, the race, then the held-out courses.

The sampler is Optuna's tree-structured Parzen estimator, used by its ask-and-tell interface.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.results.tune.race import Evidence, Race, Rules
from tmt.results.tune.task import QUEUE, SCHEME, levels_of
from tmt.spec.points import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tmt.results.statistics import FloatArray
    from tmt.results.tune.objectives import Goal
    from tmt.results.tune.race import Evaluate
    from tmt.results.tune.task import Candidate, Value

RANDOM_SHARE = 4
"""Every n-th simulated candidate of a large space is drawn uniformly."""

MOST_FINALISTS = 10
"""Candidates that run on the held-out courses."""


@dataclass(frozen=True, slots=True)
class Search:
    """A finished search; its winner is the recommendation, None when no candidate could be judged.

    `drawn` are candidates that the sampler drew uniformly; empty if the whole space took part. The
    `finalists` (winner, front and nearest rivals; best first) also ran on the held-out courses. `held_out`
    has their values there; candidates are numbered as in the space.
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

    Courses 0 to ``rules.most - 1`` belong to the search; held-out courses have the following numbers.
    `bounds` are upper bounds on the scores: [n_candidates, rules.most]. `tell` is called with a line on each
    stage. UsageError when the space is large and Optuna is not installed.
    """
    race = Race(goal, len(candidates), min(most_simulated, len(candidates)), rules, evaluate, bounds)
    drawn: list[int] = []
    if len(candidates) > most_simulated:
        drawn = _sampled(race, candidates, most_simulated, tell)
    else:
        _enter_all(race, candidates, tell)
    race.run(tell)
    winner, finalists = _finalists(race)
    held_out = Evidence(goal, len(candidates), rules.most + held_out_courses)
    if finalists:
        tell(f"{len(finalists)} finalists on the courses held out")
        courses = range(rules.most, rules.most + held_out_courses)
        held_out.add(evaluate(held_out.missing(finalists, courses)))
    return Search(candidates, race, drawn, winner, finalists, held_out)


def _enter_all(race: Race, candidates: Sequence[Candidate], tell: Callable[[str], None]) -> None:
    """Admit every candidate that the bounds do not rule out; one of each scheme goes first."""
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
        leader = best.setdefault(one.scheme.full_name, number)
        if bounds[number] > bounds[leader]:
            best[one.scheme.full_name] = number
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
                # Missing a constraint costs more than any difference of the objectives.
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
    """Return the member of the front nearest to the best of both objectives, in units of its extent."""
    points = np.array([[race.evidence.means(aim)[at] for aim in range(2)] for at in front])
    span = np.ptp(points, axis=0)
    gaps = (points.max(axis=0) - points) / np.where(span > 0, span, 1.0)
    return front[int(np.argmin(np.hypot(*gaps.T)))]


SEED = 1
"""Fixes the proposals, so that a repeated search finds its runs in the store."""

BATCH = 16
"""Candidates proposed at a time; they are simulated in parallel."""


class Sampler:
    """Proposes candidates that were not proposed before (UsageError when Optuna is not installed).

    The first `n_random` candidates are drawn uniformly. The estimator maximises all objectives.
    """

    def __init__(self, candidates: Sequence[Candidate], n_random: int, n_objectives: int) -> None:
        optuna = _optuna(len(candidates))
        self._candidates = candidates
        self._levels = _levels(candidates)
        self._waiting = set(range(len(candidates)))
        self._random = np.random.default_rng(SEED)
        self._n_random = n_random
        self._sampler = optuna.samplers.TPESampler(seed=SEED, n_startup_trials=0)
        self._study = optuna.create_study(sampler=self._sampler, directions=["maximize"] * n_objectives)
        self._create_trial, self._failed = optuna.trial.create_trial, optuna.trial.TrialState.FAIL
        self._distributions = {
            name: optuna.distributions.IntDistribution(0, len(levels) - 1)
            if _is_ordered(levels)
            else optuna.distributions.CategoricalDistribution(range(len(levels)))
            for name, levels in self._levels.items()
        }
        self._by_place = {tuple(sorted(self._place(one).items())): at for at, one in enumerate(candidates)}
        self.drawn: list[int] = []

    def propose(self, count: int) -> list[int]:
        """Return at most `count` new candidates; `drawn` holds those that were drawn uniformly."""
        found: list[int] = []
        while self._waiting and len(found) < count:
            if len(self.drawn) < self._n_random:
                number = int(self._random.choice(sorted(self._waiting)))
                self.drawn.append(number)
            else:
                number = self._nearest(self._ask())
            self._waiting.discard(number)
            found.append(number)
        return found

    def learn(self, number: int, scores: Sequence[float]) -> None:
        """Learn the scores of a candidate."""
        place = self._place(self._candidates[number])
        kinds = {name: self._distributions[name] for name in place}
        self._study.add_trial(self._create_trial(params=place, distributions=kinds, values=list(scores)))

    def _ask(self) -> dict[str, Any]:
        """Return the points that the estimator proposes: scheme and queue first, then their parameters."""
        trial = self._study.ask()
        place = {kind: self._suggest(trial, kind) for kind in (SCHEME, QUEUE) if kind in self._levels}
        owners = ("path", *(self._levels[kind][at] for kind, at in place.items()))
        for name in self._levels:
            if name not in place and name.split("/")[0] in owners:
                place[name] = self._suggest(trial, name)
        # The estimator ignores failed trials. `learn` adds the candidate that was simulated.
        self._study.tell(trial, state=self._failed)
        return place

    def _suggest(self, trial: Any, name: str) -> int:
        last = len(self._levels[name]) - 1
        if _is_ordered(self._levels[name]):
            return int(trial.suggest_int(name, 0, last))
        return int(trial.suggest_categorical(name, range(last + 1)))

    def _nearest(self, place: dict[str, int]) -> int:
        """Return the proposed candidate, or else the waiting one that shares most of its parameters."""
        exact = self._by_place.get(tuple(sorted(place.items())))
        if exact in self._waiting:
            return int(exact)

        def distance(number: int) -> tuple[int, int, int]:
            own = self._place(self._candidates[number])
            shared = own.keys() & place.keys()
            apart = [abs(own[name] - place[name]) for name in shared]
            return own[SCHEME] != place[SCHEME], sum(map(bool, apart)), sum(apart)

        return min(sorted(self._waiting), key=distance)

    def _place(self, candidate: Candidate) -> dict[str, int]:
        """Return the index of each parameter's level; a parameter's name contains its scheme or queue."""
        return {
            (name := _parameter(candidate, key)): self._levels[name].index(value)
            for key, value in candidate.settings.items()
        }


def _parameter(candidate: Candidate, key: str) -> str:
    if key in (SCHEME, QUEUE):
        return key
    if key.startswith(f"{QUEUE}."):
        return f"{candidate.path.queue.name}/{key}"
    is_own = any(key == name for name, *_ in leaves(candidate.scheme))
    return f"{candidate.scheme.full_name}/{key}" if is_own else f"path/{key}"


def _levels(candidates: Sequence[Candidate]) -> dict[str, list[Value]]:
    groups: dict[str, list[Candidate]] = {}
    for one in candidates:
        for key in one.settings:
            groups.setdefault(_parameter(one, key), []).append(one)
    return {name: levels_of(group, name.rpartition("/")[2]) for name, group in groups.items()}


def _is_ordered(levels: Sequence[Value]) -> bool:
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels)


def _optuna(size: int) -> Any:
    try:
        import optuna  # noqa: PLC0415  (an extra)
    except ImportError:
        raise UsageError(
            f"the space has {size:,} candidates; Optuna, which samples large spaces, is not installed: "
            'pip install "tmt-clift[tune]", or allow more candidates (most_candidates)'
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
