"""The three fitted models, each a Gilbert-Elliott channel with constraints on its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.theory.fit import gilbert_elliott
from tmt.theory.fit.estimates import Estimate, fit_bernoulli, fit_gilbert
from tmt.theory.fit.goodness import GoodnessOfFit, goodness_of_fit
from tmt.theory.fit.profile import intervals

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.trace import FloatArray
    from tmt.theory.fit.likelihood import RunLikelihood

MODELS = {
    "bernoulli": "Bernoulli",
    "gilbert": "simple Gilbert",
    "gilbert-elliott": "Gilbert-Elliott",
}
"""Names and titles, the simplest model first."""


@dataclass(frozen=True, slots=True)
class ModelFit:
    """One fitted model.

    Attributes
    ----------
    name
        One of `MODELS`.
    parameters
        Estimates with 95 % intervals, by name.
    log_likelihood
        Natural logarithm of the probability of the trace.
    test
        Test of the lengths of bursts and gaps.
    channel
        The same model as a channel.
    """

    name: str
    parameters: dict[str, Estimate]
    log_likelihood: float
    test: GoodnessOfFit
    channel: GilbertElliott

    @property
    def aic(self) -> float:
        """Akaike's information criterion: 2 parameters - 2 log-likelihood; the least is best."""
        return 2.0 * len(self.parameters) - 2.0 * self.log_likelihood


def bernoulli(likelihood: RunLikelihood) -> ModelFit:
    """Fit independent erasures: the same error probability in both states."""

    def channel(point: FloatArray) -> GilbertElliott:
        probability = float(expit(point[0]))
        return GilbertElliott(0.5, 0.5, probability, probability)

    parameters = fit_bernoulli(likelihood.runs)
    point = np.array([logit(parameters["probability"].value)])
    return _tested("bernoulli", parameters, likelihood, channel, point)


def gilbert(likelihood: RunLikelihood) -> ModelFit:
    """Fit the simple Gilbert model: decoded is good, erased is bad."""
    parameters = fit_gilbert(likelihood.runs)
    values = np.array([parameters["alpha"].value, parameters["beta"].value])
    inside = (values > 0.0) & (values < 1.0)

    def channel(point: FloatArray) -> GilbertElliott:
        moved = values.copy()
        moved[inside] = expit(point)
        return GilbertElliott(float(moved[0]), float(moved[1]))

    return _tested("gilbert", parameters, likelihood, channel, logit(values[inside]))


def gilbert_elliott_model(likelihood: RunLikelihood) -> ModelFit:
    """Fit all four parameters."""
    maximum = gilbert_elliott.maximise(likelihood)
    parameters = intervals(likelihood, maximum)

    def channel(point: FloatArray) -> GilbertElliott:
        moved = maximum.logits.copy()
        moved[maximum.free] = point
        return gilbert_elliott.channel_of(moved)

    test = goodness_of_fit(likelihood, channel, maximum.logits[maximum.free], maximum.information)
    return ModelFit("gilbert-elliott", parameters, maximum.log_likelihood, test, maximum.channel)


def _tested(
    name: str,
    parameters: dict[str, Estimate],
    likelihood: RunLikelihood,
    channel: Callable[[FloatArray], GilbertElliott],
    point: FloatArray,
) -> ModelFit:
    information = -gilbert_elliott.hessian(
        lambda moved: likelihood(channel(moved)), point, np.arange(len(point))
    )
    test = goodness_of_fit(likelihood, channel, point, information)
    fitted = channel(point)
    return ModelFit(name, parameters, likelihood(fitted), test, fitted)
