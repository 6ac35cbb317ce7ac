"""Es/N0 of the slots of a PHY trace: exact distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.measure.distribution import Distribution, of_counts
from tmt.core.schema import MAX_ES_N0_MDB

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int32Array

MDB_PER_DB = 1000


class SignalLevels:
    """Number of slots at each Es/N0, in thousandths of a dB."""

    def __init__(self) -> None:
        self._counts = np.zeros(2 * MAX_ES_N0_MDB + 1, np.int64)

    def add(self, es_n0_mdb: Int32Array) -> None:
        """Count the next slots."""
        found = np.bincount(es_n0_mdb + MAX_ES_N0_MDB)
        self._counts[: len(found)] += found

    def summary_db(self) -> Distribution:
        """Summarise the Es/N0 in dB."""
        used = np.flatnonzero(self._counts)
        counts = dict(zip((used - MAX_ES_N0_MDB).tolist(), self._counts[used].tolist(), strict=True))
        return of_counts(counts).scaled(MDB_PER_DB)

    def share_at_most(self) -> tuple[FloatArray, FloatArray]:
        """Return each Es/N0 that occurs, in dB, and the share of the slots that have at most as much."""
        used = np.flatnonzero(self._counts)
        share = np.cumsum(self._counts[used]) / self._counts.sum()
        return (used - MAX_ES_N0_MDB) / MDB_PER_DB, share
