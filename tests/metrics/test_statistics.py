"""Intervals have their stated coverage, and the ranking agrees with the pairwise tests."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tmt.core.errors import UsageError
from tmt.results.statistics import (
    Interval,
    bootstrap_interval,
    compact_letters,
    compare_all,
    holm,
    paired_difference,
    rank,
    seeds_needed,
    t_interval,
    t_intervals,
)
from tmt.results.values import interval_text, three_digits


def test_t_interval__agrees_with_hand_arithmetic() -> None:
    # Values 1..5: mean 3, s = sqrt(10/4) = 1.5811, t(0.975; 4) = 2.7764 (any printed table),
    # half width = 2.7764 * 1.5811 / sqrt(5) = 1.9632.
    interval = t_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.half_width == pytest.approx(1.9632, abs=1e-4)
    assert interval.count == 5


def test_t_interval__leaves_out_missing_values() -> None:
    assert t_interval([1, math.nan, 3]) == t_interval([1, 3])


@pytest.mark.parametrize(("values", "mean"), [([7.0], 7.0), ([math.nan], math.nan)])
def test_t_interval__of_one_value_knows_no_bounds(values: list[float], mean: float) -> None:
    interval = t_interval(values)
    assert interval.mean == pytest.approx(mean, nan_ok=True)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_t_interval__covers_normal_means_as_often_as_it_claims() -> None:
    # 4000 replicates of 5 normal values; exact coverage .95, binomial sd sqrt(.95 * .05 / 4000) = .0034:
    # tolerance 4 sd.
    rng = np.random.default_rng(20)
    covered = [
        interval.low <= 10 <= interval.high
        for interval in (t_interval(sample) for sample in rng.normal(10, 3, (4000, 5)))
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.014)


def test_interval_within__holds_the_possible_means_that_the_t_test_does_not_reject() -> None:
    # The slow twin: of a grid of means from 0 on, those m with |mean - m| / error <= t(0.975; 3) = 3.1824.
    values = np.array([0.1, 0.4, 1.2, 6.3])  # mean 2, s = sqrt(25.5 / 3) = 2.9155, error 1.4577
    means = np.arange(0, 10, 1e-4)
    error = math.sqrt(sum((values - 2) ** 2) / 3) / 2
    kept = means[np.abs(2 - means) / error <= 3.18245]
    found = t_interval(values).within(0, math.inf)
    assert (found.low, found.high) == pytest.approx((kept.min(), kept.max()), abs=2e-4)
    assert found.low == 0
    assert found.mean == 2


@pytest.mark.parametrize(
    ("zeros", "shape", "seeds", "coverage", "of_log"),
    [(0, 25, 5, 0.95, 0.95), (0, 1, 5, 0.88, 0.94), (0, 1, 20, 0.92, 0.94), (0.5, 1, 5, 0.80, 0.91)],
)
def test_interval_within__covers_as_often_as_the_whole_interval(
    zeros: float, shape: float, seeds: int, coverage: float, of_log: float
) -> None:
    # What docs/statistics.md says: 20,000 replicates of gamma values, some of them 0. No true mean is
    # below 0, so that cutting changes no case. Tolerance 3 binomial sd of at most .0029 and the rounding.
    rng = np.random.default_rng(23)
    values = rng.gamma(shape, 1 / shape, (20_000, seeds)) * (rng.random((20_000, seeds)) >= zeros)
    whole, mean = t_intervals(values), 1 - zeros
    cut = [one.within(0, math.inf) for one in whole]
    covered = [one.low <= mean <= one.high for one in whole]
    assert covered == [one.low <= mean <= one.high for one in cut]
    assert min(one.low for one in cut) >= 0
    assert np.mean(covered) == pytest.approx(coverage, abs=0.014)
    # The same half width on the log scale: mean * exp(+- half / mean), by the delta method.
    log = [one.mean > 0 and abs(math.log(mean / one.mean)) <= one.half_width / one.mean for one in whole]
    assert np.mean(log) == pytest.approx(of_log, abs=0.014)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(178, 158, 198, 5), "178 ±20"),
        (Interval(3.637, 0, 7.872, 5), "3.6 [0.0, 7.9]"),
        (Interval(3.637, math.nan, math.nan, 1), "3.637"),
    ],
)
def test_interval_text__shows_both_ends_of_an_interval_that_was_cut(interval: Interval, text: str) -> None:
    assert interval_text(interval) == text


@pytest.mark.parametrize(
    ("mean", "text"),
    [
        (0.78484, "0.7848 ±0.0000"),
        (12.5, "12.5 ±0.0"),
        (123.456, "123.5 ±0.0"),
        (784840.0, "784840 ±0"),
        (0.0, "0 ±0"),
    ],
)
def test_interval_text__keeps_four_digits_of_a_mean_without_spread(mean: float, text: str) -> None:
    assert interval_text(Interval(mean, mean, mean, 3)) == text
    rounded = mean * 1e-15
    assert interval_text(Interval(mean, mean - rounded, mean + rounded, 3)) == text


def test_bootstrap_interval__covers_a_skewed_mean_better_than_t_from_below() -> None:
    # 600 replicates of 40 exponential values of mean 1. The BCa coverage is second-order correct: at
    # this size about .93 to .95; binomial sd sqrt(.94 * .06 / 600) = .0097, tolerance 3 sd around .94. An
    # interval that follows the skew misses less lopsidedly than the symmetric one, which is too low far more
    # often than too high.
    rng = np.random.default_rng(21)
    samples = rng.exponential(1, (600, 40))
    boot = [bootstrap_interval(sample, resamples=999, seed=k) for k, sample in enumerate(samples)]
    student = [t_interval(sample) for sample in samples]
    assert np.mean([i.low <= 1 <= i.high for i in boot]) == pytest.approx(0.94, abs=0.03)
    too_low_boot, too_high_boot = sum(i.high < 1 for i in boot), sum(i.low > 1 for i in boot)
    too_low_t, too_high_t = sum(i.high < 1 for i in student), sum(i.low > 1 for i in student)
    assert too_low_boot - too_high_boot < too_low_t - too_high_t


def test_bootstrap_interval__repeats_with_its_seed() -> None:
    values = np.random.default_rng(1).exponential(1, 12)
    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert bootstrap_interval(values, seed=3) != bootstrap_interval(values, seed=4)


def test_bootstrap_interval__of_equal_values_has_no_width() -> None:
    interval = bootstrap_interval([4.0, 4.0, 4.0])
    assert (interval.low, interval.mean, interval.high) == (4.0, 4.0, 4.0)


def test_paired_difference__agrees_with_hand_arithmetic() -> None:
    # Differences 1, 2, 3: mean 2, s = 1, t = 2 / (1 / sqrt 3) = 3.4641 with 2 degrees of freedom, for which
    # P(|T| > t) = 1 - t / sqrt(2 + t^2) = 1 - 3.4641 / sqrt(14) = 0.07418.
    interval, p_value = paired_difference([11, 22, 33], [10, 20, 30])
    assert interval.mean == 2
    assert p_value == pytest.approx(0.07418, abs=1e-5)


def test_paired_difference__is_free_of_the_blocks_luck() -> None:
    # The blocks' own level varies a hundred times more than the treatments differ.
    rng = np.random.default_rng(5)
    level = rng.normal(0, 100, 8)
    noise = rng.normal(0, 0.5, (2, 8))
    _, p_value = paired_difference(level + 3 + noise[0], level + noise[1])
    assert p_value < 0.001
    assert not t_interval(level + 3).low > t_interval(level).high


@pytest.mark.parametrize(
    ("first", "second", "p_value"),
    [([1, 2], [1, 2], 1.0), ([3, 4], [1, 2], 0.0), ([3], [1], 1.0), ([3, math.nan], [1, 2], 1.0)],
)
def test_paired_difference__of_equal_pairs(first: list[float], second: list[float], p_value: float) -> None:
    assert paired_difference(first, second)[1] == p_value


def test_paired_difference__raises_false_alarms_as_often_as_allowed() -> None:
    # 3000 replicates without any difference, 6 blocks: alarms at .05 with binomial sd .004, tolerance 3 sd.
    rng = np.random.default_rng(22)
    alarms = [paired_difference(a, b)[1] <= 0.05 for a, b in rng.normal(0, 1, (3000, 2, 6))]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.012)


def test_holm__agrees_with_hand_arithmetic() -> None:
    # Sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, made monotone: .02 .03 .06 .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert len(holm([])) == 0


def test_compare_all__keeps_false_alarms_over_all_pairs_below_the_level() -> None:
    # 600 tables of 5 equal treatments on 8 blocks: any of 10 pairs significant in at most 5 % of tables
    # (binomial sd .009, allowed: .05 + 2 sd). Without the correction it is over 20 %.
    rng = np.random.default_rng(23)
    tables = [compare_all(table) for table in rng.normal(0, 1, (600, 8, 5))]
    assert np.mean([min(pair.p_adjusted for pair in pairs) <= 0.05 for pairs in tables]) <= 0.068
    assert np.mean([min(pair.p_value for pair in pairs) <= 0.05 for pairs in tables]) > 0.2


def test_rank__separates_what_differs_and_joins_what_does_not() -> None:
    rng = np.random.default_rng(6)
    level = rng.normal(100, 20, 10)
    table = np.column_stack(
        [level + offset + rng.normal(0, 1, 10) for offset in (0.0, 50.0, 50.1)] + [np.full(10, np.nan)]
    )
    ranks = rank(table)
    assert {r.column for r in ranks[:2]} == {1, 2}
    assert [r.letters for r in ranks[:3]] == ["a", "a", "b"]
    assert [r.among_best for r in ranks[:3]] == [True, True, False]
    assert ranks[3].column == 3


def test_rank__of_one_seed_tells_nothing_apart() -> None:
    assert [r.letters for r in rank([[1.0, 1000.0]])] == ["a", "a"]


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(
    st.sampled_from(list(combinations(range(max(n, 2)), 2)))))))  # fmt: skip
def test_compact_letters__are_shared_by_those_not_told_apart(case: tuple[int, set[tuple[int, int]]]) -> None:
    count, different = case
    letters = compact_letters(count, {pair for pair in different if pair[1] < count})
    for i, j in combinations(range(count), 2):
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in different)
    assert "a" in letters[0]


def test_seeds_needed__gives_the_least_number_that_is_precise_enough() -> None:
    # s = 1 and half width 0.5: t(.975; n - 1) / sqrt(n) <= .5 first holds at n = 18 (2.1098 / 4.2426 = .4973;
    # n = 17: 2.1199 / 4.1231 = .5142).
    values = np.array([-1.0, 1.0, -1.0, 1.0]) * math.sqrt(3 / 4)
    assert seeds_needed(values, 0.5) == 18
    # Half width 1: 2.447 / 2.646 = .925 at n = 7; at n = 6, 2.571 / 2.449 = 1.0497.
    assert seeds_needed(values, 1.0) == 7
    assert seeds_needed([5.0, 5.0], 0.1) == 2


@pytest.mark.parametrize(("values", "half_width"), [([1.0, 2.0], 0.0), ([1.0], 0.5)])
def test_seeds_needed__refuses_what_tells_nothing(values: list[float], half_width: float) -> None:
    with pytest.raises(UsageError):
        seeds_needed(values, half_width)


def test_intervals__refuse_an_impossible_level() -> None:
    with pytest.raises(UsageError, match=r"1\.5 .* between 0 and 1"):
        t_interval([1.0, 2.0], level=1.5)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1272.0, "1,270"), (0.34521, "0.345"), (-258.4, "-258"), (1.5e6, "1,500,000"), (0, "0")],
)
def test_three_digits__need_no_exponent_where_a_number_is_large(value: float, text: str) -> None:
    assert three_digits(value) == text
    assert three_digits(abs(value), signed=True) == f"+{text.removeprefix('-')}"
