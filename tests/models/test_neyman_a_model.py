"""The formulas for clustered errors against sums, integrals and simulation by definition."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import geom

from tmt.theory import ClusteredErrors


@pytest.mark.parametrize("packets", [0.035, 1.0, 3.0])
@pytest.mark.parametrize("length", [0.01, 0.5, 1.0, 2.7, 40.0])
def test_no_error__is_the_integral_over_where_a_cluster_begins(packets: float, length: float) -> None:
    clusters, errors = 0.2, 6.0

    def hit(begin: float) -> float:
        overlap = max(0.0, min(packets, begin + length) - max(0.0, begin))
        return 1.0 - math.exp(-errors * overlap / length)

    corners = sorted({-length, min(0.0, packets - length), max(0.0, packets - length), 0.0, packets})
    exponent = sum(quad(hit, a, b)[0] for a, b in pairwise(corners))
    found = ClusteredErrors(clusters, errors, length).no_error(packets)
    assert -math.log(found) == pytest.approx(clusters * exponent, rel=1e-8)


def test_clusters_at_a_point__lose_packets_independently() -> None:
    # 1 - exp(-m1 (1 - exp(-m2))), and distances of geometric law.
    process = ClusteredErrors(0.3, 4.0, 0.0)
    loss = 1 - math.exp(-0.3 * (1 - math.exp(-4.0)))
    assert process.loss_probability == pytest.approx(loss)
    assert process.distance_cdf(30) == pytest.approx(geom.cdf(np.arange(1, 31), loss))
    assert process.repeat_probability == pytest.approx(loss)


def test_of_bits__counts_bits_of_a_packet() -> None:
    # 12,000 bits at 1e-5: 0.12 errors, 0.012 clusters of 10; 600 bits are a twentieth of a packet.
    process = ClusteredErrors.of_bits(1e-5, 10.0, 600.0)
    assert (process.clusters, process.errors_per_cluster, process.cluster_packets) == pytest.approx(
        (0.012, 10.0, 0.05)
    )


def test_with_loss__has_that_loss() -> None:
    for length in (0.0, 0.3, 5.0):
        assert ClusteredErrors.with_loss(0.07, 9.0, length).loss_probability == pytest.approx(0.07)
