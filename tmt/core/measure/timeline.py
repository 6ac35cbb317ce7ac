"""Bad rows and offered rate of a trace over time, in a fixed number of bins for any length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int32Array, Int64Array, Uint32Array

BINS = 1024

LEAST_ROWS = 16
"""Least mean number of rows in a bin of `RowBins.rates`; fewer would show the bins' borders."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Rate of a trace over time.

    Attributes
    ----------
    edges_s : [n_bins + 1]
        Borders of the bins; all but the last bin are equally wide.
    offered_per_s, good_per_s : [n_bins]
        Bytes a second of all rows, and of the good ones; rows a second where they have no sizes.
    """

    edges_s: FloatArray
    offered_per_s: FloatArray
    good_per_s: FloatArray

    @property
    def width_s(self) -> float:
        """Width of a bin."""
        return float(self.edges_s[1] - self.edges_s[0])


class RowBins:
    """Numbers and bytes of rows per bin of time since the first row.

    A bin's width is the least power of two in nanoseconds with which `BINS` bins reach the trace's end: a
    row beyond the last bin makes pairs of bins join. The result does not depend on the pieces.

    Attributes
    ----------
    slots, bad : [BINS], int64
        Per bin: rows in it, and bad rows.
    offered, good : [BINS], int64
        Per bin: bytes of all rows, and of the good ones; their numbers where rows have no sizes.
    es_n0_mdb : [BINS], int64
        Per bin: sum of the rows' Es/N0; 0 where rows have none.
    origin_ns
        Start of the first bin: the first row's time.
    """

    def __init__(self) -> None:
        self.slots, self.bad, self.offered, self.good, self.es_n0_mdb = np.zeros((5, BINS), np.int64)
        self.origin_ns: int | None = None
        self._last_ns = 0
        self._width_bits = 0

    @property
    def width_ns(self) -> int:
        """Width of a bin."""
        return 1 << self._width_bits

    def add(
        self,
        tx_time_ns: Int64Array,
        bad: BoolArray,
        good: BoolArray,
        size_bytes: Uint32Array | None = None,
        es_n0_mdb: Int32Array | None = None,
    ) -> None:
        """Take the next rows.

        Parameters
        ----------
        tx_time_ns : [n], int64
            When each row is sent, increasing.
        bad, good : [n], bool
            Whether each row is erased or lost, and whether it is decoded or delivered.
        size_bytes : [n], uint32, or None
            Bytes of each row.
        es_n0_mdb : [n], int32, or None
            Es/N0 of each row in thousandths of a dB.
        """
        if len(bad) == 0:
            return
        if self.origin_ns is None:
            self.origin_ns = int(tx_time_ns[0])
        self._last_ns = int(tx_time_ns[-1])
        while (self._last_ns - self.origin_ns) >> self._width_bits >= BINS:
            self.slots, self.bad = _joined(self.slots), _joined(self.bad)
            self.offered, self.good = _joined(self.offered), _joined(self.good)
            self.es_n0_mdb = _joined(self.es_n0_mdb)
            self._width_bits += 1
        position = (tx_time_ns - self.origin_ns) >> self._width_bits
        self.slots += np.bincount(position, minlength=BINS)
        self.bad += np.bincount(position[bad], minlength=BINS)
        self.offered += _sums(position, size_bytes)
        self.good += _sums(position[good], None if size_bytes is None else size_bytes[good])
        if es_n0_mdb is not None:
            self.es_n0_mdb += _sums(position, es_n0_mdb)

    def bad_share(self) -> tuple[FloatArray, FloatArray]:
        """Return start in seconds and share of bad rows of the bins up to the last in use: two of [n].

        The share of a bin without a row is NaN.
        """
        return self._per_slot(self.bad)

    def mean_es_n0_db(self) -> tuple[FloatArray, FloatArray]:
        """Return start in seconds and mean Es/N0 in dB of the bins up to the last in use: two of [n].

        The mean is that of the values in dB. A bin without a row has NaN.
        """
        start_s, mean_mdb = self._per_slot(self.es_n0_mdb)
        return start_s, mean_mdb / 1000

    def _per_slot(self, sums: Int64Array) -> tuple[FloatArray, FloatArray]:
        used = int(np.flatnonzero(self.slots)[-1]) + 1
        start_s = ((self.origin_ns or 0) + np.arange(used) * self.width_ns) / NS_PER_S
        mean = np.full(used, np.nan)
        np.divide(sums[:used], self.slots[:used], out=mean, where=self.slots[:used] > 0)
        return start_s, mean

    def rates(self) -> Rates | None:
        """Return the rate over time, in bins of `LEAST_ROWS` rows or more in the mean; None for one row.

        The last bin ends one mean interval after the last row.
        """
        rows = int(self.slots.sum())
        if rows < 2:
            return None
        origin_ns = self.origin_ns or 0
        span_ns = (self._last_ns - origin_ns) * rows // (rows - 1)
        offered, good, width_ns = self.offered, self.good, self.width_ns
        while width_ns < span_ns and rows * width_ns < LEAST_ROWS * span_ns:
            offered, good, width_ns = _joined(offered), _joined(good), 2 * width_ns
        bins = -(-span_ns // width_ns)
        edges_ns = np.minimum(np.arange(bins + 1) * width_ns, span_ns)
        width_s = np.diff(edges_ns) / NS_PER_S
        # The mean interval may end behind the last of `BINS` bins.
        offered, good = (np.pad(of, (0, max(0, bins - BINS)))[:bins] for of in (offered, good))
        return Rates(ns_to_seconds(origin_ns) + edges_ns / NS_PER_S, offered / width_s, good / width_s)


def _sums(position: Int64Array, values: Uint32Array | Int32Array | None) -> Int64Array:
    """Return the sum of whole numbers at each position; without them the number of rows."""
    if values is None:
        return np.bincount(position, minlength=BINS)
    # Sums of whole numbers are exact in float64 up to 2**53.
    return np.bincount(position, weights=values, minlength=BINS).astype(np.int64)


def _joined(bins: Int64Array) -> Int64Array:
    return np.concatenate((bins.reshape(-1, 2).sum(axis=1), np.zeros(BINS // 2, np.int64)))
