"""Series of rates, and the opportunities to send in them.

An interval of rate R holds an opportunity for every ``8 * lldu_bytes`` bits of R. The unfinished part of a
row at the end of an interval is carried into the next one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Number, ns
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.problems import number
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.units import NS_PER_S
from tmt.importers.importer import (
    As,
    DecodeTime,
    DirectionOf,
    Importer,
    LineRate,
    LlduBytes,
    Measurement,
    separate,
)
from tmt.importers.notes import left_out
from tmt.importers.probes import rows_to_make

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import FloatArray, Int64Array
    from tmt.importers.importer import Reading
    from tmt.importers.table import AnyTable

USUAL_BYTES = 1500

Seed = Annotated[
    Number, "seed of the draws that choose the lost rows, where the measurement has only a share of losses"
]


@dataclass(frozen=True, slots=True)
class RateSeries:
    """Rates over consecutive intervals without gaps."""

    duration_ns: Int64Array
    """[n], int64."""
    rate_bps: FloatArray
    """[n], float64."""
    loss: FloatArray | None = None
    """[n], float64, or None: share of the packets that are lost."""
    delay_ns: Int64Array | None = None
    """[n], int64, or None: one-way delay; 0 if unknown."""
    notes: tuple[str, ...] = ()

    @property
    def start_ns(self) -> Int64Array:
        """Start of each interval, relative to the first one's: [n], int64."""
        return np.cumsum(self.duration_ns) - self.duration_ns

    @property
    def extent(self) -> Extent:
        """From the start of the first interval, at 0, to the end of the last."""
        return Extent(0, int(self.duration_ns.sum()))

    def opportunities_ns(self, lldu_bytes: int, until_ns: int | None = None) -> Int64Array:
        """Return when the bits of each opportunity are available; UsageError above `MAX_ROWS`."""
        bits = self.rate_bps * (self.duration_ns / NS_PER_S)
        done = np.concatenate([[0.0], np.cumsum(bits)])
        needed = 8.0 * lldu_bytes
        # A share of 1e-9 of a row may be missing, so that a rate of whole rows gives all of them.
        count = int(np.floor(done[-1] / needed + 1e-9))
        first_rows = None
        if until_ns is not None:
            edges_ns = np.append(0, np.cumsum(self.duration_ns))
            first_rows = int(np.interp(until_ns, edges_ns, done) / needed) + 1
        count = rows_to_make(count, first_rows, f"--lldu-bytes {lldu_bytes}")
        wanted = np.arange(count, dtype=np.float64) * needed
        index = np.clip(np.searchsorted(done, wanted, side="right") - 1, 0, len(bits) - 1)
        into_ns = (wanted - done[index]) / self.rate_bps[index] * NS_PER_S
        times = self.start_ns[index] + np.floor(into_ns + 1e-3).astype(np.int64)
        return separate(times)

    def measurement(self, path: str, asked: RateImporter | AnyTable, reading: Reading) -> Measurement:
        """Return the opportunities of the rates, or of a line that replaces them, as a trace (InputError)."""
        series, notes = self, list(self.notes)
        if asked.line is not None:
            series = replace(series, rate_bps=np.full(len(series.rate_bps), float(asked.line)))
            notes.append(f"the rate is set to {number(asked.line)} bit/s")
        lldu_bytes = asked.lldu_bytes or USUAL_BYTES
        times = series.opportunities_ns(lldu_bytes, asked.until_ns)
        if not len(times):
            raise InputError(path, f"its rates carry no row of {lldu_bytes} bytes")
        at = np.searchsorted(series.start_ns, times, side="right") - 1
        lost = np.zeros(len(times), np.bool_)
        if series.loss is not None:
            lost = np.random.Generator(np.random.PCG64(asked.seed)).random(len(times)) < series.loss[at]
        if series.loss is not None and ((series.loss > 0) & (series.loss < 1)).any():
            drawn = f"is drawn (seed {asked.seed}): {lost.sum():,} of {len(lost):,}"
            notes.append(f"which packets of an interval are lost {drawn}")
        delay = np.full(len(times), ns(asked.decode_time), np.int64)
        if series.delay_ns is not None:
            delay = np.where(series.delay_ns[at] > 0, series.delay_ns[at], delay)
        rows: PhyTrace | LinkTrace
        if reading == "phy":
            rows = PhyTrace(times, np.where(lost, 0, delay))
        else:
            rows = LinkTrace(times, delay, ~lost, np.ones(len(times), np.uint8))
        return Measurement(rows, "packed", lldu_bytes, tuple(notes), extent=series.extent)


class RateImporter(Importer):
    """A format with rates over time."""

    as_: As = "link"
    line: LineRate = None
    lldu_bytes: LlduBytes = USUAL_BYTES
    decode_time: DecodeTime = 0.001
    seed: Seed = 1

    @abstractmethod
    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction; errors as for `read`."""

    def read(self, path: str) -> Measurement:
        """Return the opportunities of one direction; UsageError when there are more than `MAX_ROWS`."""
        return self.rates(path).measurement(path, self, self.as_)


class TwoWayRateImporter(RateImporter):
    """A format with rates of both directions."""

    direction: DirectionOf = None


def durations(
    path: str, start_ns: Int64Array, end_ns: Int64Array, places: Sequence[int | str]
) -> tuple[Int64Array, tuple[str, ...]]:
    """Return each duration, and a note on removed gaps; InputError if one is empty or overlaps."""
    if (empty := end_ns <= start_ns).any():
        raise InputError(path, "this interval does not end after it begins", places[int(np.argmax(empty))])
    gaps = start_ns[1:] - end_ns[:-1]
    if (gaps < 0).any():
        last = int(np.argmax(gaps < 0))
        earlier = f"line {places[last]}" if isinstance(places[last], int) else places[last]
        raise InputError(path, f"this interval begins before that of {earlier} has ended", places[last + 1])
    count, seconds = int((gaps > 0).sum()), float(gaps.sum()) / NS_PER_S
    return end_ns - start_ns, tuple(
        left_out(count, "hole", f"without a measurement, {seconds:.1f} s in all,")
    )
