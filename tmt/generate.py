"""PHY traces from a channel model, on a regular line of slots or over the slots of an existing trace."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from tmt import provenance
from tmt.channels.base import HAVING_ES_N0
from tmt.errors import InputError, UsageError
from tmt.io import create_trace, open_trace
from tmt.io.atomic import check_not_source
from tmt.schema import ES_N0_MDB, MAX_ES_N0_MDB, PHY_TRACE
from tmt.trace import Int64Array, PhyTrace
from tmt.units import MAX_TIME_NS, NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from tmt.channels.base import Channel, FadingRealisation, Realisation

CHUNK_SLOTS = 1 << 18
"""Slots generated at a time; the trace does not depend on it."""

_MAX_DENOMINATOR = 1 << 40


DEFAULT_DECODE_TIME_NS = 36 * NS_PER_MS
"""Default decode time of a line: an interleaver of 36 ms."""


@dataclass(frozen=True, slots=True)
class Line:
    """A regular line of slots: slot i is sent at ``floor(i * interval_ns)``.

    Attributes
    ----------
    interval_ns
        Exact time from one slot to the next: at 263 kbit/s a 33-byte LLDU takes 264/263000 s, and rounding it
        to nanoseconds would add up.
    decode_time_ns
        Time from a slot's `tx_time_ns` until the PHY has decoded it.

    Raises
    ------
    UsageError
        When the interval is below 1 ns or longer than any time may be, or the decode time is not positive: 0
        would mean erased.
    """

    interval_ns: Fraction
    decode_time_ns: int

    def __post_init__(self) -> None:
        if not 1 <= self.interval_ns <= MAX_TIME_NS or self.interval_ns.denominator > _MAX_DENOMINATOR:
            raise UsageError(
                f"slot interval is {float(self.interval_ns):g} ns; it must be within [1, {MAX_TIME_NS}] ns, "
                f"as a fraction with a denominator of at most {_MAX_DENOMINATOR}"
            )
        if not 0 < self.decode_time_ns <= MAX_TIME_NS:
            raise UsageError(
                f"decode time is {self.decode_time_ns} ns; it must be positive (0 would mean erased)"
            )

    @classmethod
    def at_rate(
        cls, rate_bps: int | Fraction, lldu_bytes: int, decode_time_ns: int, *, share: int = 1
    ) -> Line:
        """Return every `share`-th slot of a line of `rate_bps` bits of LLDUs per second.

        Parameters
        ----------
        rate_bps
            Rate of the whole line, in bit/s of LLDU payload.
        lldu_bytes
            Useful bytes of one LLDU.
        decode_time_ns
            Time until a slot is decoded.
        share
            Number of users that share the line.

        Raises
        ------
        UsageError
            When rate, LLDU size or share is below 1.
        """
        if rate_bps < 1 or lldu_bytes < 1:
            raise UsageError(f"rate {rate_bps} bit/s and LLDUs of {lldu_bytes} bytes, both must be 1 or more")
        if share < 1:
            raise UsageError(f"share is {share}; it must be 1 or more")
        return cls(Fraction(8 * lldu_bytes * NS_PER_S * share) / rate_bps, decode_time_ns)

    def slots_within(self, duration_ns: int) -> int:
        """Return the number of slots that are sent before `duration_ns`."""
        return -((-duration_ns * self.interval_ns.denominator) // self.interval_ns.numerator)

    def tx_times_ns(self, first: int, slots: int) -> Int64Array:
        """Return the times at which slots `first` to ``first + slots - 1`` are sent: [slots], int64, ns."""
        whole, part = divmod(self.interval_ns.numerator, self.interval_ns.denominator)
        start, rest = divmod(first * self.interval_ns.numerator, self.interval_ns.denominator)
        step = np.arange(slots, dtype=np.int64)
        return start + step * whole + (step * part + rest) // self.interval_ns.denominator


def lay_over(slots: PhyTrace, realisation: Realisation, *, with_es_n0: bool = False) -> PhyTrace:
    """Erase the slots that the channel erases; slots that are already erased stay erased.

    Parameters
    ----------
    slots
        The slots of a trace, in order.
    realisation
        Realisation of the channel; it continues from call to call.
    with_es_n0
        Whether the result has the column `es_n0_mdb`, bounded to its range; the realisation must then be a
        `FadingRealisation`.
    """
    es_n0_mdb = slots.es_n0_mdb
    if with_es_n0:
        erased, es_n0_db = cast("FadingRealisation", realisation).faded(slots.tx_time_ns)
        bounded = np.clip(1000.0 * es_n0_db, -MAX_ES_N0_MDB, MAX_ES_N0_MDB)
        es_n0_mdb = np.rint(bounded).astype(np.int32)
    else:
        erased = realisation.erased(slots.tx_time_ns)
    return replace(slots, decode_time_ns=np.where(erased, 0, slots.decode_time_ns), es_n0_mdb=es_n0_mdb)


def _check_es_n0(channel: Channel) -> None:
    """Refuse a channel that knows no Es/N0."""
    if not channel.has_es_n0:
        raise UsageError(
            f"channel {channel.name} knows no Es/N0 of a slot; these channels do: {', '.join(HAVING_ES_N0)}"
        )


def generate(
    path: str | PathLike[str],
    channel: Channel,
    line: Line,
    *,
    duration_ns: int,
    seed: int,
    lldu_bytes: int | None = None,
    with_es_n0: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Write the PHY trace of a channel on a regular line, and return its number of slots.

    Parameters
    ----------
    path
        The file to write; its ending names the format.
    duration_ns
        Slots are sent from 0 until before this time.
    lldu_bytes
        Useful bytes of one LLDU, for the trace's metadata.
    with_es_n0
        Whether to write the Es/N0 of each slot.
    progress
        Called with the number of slots done since the last call.

    Raises
    ------
    UsageError
        When the duration leaves no slot or ends later than a trace may, or the channel knows no Es/N0.
    OutputError
        When the file cannot be written.
    """
    if not 0 < duration_ns <= MAX_TIME_NS:
        raise UsageError(f"duration is {duration_ns} ns; it must be within (0, {MAX_TIME_NS}]")
    if with_es_n0:
        _check_es_n0(channel)
    slots = line.slots_within(duration_ns)
    realisation = channel.realisation(seed)  # refuses what the channel cannot read
    metadata = provenance.record(
        PHY_TRACE.kind,
        lldu_bytes=lldu_bytes,
        generator=channel.describe(),
        seed=seed,
        slot_interval_ns=str(line.interval_ns),
        decode_time_ns=line.decode_time_ns,
    )
    with create_trace(path, PHY_TRACE, metadata) as writer:
        for first in range(0, slots, CHUNK_SLOTS):
            tx_time_ns = line.tx_times_ns(first, min(CHUNK_SLOTS, slots - first))
            chunk = PhyTrace(tx_time_ns, np.full(len(tx_time_ns), line.decode_time_ns, np.int64))
            writer.write(lay_over(chunk, realisation, with_es_n0=with_es_n0))
            progress(len(chunk))
    return slots


def overlay(
    source: str | PathLike[str],
    path: str | PathLike[str],
    channel: Channel,
    *,
    seed: int,
    with_es_n0: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    watch: Callable[[PhyTrace], None] = lambda _: None,
) -> int:
    """Lay a channel over the PHY trace in file `source`, and return the number of slots.

    This is the indirect use of a trace (Kuhn 2014, section 3.2). The trace keeps its own Es/N0; with
    `with_es_n0` it has none of its own, and takes that of the channel. `watch` is called with each chunk of
    `source`.

    Raises
    ------
    InputError
        When `source` cannot be read, holds no PHY trace, or has an Es/N0 of its own that would be replaced.
    UsageError
        When `path` is `source`, or the channel knows no Es/N0.
    OutputError
        When the file cannot be written.
    """
    check_not_source(path, source)
    if with_es_n0:
        _check_es_n0(channel)
    with open_trace(source, PHY_TRACE) as reader:
        if with_es_n0 and ES_N0_MDB in reader.columns:
            raise InputError(os.fspath(source), f"it has the column {ES_N0_MDB.name} already")
        realisation = channel.realisation(seed)
        metadata = provenance.record(
            PHY_TRACE.kind,
            **provenance.sizes(reader.metadata),
            source=provenance.source(source),
            generator=channel.describe(),
            seed=seed,
        )
        slots = 0
        with create_trace(path, PHY_TRACE, metadata) as writer:
            for chunk in reader:
                assert isinstance(chunk, PhyTrace)
                watch(chunk)
                writer.write(lay_over(chunk, realisation, with_es_n0=with_es_n0))
                slots += len(chunk)
                progress(len(chunk))
    return slots
