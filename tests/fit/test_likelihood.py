"""The likelihood of runs against the sum over all hidden paths, and closed-form estimates by hand."""

from itertools import pairwise, product
from math import log

import numpy as np
import pytest

from tmt import GilbertElliott
from tmt.theory.fit import channel_correlation
from tmt.theory.fit.likelihood import (
    ErasureRuns,
    RunLikelihood,
    autocorrelation,
    fit_bernoulli,
    fit_gilbert,
    length_counts,
    proportion,
)

CHANNEL = GilbertElliott(0.9, 0.6, 0.15, 0.7)


def _probability(channel: GilbertElliott, erased: tuple[bool, ...]) -> float:
    """Add up the probabilities of all state paths; from the definition."""
    bad = (1 - channel.alpha) / (2 - channel.alpha - channel.beta)
    move = [[channel.alpha, 1 - channel.alpha], [1 - channel.beta, channel.beta]]
    error = [channel.error_good, channel.error_bad]
    total = 0.0
    for path in product((0, 1), repeat=len(erased)):
        term = [1 - bad, bad][path[0]]
        for before, after in pairwise(path):
            term *= move[before][after]
        for state, lost in zip(path, erased, strict=True):
            term *= error[state] if lost else 1 - error[state]
        total += term
    return total


@pytest.mark.parametrize("channel", [CHANNEL, GilbertElliott(0.8, 0.3), GilbertElliott(0.5, 0.5, 0.2, 0.2)])
def test_likelihood__is_the_sum_over_all_paths(channel: GilbertElliott) -> None:
    for erased in product((False, True), repeat=7):
        found = RunLikelihood(ErasureRuns.of(np.array(erased)))(channel)
        assert found == pytest.approx(log(_probability(channel, erased)), abs=1e-12)


def test_good_share__is_the_filter_by_its_definition() -> None:
    erased = (False, False, True, True, True, False)
    runs = ErasureRuns.of(np.array(erased))
    found = RunLikelihood(runs).good_share(CHANNEL)
    # P(next slot erased | slots so far) is linear in the wanted share: solve for it.
    for run, slot in ((0, 0), (1, 2), (2, 5)):
        past = erased[: slot + 1]
        here, longer = _probability(CHANNEL, past), _probability(CHANNEL, (*past, True))
        to_erased_good = CHANNEL.alpha * CHANNEL.error_good + (1 - CHANNEL.alpha) * CHANNEL.error_bad
        to_erased_bad = (1 - CHANNEL.beta) * CHANNEL.error_good + CHANNEL.beta * CHANNEL.error_bad
        share = (longer / here - to_erased_bad) / (to_erased_good - to_erased_bad)
        assert found[run] == pytest.approx(share, abs=1e-12)


def test_likelihood__of_long_runs_neither_underflows_nor_overflows() -> None:
    # Simple Gilbert: states are seen. A gap of 10 ** 6, a burst of 3, a gap of 1: stationary start, then
    # alpha ** (10 ** 6 - 1), leave, beta ** 2, leave.
    erased = np.zeros(1_000_004, np.bool_)
    erased[1_000_000:1_000_003] = True
    channel = GilbertElliott(0.999, 0.4)
    exact = log(0.6 / 0.601) + 999_999 * log(0.999) + log(0.001) + 2 * log(0.4) + log(0.6)
    assert RunLikelihood(ErasureRuns.of(erased))(channel) == pytest.approx(exact, rel=1e-12)


def test_runs__by_hand() -> None:
    runs = ErasureRuns.of(np.array([1, 1, 0, 0, 0, 1, 0], np.bool_))
    assert runs.first_erased
    assert runs.lengths.tolist() == [2, 3, 1, 1]
    assert (runs.bursts.tolist(), runs.gaps.tolist()) == ([2, 1], [3, 1])
    assert (runs.slots, runs.erased) == (7, 3)
    assert length_counts(runs.gaps) == {1: 1, 3: 1}


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score without continuity correction).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_proportion__has_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    estimate = proportion(successes, trials)
    assert estimate.value == successes / trials
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("sequence", ["0010110001", "1100101110", "0011010", "1010110"])
def test_closed_forms__count_transitions(sequence: str) -> None:
    runs = ErasureRuns.of(np.array([slot == "1" for slot in sequence]))
    pairs = [sequence[i : i + 2] for i in range(len(sequence) - 1)]
    stay_good, stay_bad = pairs.count("00"), pairs.count("11")
    gilbert = fit_gilbert(runs)
    assert gilbert["alpha"].value == pytest.approx(stay_good / (stay_good + pairs.count("01")))
    assert gilbert["beta"].value == pytest.approx(stay_bad / (stay_bad + pairs.count("10")))
    assert fit_bernoulli(runs)["probability"].value == sequence.count("1") / len(sequence)


def test_autocorrelation__of_a_period_is_a_period() -> None:
    # Every other slot erased: +1 at even lags, -1 at odd ones.
    lags, correlation = autocorrelation(np.arange(1000) % 2 == 0)
    assert correlation == pytest.approx(np.where(lags % 2 == 0, 1.0, -1.0), abs=0.02)


def test_autocorrelation__of_a_channel_is_that_of_its_slots() -> None:
    # In 10 ** 5 slots such correlations scatter by about 0.01.
    channel = GilbertElliott(0.98, 0.9, 0.05, 0.7)
    lags, correlation = autocorrelation(channel.erasures(8).next(100_000))
    near = lags <= 30
    assert correlation[near] == pytest.approx(channel_correlation(channel, lags[near]), abs=0.04)
    # Two slots apart by hand: 0.65 ** 2 * (5/6 * 1/6) * 0.88 ** 2 / (p (1 - p)), p = 5/6 * 0.05 + 1/6 * 0.7.
    share = 0.95 / 6
    expected = 0.65**2 * 5 / 36 * 0.88**2 / (share * (1 - share))
    assert channel_correlation(channel, np.array([2]))[0] == pytest.approx(expected)
