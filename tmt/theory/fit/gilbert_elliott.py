"""Maximum likelihood for the Gilbert-Elliott channel.

The search runs over the logits of the four probabilities, so that no step leaves the allowed range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from tmt.core.channels.gilbert_elliott import GilbertElliott

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tmt.core.trace import FloatArray
    from tmt.theory.fit.likelihood import RunLikelihood

    Axes = npt.NDArray[np.intp]

PARAMETERS = ("alpha", "beta", "error_good", "error_bad")

EDGE = 16.0
"""Logit at which a probability counts as 0 or 1: the distance is then below 1.2e-7."""

_MEMORIES, _BAD_ERRORS = (0.3, 0.8, 0.95, 0.99, 0.999), (0.2, 0.5, 0.95)
"""Starting points: alpha + beta - 1, and error probabilities of the bad state."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """The maximum of the likelihood.

    Attributes
    ----------
    logits : [4]
        Logits of `PARAMETERS`; plus or minus `EDGE` for a parameter of 1 or 0.
    log_likelihood
        Logarithm of the likelihood.
    free : [n_free], int
        Indices of the parameters that are strictly between 0 and 1.
    information : [n_free, n_free]
        Observed information about the logits of the free parameters.
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
    """Set parameters to 0 or 1 if that does not lower the likelihood, then maximise over the others again."""
    for i in (2, 3, 1, 0):
        if abs(point[i]) < 6.0:
            continue
        edge = point.copy()
        edge[i] = np.copysign(EDGE, point[i])
        edge = _climb(function, edge, np.flatnonzero(np.abs(edge) < EDGE))
        if function(edge) >= function(point) - 1e-3:
            point = edge
    return point
