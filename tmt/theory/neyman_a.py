"""Formulas for errors in clusters (Neyman type A) and for the packets that they destroy.

Clusters begin as a Poisson process. Each has a Poisson number of errors, uniformly distributed over the
cluster's length. A packet with an error is lost. All laws of lost packets follow from the probability that an
interval has no error.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Param, Spec, taken
from tmt.theory.channel import LEAST, Loss, Positive, Quantity

if TYPE_CHECKING:
    import numpy.typing as npt

BITS_PER_BYTE = 8


class ClusteredErrors(Spec):
    """Clusters over a line of packets of equal length; the unit of length is a packet."""

    clusters: Annotated[Positive, "m1, mean number of clusters that begin in a packet"]
    errors_per_cluster: Annotated[Positive, "m2, mean number of errors of a cluster"]
    cluster_packets: Annotated[Quantity, "length of a cluster, in packets"]

    @classmethod
    def with_loss(
        cls, probability: float, errors_per_cluster: float, cluster_packets: float
    ) -> ClusteredErrors:
        """Return the process that loses a packet with this probability, within (0, 1)."""
        taken("probability", Annotated[Loss, Param(least=LEAST)], probability)
        one = cls(1.0, errors_per_cluster, cluster_packets)
        clusters = math.log1p(-probability) / math.log(one.no_error(1.0))
        return cls(clusters, errors_per_cluster, cluster_packets)

    @classmethod
    def of_bits(
        cls, bit_error_rate: float, errors_per_cluster: float, cluster_bits: float, packet_bytes: int = 1500
    ) -> ClusteredErrors:
        """Return the process, in packets of `packet_bytes`, of a line's clustered bit errors.

        `bit_error_rate` is the mean number of errors per bit, and m2 a mean number of bit errors.
        """
        bits = BITS_PER_BYTE * packet_bytes
        return cls(bit_error_rate * bits / errors_per_cluster, errors_per_cluster, cluster_bits / bits)

    def no_error(self, packets: float) -> float:
        """Return the probability that an interval of `packets` packets has no error.

        A cluster has no error in the interval with probability exp(-mean number of its errors there). The
        clusters are a Poisson process, so the exponent is the integral of one minus that probability over the
        start of the cluster. With ``cluster_packets`` 0 the result is exp(-m1 packets (1 - exp(-m2))).
        """
        short, long = sorted((packets, self.cluster_packets))
        most = self.errors_per_cluster
        if self.cluster_packets > packets:
            most *= packets / self.cluster_packets
        if most == 0.0:
            return 1.0
        inside = (long - short) * -math.expm1(-most)
        edges = 2.0 * short * (1.0 + math.expm1(-most) / most)
        return math.exp(-self.clusters * (inside + edges))

    @property
    def loss_probability(self) -> float:
        """Probability that a packet has an error."""
        return 1.0 - self.no_error(1.0)

    def distance_cdf(self, longest: int) -> npt.NDArray[np.float64]:
        """Return the probability that the next lost packet is at most 1..`longest` away: [longest].

        Q(k) is the probability of no error in k packets. At least k good packets follow a lost one with
        probability (Q(k) - Q(k + 1)) / (1 - Q(1)). Distance 1 is two losses in a row.
        """
        clear = np.array([self.no_error(float(k)) for k in range(1, longest + 2)])
        cdf: npt.NDArray[np.float64] = 1.0 - (clear[:-1] - clear[1:]) / (1.0 - clear[0])
        return cdf

    @property
    def repeat_probability(self) -> float:
        """Probability that a lost packet is followed by another one."""
        return float(self.distance_cdf(1)[0])
