"""The two-state chain: stationary law, powers, refusals."""

import math

import numpy as np
from hypothesis import given, settings, strategies as st

from tmt.theory import TwoStateChannel

inner = st.floats(0.01, 0.99)


def test_channel__has_the_erasure_probability_and_memory_of_eq_3() -> None:
    # alpha = 0.99, beta = 0.98: p = 0.01 / 0.03 = 1/3 and rho = 0.97, by hand.
    channel = TwoStateChannel(0.99, 0.98)
    assert math.isclose(channel.erasure_probability, 1 / 3)
    assert math.isclose(channel.memory, 0.97)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(alpha=inner, beta=inner, steps=st.integers(0, 30))
def test_transition__is_the_power_of_one_step(alpha: float, beta: float, steps: int) -> None:
    one = np.array([[alpha, 1 - alpha], [1 - beta, beta]])
    expected = np.linalg.matrix_power(one, steps)
    np.testing.assert_allclose(TwoStateChannel(alpha, beta).transition(steps), expected, atol=1e-12)


@settings(derandomize=True, deadline=None, max_examples=40)
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
