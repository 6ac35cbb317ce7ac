"""Burst and gap lengths: geometric if the states are the erasures, else of phase type."""

import math

import numpy as np
import pytest
from enumeration import patterns

from tmt.theory import TwoStateChannel, burst_length_law, gap_length_law, mean_burst_length, mean_gap_length

BURSTY = TwoStateChannel(0.9, 0.8, 0.05, 0.7)


def test_burst_length_law__is_geometric_on_the_simple_gilbert_channel() -> None:
    channel = TwoStateChannel(0.99, 0.9)
    lengths = np.arange(1, 31)
    np.testing.assert_allclose(burst_length_law(channel, 30), 0.1 * 0.9 ** (lengths - 1), rtol=1e-12)
    np.testing.assert_allclose(gap_length_law(channel, 30), 0.01 * 0.99 ** (lengths - 1), rtol=1e-12)
    assert math.isclose(mean_burst_length(channel), 10.0)
    assert math.isclose(mean_gap_length(channel), 100.0)


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
    assert math.isclose(gap_length_law(BURSTY, 2000) @ lengths, mean_gap_length(BURSTY), rel_tol=1e-9)


def test_bursts__that_never_begin_have_no_law_and_no_mean() -> None:
    channel = TwoStateChannel(1.0, 0.5)
    assert math.isnan(mean_burst_length(channel))
    assert math.isnan(mean_gap_length(channel))
