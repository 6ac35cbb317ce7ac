"""Maximum likelihood for the Gilbert-Elliott channel, with intervals for each of its parameters.

The search runs over the logits of the four probabilities, so that no step leaves the allowed range.

An interval holds the values of a parameter whose likelihood, maximised over the other parameters, lies within
the chi-square bound of the maximum (Venzon and Moolgavkar, Applied Statistics 37, 1988). An interval includes
0 or 1 if the data do not exclude them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.theory.fit.likelihood import NORMAL_QUANTILE, Estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tmt.core.trace import FloatArray
    from tmt.theory.fit.likelihood import RunLikelihood

    Axes = npt.NDArray[np.intp]

PARAMETERS = ("alpha", "beta", "error_good", "error_bad")

EDGE = 16.0
"""Logit beyond which a probability counts as 0 or 1; the error is then below 1.2e-7."""

_MEMORIES, _BAD_ERRORS = (0.3, 0.8, 0.95, 0.99, 0.999), (0.2, 0.5, 0.95)
"""Starting points: alpha + beta - 1, and error probabilities of the bad state."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """The maximum of the likelihood.

    `logits`, [4], are those of `PARAMETERS`, plus or minus `EDGE` for a parameter of 1 or 0. `free`,
    [n_free], are the indices of the others; `information`, [n_free, n_free], is the observed information at
    their logits.
    """

    logits: FloatArray
    log_likelihood: float
    free: Axes
    information: FloatArray

    @property
    def channel(self) -> GilbertElliott:
        """The channel with the estimated parameters."""
        return channel_of(self.logits)


def channel_of(logits: FloatArray) -> GilbertElliott:
    """Return the channel with these parameters; logits beyond `EDGE` give exactly 0 or 1."""
    inside = expit(np.clip(logits, -30.0, 30.0))
    values = np.where(logits >= EDGE, 1.0, np.where(logits <= -EDGE, 0.0, inside))
    if values[0] == 1.0:  # alpha = 1: the chain would never leave the good state
        values[0] = inside[0]
    return GilbertElliott(*(float(value) for value in values))


def maximise(likelihood: RunLikelihood) -> Maximum:
    """Find the channel that maximises the likelihood of the runs, from several starting points."""

    def log_likelihood(logits: FloatArray) -> float:
        return likelihood(channel_of(logits))

    starts = sorted(_starts(likelihood), key=log_likelihood, reverse=True)[:3]
    found = [_climb(log_likelihood, start, np.arange(4)) for start in starts]
    best = max(found, key=log_likelihood)
    if best[3] < best[2]:
        best = np.array([best[1], best[0], best[3], best[2]])
    best = _settle_edges(log_likelihood, best)
    free = np.flatnonzero(np.abs(best) < EDGE)
    information = -hessian(log_likelihood, best, free)
    return Maximum(best, log_likelihood(best), free, information)


def hessian(function: Callable[[FloatArray], float], point: FloatArray, axes: Axes) -> FloatArray:
    """Return the second derivatives of `function` along `axes`, by central differences: [n_axes, n_axes]."""
    step = 4e-3
    result = np.empty((len(axes), len(axes)))
    for i, first in enumerate(axes):
        for j, second in enumerate(axes[: i + 1]):
            total = 0.0
            for sign_first in (-1, 1):
                for sign_second in (-1, 1):
                    moved = point.copy()
                    moved[first] += sign_first * step
                    moved[second] += sign_second * step
                    total += sign_first * sign_second * function(moved)
            result[i, j] = result[j, i] = total / (4 * step**2)
    return result


def whitening(information: FloatArray) -> FloatArray:
    """Return W with ``W @ W.T`` the inverse information; directions with little information are shortened."""
    values, vectors = np.linalg.eigh(information)
    white: FloatArray = vectors / np.sqrt(np.maximum(values, 0.05))
    return white


def _starts(likelihood: RunLikelihood) -> list[FloatArray]:
    share = likelihood.runs.erased / likelihood.runs.slots
    starts = []
    for error_bad in _BAD_ERRORS:
        error_bad_above = max(error_bad, share + 0.6 * (1 - share))
        error_good = 0.1 * share
        bad = (share - error_good) / (error_bad_above - error_good)
        for memory in _MEMORIES:
            leave = 1.0 - memory
            values = np.array([1 - leave * bad, 1 - leave * (1 - bad), error_good, error_bad_above])
            starts.append(logit(np.clip(values, 1e-6, 1 - 1e-6)))
    return starts


def _climb(function: Callable[[FloatArray], float], start: FloatArray, axes: Axes) -> FloatArray:
    def fall(part: FloatArray) -> float:
        point = start.copy()
        point[axes] = part
        return -function(point)

    bounds = [(-EDGE, EDGE)] * len(axes)
    options: Any = {"ftol": 1e-10, "gtol": 1e-4, "eps": 1e-5, "maxiter": 200}
    found = minimize(fall, start[axes], method="L-BFGS-B", bounds=bounds, options=options)
    result = start.copy()
    result[axes] = found.x
    return result


def _settle_edges(function: Callable[[FloatArray], float], point: FloatArray) -> FloatArray:
    """Set parameters to 0 or 1 if that does not lower the likelihood, then maximise again over the others."""
    for i in (2, 3, 1, 0):
        if abs(point[i]) < 6.0:
            continue
        edge = point.copy()
        edge[i] = np.copysign(EDGE, point[i])
        edge = _climb(function, edge, np.flatnonzero(np.abs(edge) < EDGE))
        if function(edge) >= function(point) - 1e-3:
            point = edge
    return point


def intervals(likelihood: RunLikelihood, maximum: Maximum) -> dict[str, Estimate]:
    """Return the estimates with their profile-likelihood intervals, by name."""
    profile = _Profile(likelihood, maximum)
    return {
        name: Estimate(getattr(maximum.channel, name), profile.limit(i, -1), profile.limit(i, +1))
        for i, name in enumerate(PARAMETERS)
    }


class _Profile:
    """The likelihood along one parameter, maximised over the others."""

    def __init__(self, likelihood: RunLikelihood, maximum: Maximum) -> None:
        self._likelihood, self._maximum = likelihood, maximum

    def limit(self, axis: int, direction: int) -> float:
        """Return the end of the interval of parameter `axis`, below (-1) or above (+1) the estimate."""
        best, top = self._maximum.logits, self._maximum.log_likelihood
        others = np.array([i for i in self._maximum.free if i != axis])
        near = float(best[axis])
        if abs(near) >= EDGE:
            if np.sign(near) == direction:
                return float(direction > 0)
            near, step = float(np.copysign(12.0, near)), 2.0
        else:
            step = NORMAL_QUANTILE * self._deviation(axis)
        point, inside, inside_root, shortest = best, near, 0.0, step / 4
        while True:
            far = float(np.clip(inside + direction * step, -EDGE, EDGE))
            point = self._follow(point, axis, far, others)
            root = np.sqrt(max(0.0, 2 * (top - self._at(point))))
            if root >= NORMAL_QUANTILE:
                break
            if abs(far) >= EDGE:
                return float(direction > 0)
            # The root of the drop is nearly proportional to the distance: step a little beyond the bound.
            aim = step * (1.05 * NORMAL_QUANTILE - root) / max(root - inside_root, 0.2)
            step = min(4.0, max(shortest, aim))
            inside, inside_root = far, root
        for _ in range(12):
            if root - inside_root < 1e-9 or abs(far - inside) < 1e-9:
                break
            share = (NORMAL_QUANTILE - inside_root) / (root - inside_root)
            middle = inside + (far - inside) * min(max(share, 0.05), 0.95)
            point = self._follow(point, axis, middle, others)
            height = np.sqrt(max(0.0, 2 * (top - self._at(point))))
            if abs(height - NORMAL_QUANTILE) < 0.01:
                return float(expit(middle))
            if height < NORMAL_QUANTILE:
                inside, inside_root = middle, height
            else:
                far, root = middle, height
        return float(expit((inside + far) / 2))

    def _deviation(self, axis: int) -> float:
        position = int(np.flatnonzero(self._maximum.free == axis)[0])
        covariance = whitening(self._maximum.information) @ whitening(self._maximum.information).T
        return float(np.clip(np.sqrt(covariance[position, position]), 1e-4, 1.5))

    def _at(self, point: FloatArray) -> float:
        return self._likelihood(channel_of(point))

    def _follow(self, point: FloatArray, axis: int, value: float, others: Axes) -> FloatArray:
        """Return the best point with parameter `axis` at `value`, searched from `point` over the others."""
        moved = point.copy()
        moved[axis] = value
        if len(others) == 0:
            return moved
        kept = np.isin(self._maximum.free, others)
        white = whitening(self._maximum.information[np.ix_(kept, kept)])

        def place(part: FloatArray) -> FloatArray:
            placed = moved.copy()
            placed[others] = np.clip(moved[others] + white @ part, -EDGE + 1e-6, EDGE - 1e-6)
            return placed

        def fall(part: FloatArray) -> float:
            return -self._at(place(part))

        start: FloatArray = np.zeros(len(others))
        options: Any = {"gtol": 0.05, "eps": 1e-4, "maxiter": 60}
        found = minimize(fall, start, method="BFGS", options=options)
        return place(found.x)
