"""Capacity, goodput, delay, queue, window and losses of a simulation over time, in bins of equal length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.measure.transport import FORWARD, LINK_LOST, QUEUE_DROPPED, RECEIVED, by_flow
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.measure.link_use import PlainInTime, RowsInTime
    from tmt.core.measure.transport import FlowDelivery, Records
    from tmt.core.trace import FloatArray, Int64Array

DELAY_PERCENTILES = (0, 50, 95)


@dataclass(frozen=True, slots=True)
class Timeline:
    """One simulation over time; NaN marks bins without a measurement.

    Attributes
    ----------
    edges_s : [n_bins + 1]
        Borders of the bins.
    sample_s : [n_samples]
        Times at which the windows are sampled.
    cwnd_packets : [n_flows, n_samples]
        Congestion windows, in TCP segments.
    goodput_bps : [n_flows, n_bins]
        TCP payload delivered in order in each bin.
    delay_s : [3, n_bins]
        Least, median and 95th percentile of the one-way delay of the data packets that arrived in each bin.
    link_lost_s, queue_dropped_s
        Times at which the forward link lost a packet, and at which its queue dropped one.
    capacity_bps : [n_bins], or None
        Bits per second of the forward link's delivered rows; None where its trace is not at hand.
    queue_packets : [3, n_bins], or None
        Least, mean over time and greatest length of the forward link's queue, the packet in service included.
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

    `time_ns` does not decrease; a bin holds the times from its left edge to before its right one.
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

    Parameters
    ----------
    time_s, value : [n_changes]
        A step function: its value from each time on, 0 before the first; times do not decrease.
    edges_s : [n_bins + 1]
        Borders of the bins.
    """
    # Every bin begins with the value before its left edge or at it, followed by the changes inside it.
    places = np.searchsorted(time_s, edges_s)
    at_edge = np.concatenate(([0.0], value))[np.searchsorted(time_s, edges_s, side="right")]
    times, values = np.insert(time_s, places, edges_s), np.insert(value, places, at_edge)
    begins = places + np.arange(len(edges_s))
    until = np.concatenate(([0.0], np.cumsum(values[:-1] * np.diff(times))))
    mean = np.diff(until[begins]) / np.diff(edges_s)
    inside, bins = values[: begins[-1]], begins[:-1]
    return np.array([np.minimum.reduceat(inside, bins), mean, np.maximum.reduceat(inside, bins)])
