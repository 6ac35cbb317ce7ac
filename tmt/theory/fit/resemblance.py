"""How well traces of a model resemble measured time that the model has not seen: figures, and a verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.units import NS_PER_MS, ns_to_seconds
from tmt.theory.fit.likelihood import ErasureRuns
from tmt.theory.fit.windows import delays_ns, delivered, has_sizes, row_bytes

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int64Array, Trace

REPLICATES = 40
"""Number of traces of each half's model that are compared with the other half."""

DEVIATIONS = 3.0
"""Allowed difference of a figure, in standard deviations over the models' traces."""

TOLERANCE = 0.05
"""Relative difference that does not matter; absolute for correlations."""

SCALES = 1, 4, 16
"""Lengths, in windows, of the intervals whose rates are compared."""

LAGS = 1, 2, 4, 8, 16
"""Lags, in windows, of the autocorrelation of the rate."""

GAP_WINDOWS = 0.25, 1, 4
"""Least length, in windows, of the gaps whose share of the time is compared."""

LEAST_VARIATION = 0.01
"""Relative standard deviation of a rate below which its autocorrelation is meaningless."""

Figures = dict[str, float]


def figures(trace: Trace, length_ns: int, window_ns: int) -> Figures:
    """Return the compared figures of a trace from 0 to `length_ns`, by name; NaN for a figure without data.

    Rates, delays and gaps are those of delivered rows; rates are in Mbit/s, or rows/s where sizes are
    unknown, delays in ms.
    """
    got = delivered(trace)
    tx_time_ns = trace.tx_time_ns[got]
    number = length_ns // window_ns
    weights = row_bytes(trace)[got]
    scale = 8e-6 if has_sizes(trace) else 1.0
    unit = "Mbit/s" if has_sizes(trace) else "rows/s"
    sums = np.bincount(tx_time_ns // window_ns, weights, minlength=number)[:number]
    carried = scale * sums.astype(np.float64)
    found: Figures = {f"rate, mean, {unit}": float(carried.sum()) / ns_to_seconds(number * window_ns)}
    for windows in SCALES:
        rates = _summed(carried, windows) / ns_to_seconds(windows * window_ns)
        for percent in (10, 90):
            value = float(np.percentile(rates, percent)) if len(rates) else np.nan
            found[f"rate in {ns_to_seconds(windows * window_ns):g} s, {percent} %, {unit}"] = value
    for lag in LAGS:
        found[f"autocorrelation of the rate, {lag} windows"] = _correlation(carried, lag)
    gaps_ns = np.diff(tx_time_ns, prepend=0, append=length_ns)
    for share in GAP_WINDOWS:
        least_ns = share * window_ns
        name = f"gaps of {ns_to_seconds(round(least_ns)):g} s or more, share of the time"
        found[name] = float(gaps_ns[gaps_ns >= least_ns].sum()) / length_ns
    return found | _losses(~got) | _delays(delays_ns(trace)[got], tx_time_ns // window_ns)


def _losses(lost: BoolArray) -> Figures:
    bursts = ErasureRuns.of(lost).bursts if len(lost) else np.zeros(0, np.int64)
    return {
        "lost, share of the rows": float(lost.mean()) if len(lost) else np.nan,
        "burst of lost rows, mean": float(bursts.mean()) if len(bursts) else np.nan,
        "lost in bursts of 10 or more, share of the lost": (
            float(bursts[bursts >= 10].sum() / bursts.sum()) if len(bursts) else np.nan
        ),
    }


def _delays(delay_ns: Int64Array, window: Int64Array) -> Figures:
    """Return the figures of delivered rows' delays, [n_rows], given each row's window."""
    means = np.zeros(0)
    if len(delay_ns):
        rows = np.bincount(window)
        means = np.bincount(window, delay_ns.astype(np.float64))[rows > 0] / rows[rows > 0]
    found = {
        f"delay, {percent} %, ms": float(np.percentile(delay_ns, percent)) / NS_PER_MS
        if len(delay_ns)
        else np.nan
        for percent in (50, 95)
    }
    return found | {
        f"autocorrelation of the delay, {lag} windows": _correlation(means, lag) for lag in (1, 4)
    }


def _summed(values: FloatArray, number: int) -> FloatArray:
    """Add up `number` values at a time: [n // number]."""
    whole = len(values) // number
    sums: FloatArray = values[: whole * number].reshape(whole, number).sum(axis=1)
    return sums


def _correlation(values: FloatArray, lag: int) -> float:
    """Return the autocorrelation at a lag; NaN for values that are too few or do not vary."""
    if len(values) < 2 * lag or values.std() <= LEAST_VARIATION * abs(values.mean()):
        return np.nan
    apart = values - values.mean()
    return float((apart[:-lag] * apart[lag:]).mean() / apart.var())


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of both halves of a measured trace, and of traces of the two models, each fitted to one
    half.

    Attributes
    ----------
    first, second : of the measured halves
    model : mean of all traces of both models
    low, high : interval that holds 95 % of these traces
    off : mean difference of the traces of one half's model and the other half, in both directions
    allowed : largest `off` that fits
    apart_allowed : largest difference of the measured halves that fits
    """

    name: str
    first: float
    second: float
    model: float
    low: float
    high: float
    off: float
    allowed: float
    apart_allowed: float

    @classmethod
    def of(
        cls, name: str, measured: tuple[float, float], of_first: FloatArray, of_second: FloatArray
    ) -> Comparison:
        """Compare measured values with those of the traces of both models, [n] each."""
        first, second = measured
        mean = (first + second) / 2
        slack = TOLERANCE if name.startswith("autocorrelation") else TOLERANCE * abs(mean)
        spread = float(np.hypot(of_first.std(), of_second.std()))
        drawn = np.concatenate((of_first, of_second))
        low, high = np.percentile(drawn, (2.5, 97.5))
        off = (float(of_first.mean()) - second + float(of_second.mean()) - first) / 2
        return cls(
            name,
            first,
            second,
            mean + off,
            float(low),
            float(high),
            off,
            DEVIATIONS * spread / 2 + slack,
            DEVIATIONS * spread + slack,
        )

    @property
    def fits(self) -> bool:
        """Whether each model's traces resemble the half that the model has not seen."""
        return abs(self.off) <= self.allowed

    @property
    def is_steady(self) -> bool:
        """Whether the measured halves differ no more than traces of the models do."""
        return abs(self.first - self.second) <= self.apart_allowed

    @property
    def outcome(self) -> str:
        """The failed checks in words; empty if none."""
        return "" if self.fits and self.is_steady else "off" if not self.fits else "halves differ"

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        return asdict(self) | {"fits": self.fits, "is_steady": self.is_steady}


@dataclass(frozen=True, slots=True)
class Resemblance:
    """The comparisons of all figures that the trace has."""

    comparisons: tuple[Comparison, ...]

    @property
    def adequate(self) -> bool:
        """Whether every figure passes both checks."""
        return all(one.fits and one.is_steady for one in self.comparisons)

    @property
    def verdict(self) -> str:
        """The outcome in a sentence or two."""
        number = len(self.comparisons)
        if self.adequate:
            return f"Adequate: all {number} figures of its traces are like those of the held-out halves."
        off = [one.name for one in self.comparisons if not one.fits]
        unsteady = [one.name for one in self.comparisons if one.fits and not one.is_steady]
        told = [f"{len(off)} of {number} figures of its traces are off ({_named(off)})"] if off else []
        if unsteady:
            told.append(f"{len(unsteady)} differ more between the measured halves ({_named(unsteady)})")
        return f"Not adequate: {'; '.join(told)}."

    def to_json(self) -> dict[str, Any]:
        """Return the comparisons and the verdict as a JSON object."""
        return {
            "adequate": self.adequate,
            "text": self.verdict,
            "figures": [one.to_json() for one in self.comparisons],
        }


def _named(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return "; ".join(names[:3]) + more


def compare(
    first: Figures, second: Figures, of_first: list[Figures], of_second: list[Figures]
) -> Resemblance:
    """Compare the figures of two measured halves and of traces of a model of each half."""
    comparisons = []
    for name in first:
        measured = first[name], second[name]
        drawn = [
            np.array([one[name] for one in traces if np.isfinite(one[name])])
            for traces in (of_first, of_second)
        ]
        if np.isfinite(measured).all() and min(map(len, drawn)) > 1:
            comparisons.append(Comparison.of(name, measured, *drawn))
    return Resemblance(tuple(comparisons))
