"""A trace cut into windows of equal length, features of each window, and traces joined from windows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace, PhyTrace, make_trace
from tmt.core.units import NS_PER_MS, ns_to_seconds

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int64Array, Trace

LEAST_WINDOWS = 100
"""Windows that a model needs: 50 in each half of the trace."""

MOST_WINDOWS = 20_000

USUAL_WINDOWS = 1000
"""Upper bound on the windows of the usual length."""

USUAL_ROWS = 10
"""Least mean number of rows in a window of the usual length."""

_LENGTHS_NS = [digit * 10**power * NS_PER_MS // 10 for power in range(7) for digit in (1, 2, 5)]


def delivered(trace: Trace) -> BoolArray:
    """Return whether each slot is decoded, or each LLDU is delivered: [n_rows]."""
    return trace.decode_time_ns != 0 if isinstance(trace, PhyTrace) else trace.delivered


def delays_ns(trace: Trace) -> Int64Array:
    """Return the decode time or delay of each row: [n_rows]; only those of delivered rows count."""
    return trace.decode_time_ns if isinstance(trace, PhyTrace) else trace.delay_ns


def row_bytes(trace: Trace) -> FloatArray:
    """Return the bytes of each row: [n_rows]; 1 if the trace holds no sizes."""
    if trace.size_bytes is not None:
        return trace.size_bytes.astype(np.float64)
    return np.full(len(trace), float(trace.metadata.get("lldu_bytes") or 1))


def has_sizes(trace: Trace) -> bool:
    """Whether the trace holds the sizes of its rows."""
    return trace.size_bytes is not None or trace.metadata.get("lldu_bytes") is not None


@dataclass(frozen=True, slots=True)
class Windows:
    """Consecutive windows of a trace from its start; an incomplete last one is omitted.

    Attributes
    ----------
    trace : the rows, those outside of the windows included
    begin_ns : beginning of the first window
    window_ns : length of each
    first : [n_windows + 1], int64, number of the first row of each window, and of the row behind the last
    open_ns : time left out at the end, because an LLDU's fate is still open in it
    """

    trace: Trace
    begin_ns: int
    window_ns: int
    first: Int64Array
    open_ns: int = 0

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def has_sizes(self) -> bool:
        """Whether the trace holds the sizes of its rows."""
        return has_sizes(self.trace)

    @property
    def length_ns(self) -> int:
        """Length of all windows."""
        return len(self) * self.window_ns

    @classmethod
    def of(cls, trace: Trace, window_ns: int | None = None) -> Windows:
        """Cut a trace into windows, of `usual_window_ns` unless `window_ns` is given (UsageError)."""
        extent = Extent.of(trace)
        if extent is None:
            raise UsageError(f"holds one row and no length; a model needs {LEAST_WINDOWS} windows of rows")
        settled = extent
        if isinstance(trace, LinkTrace) and (unsettled := trace.delay_ns == UNSETTLED).any():
            settled = extent.between(None, int(trace.tx_time_ns[np.argmax(unsettled)]))
        rows = int(np.searchsorted(trace.tx_time_ns, settled.end_ns))
        if window_ns is None:
            window_ns = usual_window_ns(settled.length_ns, rows)
        number = settled.length_ns // window_ns
        length = f"the trace is {ns_to_seconds(settled.length_ns):.6g} s long"
        if number < LEAST_WINDOWS:
            needed = ns_to_seconds(LEAST_WINDOWS * window_ns)
            raise UsageError(
                f"{length}, {number} windows of {ns_to_seconds(window_ns):g} s with {rows:,} rows; "
                f"a model needs {LEAST_WINDOWS} windows, here {needed:g} s"
            )
        if number > MOST_WINDOWS:
            least = ns_to_seconds(-(-settled.length_ns // MOST_WINDOWS))
            raise UsageError(
                f"{length}, {number:,} windows of {ns_to_seconds(window_ns):g} s; "
                f"at most {MOST_WINDOWS:,} are allowed, windows of {least:.3g} s or more"
            )
        edges = settled.begin_ns + window_ns * np.arange(number + 1)
        first = np.searchsorted(trace.tx_time_ns, edges).astype(np.int64)
        return cls(trace, settled.begin_ns, window_ns, first, extent.end_ns - settled.end_ns)

    def part(self, begin: int, end: int) -> Windows:
        """Return the windows from `begin` until before `end`."""
        first = self.first[begin : end + 1]
        return replace(self, first=first, begin_ns=self.begin_ns + begin * self.window_ns)

    def joined(self, order: Int64Array, length_ns: int) -> Trace:
        """Return a trace from 0 to `length_ns` whose k-th window is window `order[k]`: [n], int64."""
        counts = self.first[order + 1] - self.first[order]
        ends = np.cumsum(counts)
        rows = np.repeat(self.first[order] - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
        moved_ns = (np.arange(len(order)) - order) * self.window_ns - self.begin_ns
        tx_time_ns = self.trace.tx_time_ns[rows] + np.repeat(moved_ns, counts)
        kept = int(np.searchsorted(tx_time_ns, length_ns))
        names = [column.name for column in self.trace.columns[1:]]
        columns = {name: getattr(self.trace, name)[rows[:kept]] for name in names}
        about = {**self.trace.metadata, **Extent(0, length_ns).metadata}
        return make_trace(self.trace.table, {"tx_time_ns": tx_time_ns[:kept], **columns}, about)

    def cut(self) -> Trace:
        """Return the windows in their order, as a trace from 0 on."""
        return self.joined(np.arange(len(self)), self.length_ns)

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up values of rows, [n_rows], over each window: [n_windows]."""
        total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
        sums: FloatArray = np.diff(total[self.first])
        return sums

    def rates_bps(self) -> FloatArray:
        """Return the bits per second that each window offers: [n_windows]; rows if sizes are unknown."""
        bits = 8.0 if has_sizes(self.trace) else 1.0
        return bits * self.sums(row_bytes(self.trace)) / ns_to_seconds(self.window_ns)

    def loss_shares(self) -> FloatArray:
        """Return the lost share of each window's rows: [n_windows]; 0 in a window without rows."""
        return self.sums((~delivered(self.trace)).astype(float)) / np.maximum(np.diff(self.first), 1)

    def median_delays_ns(self) -> FloatArray:
        """Return the median delay of each window's delivered rows: [n_windows]; NaN where there is none."""
        got, delay_ns = delivered(self.trace), delays_ns(self.trace)
        medians = np.full(len(self), np.nan)
        for i, (begin, end) in enumerate(pairwise(self.first.tolist())):
            here = delay_ns[begin:end][got[begin:end]]
            if len(here):
                medians[i] = np.median(here)
        return medians

    def features(self) -> FloatArray:
        """Return the features of each window, without units: [n_windows, 4].

        Square roots of the offered rate relative to its mean, of the share of lost rows, and of the share of
        rows that are lost after a lost row (bursts); logarithm of the median delay relative to its median
        over the windows. A window without delivered rows has the median of these delays.
        """
        rates, lost = self.rates_bps(), ~delivered(self.trace)
        twice = np.zeros(len(lost))
        twice[1:] = lost[1:] & lost[:-1]
        delay_ns = self.median_delays_ns()
        usual_ns = np.nanmedian(delay_ns) if np.isfinite(delay_ns).any() else 1.0
        level = np.log(np.maximum(np.where(np.isnan(delay_ns), usual_ns, delay_ns), 1.0) / max(usual_ns, 1.0))
        rows = np.maximum(np.diff(self.first), 1)
        mean = max(float(rates.mean()), np.finfo(float).tiny)
        squares = rates / mean, self.loss_shares(), self.sums(twice) / rows
        return np.column_stack((*map(np.sqrt, squares), level))


def usual_window_ns(length_ns: int, rows: int) -> int:
    """Return the default length of windows (UsageError if rows are too few for enough windows).

    It is the shortest of 0.1, 0.2, 0.5, 1 ... ms that gives at most `USUAL_WINDOWS` windows, with
    `USUAL_ROWS` rows or more on average.
    """
    window_ns: int
    for window_ns in _LENGTHS_NS:
        if window_ns * USUAL_WINDOWS >= length_ns and rows * window_ns >= USUAL_ROWS * length_ns:
            if length_ns // window_ns >= LEAST_WINDOWS:
                return window_ns
            break
    needed = LEAST_WINDOWS * USUAL_ROWS
    raise UsageError(
        f"the trace is {ns_to_seconds(length_ns):.6g} s long and holds {rows:,} settled rows, too few for "
        f"{LEAST_WINDOWS} windows of {USUAL_ROWS} rows; a model needs {needed:,} rows or more, "
        "or windows of a given length"
    )
