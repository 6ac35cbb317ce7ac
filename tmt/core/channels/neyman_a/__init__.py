"""Errors in clusters: the Neyman type A process, and the slots that it erases.

Clusters begin as a Poisson process; each holds a Poisson number of errors (Neyman, Annals of Mathematical
Statistics 10, 1939; for bit errors Smith, Digital Transmission Systems; for packets Botos, Polgar and Bota).
A slot with an error in it is erased.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np

from tmt.core.channels.base import BoolArray, ErasureStream, FloatArray, SlotChannel
from tmt.core.declaration import Param, Probability, Rules
from tmt.core.seeds import uniform_sources

CLUSTERS_AT_A_TIME = 1024
"""Clusters drawn at a time; the block size does not depend on the pieces in which slots are requested."""

MOST_OPEN = 10**6
"""Upper bound of the mean number of clusters over one slot; beyond it the channel has almost no memory."""

_FAR = float(1 << 40)
"""The longest gap between clusters, in slots: nearly twenty years of microseconds."""


class NeymanA(SlotChannel):
    """Clusters of errors over a line of slots; a slot with an error is erased.

    The erasure probability sets how many clusters there are. The errors of a cluster are uniformly
    distributed over its length, which may be a fraction of a slot; 0 makes erasures independent.
    """

    name: ClassVar[str] = "neyman-a"

    probability: Annotated[Probability, "probability that a slot is erased, below 1"]
    errors_per_cluster: Annotated[float, "mean number of errors in a cluster", Param("", 1e-9, 1e12)]
    cluster_slots: Annotated[float, "length of a cluster in slots", Param("", 0, 1e12)]

    def rules(self) -> Rules:
        """Refuse a mean of more clusters over one slot than the bound."""
        if self.probability == 1:
            yield "probability", "below 1"
            return
        if self.clusters_per_slot * max(self.cluster_slots, 1.0) > MOST_OPEN:
            yield "cluster_slots", f"at most {MOST_OPEN} clusters over each slot"

    @property
    def erasure_probability(self) -> float:
        """The parameter itself."""
        return self.probability

    @property
    def clusters_per_slot(self) -> float:
        """Mean number of clusters that begin in a slot."""
        return -math.log1p(-self.probability) / self._reach()

    def _reach(self) -> float:
        """Return the mean number of clusters with an error in a given slot, per `clusters_per_slot`.

        It is the integral, over the start of a cluster, of 1 - exp(-mean number of its errors in the slot).
        The slot has no error with probability exp(-`clusters_per_slot` times this value).
        """
        most = self.errors_per_cluster / max(1.0, self.cluster_slots)
        inside = -math.expm1(-most)
        at_an_edge = most / 2.0 - most**2 / 6.0 if most < 1e-4 else 1.0 - inside / most
        return abs(1.0 - self.cluster_slots) * inside + 2.0 * min(1.0, self.cluster_slots) * at_an_edge

    def erasures(self, seed: int) -> ErasureStream:
        """Start the realisation of `seed` in the stationary state.

        One source draws the starts of clusters. Another gives one uniform number per slot for its fate,
        because a cluster's numbers of errors in different slots are independent Poisson variables.
        """
        return _Clusters(self, seed)


class _Clusters:
    """Clusters that reach into the next slots, drawn on demand."""

    def __init__(self, channel: NeymanA, seed: int) -> None:
        self._begin, self._fates = uniform_sources(seed, 2)
        self._channel = channel
        # Clusters that begin before this slot cannot reach slot 0.
        self._slot = -1 - math.floor(channel.cluster_slots)
        self._drawn_until = (self._slot, 0.0)  # slot, and fraction of it
        self._first_slot, self._last_slot = np.empty(0, np.int64), np.empty(0, np.int64)
        self._first_part, self._last_part = np.empty(0), np.empty(0)
        self._open = 0
        self._erase(np.zeros(-self._slot))

    def next(self, slots: int) -> BoolArray:
        return self._erase(self._fates.random(slots))

    def _erase(self, uniforms: FloatArray) -> BoolArray:
        from tmt.core.channels.neyman_a.kernel import neyman_a  # noqa: PLC0415  (numba takes long to import)

        slots, done = len(uniforms), 0
        erased = np.empty(slots, np.bool_)
        while done < slots:
            ready = min(slots, self._drawn_until[0] - self._slot)
            if ready <= done:
                self._draw()
                continue
            begun, ended = neyman_a(
                uniforms[done:ready],
                self._slot + done,
                self._first_slot,
                self._first_part,
                self._last_slot,
                self._last_part,
                self._open,
                self._channel.errors_per_cluster,
                self._channel.cluster_slots,
                erased[done:ready],
            )
            self._open = begun - ended
            self._forget(ended)
            done = ready
        self._slot += slots
        return erased

    def _forget(self, ended: int) -> None:
        self._first_slot, self._first_part = self._first_slot[ended:], self._first_part[ended:]
        self._last_slot, self._last_part = self._last_slot[ended:], self._last_part[ended:]

    def _draw(self) -> None:
        """Draw the next block of clusters; it decides every slot before the beginning of the last one."""
        per_slot = self._channel.clusters_per_slot
        gaps = self._begin.standard_exponential(CLUSTERS_AT_A_TIME)
        gaps = np.minimum(gaps / per_slot, _FAR) if per_slot else np.full(CLUSTERS_AT_A_TIME, _FAR)
        slot, part = self._drawn_until
        first = part + np.cumsum(gaps)
        last = first % 1.0 + self._channel.cluster_slots
        first_slot = slot + np.floor(first).astype(np.int64)
        last_slot = first_slot + np.floor(last).astype(np.int64)
        self._drawn_until = (int(first_slot[-1]), float(first[-1] % 1.0))
        if per_slot:
            self._first_slot = np.concatenate([self._first_slot, first_slot])
            self._first_part = np.concatenate([self._first_part, first % 1.0])
            self._last_slot = np.concatenate([self._last_slot, last_slot])
            self._last_part = np.concatenate([self._last_part, last % 1.0])
