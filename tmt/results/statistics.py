"""Means and intervals over seeds, and significance tests between treatments.

A *treatment* is one of the compared items (a TCP variant, a scheme). A *block* is what the treatments share:
a trace and a seed, hence one channel realisation. Runs of one block are paired, so the channel's randomness
cancels in their differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LEVEL = 0.95
"""Default confidence level."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval, in the unit of the values; NaN if their `count` is too small."""

    mean: float
    low: float
    high: float
    count: int

    @property
    def half_width(self) -> float:
        """Half of the interval's length; the longer part if the interval ends at a bound."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def is_symmetric(self) -> bool:
        """Whether the mean is the middle of the interval, as in each interval that ends at no bound."""
        return math.isclose(
            self.high - self.mean, self.mean - self.low, rel_tol=1e-6, abs_tol=1e-9 * abs(self.mean)
        )

    def scaled(self, factor: float) -> Interval:
        """Return the mean and the interval in another unit, or with the other sign."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.mean, low, high, self.count)

    def within(self, least: float, most: float) -> Interval:
        """Return the interval cut at `least` and `most`, beyond which no mean can be.

        The removed part never holds the true mean, so the coverage stays the same.
        """
        return Interval(self.mean, max(self.low, least), min(self.high, most), self.count)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two treatments on the same blocks: the mean of first minus second, and its significance.

    `first` and `second` are columns of the compared table. `p_value` is that of this pair alone; `p_adjusted`
    accounts for all pairs of the table.
    """

    first: int
    second: int
    difference: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class Rank:
    """Rank of a treatment: treatments that share a letter do not differ significantly.

    `column` is its column in the table; `among_best` means that it is the best or not significantly worse.
    """

    column: int
    letters: str
    among_best: bool


def t_interval(values: npt.ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean and Student's t interval of independent values of any shape; NaN values are left out.

    The interval is exact for normal values; for others the coverage approaches `level` as the count grows.
    UsageError when `level` does not lie between 0 and 1.
    """
    return t_intervals(_finite(values, level)[None], level)[0]


def t_intervals(values: FloatArray, level: float = LEVEL) -> list[Interval]:
    """Return `t_interval` of each row of finite values: [n_groups, n_values], float64."""
    groups, count = values.shape
    if not count:
        return [Interval(math.nan, math.nan, math.nan, 0)] * groups
    means = values.mean(axis=1)
    halves = np.full(groups, math.nan)
    if count > 1:
        halves = _t_quantile(level, count - 1) * (values.std(axis=1, ddof=1) / math.sqrt(count))
    bounds = zip(means.tolist(), (means - halves).tolist(), (means + halves).tolist(), strict=True)
    return [Interval(mean, low, high, count) for mean, low, high in bounds]


def bootstrap_interval(
    values: npt.ArrayLike, level: float = LEVEL, *, resamples: int = 9999, seed: int = 0
) -> Interval:
    """Return the mean and its bias-corrected and accelerated bootstrap interval; NaN values are left out.

    The interval is better than `t_interval` for skewed values, but needs about ten of them; with fewer it is
    too short. `seed` is that of the generator of the `resamples`; errors are those of `t_interval`. Source:
    Efron, "Better bootstrap confidence intervals", J. Am. Stat. Assoc. 82 (1987), as `scipy.stats.bootstrap`
    has it.
    """
    kept = _finite(values, level)
    if len(kept) < 2:
        return t_interval(kept, level)
    mean = float(kept.mean())
    if np.ptp(kept) == 0:
        return Interval(mean, mean, mean, len(kept))
    from scipy import stats  # noqa: PLC0415  (slow to import, and only this function needs it)

    rng = np.random.default_rng(seed)
    bounds = stats.bootstrap(
        (kept,), np.mean, confidence_level=level, n_resamples=resamples, method="BCa", rng=rng
    ).confidence_interval
    return Interval(mean, float(bounds.low), float(bounds.high), len(kept))


def paired_difference(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Interval, float]:
    """Return the interval of the mean of `first - second` and the two-sided p-value of the paired t test.

    Row i of both ([n_blocks]) belongs to the same block; a block where either is NaN is left out. The p-value
    is 1 for fewer than two blocks.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    kept = np.isfinite(first - second)
    return paired_differences(first[kept][None], second[kept][None])[0]


def paired_differences(first: FloatArray, second: FloatArray) -> list[tuple[Interval, float]]:
    """Return `paired_difference` of each row of finite values: [n_groups, n_blocks], float64."""
    differences = first - second
    intervals, count = t_intervals(differences), differences.shape[1]
    if count < 2:
        return [(interval, 1.0) for interval in intervals]
    means = differences.mean(axis=1)
    errors = np.sqrt(differences.var(axis=1) * (count / (count - 1)) / count)
    # Equal differences have no spread: they are significant unless they are 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(errors == 0, np.where(means == 0, 0, math.inf), means / errors)
    p_values = 2 * special.stdtr(count - 1, -np.abs(t))
    return list(zip(intervals, p_values.tolist(), strict=True))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values of several tests so that the chance of any false alarm stays at the chosen level.

    Takes and returns [n_tests], in the same order; adjusted values are at most 1. Source: Holm, "A simple
    sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979).
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def compare_all(table: npt.ArrayLike) -> list[Comparison]:
    """Compare every pair of treatments on the blocks that both have, with Holm's correction over all pairs.

    The table is [n_blocks, n_treatments], NaN where a run is missing.
    """
    values = _table(table)
    pairs = list(combinations(range(values.shape[1]), 2))
    if np.isfinite(values).all():
        columns = np.ascontiguousarray(values.T)
        tests = paired_differences(columns[[i for i, _ in pairs]], columns[[j for _, j in pairs]])
    else:
        tests = [paired_difference(values[:, i], values[:, j]) for i, j in pairs]
    adjusted = holm([p_value for _, p_value in tests])
    return [
        Comparison(i, j, interval, p_value, float(p_adjusted))
        for (i, j), (interval, p_value), p_adjusted in zip(pairs, tests, adjusted, strict=True)
    ]


def rank(table: npt.ArrayLike, compared: Sequence[Comparison] | None = None) -> list[Rank]:
    """Order treatments by their mean, best first, and mark those that do not differ significantly.

    In the table, [n_blocks, n_treatments], larger is better; NaN stands where a run is missing, and a
    treatment without any run comes last. `compared` are the results of `compare_all`, for this table or its
    negative, if already known. Two treatments share a letter exactly if their paired difference is not
    significant at 1 - `LEVEL` after Holm's correction over all pairs.
    """
    values = _table(table)
    intervals = [t_interval(column) for column in values.T]
    order = sorted(
        range(len(intervals)), key=lambda k: -intervals[k].mean if intervals[k].count else math.inf
    )
    place = {column: position for position, column in enumerate(order)}
    different = {
        (min(place[pair.first], place[pair.second]), max(place[pair.first], place[pair.second]))
        for pair in (compare_all(values) if compared is None else compared)
        if pair.p_adjusted <= 1 - LEVEL
    }
    letters = compact_letters(len(order), different)
    return [
        Rank(column, letters[position], (0, position) not in different)
        for position, column in enumerate(order)
    ]


def compact_letters(count: int, different: Collection[tuple[int, int]]) -> list[str]:
    """Give treatments letters so that two share a letter exactly if their pair is not in `different`.

    Treatments are numbered from the best, which is in group ``a``. `different` holds pairs (i, j), i < j,
    that differ significantly. Source: Piepho, "An algorithm for a letter-based representation of all-pairwise
    comparisons", J. Comput. Graph. Stat. 13 (2004): insert and absorb.
    """
    groups: list[frozenset[int]] = [frozenset(range(count))]
    for i, j in sorted(different):
        split: list[frozenset[int]] = []
        for group in groups:
            split.extend([group - {i}, group - {j}] if {i, j} <= group else [group])
        unique = list(dict.fromkeys(split))
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=sorted)
    return ["".join(_letter(k) for k, group in enumerate(groups) if i in group) for i in range(count)]


def seeds_needed(values: npt.ArrayLike, half_width: float) -> int:
    """Return the number of seeds for a t interval of +-`half_width`, estimated from the spread of `values`.

    There is one value per seed, in the unit of `half_width`; NaN values are left out. With few values the
    result is a rough estimate. UsageError for fewer than two values or a half width that is not positive.
    """
    kept = _finite(values)
    if not half_width > 0:
        raise UsageError(f"half_width: {half_width} is not allowed; it must be more than 0")
    if len(kept) < 2:
        raise UsageError(f"values: {len(kept)} do not tell a spread; 2 or more are needed")
    ratio = float(kept.std(ddof=1)) / half_width
    count = max(2, math.ceil((float(special.ndtri((1 + LEVEL) / 2)) * ratio) ** 2))
    while _t_quantile(LEVEL, count - 1) * ratio > math.sqrt(count):
        count += 1
    return count


@lru_cache
def _t_quantile(level: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t distribution with `freedom` degrees of freedom."""
    return float(special.stdtrit(freedom, (1 + level) / 2))


def _finite(values: npt.ArrayLike, level: float = LEVEL) -> FloatArray:
    """Check `level`, and return the values without NaN."""
    if not 0 < level < 1:
        raise UsageError(f"level: {level} is not allowed; it must lie between 0 and 1")
    flat = np.asarray(values, dtype=np.float64).ravel()
    return flat[np.isfinite(flat)]


def _table(table: npt.ArrayLike) -> FloatArray:
    """Return `table` as an array of two dimensions."""
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2:
        raise UsageError(f"table: it has {values.ndim} dimensions; blocks x treatments are needed")
    return values


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    quotient, remainder = divmod(number, 26)
    return (_letter(quotient - 1) if quotient else "") + chr(ord("a") + remainder)
