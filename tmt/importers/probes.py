"""Probe packets of one direction, and link traces made from them.

A probe measures loss and delay. The rate of probes says nothing about the link's capacity.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, UsageError
from tmt.core.extent import Extent
from tmt.core.problems import number
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.importer import As, DirectionOf, Importer, LineRate, LlduBytes, Measurement, separate
from tmt.importers.notes import agreed, milliseconds, rate_note

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Int64Array, Trace
    from tmt.importers.importer import Direction, Reading

MAX_ROWS = 50_000_000
"""Most rows of an import, which need 2 GB of memory: ten minutes of 1 Gbit/s in rows of 1500 bytes."""

MOST_LOST, MOST_LOST_PER_RECEIVED = 10_000_000, 20
"""Most losses between received numbers, in all and per received one; beyond that a number is wrong."""


LEAST_DELAY_NS = NS_PER_MS
"""Least delay that is assumed if the clocks' difference hides it, and no round trip gives it."""


_LONG_STEPS = 10
"""Median steps between probes; a longer time without a probe may be a hole in the measurement."""


@dataclass(frozen=True, slots=True)
class Probes:
    """Probes of one direction in the order of sending."""

    tx_time_ns: Int64Array
    """[n_probes], int64, strictly increasing: since the first probe."""
    delay_ns: Int64Array
    """[n_probes], int64: one-way delay; for a lost probe, interpolated between its neighbours."""
    delivered: BoolArray
    """[n_probes], bool."""
    size_bytes: int
    """Bytes of a probe's IP packet."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: clock offset, losses of unknown direction."""

    @classmethod
    def of(
        cls,
        sent_ns: Int64Array,
        delay_ns: Int64Array,
        delivered: BoolArray,
        size_bytes: int,
        notes: tuple[str, ...] = (),
    ) -> Probes:
        """Make probes from times in any order, which may be equal, and from delays of the delivered ones."""
        order = np.argsort(sent_ns, kind="stable")
        times = separate(sent_ns[order] - sent_ns.min())
        arrived = delivered[order]
        delay = np.zeros(len(sent_ns), np.int64)
        delay[delivered] = delay_ns
        delay = delay[order]
        filled = np.interp(times, times[arrived], delay[arrived])
        delay = np.where(arrived, delay, np.rint(filled).astype(np.int64))
        return cls(times, delay, arrived, size_bytes, notes)

    @property
    def extent(self) -> Extent | None:
        """From the first probe to the last, plus their mean distance; None for one probe."""
        return Extent.of_rows(0, int(self.tx_time_ns[-1]), len(self.tx_time_ns))

    @property
    def holes(self) -> list[str]:
        """A sentence on the longest time without a probe, if it is unusually long; else none."""
        steps_ns = np.diff(self.tx_time_ns)
        longest_ns = int(steps_ns.max(initial=0))
        if longest_ns <= NS_PER_S or longest_ns <= _LONG_STEPS * np.median(steps_ns):
            return []
        begin_ns = int(self.tx_time_ns[steps_ns.argmax()])
        hole = f"no probe for {longest_ns / NS_PER_S:.4g} s from {begin_ns / NS_PER_S:.4g} s on"
        return [
            f"{hole}: the line keeps the fate of the last one; --from and --until select a part without it"
        ]

    def over_line(self, rate_bps: float, lldu_bytes: int, until_ns: int | None = None) -> LinkTrace:
        """Return a line of `rate_bps` with the losses and delays of the probes.

        Row i begins at ``i * 8 * lldu_bytes / rate_bps`` s, until the end of `extent`. It is delivered if the
        nearest earlier probe was. Its delay is interpolated between the delivered probes.

        UsageError when there are more than `MAX_ROWS` before `until_ns`.
        """
        interval_ns = 8 * lldu_bytes * NS_PER_S / Fraction(str(rate_bps))
        length_ns = 1 if self.extent is None else self.extent.length_ns
        rows = -int(-length_ns // interval_ns)
        first_rows = None if until_ns is None else int(until_ns / interval_ns) + 1
        rows = rows_to_make(rows, first_rows, f"--line {number(rate_bps)} with rows of {lldu_bytes} bytes")
        times = multiples(interval_ns, rows)
        before = np.searchsorted(self.tx_time_ns, times, side="right") - 1
        arrived = self.delivered
        delay = np.interp(times, self.tx_time_ns[arrived], self.delay_ns[arrived])
        return LinkTrace(times, np.rint(delay).astype(np.int64), arrived[before], np.ones(rows, np.uint8))


class ProbeImporter(Importer):
    """A format with probes, which become rows, or are applied to a line of constant rate."""

    as_: As = "link"
    line: LineRate = None
    lldu_bytes: LlduBytes = 1500

    @abstractmethod
    def probes(self, path: str) -> Probes:
        """Return the probes of a file; errors as for `read`."""

    def read(self, path: str) -> Measurement:
        """Return a row for each probe, or the line with their losses and delays."""
        probes = self.probes(path)
        count = len(probes.tx_time_ns)
        if self.line is not None:
            note = f"{agreed(count, 'probe', 'lie')} over a line of {number(self.line)} bit/s"
            trace = read_as(self.as_, probes.over_line(self.line, self.lldu_bytes, self.until_ns))
            notes = (*probes.notes, note, *probes.holes)
            return Measurement(trace, "packed", self.lldu_bytes, notes, extent=probes.extent)
        note = rate_note(8 * probes.size_bytes * count, int(probes.tx_time_ns[-1]))
        rows = LinkTrace(probes.tx_time_ns, probes.delay_ns, probes.delivered, np.ones(count, np.uint8))
        return Measurement(read_as(self.as_, rows), "padded", probes.size_bytes, (*probes.notes, note))


class RoundTripImporter(ProbeImporter):
    """A format with probes of both directions."""

    direction: DirectionOf = None

    @property
    def way(self) -> Direction:
        """The direction to read; by default down."""
        return self.direction or "down"


def read_as(reading: Reading, rows: LinkTrace) -> Trace:
    """Return rows as they are, or as slots with their delays as decode times, at least 1 ns: 0 is erased."""
    if reading == "link":
        return rows
    return PhyTrace(rows.tx_time_ns, np.where(rows.delivered, np.maximum(rows.delay_ns, 1), 0))


def rows_to_make(rows: int, first_rows: int | None, options: str) -> int:
    """Return the number of rows to make: all of them, or the first ones if all are more than `MAX_ROWS`.

    `first_rows` is the number of rows that begin before ``--until``; None without that option. UsageError if
    these are too many, too.
    """
    made = rows if rows <= MAX_ROWS or first_rows is None else min(rows, first_rows)
    if made > MAX_ROWS:
        reason = f"{options} gives {made:,} rows; up to {MAX_ROWS:,} are allowed"
        raise UsageError(f"{reason}; a greater --lldu-bytes, or an earlier --until, gives fewer")
    return made


def multiples(interval_ns: Fraction, count: int) -> Int64Array:
    """Return the first multiples of an interval, rounded down, so that they do not drift: [count]."""
    step, part = divmod(interval_ns.numerator, interval_ns.denominator)
    index = np.arange(count, dtype=np.int64)
    if part * count >= 2**63:
        exact = [int(i * interval_ns) for i in range(count)]
        return np.array(exact, np.int64)
    return index * step + index * part // interval_ns.denominator


def positive_delays(delay_ns: Int64Array) -> tuple[Int64Array, str]:
    """Return the delays of one direction and a note: as measured, unless the least is not positive."""
    least = int(delay_ns.min())
    if least > 0:
        return delay_ns, f"the clocks are taken to agree: least delay {milliseconds(least)}"
    return least_delay_set(delay_ns)


def least_delay_set(delay_ns: Int64Array) -> tuple[Int64Array, str]:
    """Return delays whose least is `LEAST_DELAY_NS`, and a note on the difference of the clocks."""
    least = int(delay_ns.min())
    note = (
        f"the clocks' difference hides the least delay: it is set to {milliseconds(LEAST_DELAY_NS)} "
        f"({least / NS_PER_S:.6f} s removed)"
    )
    return delay_ns - least + LEAST_DELAY_NS, note


def all_lost(path: str, number: int, noun: str) -> InputError:
    """Return the refusal of a file whose probes are all lost."""
    return InputError(path, f"{agreed(number, noun, 'are')} lost, and there is no other; no delay is known")


def numbers_between(path: str, first: int, last: int, received: int) -> Int64Array:
    """Return all sequence numbers from the first to the last; InputError when too many of them are lost."""
    lost, most = last - first + 1 - received, MOST_LOST + MOST_LOST_PER_RECEIVED * received
    if lost > most:
        told = f"sequence numbers run from {first} to {last}, but {received} were received"
        raise InputError(path, f"{told}; {lost} would be lost, at most {most} may be")
    return np.arange(first, last + 1, dtype=np.int64)
