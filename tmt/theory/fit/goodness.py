"""Tests of fitted channels: the lengths of bursts and gaps, and independence of the slots' sizes.

The first is a chi-square test. The fitted channel gives the law of each run's length, conditional on its
first slot and the past. The runs in the cells "1, 2, 3 to 4, 5 to 8 ... slots" are counted and compared with
the sums of these laws. Bursts and gaps are counted separately, and so are runs after a short and after a long
run. The differences between counts and expectations are sums of martingale differences, so their covariance
is known. It is corrected for the estimated parameters after Rao and Robson (Communications in Statistics 3,
1974), so that the statistic has a chi-square law if the model is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import block_diag
from scipy.special import chdtrc

from tmt.theory.fit.likelihood import RunLikelihood, steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.channels.gilbert_elliott import GilbertElliott
    from tmt.core.trace import BoolArray, FloatArray, Int64Array, Uint32Array
    from tmt.theory.fit.likelihood import ErasureRuns

LEVEL = 0.01
"""Significance level: a model with a lower p-value is rejected."""

LEAST_EXPECTED = 8.0
"""Least expected number of runs in a cell; cells with fewer are joined with their neighbours."""

_LEAST_SHARE = 0.1
_STEP = 1e-4


@dataclass(frozen=True, slots=True)
class GoodnessOfFit:
    """Outcome of the test; no degrees of freedom means too few runs to test.

    `worst_difference` is the largest difference between the observed and the fitted distribution function of
    burst or gap lengths at the borders of cells. It measures the model's error independently of the number of
    runs.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float | None
    worst_difference: float

    @property
    def rejected(self) -> bool:
        """Whether the model is rejected at `LEVEL`."""
        return self.p_value is not None and self.p_value < LEVEL


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs of one kind that follow short (or long) runs, and the least length of each of their cells."""

    kind: int
    members: BoolArray
    cells: Int64Array


def goodness_of_fit(
    likelihood: RunLikelihood,
    channel: Callable[[FloatArray], GilbertElliott],
    point: FloatArray,
    information: FloatArray,
) -> GoodnessOfFit:
    """Test a fitted channel against the runs it was fitted to.

    `channel` gives the channel of a point of the model's parameter space; `point`, [n_parameters], is the
    estimate, inside that space, with the observed `information` there, [n_parameters, n_parameters].
    """
    fitted = channel(point)
    groups = _groups(likelihood, fitted)
    if not groups:
        return GoodnessOfFit(0.0, 0, None, 0.0)
    observed = np.concatenate([_observed(likelihood.runs, group) for group in groups])
    expected, covariance = _expected(likelihood, fitted, groups)
    slope = np.empty((len(expected), len(point)))
    for i in range(len(point)):
        high, low = point.copy(), point.copy()
        high[i] += _STEP
        low[i] -= _STEP
        above, below = (_expected(likelihood, channel(moved), groups)[0] for moved in (high, low))
        slope[:, i] = (above - below) / (2 * _STEP)
    root = np.linalg.inv(np.linalg.cholesky(covariance))
    taken = root @ slope
    spread = np.linalg.pinv(information, hermitian=True)
    shares, axes = np.linalg.eigh(np.eye(len(root)) - taken @ spread @ taken.T)
    kept = shares > _LEAST_SHARE
    scores = axes.T @ root @ (observed - expected)
    statistic = float(np.sum(scores[kept] ** 2 / shares[kept]))
    freedom = int(kept.sum())
    p_value = float(chdtrc(freedom, statistic)) if freedom else None
    return GoodnessOfFit(statistic, freedom, p_value, _worst(likelihood, fitted, groups))


def run_length_law(channel: GilbertElliott, kind: int, lengths: Int64Array, good: float) -> FloatArray:
    """Return the probability that a gap (`kind` 0) or burst (1) has `lengths` slots or more: [n_lengths].

    `good` is the probability of the good state in the run's first slot.
    """
    law: FloatArray = _survival(channel, kind, lengths) @ np.array([good, 1.0 - good])
    return law


def mean_good_share(likelihood: RunLikelihood, channel: GilbertElliott, kind: int) -> float:
    """Return the mean probability of the good state in the first slot of the runs of one kind."""
    good = likelihood.good_share(channel)
    return float(good[_kinds(likelihood.runs) == kind].mean())


def _kinds(runs: ErasureRuns) -> Int64Array:
    return (np.arange(len(runs.lengths)) + runs.first_erased) % 2


def _survival(channel: GilbertElliott, kind: int, lengths: Int64Array) -> FloatArray:
    """Return, for each state of the first slot, the probability of a run of at least `lengths`: [n, 2]."""
    step = steps(channel)[kind]
    return np.array([np.linalg.matrix_power(step, int(length) - 1).sum(axis=1) for length in lengths])


def _groups(likelihood: RunLikelihood, channel: GilbertElliott) -> list[_Group]:
    """Group the runs that lie entirely inside the trace, with cells of enough expected runs."""
    runs = likelihood.runs
    lengths, kinds = runs.lengths, _kinds(runs)
    whole = np.zeros(len(lengths), np.bool_)
    whole[1:-1] = True
    before = np.concatenate(([0], lengths[:-1]))
    groups = []
    for kind in (0, 1):
        ours = whole & (kinds == kind)
        if not ours.any():
            continue
        after_long = before > np.median(before[ours])
        for members in (ours & after_long, ours & ~after_long):
            cells = _cells(channel, kind, likelihood.good_share(channel)[members], int(lengths[ours].max()))
            if len(cells) > 1:
                groups.append(_Group(kind, members, cells))
    return groups


def _cells(channel: GilbertElliott, kind: int, good: FloatArray, longest: int) -> Int64Array:
    if len(good) == 0:
        return np.ones(1, np.int64)
    borders = np.concatenate(([1, 2], 2 ** np.arange(1, 40) + 1))
    borders = borders[borders <= 4 * longest]
    shares = np.array([good.sum(), (1.0 - good).sum()])
    above = np.append(_survival(channel, kind, borders) @ shares, 0.0)
    cells, last = [1], float(above[0])
    for border, left in zip(borders[1:], above[1:-1], strict=True):
        if last - left >= LEAST_EXPECTED and left >= LEAST_EXPECTED:
            cells.append(int(border))
            last = float(left)
    return np.array(cells, np.int64)


def _observed(runs: ErasureRuns, group: _Group) -> FloatArray:
    cell = np.searchsorted(group.cells, runs.lengths[group.members], side="right") - 1
    return np.bincount(cell, minlength=len(group.cells))[:-1].astype(np.float64)


def _expected(
    likelihood: RunLikelihood, channel: GilbertElliott, groups: list[_Group]
) -> tuple[FloatArray, FloatArray]:
    """Return the expected number of runs in each cell except the last of each group, and its covariance."""
    good = likelihood.good_share(channel)
    numbers, blocks = [], []
    for group in groups:
        above = np.vstack((_survival(channel, group.kind, group.cells), np.zeros(2)))
        law = (above[:-1] - above[1:])[:-1]
        state = np.stack((good[group.members], 1.0 - good[group.members]))
        number = law @ state.sum(axis=1)
        numbers.append(number)
        blocks.append(np.diag(number) - law @ (state @ state.T) @ law.T)
    return np.concatenate(numbers), block_diag(*blocks)


def _worst(likelihood: RunLikelihood, channel: GilbertElliott, groups: list[_Group]) -> float:
    worst = 0.0
    for group in groups:
        expected, _ = _expected(likelihood, channel, [group])
        difference = np.cumsum(_observed(likelihood.runs, group) - expected) / group.members.sum()
        worst = max(worst, float(np.abs(difference).max()))
    return worst


@dataclass(frozen=True, slots=True)
class SizeDependence:
    """Sizes of erased and of decoded slots.

    `larger_share` is the share of pairs of an erased and a decoded slot in which the erased one is larger;
    pairs of equal sizes count half. Without dependence it is 0.5. `p_value` is that of the two-sided test of
    Mann and Whitney, which assumes that the slots are independent.
    """

    erased_mean_bytes: float
    decoded_mean_bytes: float
    erased_byte_share: float
    larger_share: float
    p_value: float

    @property
    def rejected(self) -> bool:
        """Whether independence of the size is rejected at `LEVEL`."""
        return self.p_value < LEVEL

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        told = (
            f"Sizes: erased slots have {self.erased_mean_bytes:.4g} bytes in the mean, decoded ones "
            f"{self.decoded_mean_bytes:.4g}; {100 * self.erased_byte_share:.3g} % of the bytes are erased. "
        )
        if self.rejected:
            return told + f"Erasures depend on the size (p = {self.p_value:.2g}); no model here knows that."
        return told + f"The size is not seen to matter (p = {self.p_value:.2g})."


def size_dependence(erased: BoolArray, size_bytes: Uint32Array) -> SizeDependence:
    """Compare the sizes of erased and decoded slots, at least one each: two of [n_slots]."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415  (takes long to import)

    lost, got = size_bytes[erased].astype(float), size_bytes[~erased].astype(float)
    test = mannwhitneyu(lost, got, alternative="two-sided", method="asymptotic")
    return SizeDependence(
        float(lost.mean()),
        float(got.mean()),
        float(lost.sum() / (lost.sum() + got.sum())),
        float(test.statistic / (len(lost) * len(got))),
        float(test.pvalue),
    )
