"""PHY traces from a channel model, over regular slots or over the slots of an existing trace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.schema import MAX_ES_N0_MDB
from tmt.core.units import MAX_TIME_NS, NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    from tmt.core.channels.base import FadingRealisation, Realisation
    from tmt.core.trace import FloatArray, Int32Array, Int64Array, PhyTrace

_MAX_DENOMINATOR = 1 << 40


DEFAULT_DECODE_TIME_NS = 36 * NS_PER_MS
"""Default decode time of generated slots: an interleaver of 36 ms."""


@dataclass(frozen=True, slots=True)
class Line:
    """Regular slots: slot i is sent at ``floor(i * interval_ns)``; decoding takes `decode_time_ns`.

    The interval is not rounded: at 263 kbit/s a 33-byte LLDU takes 264/263000 s, and rounding it to
    nanoseconds would add up. UsageError when it is below 1 ns or longer than the greatest allowed time, or
    the decode time is not positive (0 would mean erased).
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
        """Return every `share`-th slot of a link of `rate_bps` bits of LLDU payload per second.

        UsageError when rate, LLDU size or share is below 1.
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


@runtime_checkable
class SlotFilter(Protocol):
    """One realisation of a channel that also delays slots or takes them away."""

    def passed(self, slots: PhyTrace) -> PhyTrace:
        """Return those of the next slots that remain, in order and with all their columns."""


def lay_over(slots: PhyTrace, realisation: Realisation, *, with_es_n0: bool = False) -> PhyTrace:
    """Erase the slots that the channel erases; slots that are already erased stay erased.

    A `SlotFilter` may delay slots and take some away.

    The realisation continues from call to call. With `with_es_n0` it must be a `FadingRealisation`, and the
    result has the column `es_n0_mdb`, clipped to its range.
    """
    if isinstance(realisation, SlotFilter):
        return realisation.passed(slots)
    es_n0_mdb = slots.es_n0_mdb
    if with_es_n0:
        erased, es_n0_db = cast("FadingRealisation", realisation).faded(slots.tx_time_ns)
        es_n0_mdb = in_mdb(es_n0_db)
    else:
        erased = realisation.erased(slots.tx_time_ns)
    return replace(slots, decode_time_ns=np.where(erased, 0, slots.decode_time_ns), es_n0_mdb=es_n0_mdb)


def in_mdb(es_n0_db: FloatArray) -> Int32Array:
    """Return Es/N0 in dB as stored in the column `es_n0_mdb`, clipped to its range."""
    return np.rint(np.clip(1000.0 * es_n0_db, -MAX_ES_N0_MDB, MAX_ES_N0_MDB)).astype(np.int32)
