"""The two-state chain: stationary law and powers; laws of erasure counts, bursts and gaps, by enumeration."""

import math

import numpy as np
import pytest
from enumeration import moves, patterns
from hypothesis import given, settings, strategies as st
from scipy import stats

from tmt.theory import (
    TwoStateChannel,
    burst_length_law,
    conditional_count_laws,
    erasure_count_law,
    gap_length_law,
    mean_burst_length,
)

inner = st.floats(0.01, 0.99)


def test_channel__has_the_erasure_probability_and_memory_of_eq_3() -> None:
    # alpha = 0.99, beta = 0.98: p = 0.01 / 0.03 = 1/3 and rho = 0.97, by hand.
    channel = TwoStateChannel(0.99, 0.98)
    assert math.isclose(channel.erasure_probability, 1 / 3)
    assert math.isclose(channel.memory, 0.97)


@settings(max_examples=40)
@given(alpha=inner, beta=inner, steps=st.integers(0, 30))
def test_transition__is_the_power_of_one_step(alpha: float, beta: float, steps: int) -> None:
    one = np.array([[alpha, 1 - alpha], [1 - beta, beta]])
    expected = np.linalg.matrix_power(one, steps)
    np.testing.assert_allclose(TwoStateChannel(alpha, beta).transition(steps), expected, atol=1e-12)


@settings(max_examples=40)
@given(alpha=inner, beta=inner, depth=st.integers(1, 12))
def test_decimated__keeps_the_law_and_steps_by_the_power(alpha: float, beta: float, depth: int) -> None:
    channel = TwoStateChannel(alpha, beta, 0.1, 0.8)
    seen = channel.decimated(depth)
    np.testing.assert_allclose(seen.stationary, channel.stationary, atol=1e-9)
    np.testing.assert_allclose(seen.transition(), channel.transition(depth), atol=1e-12)
    assert (seen.error_good, seen.error_bad) == (0.1, 0.8)


def test_interrupted__mixes_one_step_with_a_longer_one() -> None:
    channel = TwoStateChannel(0.9, 0.7)
    mixed = channel.interrupted(0.25, channel.memory**3)
    expected = 0.75 * channel.transition(1) + 0.25 * channel.transition(4)
    np.testing.assert_allclose(mixed.transition(), expected, atol=1e-12)


BURSTY = TwoStateChannel(0.9, 0.8, 0.05, 0.7)


def test_burst_length_law__is_geometric_on_the_simple_gilbert_channel() -> None:
    channel = TwoStateChannel(0.99, 0.9)
    lengths = np.arange(1, 31)
    np.testing.assert_allclose(burst_length_law(channel, 30), 0.1 * 0.9 ** (lengths - 1), rtol=1e-12)
    np.testing.assert_allclose(gap_length_law(channel, 30), 0.01 * 0.99 ** (lengths - 1), rtol=1e-12)
    assert math.isclose(mean_burst_length(channel), 10.0)


@pytest.mark.parametrize("inside", [True, False], ids=["bursts", "gaps"])
def test_length_laws__equal_enumeration(inside: bool) -> None:
    # P(length l) = P(outside, l times inside, outside) / P(outside, inside).
    law = (burst_length_law if inside else gap_length_law)(BURSTY, 5)
    begins = sum(p for pattern, p in patterns(BURSTY, range(2)) if pattern == (not inside, inside))
    for length in range(1, 6):
        run = (not inside, *[inside] * length, not inside)
        exactly = sum(p for pattern, p in patterns(BURSTY, range(length + 2)) if pattern == run)
        assert math.isclose(law[length - 1], exactly / begins, rel_tol=1e-9)


def test_mean_lengths__are_the_means_of_the_laws() -> None:
    lengths = np.arange(1, 2001)
    assert math.isclose(burst_length_law(BURSTY, 2000) @ lengths, mean_burst_length(BURSTY), rel_tol=1e-9)


def test_bursts__that_never_begin_have_no_law_and_no_mean() -> None:
    channel = TwoStateChannel(1.0, 0.5)
    assert math.isnan(mean_burst_length(channel))


probability = st.floats(0.0, 1.0)


@settings(max_examples=25)
@given(alpha=inner, beta=inner, error_good=probability, error_bad=probability, n=st.integers(1, 6))
def test_erasure_count_law__equals_enumeration_of_patterns_and_state_paths(
    alpha: float, beta: float, error_good: float, error_bad: float, n: int
) -> None:
    channel = TwoStateChannel(alpha, beta, error_good, error_bad)
    expected = np.zeros(n + 1)
    for pattern, weight in patterns(channel, range(n)):
        expected[sum(pattern)] += weight
    np.testing.assert_allclose(erasure_count_law(channel, n), expected, atol=1e-12)


def _by_transform(channel: TwoStateChannel, n: int) -> np.ndarray:
    """Second method: the generating function pi (E(z) T)^n 1 at the (n+1)-th roots of unity, inverted."""
    transition = np.array(moves(channel, 1))
    good = (1 - channel.beta) / (2 - channel.alpha - channel.beta)
    values = []
    for z in np.exp(-2j * np.pi * np.arange(n + 1) / (n + 1)):
        errors = np.array([channel.error_good, channel.error_bad])
        step = np.diag(1 - errors + errors * z) @ transition
        values.append(np.array([good, 1 - good]) @ np.linalg.matrix_power(step, n) @ np.ones(2))
    return np.fft.ifft(values).real


@pytest.mark.parametrize("n", [1, 22, 51, 400])
@pytest.mark.parametrize(
    "channel",
    [
        TwoStateChannel(0.99, 0.98),
        TwoStateChannel(0.98, 0.1),
        TwoStateChannel(0.95, 0.9, 0.02, 0.6),
        TwoStateChannel(0.1, 0.2, 0.3, 0.9),
    ],
)
def test_erasure_count_law__inverts_its_generating_function(channel: TwoStateChannel, n: int) -> None:
    np.testing.assert_allclose(erasure_count_law(channel, n), _by_transform(channel, n), atol=1e-12)


@pytest.mark.parametrize(
    "channel",
    [TwoStateChannel(0.7, 0.3), TwoStateChannel(0.9, 0.4, 0.3, 0.3)],
    ids=["a chain without memory", "equal errors in both states"],
)
def test_erasure_count_law__is_binomial_when_erasures_are_independent(channel: TwoStateChannel) -> None:
    expected = stats.binom.pmf(np.arange(61), 60, 0.3)
    np.testing.assert_allclose(erasure_count_law(channel, 60), expected, atol=1e-13)


def test_erasure_count_law__of_no_lldu_is_no_erasure() -> None:
    assert erasure_count_law(TwoStateChannel(0.9, 0.5), 0).tolist() == [1.0]


def test_conditional_count_laws__are_laws_of_the_state_that_follows() -> None:
    channel = TwoStateChannel(0.95, 0.8, 0.1, 0.7)
    law = conditional_count_laws(channel, 7)
    np.testing.assert_allclose(law.sum(axis=2), channel.transition(7), atol=1e-12)
