"""Summaries of a trace that is read in pieces: distributions, runs of bad slots, pauses, Es/N0."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.schema import MAX_ES_N0_MDB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.extent import Extent
    from tmt.core.trace import BoolArray, FloatArray, Int32Array, Int64Array

PERCENTILES = (50, 90, 99)

BUCKET_BITS = 11
"""A bucket spans 2**-11 of its values (0.05 %); below 2**11 every whole number has its own."""

_BUCKETS = (64 - BUCKET_BITS) << BUCKET_BITS
_HALF = 32
_PIECE_VALUES = 1 << 15
"""Values counted at a time, so that intermediate arrays stay in the processor's cache."""

REGULAR = 10.0
"""Ratio of the longest pause to the mean pause up to which the output omits the longest pause."""

MDB_PER_DB = 1000


@dataclass(frozen=True, slots=True)
class Distribution:
    """Summary of values; without values all figures except `count` are None.

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
        """Return the same summary in another unit, of which the present one is `unit`."""
        values = (self.mean, self.minimum, self.p50, self.p90, self.p99, self.maximum)
        return Distribution(self.count, *(None if value is None else value / unit for value in values))


def of_counts(counts: Mapping[int, int]) -> Distribution:
    """Summarise values with their numbers of occurrences; exact."""
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
    """Return the distinct values, ascending, and the share of values at least as large: two of [n]."""
    values = np.array(sorted(counts), np.int64)
    return values, _at_least(np.array([counts[int(value)] for value in values], np.int64))


class Histogram:
    """Counts of whole numbers from 0 to 2**62, in buckets of 0.05 %.

    A bucket stores the least value that fell into it. A percentile is therefore a value that occurred: exact
    if its bucket holds one value only, else at most 0.05 % too low. Count, mean, least and largest value are
    exact. The result does not depend on how the values were split between calls of `add`.
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
        # The high and low halves are summed apart, because the sum of a long trace's times exceeds 64 bits.
        self._total += (int((values >> _HALF).sum()) << _HALF) + int((values & ((1 << _HALF) - 1)).sum())
        self._largest = max(self._largest, int(values.max()))

    def values_and_counts(self) -> tuple[Int64Array, Int64Array]:
        """Return the least value of each bucket in use, ascending, and its number of values."""
        used = np.flatnonzero(self._counts)
        return self._least[used], self._counts[used]

    def share_at_least(self) -> tuple[Int64Array, FloatArray]:
        """Return the least values of the buckets, and the share of all values in that bucket or above."""
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


@dataclass(frozen=True, slots=True)
class Outage:
    """A burst in time: from its first slot to the next good one, or to the trace's end (the last slot without
    an extent).
    """

    start_ns: int
    duration_ns: int
    slots: int


class Runs:
    """Lengths of the runs of bad slots (bursts) and of good ones (gaps), and the longest outage.

    A run that the start or end of the trace cuts counts with its length inside the trace. `bursts` and
    `gaps`, the number of runs of each length in slots, are complete after `finish`. `longest_outage` is the
    longest burst in time, the first of equals; None without bursts.
    """

    def __init__(self) -> None:
        self.bursts: Counter[int] = Counter()
        self.gaps: Counter[int] = Counter()
        self.longest_outage: Outage | None = None
        self._bad = False
        self._slots = 0
        self._start_ns = 0
        self._last_ns = 0

    def add(self, bad: BoolArray, tx_time_ns: Int64Array) -> None:
        """Add the next slots: [n] whether each is bad, and when it is sent."""
        if len(bad) == 0:
            return
        first = np.concatenate(([0], np.flatnonzero(bad[1:] != bad[:-1]) + 1))
        kind, start_ns = bad[first], tx_time_ns[first]
        slots = np.diff(first, append=len(bad))
        if self._slots:
            if self._bad == kind[0]:
                slots[0] += self._slots
                start_ns[0] = self._start_ns
            else:
                kind = np.concatenate(([self._bad], kind))
                slots = np.concatenate(([self._slots], slots))
                start_ns = np.concatenate(([self._start_ns], start_ns))
        self._count(kind[:-1], slots[:-1], start_ns[:-1], start_ns[1:])
        self._bad, self._slots, self._start_ns = bool(kind[-1]), int(slots[-1]), int(start_ns[-1])
        self._last_ns = int(tx_time_ns[-1])

    def finish(self, end_ns: int | None = None) -> None:
        """Count the run that the end of the trace cuts: at `end_ns`, or at the last slot."""
        if self._slots:
            run = self._bad, self._slots, self._start_ns, self._last_ns if end_ns is None else end_ns
            self._count(*(np.array([one]) for one in run))
            self._slots = 0

    def _count(self, bad: BoolArray, slots: Int64Array, start_ns: Int64Array, end_ns: Int64Array) -> None:
        for counter, chosen in ((self.bursts, slots[bad]), (self.gaps, slots[~bad])):
            lengths, times = np.unique(chosen, return_counts=True)
            counter.update(dict(zip(lengths.tolist(), times.tolist(), strict=True)))
        if not bad.any():
            return
        duration_ns = np.where(bad, end_ns - start_ns, -1)
        longest = int(duration_ns.argmax())
        if self.longest_outage is None or duration_ns[longest] > self.longest_outage.duration_ns:
            self.longest_outage = Outage(
                int(start_ns[longest]), int(duration_ns[longest]), int(slots[longest])
            )


@dataclass(frozen=True, slots=True)
class Pause:
    """Time without a row, from a row or the trace's start (`start_ns`) to the next row or the trace's end."""

    start_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class PauseShare:
    """Pauses of `least_ns` or more: their number, and their share of the trace's time."""

    least_ns: int
    number: int
    share_of_time: float


class Pauses:
    """Distribution of the pauses, in ns, of a trace that is read in pieces.

    With an `extent`, the times before the first row and after the last one are pauses, too. `longest` is the
    first of equals; None without pauses.
    """

    def __init__(self, extent: Extent | None = None) -> None:
        self.histogram = Histogram()
        self.longest: Pause | None = None
        self._last_ns = None if extent is None else extent.begin_ns
        self._end_ns = None if extent is None else extent.end_ns

    def add(self, tx_time_ns: Int64Array) -> None:
        """Take the times of the next rows: [n], increasing."""
        if self._last_ns is not None and (len(tx_time_ns) == 0 or self._last_ns < tx_time_ns[0]):
            tx_time_ns = np.concatenate(([self._last_ns], tx_time_ns))
        if len(tx_time_ns) == 0:
            return
        self._last_ns = int(tx_time_ns[-1])
        pauses_ns = np.diff(tx_time_ns)
        if len(pauses_ns) == 0:
            return
        self.histogram.add(pauses_ns)
        place = int(pauses_ns.argmax())
        if self.longest is None or pauses_ns[place] > self.longest.duration_ns:
            self.longest = Pause(int(tx_time_ns[place]), int(pauses_ns[place]))

    def finish(self) -> None:
        """Take the time after the last row."""
        if self._end_ns is not None:
            self.add(np.array([self._end_ns]))

    @property
    def are_regular(self) -> bool:
        """Whether the longest pause is close to the mean."""
        mean_ns = self.histogram.summary().mean
        return self.longest is None or mean_ns is None or self.longest.duration_ns <= REGULAR * mean_ns

    def law(self) -> list[PauseShare]:
        """Return the pauses of at least 1, 2, 5, 10 ... ns, from the shortest one to the longest."""
        values, counts = self.histogram.values_and_counts()
        if self.longest is None:
            return []
        number = np.cumsum(counts[::-1])[::-1]
        time_ns = np.cumsum((values * counts.astype(np.float64))[::-1])[::-1]
        steps = [step * 10**power for power in range(19) for step in (1, 2, 5)]
        inside = [step for step in steps if values[0] <= step <= self.longest.duration_ns]
        places = [min(int(np.searchsorted(values, step)), len(values) - 1) for step in inside]
        return [
            PauseShare(step, int(number[place]), float(time_ns[place] / time_ns[0]))
            for step, place in zip(inside, places, strict=True)
        ]


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
        """Return each Es/N0 that occurs, in dB, and the share of slots with at most as much."""
        used = np.flatnonzero(self._counts)
        share = np.cumsum(self._counts[used]) / self._counts.sum()
        return (used - MAX_ES_N0_MDB) / MDB_PER_DB, share
