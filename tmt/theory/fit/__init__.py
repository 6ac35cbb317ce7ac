"""Fits of three erasure models to a trace: estimates with intervals, tests, the verdict, and curves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit

from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.errors import UsageError
from tmt.core.words.html_table import Charted, html_table, spelled_number
from tmt.theory.fit.gilbert_elliott import channel_of, hessian, intervals, maximise
from tmt.theory.fit.goodness import (
    LEVEL,
    GoodnessOfFit,
    SizeDependence,
    goodness_of_fit,
    mean_good_share,
    run_length_law,
    size_dependence,
)
from tmt.theory.fit.likelihood import (
    ErasureRuns,
    Estimate,
    RunLikelihood,
    autocorrelation,
    fit_gilbert,
    length_counts,
    proportion,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.trace import BoolArray, FloatArray, Int64Array, Uint32Array

MODELS = {"bernoulli": "Bernoulli", "gilbert": "simple Gilbert", "gilbert-elliott": "Gilbert-Elliott"}
"""Names and titles, from the simplest model on."""

LEAST_BURSTS = 5
"""Least number of bursts in a trace for a fit."""

_GRID = 60


@dataclass(frozen=True, slots=True)
class ModelFit:
    """One fitted model of `MODELS`: estimates with 95 % intervals by name, and the estimates as a channel.

    `log_likelihood` is the natural logarithm of the trace's probability; the test is on burst and gap
    lengths.
    """

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

    parameters = {"probability": proportion(likelihood.runs.erased, likelihood.runs.slots)}
    point = np.array([logit(parameters["probability"].value)])
    return _tested(parameters, likelihood, channel, point)


def gilbert(likelihood: RunLikelihood) -> ModelFit:
    """Fit the simple Gilbert model: decoded is good, erased is bad."""
    parameters = fit_gilbert(likelihood.runs)
    values = np.array([parameters["alpha"].value, parameters["beta"].value])
    inside = (values > 0.0) & (values < 1.0)

    def channel(point: FloatArray) -> GilbertElliott:
        moved = values.copy()
        moved[inside] = expit(point)
        return GilbertElliott(float(moved[0]), float(moved[1]))

    return _tested(parameters, likelihood, channel, logit(values[inside]))


def gilbert_elliott_model(likelihood: RunLikelihood) -> ModelFit:
    """Fit all four parameters."""
    maximum = maximise(likelihood)
    parameters = intervals(likelihood, maximum)

    def channel(point: FloatArray) -> GilbertElliott:
        moved = maximum.logits.copy()
        moved[maximum.free] = point
        return channel_of(moved)

    test = goodness_of_fit(likelihood, channel, maximum.logits[maximum.free], maximum.information)
    return ModelFit(parameters, maximum.log_likelihood, test, maximum.channel)


def _tested(
    parameters: dict[str, Estimate],
    likelihood: RunLikelihood,
    channel: Callable[[FloatArray], GilbertElliott],
    point: FloatArray,
) -> ModelFit:
    information = -hessian(lambda moved: likelihood(channel(moved)), point, np.arange(len(point)))
    test = goodness_of_fit(likelihood, channel, point, information)
    fitted = channel(point)
    return ModelFit(parameters, likelihood(fitted), test, fitted)


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves of one fitted model, at the lengths and lags of `FitReport`."""

    burst_share: FloatArray
    gap_share: FloatArray
    correlation: FloatArray


@dataclass(frozen=True, slots=True)
class FitReport(Charted):
    """Fits of one trace.

    Attributes
    ----------
    slots, erased : numbers of slots and of erased slots
    burst_lengths, gap_lengths : number of runs of erased and of decoded slots, by length
    lags, correlation : [n_lags], see `tmt.theory.fit.likelihood.autocorrelation`
    models, curves : by name, the simplest first
    burst_grid, gap_grid : [n], lengths at which `Curves` give the share of runs that are at least as long
    sizes : comparison of erased and decoded slots; None where slots have no sizes of their own
    """

    slots: int
    erased: int
    burst_lengths: dict[int, int]
    gap_lengths: dict[int, int]
    lags: Int64Array
    correlation: FloatArray
    models: dict[str, ModelFit]
    burst_grid: Int64Array
    gap_grid: Int64Array
    curves: dict[str, Curves]
    sizes: SizeDependence | None = None

    @property
    def adequate(self) -> str | None:
        """Name of the simplest model that is not rejected; None if all are rejected."""
        return next((name for name, model in self.models.items() if not model.test.rejected), None)

    @property
    def judged(self) -> bool:
        """Whether there were enough runs to test at least one model."""
        return any(model.test.degrees_of_freedom for model in self.models.values())

    @property
    def verdict(self) -> str:
        """The outcome in a sentence or two."""
        if not self.judged:
            return "Too few bursts and gaps to judge any model."
        if self.adequate is not None:
            return (
                f"{MODELS[self.adequate]}: the simplest model that the lengths of bursts and gaps do not "
                f"reject at the {100 * LEVEL:g} % level."
            )
        worst = self.models["gilbert-elliott"].test.worst_difference
        return (
            f"No two-state model: the lengths of bursts and gaps reject all three at the {100 * LEVEL:g} % "
            f"level. The most general of them, Gilbert-Elliott, is off by up to {worst:.2g} of the runs."
        )

    def _repr_html_(self) -> str:
        header = ("", "parameters", "AIC", "rejected")
        rows = [
            (
                MODELS[name],
                ", ".join(f"{key} {value.value:.4g}" for key, value in model.parameters.items()),
                spelled_number(model.aic),
                spelled_number(model.test.rejected),
            )
            for name, model in self.models.items()
        ]
        return html_table(self.verdict, rows, header)

    def to_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return {
            "slots": self.slots,
            "erased": self.erased,
            "verdict": {"model": self.adequate, "level": LEVEL, "judged": self.judged, "text": self.verdict},
            "models": {
                name: {
                    "parameters": {key: asdict(value) for key, value in model.parameters.items()},
                    "log_likelihood": model.log_likelihood,
                    "aic": model.aic,
                    "goodness_of_fit": {**asdict(model.test), "rejected": model.test.rejected},
                }
                for name, model in self.models.items()
            },
            "autocorrelation": {"lag": self.lags.tolist(), "value": self.correlation.tolist()},
            "burst_lengths": self.burst_lengths,
            "gap_lengths": self.gap_lengths,
            "sizes": None
            if self.sizes is None
            else {**asdict(self.sizes), "rejected": self.sizes.rejected, "text": self.sizes.sentence},
        }


def fit(
    erased: BoolArray,
    progress: Callable[[int], None] = lambda _: None,
    *,
    size_bytes: Uint32Array | None = None,
) -> FitReport:
    """Fit the three models to the erasures of a trace, [n_slots], bool (UsageError with too few bursts).

    `progress` is called with 1 for each finished model; `size_bytes`, [n_slots], are the slots' sizes.
    """
    runs = ErasureRuns.of(erased)
    if len(runs.bursts) < LEAST_BURSTS:
        raise UsageError(f"holds {len(runs.bursts)} erasure bursts, a fit needs {LEAST_BURSTS} or more")
    likelihood = RunLikelihood(runs)
    models = {}
    for name, fit_model in zip(MODELS, (bernoulli, gilbert, gilbert_elliott_model), strict=True):
        models[name] = fit_model(likelihood)
        progress(1)
    lags, correlation = autocorrelation(erased)
    burst_grid, gap_grid = _grid(runs.bursts), _grid(runs.gaps)
    return FitReport(
        slots=runs.slots,
        erased=runs.erased,
        burst_lengths=length_counts(runs.bursts),
        gap_lengths=length_counts(runs.gaps),
        lags=lags,
        correlation=correlation,
        models=models,
        burst_grid=burst_grid,
        gap_grid=gap_grid,
        curves={
            name: _curves(likelihood, model.channel, burst_grid, gap_grid, lags)
            for name, model in models.items()
        },
        sizes=None if size_bytes is None else size_dependence(erased, size_bytes),
    )


def channel_correlation(channel: GilbertElliott, lags: Int64Array) -> FloatArray:
    """Return the autocorrelation of the erasures of a channel at positive lags: [n_lags]."""
    share, bad = channel.erasure_probability, channel.bad_probability
    step = (channel.error_bad - channel.error_good) ** 2 * bad * (1.0 - bad) / (share * (1.0 - share))
    return step * (channel.alpha + channel.beta - 1.0) ** lags.astype(np.float64)


def _curves(
    likelihood: RunLikelihood,
    channel: GilbertElliott,
    burst_grid: Int64Array,
    gap_grid: Int64Array,
    lags: Int64Array,
) -> Curves:
    burst_good, gap_good = (mean_good_share(likelihood, channel, kind) for kind in (1, 0))
    return Curves(
        run_length_law(channel, 1, burst_grid, burst_good),
        run_length_law(channel, 0, gap_grid, gap_good),
        channel_correlation(channel, lags),
    )


def _grid(lengths: Int64Array) -> Int64Array:
    return np.unique(np.geomspace(1, int(lengths.max()), _GRID).round().astype(np.int64))
