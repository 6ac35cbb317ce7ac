"""A semi-Markov model of a trace's windows: states, how long each lasts, and which one follows.

A state is a set of similar windows. The model draws how many windows a state lasts (its dwell) and the state
after it. A stay is filled with measured windows of its state: consecutive ones from a random one to the end
of that measured stay, then again from another random one. With one state windows are drawn independently. The
likelihood of a trace, relative to that of independent windows, is that of its states divided by their shares.
It allows comparing numbers of states, whatever the law of the windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.vq import ClusterError, kmeans2
from scipy.optimize import minimize
from scipy.special import betainc, gammaln, xlog1py

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int64Array

MOST_STATES = 12

PATIENCE = 4
"""Numbers of states tried beyond the best one."""

LEAST_VISITS = 3
"""Whole stays that each state must have in the trace, or the number of states is not chosen."""

LEAST_STAYS = 10
"""Stays of a state from which a second parameter of its dwell is tried."""

_STARTS = 8
_CLUSTER_SEED = 20


@dataclass(frozen=True, slots=True)
class Dwell:
    """Number of windows that a state lasts: 1 and a negative binomial number of this mean and shape.

    Shape 1 is the geometric law, which has no memory and one parameter.
    """

    mean_more: float
    shape: float
    parameters: int

    @property
    def mean(self) -> float:
        """Mean number of windows."""
        return 1.0 + self.mean_more

    @property
    def _stop(self) -> float:
        return self.shape / (self.shape + self.mean_more)

    def log_probability(self, windows: Int64Array) -> FloatArray:
        """Return the logarithm of the probability that a stay has this many windows: [n]."""
        more = windows - 1.0
        ways = gammaln(more + self.shape) - gammaln(self.shape) - gammaln(more + 1.0)
        found: FloatArray = ways + self.shape * log(self._stop) + xlog1py(more, -self._stop)
        return found

    def at_least(self, windows: Int64Array) -> FloatArray:
        """Return the probability that a stay has this many windows or more: [n]."""
        more = windows - 1.0
        return np.where(more > 0, betainc(np.maximum(more, 1.0), self.shape, 1.0 - self._stop), 1.0)

    def log_likelihood(self, ended: Int64Array, cut: Int64Array) -> float:
        """Return the log-likelihood of whole stays and of stays that an end of the trace cuts."""
        with np.errstate(divide="ignore"):
            return float(self.log_probability(ended).sum() + np.log(self.at_least(cut)).sum())

    def draw(self, rng: np.random.Generator) -> int:
        """Draw the windows of a stay."""
        return 1 + int(rng.negative_binomial(self.shape, self._stop))

    def draw_rest(self, rng: np.random.Generator, most: int) -> int:
        """Draw the remaining windows of a stay at a random time, at most `most`."""
        law = self.at_least(np.arange(1, most + 1)) / self.mean
        law[-1] += max(1.0 - law.sum(), 0.0)
        return 1 + int(rng.choice(most, p=law / law.sum()))


def fit_dwell(ended: Int64Array, cut: Int64Array) -> Dwell:
    """Estimate a dwell by maximum likelihood, with a second parameter if the BIC prefers it.

    `ended` are the windows of whole stays, at least one; `cut` those of stays that an end of the trace cuts.
    """
    more = float(ended.sum() + cut.sum() - len(ended) - len(cut))
    geometric = Dwell(more / len(ended), 1.0, 1)
    if more == 0 or len(ended) < LEAST_STAYS:
        return geometric

    def cost(point: FloatArray) -> float:
        mean, shape = np.exp(np.clip(point, -12.0, 12.0))
        value = -Dwell(float(mean), float(shape), 2).log_likelihood(ended, cut)
        return value if np.isfinite(value) else 1e12

    found = minimize(cost, np.array([log(geometric.mean_more), 0.0]), method="Nelder-Mead")
    mean, shape = np.exp(np.clip(found.x, -12.0, 12.0))
    gain = -float(found.fun) - geometric.log_likelihood(ended, cut)
    return Dwell(float(mean), float(shape), 2) if 2 * gain > log(len(ended)) else geometric


@dataclass(frozen=True, slots=True)
class SemiMarkov:
    """States of a trace's windows and the laws of their order.

    Attributes
    ----------
    states : [n_windows], int64, state of each measured window, from 0, in the order of mean rate
    follows : [n_states, n_states], probability that a state follows another one; 0 on the diagonal
    dwells : how long each state lasts; none where there is one state
    log_likelihood : of the states' order, relative to independent windows
    """

    states: Int64Array
    follows: FloatArray
    dwells: tuple[Dwell, ...]
    log_likelihood: float

    name = "semi-markov"
    title = "Semi-Markov model"

    @property
    def parameters(self) -> int:
        """Free probabilities of the transitions that occur, and parameters of dwells."""
        free = np.count_nonzero(self.follows) - np.count_nonzero(self.follows.any(axis=1))
        return int(free) + sum(dwell.parameters for dwell in self.dwells)

    @property
    def bic(self) -> float:
        """Bayes' information criterion relative to that of one state, which is 0; the least is best."""
        return self.parameters * log(len(self.states)) - 2.0 * self.log_likelihood

    @property
    def described(self) -> str:
        """Size of the model in words."""
        number = len(self.follows)
        return (
            f"{number} state{'s'[: number > 1]}, {self.parameters} parameters, "
            f"{len(self.states)} measured windows"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the model without its windows."""
        return {
            "name": self.name,
            "states": len(self.follows),
            "parameters": self.parameters,
            "bic": self.bic,
            "follows": self.follows.tolist(),
            "dwells": [
                {"mean": dwell.mean, "shape": dwell.shape, "parameters": dwell.parameters}
                for dwell in self.dwells
            ],
        }

    def draw(self, rng: np.random.Generator, windows: int) -> Int64Array:
        """Draw indices of measured windows, from a random time on: [windows], int64."""
        if not self.dwells:
            return rng.integers(len(self.states), size=windows)
        members = [np.flatnonzero(self.states == state) for state in range(len(self.follows))]
        ends = np.append(np.flatnonzero(np.diff(self.states)) + 1, len(self.states))
        end_of_stay = np.repeat(ends, np.diff(ends, prepend=0))
        drawn = np.empty(windows, np.int64)
        at = 0
        for state, stay in zip(*stays_of(self.draw_states(rng, windows)), strict=True):
            until = at + int(stay)
            while at < until:
                start = int(rng.choice(members[state]))
                end = min(until, at + int(end_of_stay[start]) - start)
                drawn[at:end] = np.arange(start, start + end - at)
                at = end
        return drawn

    def draw_states(self, rng: np.random.Generator, windows: int) -> Int64Array:
        """Draw the states of consecutive windows: [windows], int64."""
        path = np.zeros(windows, np.int64)
        if not self.dwells:
            return path
        state = int(self.states[rng.integers(len(self.states))])
        stay, at = self.dwells[state].draw_rest(rng, windows), 0
        while at < windows:
            path[at : at + stay] = state
            at += stay
            state = int(rng.choice(len(self.follows), p=self.follows[state]))
            stay = self.dwells[state].draw(rng)
        return path


def stays_of(states: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the state and the number of windows of each stay, in their order: two of [n_stays]."""
    edges = np.flatnonzero(np.diff(states)) + 1
    return states[np.concatenate(([0], edges))], np.diff(edges, prepend=0, append=len(states))


def model_of(states: Int64Array, number: int, least_visits: int = LEAST_VISITS) -> SemiMarkov | None:
    """Fit the laws of the order of states, [n_windows] from 0 on; None where a state has too few stays."""
    if number == 1:
        return SemiMarkov(states, np.zeros((1, 1)), (), 0.0)
    visited, windows = stays_of(states)
    counts = np.zeros((number, number))
    np.add.at(counts, (visited[:-1], visited[1:]), 1.0)
    inner = visited[1:-1]
    if len(visited) < 2 or np.bincount(inner, minlength=number).min() < least_visits:
        return None
    ends = np.isin(np.arange(len(visited)), (0, len(visited) - 1))
    dwells, gained = [], 0.0
    for state in range(number):
        ours = visited == state
        ended, cut = windows[ours & ~ends], windows[ours & ends]
        dwells.append(fit_dwell(ended, cut))
        gained += dwells[-1].log_likelihood(ended, cut)
    follows = counts / counts.sum(axis=1, keepdims=True)
    seen = counts > 0
    gained += float((counts[seen] * np.log(follows[seen])).sum())
    shares = np.bincount(states, minlength=number) / len(states)
    return SemiMarkov(states, follows, tuple(dwells), gained - float(np.log(shares[states[1:]]).sum()))


def find_states(features: FloatArray, number: int) -> Int64Array:
    """Group windows by k-means, the best of some fixed starts: [n_windows], int64.

    `features` are [n_windows, n_features] on comparable scales; groups are numbered by their first feature.
    All windows are one group if no start gives this many groups.
    """
    rng = np.random.default_rng(_CLUSTER_SEED)
    best, least = np.zeros(len(features), np.int64), inf
    for _ in range(_STARTS if number > 1 else 0):
        try:
            centres, labels = kmeans2(features, number, iter=25, minit="++", rng=rng, missing="raise")
        except ClusterError:  # a group became empty
            continue
        spread = float(((features - centres[labels]) ** 2).sum())
        if spread < least:
            best, least = np.argsort(np.argsort(centres[:, 0], kind="stable"))[labels], spread
    return best


def fit_semi_markov(features: FloatArray, states: int | None = None) -> SemiMarkov:
    """Fit a model to windows' features, [n_windows, n_features].

    The number of states is that of the least BIC; the search ends after `PATIENCE` numbers without
    improvement. If `states` is given, it is that number, or fewer where a state would not both begin and end
    in the windows.
    """
    best = model_of(np.zeros(len(features), np.int64), 1)
    assert best is not None
    most = min(states or MOST_STATES, len(np.unique(features, axis=0)))
    if states is not None:
        found = (model_of(find_states(features, number), number, 1) for number in range(most, 1, -1))
        return next((model for model in found if model is not None), best)
    for number in range(2, most + 1):
        model = model_of(find_states(features, number), number)
        if model is not None and model.bic < best.bic:
            best = model
        elif number - len(best.follows) >= PATIENCE:
            break
    return best
