"""P(m, n) against brute force, against a transform, and against the binomial law."""

import numpy as np
import pytest
from enumeration import moves, patterns
from hypothesis import given, settings, strategies as st
from scipy import stats

from tmt.theory import TwoStateChannel, conditional_count_laws, erasure_count_law

probability = st.floats(0.0, 1.0)
inner = st.floats(0.01, 0.99)


@settings(derandomize=True, deadline=None, max_examples=25)
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
