"""Proposes candidates of a large space: Optuna's tree-structured Parzen estimator, asked and told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.results.tune.space import SCHEME, levels_of
from tmt.spec.points import leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.tune.space import Candidate, Value

SEED = 1
"""Fixes the proposals, so that a second call of a search finds its runs in the store."""

BATCH = 16
"""Candidates proposed at a time: they are simulated side by side."""


class Sampler:
    """Proposes candidates that were not proposed before.

    Parameters
    ----------
    n_random
        Candidates drawn uniformly before the estimator proposes any.
    n_objectives
        All of them are maximised.

    Raises
    ------
    UsageError
        When Optuna is not installed.
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
                number = self._draw()
                self.drawn.append(number)
            else:
                number = self._nearest(self._ask())
            self._waiting.discard(number)
            found.append(number)
        return found

    def learn(self, number: int, scores: Sequence[float]) -> None:
        """Take the scores of a candidate."""
        place = self._place(self._candidates[number])
        trial = self._create_trial(
            params=place,
            distributions={name: self._distributions[name] for name in place},
            values=list(scores),
        )
        self._study.add_trial(trial)

    def _draw(self) -> int:
        return int(self._random.choice(sorted(self._waiting)))

    def _ask(self) -> dict[str, Any]:
        """Return the places that the estimator proposes: the scheme first, then its own parameters."""
        trial = self._study.ask()
        place = {SCHEME: self._suggest(trial, SCHEME)}
        scheme = str(self._levels[SCHEME][place[SCHEME]])
        for name in self._levels:
            if name != SCHEME and name.split("/")[0] in (scheme, "path"):
                place[name] = self._suggest(trial, name)
        # The estimator leaves failed trials out. `learn` adds the candidate that was simulated.
        self._study.tell(trial, state=self._failed)
        return place

    def _suggest(self, trial: Any, name: str) -> int:
        last = len(self._levels[name]) - 1
        if _is_ordered(self._levels[name]):
            return int(trial.suggest_int(name, 0, last))
        return int(trial.suggest_categorical(name, range(last + 1)))

    def _nearest(self, place: dict[str, int]) -> int:
        """Return the proposed candidate, or the one with most of its parameters that waits."""
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
        """Return the number of each parameter's level; parameters of a scheme carry its name."""
        return {
            (name := _parameter(candidate, key)): self._levels[name].index(value)
            for key, value in candidate.settings.items()
        }


def _parameter(candidate: Candidate, key: str) -> str:
    if key == SCHEME:
        return SCHEME
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
            "uv pip install 'tmt-clift[tune]', or allow more candidates (most_candidates)"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
