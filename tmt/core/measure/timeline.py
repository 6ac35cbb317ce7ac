"""Traces and simulations over time, in bins: a trace's bad rows and rate; a run's goodput, delay and queue.

A trace has a fixed number of bins for any length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.measure.transport import (
    FORWARD,
    LINK_LOST,
    QUEUE_DROPPED,
    RECEIVED,
    FlowDelivery,
    Records,
    by_flow,
)
from tmt.core.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.extent import Extent
    from tmt.core.measure.link_use import PlainInTime, RowsInTime
    from tmt.core.trace import BoolArray, FloatArray, Int32Array, Int64Array, Uint32Array

BINS = 1024

LEAST_ROWS = 16
"""Least mean number of rows in a bin of `RowBins.rates`; fewer would show the bins' borders."""

DELAY_PERCENTILES = (0, 50, 95)


@dataclass(frozen=True, slots=True)
class Rates:
    """Rate of a trace over time, in bins with borders `edges_s`, [n_bins + 1], equally wide except the last.

    `offered_per_s` and `good_per_s`, [n_bins], are bytes a second, or rows a second without sizes.
    """

    edges_s: FloatArray
    offered_per_s: FloatArray
    good_per_s: FloatArray

    @property
    def width_s(self) -> float:
        """Width of a bin."""
        return float(self.edges_s[1] - self.edges_s[0])


class RowBins:
    """Numbers and bytes of rows per bin of time since the trace's start, or its first row.

    A bin's width is the least power of two in nanoseconds with which `BINS` bins reach the trace's end: a row
    beyond the last bin merges pairs of bins. The result does not depend on the pieces.

    Attributes
    ----------
    slots, bad : [BINS], rows, and bad rows
    offered, good : [BINS], bytes of all rows and of the good ones; their numbers where rows have no sizes
    es_n0_mdb : [BINS], sum of the rows' Es/N0; 0 where rows have none
    extent : of the trace; None where only the rows tell it
    origin_ns, last_ns : where the first bin starts, and the time of the last row
    """

    def __init__(self, extent: Extent | None = None) -> None:
        self.slots, self.bad, self.offered, self.good, self.es_n0_mdb = np.zeros((5, BINS), np.int64)
        self.extent = extent
        self.origin_ns = self.last_ns = 0
        self._is_empty = True
        self._width_bits = 0
        if extent is not None:
            self.origin_ns = extent.begin_ns
            self._width_bits = max(0, (extent.length_ns - 1).bit_length() - (BINS - 1).bit_length())

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
        """Add the next rows, [n]: bad ones are erased or lost, good ones decoded or delivered."""
        if len(bad) == 0:
            return
        if self._is_empty:
            self._is_empty = False
            if self.extent is None:
                self.origin_ns = int(tx_time_ns[0])
        self.last_ns = int(tx_time_ns[-1])
        while (self.last_ns - self.origin_ns) >> self._width_bits >= BINS:
            parts = (self.slots, self.bad, self.offered, self.good, self.es_n0_mdb)
            self.slots, self.bad, self.offered, self.good, self.es_n0_mdb = map(_joined, parts)
            self._width_bits += 1
        position = (tx_time_ns - self.origin_ns) >> self._width_bits
        self.slots += np.bincount(position, minlength=BINS)
        self.bad += np.bincount(position[bad], minlength=BINS)
        self.offered += _sums(position, size_bytes)
        self.good += _sums(position[good], None if size_bytes is None else size_bytes[good])
        if es_n0_mdb is not None:
            self.es_n0_mdb += _sums(position, es_n0_mdb)

    def bad_share(self) -> tuple[FloatArray, FloatArray]:
        """Return start in seconds and share of bad rows of the bins until the trace's end: two of [n].

        The share of a bin without a row is NaN.
        """
        return self._per_slot(self.bad)

    def mean_es_n0_db(self) -> tuple[FloatArray, FloatArray]:
        """Return start in seconds and mean Es/N0 in dB of the bins until the trace's end: two of [n].

        The mean is taken in dB. A bin without a row has NaN.
        """
        start_s, mean_mdb = self._per_slot(self.es_n0_mdb)
        return start_s, mean_mdb / 1000

    def _per_slot(self, sums: Int64Array) -> tuple[FloatArray, FloatArray]:
        end_ns = self.last_ns + 1 if self.extent is None else self.extent.end_ns
        used = -((self.origin_ns - end_ns) >> self._width_bits)
        start_s = (self.origin_ns + np.arange(used) * self.width_ns) / NS_PER_S
        mean = np.full(used, np.nan)
        np.divide(sums[:used], self.slots[:used], out=mean, where=self.slots[:used] > 0)
        return start_s, mean

    def rates(self) -> Rates | None:
        """Return the rate over time, in bins of `LEAST_ROWS` rows or more on average; None for one row.

        The last bin ends with the trace: without an extent, one mean interval after the last row.
        """
        rows = int(self.slots.sum())
        if self.extent is not None:
            span_ns = self.extent.length_ns
        elif rows > 1:
            span_ns = (self.last_ns - self.origin_ns) * rows // (rows - 1)
        else:
            return None
        offered, good, width_ns = self.offered, self.good, self.width_ns
        while width_ns < span_ns and rows * width_ns < LEAST_ROWS * span_ns:
            offered, good, width_ns = _joined(offered), _joined(good), 2 * width_ns
        bins = -(-span_ns // width_ns)
        edges_ns = np.append(np.arange(bins) * min(width_ns, span_ns), span_ns)  # a width may exceed int64
        width_s = np.diff(edges_ns) / NS_PER_S
        # The mean interval may end after the last of `BINS` bins.
        offered, good = (np.pad(of, (0, max(0, bins - BINS)))[:bins] for of in (offered, good))
        return Rates(ns_to_seconds(self.origin_ns) + edges_ns / NS_PER_S, offered / width_s, good / width_s)


def _sums(position: Int64Array, values: Uint32Array | Int32Array | None) -> Int64Array:
    """Return the sum of whole numbers at each position; without them the number of rows."""
    if values is None:
        return np.bincount(position, minlength=BINS)
    # Sums of whole numbers are exact in float64 up to 2**53.
    return np.bincount(position, weights=values, minlength=BINS).astype(np.int64)


def _joined(bins: Int64Array) -> Int64Array:
    return np.concatenate((bins.reshape(-1, 2).sum(axis=1), np.zeros(BINS // 2, np.int64)))


@dataclass(frozen=True, slots=True)
class Timeline:
    """One simulation over time; NaN marks bins without a measurement.

    Attributes
    ----------
    edges_s : [n_bins + 1], borders of the bins
    sample_s : [n_samples], times at which the windows are sampled
    cwnd_packets : [n_flows, n_samples], congestion windows in TCP segments
    goodput_bps : [n_flows, n_bins], TCP payload delivered in order
    delay_s : [3, n_bins], least, median and 95th percentile of the one-way delay of arriving data packets
    link_lost_s, queue_dropped_s : when the forward link lost a packet, and when its queue dropped one
    capacity_bps : [n_bins], of the forward link's delivered rows; None where its trace is not at hand
    queue_packets : [3, n_bins], or None
        Least, time-weighted mean and greatest length of the forward link's queue, including the packet in
        service.
    """

    edges_s: FloatArray
    sample_s: FloatArray
    cwnd_packets: FloatArray
    goodput_bps: FloatArray
    delay_s: FloatArray
    link_lost_s: FloatArray
    queue_dropped_s: FloatArray
    capacity_bps: FloatArray | None
    queue_packets: FloatArray | None


def timeline(
    packets: Records,
    windows: Records,
    flows: Sequence[FlowDelivery],
    link: RowsInTime | PlainInTime | None,
    *,
    end_ns: int,
    bins: int,
    samples: int,
) -> Timeline:
    """Divide a run of `end_ns` into `bins` of (nearly) equal length; sample its windows `samples` times."""
    edges_ns = np.linspace(0, end_ns, bins + 1).astype(np.int64)
    sample_ns = np.linspace(0, end_ns, samples).astype(np.int64)
    data = packets[packets["direction"] == FORWARD]
    arrived = data[data["event"] == RECEIVED]
    queue = None if link is None else link.queue_length(packets)
    return Timeline(
        edges_s=edges_ns / NS_PER_S,
        sample_s=sample_ns / NS_PER_S,
        cwnd_packets=np.array(
            [
                window_at(of_flow["time_ns"], of_flow["cwnd_packets"], sample_ns)
                for of_flow in by_flow(windows, len(flows))
            ]
        ),
        goodput_bps=np.array([goodput_over_time(flow, edges_ns) for flow in flows]),
        delay_s=delay_over_time(arrived["time_ns"], arrived["delay_ns"], edges_ns) / NS_PER_S,
        link_lost_s=data["time_ns"][data["event"] == LINK_LOST] / NS_PER_S,
        queue_dropped_s=data["time_ns"][data["event"] == QUEUE_DROPPED] / NS_PER_S,
        capacity_bps=None if link is None else link.capacity_bps(edges_ns / NS_PER_S),
        queue_packets=None if queue is None else steps_over_time(*queue, edges_ns / NS_PER_S),
    )


def window_at(time_ns: Int64Array, cwnd_packets: FloatArray, sample_ns: Int64Array) -> FloatArray:
    """Return the window at the times `sample_ns`: the value of the latest change, NaN before the first."""
    latest = np.searchsorted(time_ns, sample_ns, side="right") - 1
    return np.append(cwnd_packets, np.nan)[latest]  # -1, before the first change, is the NaN at the end


def goodput_over_time(flow: FlowDelivery, edges_ns: Int64Array) -> FloatArray:
    """Return the flow's goodput in bit/s in each bin: [n_bins + 1], int64 -> [n_bins]."""
    total_bytes = np.concatenate([[0], np.cumsum(flow.payload_bytes)])
    until_edge = total_bytes[np.searchsorted(flow.in_order_ns, edges_ns)]
    return 8.0 * NS_PER_S * np.diff(until_edge) / np.diff(edges_ns)


def delay_over_time(time_ns: Int64Array, delay_ns: Int64Array, edges_ns: Int64Array) -> FloatArray:
    """Return `DELAY_PERCENTILES` of the delays in each bin, by nearest rank: [n_percentiles, n_bins].

    `time_ns` does not decrease; a bin includes its left edge but not its right one.
    """
    border = np.searchsorted(time_ns, edges_ns)
    begin, count = border[:-1], np.diff(border)
    bin_of = np.repeat(np.arange(len(count)), count)
    inside = delay_ns[border[0] : border[-1]]
    ordered = np.append(inside[np.lexsort((inside, bin_of))], 0).astype(np.float64)
    found = np.full((len(DELAY_PERCENTILES), len(count)), np.nan)
    held = count > 0
    for row, percent in enumerate(DELAY_PERCENTILES):
        rank = np.maximum(-(-percent * count // 100) - 1, 0)
        found[row, held] = ordered[(begin - border[0] + rank)[held]]
    return found


def steps_over_time(time_s: FloatArray, value: FloatArray, edges_s: FloatArray) -> FloatArray:
    """Return least value, mean over time and greatest value in each bin: [3, n_bins].

    A step function has a `value` from each `time_s` on, [n_changes], 0 before the first; times do not
    decrease. `edges_s`, [n_bins + 1], are the borders of the bins.
    """
    # Every bin starts with the last value at or before its left edge, followed by the changes inside it.
    places = np.searchsorted(time_s, edges_s)
    at_edge = np.concatenate(([0.0], value))[np.searchsorted(time_s, edges_s, side="right")]
    times, values = np.insert(time_s, places, edges_s), np.insert(value, places, at_edge)
    begins = places + np.arange(len(edges_s))
    until = np.concatenate(([0.0], np.cumsum(values[:-1] * np.diff(times))))
    mean = np.diff(until[begins]) / np.diff(edges_s)
    inside, bins = values[: begins[-1]], begins[:-1]
    return np.array([np.minimum.reduceat(inside, bins), mean, np.maximum.reduceat(inside, bins)])
