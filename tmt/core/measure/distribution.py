"""Summaries of more values than fit into memory: exact totals and fine buckets."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.trace import FloatArray, Int64Array

PERCENTILES = (50, 90, 99)

BUCKET_BITS = 11
"""A bucket spans 2**-11 of its values (0.05 %); below 2**11 every whole number has its own."""

_BUCKETS = (64 - BUCKET_BITS) << BUCKET_BITS
_HALF = 32
_PIECE_VALUES = 1 << 15
"""Values counted at a time, so that intermediate arrays stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Summary of values; without values all figures but `count` are None.

    Percentiles are by nearest rank: the p-th is the least value that at least p % of the values do not
    exceed.
    """

    count: int
    mean: float | None = None
    minimum: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    maximum: float | None = None

    def scaled(self, unit: float) -> Distribution:
        """Return the same summary in another unit; the present unit is `unit` of the new one."""
        values = (self.mean, self.minimum, self.p50, self.p90, self.p99, self.maximum)
        return Distribution(self.count, *(None if value is None else value / unit for value in values))


def of_counts(counts: Mapping[int, int]) -> Distribution:
    """Summarise values, given the number of occurrences of each; exact."""
    if not counts:
        return Distribution(0)
    values = np.array(sorted(counts), np.int64)
    times = np.array([counts[int(value)] for value in values], np.int64)
    return _summary(values, times, float(np.dot(values, times) / times.sum()))


def of_values(values: FloatArray) -> Distribution:
    """Summarise a few values; exact."""
    if len(values) == 0:
        return Distribution(0)
    distinct, times = np.unique(values, return_counts=True)
    return _summary(distinct, times, float(values.mean()))


def share_at_least(counts: Mapping[int, int]) -> tuple[Int64Array, FloatArray]:
    """Return the distinct values, ascending, and the share of all that is at least as large: two of [n]."""
    values = np.array(sorted(counts), np.int64)
    return values, _at_least(np.array([counts[int(value)] for value in values], np.int64))


class Histogram:
    """Counts of whole numbers from 0 to 2**62, in buckets of 0.05 %.

    A bucket holds the least value that fell into it. A percentile is therefore a value that occurred: it is
    exact if its bucket holds one value only, and at most 0.05 % too low otherwise. Count, mean, least and
    largest value are exact. The result does not depend on how the values were split between calls of `add`.
    """

    def __init__(self) -> None:
        self._counts = np.zeros(_BUCKETS, np.int64)
        self._least = np.full(_BUCKETS, np.iinfo(np.int64).max, np.int64)
        self._total = 0
        self._largest = -1

    def add(self, values: Int64Array) -> None:
        """Count `values`: [n], int64, none negative."""
        for start in range(0, len(values), _PIECE_VALUES):
            self._add_piece(values[start : start + _PIECE_VALUES])

    def _add_piece(self, values: Int64Array) -> None:
        exponent = np.maximum(np.frexp(values.astype(np.float64))[1] - (BUCKET_BITS + 1), 0)
        bucket = (exponent.astype(np.int64) << BUCKET_BITS) + (values >> exponent)
        lowest = int(bucket.min())
        counts = np.bincount(bucket - lowest)
        self._counts[lowest : lowest + len(counts)] += counts
        np.minimum.at(self._least, bucket, values)
        # The halves are summed apart, because the sum of a long trace's times does not fit 64 bits.
        self._total += (int((values >> _HALF).sum()) << _HALF) + int((values & ((1 << _HALF) - 1)).sum())
        self._largest = max(self._largest, int(values.max()))

    def values_and_counts(self) -> tuple[Int64Array, Int64Array]:
        """Return the least value of every bucket in use, ascending, and the bucket's number of values."""
        used = np.flatnonzero(self._counts)
        return self._least[used], self._counts[used]

    def share_at_least(self) -> tuple[Int64Array, FloatArray]:
        """Return the least values of the buckets, and the share of all values that is there or above."""
        values, times = self.values_and_counts()
        return values, _at_least(times)

    def summary(self) -> Distribution:
        """Summarise the values added so far."""
        values, times = self.values_and_counts()
        if len(values) == 0:
            return Distribution(0)
        return _summary(values, times, self._total / int(times.sum()), self._largest)


def _at_least(times: Int64Array) -> FloatArray:
    above = np.cumsum(times[::-1])[::-1]
    return above / max(1, int(times.sum()))


def _summary(
    values: Int64Array | FloatArray, times: Int64Array, mean: float, largest: int | None = None
) -> Distribution:
    reached = np.cumsum(times)
    count = int(reached[-1])
    ranks = [ceil(percentile * count / 100) for percentile in PERCENTILES]
    p50, p90, p99 = (float(values[np.searchsorted(reached, rank)]) for rank in ranks)
    maximum = values[-1] if largest is None else largest
    return Distribution(count, mean, float(values[0]), p50, p90, p99, float(maximum))
