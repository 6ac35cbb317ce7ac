"""Intervals of iperf3 and iperf2 as a rate series: when packets were lost, and which zeros are no outage.

A UDP receiver counts a datagram as lost when a later one arrives. Two things follow. First, a datagram that
arrives late is subtracted in the interval of its arrival, so an interval can have negative losses. Second,
losses in an interval without any arrival are counted in the next interval with one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S, seconds_to_ns
from tmt.core.words.values import counted, rate_unit
from tmt.importers.notes import agreed
from tmt.importers.rate_series import RateSeries, durations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.core.trace import FloatArray

TCP_BLOCK_BYTES = 131_072
"""Bytes that iperf's TCP sender passes to the kernel at a time, by default."""


class Interval(NamedTuple):
    """An interval as iperf prints it."""

    place: int | str
    start_s: float
    end_s: float
    rate_bps: float
    """Of the datagrams or bytes that arrived, or that were sent."""
    lost: float | None = None
    """Datagrams that the receiver counted as lost, less late ones; None if it does not count."""
    sent: float = 0.0
    """Datagrams up to the highest number that arrived in this interval."""


def series(
    path: str,
    intervals: Sequence[Interval],
    precision_ns: int,
    *,
    sends: bool,
    block_bytes: float | None = None,
    offered_bps: float | None = None,
) -> RateSeries:
    """Return the rates and losses of a test; ends within `precision_ns` of the next start are rounded.

    The rates were measured at the sender if it `sends`. It passes on `block_bytes` at a time; None if that is
    unknown, or does not show in the counts. Its rate was `offered_bps`; None if unknown.
    """
    for one in intervals:
        if (one.lost or 0) > one.sent:
            raise InputError(path, f"{one.lost:g} of {one.sent:g} datagrams are lost", one.place)
    start, end = (
        np.array([seconds_to_ns(time_s) for time_s in times], np.int64)
        for times in ([one.start_s for one in intervals], [one.end_s for one in intervals])
    )
    start[1:] = np.where(np.abs(start[1:] - end[:-1]) <= precision_ns, end[:-1], start[1:])
    duration_ns, gaps = durations(path, start, end, [one.place for one in intervals])
    seconds = duration_ns / NS_PER_S
    bits = np.array([one.rate_bps for one in intervals]) * seconds
    notes = ["a rate of iperf is what went through: a lower bound of the capacity"]
    block_bits = 8.0 * (block_bytes or 0.0)
    lost_bits = None
    if sends:
        notes.append("these are rates at the sender; losses are known to the receiver only (run iperf3 -R)")
    elif all(one.lost is not None for one in intervals):
        counts = np.array([one.lost or 0.0 for one in intervals])
        block_bits = _datagram_bits(bits, counts, np.array([one.sent for one in intervals])) or block_bits
        kept, late = carried_back(counts)
        if late:
            taken = int((np.maximum(counts, 0) - kept).sum())
            alone = int(-np.minimum(counts, 0).sum()) - taken
            notes.append(
                f"in {counted(late, 'interval')} more datagrams came late than were lost: {taken:,} are "
                f"taken out of the losses of earlier intervals{f', {alone:,} find none' * bool(alone)}"
            )
        lost_bits = noticed_late(kept * block_bits, bits, seconds)
        notes += _loss_notes(bits, lost_bits, seconds, offered_bps)
    if bits.any() and np.median(bits[bits > 0]) <= 1.5 * block_bits:
        bits, quiet = joined_zeros(bits, lost_bits, seconds)
        if quiet:
            notes.append(
                f"{agreed(quiet, 'interval', 'are', 'of 0')} no outage: the sender sent at most one block of "
                f"{block_bits / 8:,.0f} bytes an interval, which is spread over them"
            )
    carried = bits if lost_bits is None else bits + lost_bits
    loss = (
        None if lost_bits is None else np.divide(lost_bits, carried, np.zeros(len(bits)), where=carried > 0)
    )
    return RateSeries(duration_ns, carried / seconds, loss, None, (*notes, *gaps))


def carried_back(lost: FloatArray) -> tuple[FloatArray, int]:
    """Return losses with late arrivals (negative counts) subtracted, and the number of late arrivals.

    They are subtracted from the latest earlier losses. Late arrivals beyond the earlier losses are ignored.
    """
    kept, earlier = np.maximum(lost, 0.0), list[int]()
    for place, value in enumerate(lost.tolist()):
        if value > 0:
            earlier.append(place)
        late = -value
        while late > 0 and earlier:
            taken = min(late, float(kept[earlier[-1]]))
            kept[earlier[-1]] -= taken
            late -= taken
            if kept[earlier[-1]] == 0:
                earlier.pop()
    return kept, int((lost < 0).sum())


def _silences(bits: FloatArray) -> Iterator[tuple[slice, int]]:
    """Yield each run of intervals without an arrival, together with the next interval that has arrivals."""
    first = 0
    for place in np.flatnonzero(bits > 0).tolist():
        if first < place:
            yield slice(first, place), place
        first = place + 1


def noticed_late(lost: FloatArray, bits: FloatArray, seconds: FloatArray) -> FloatArray:
    """Return losses by the time of sending: an interval after silent ones also counts the losses of the
    silence.

    The sending rate is assumed constant from the first silent interval on.
    """
    when = lost.copy()
    for silent, place in _silences(bits):
        both = slice(silent.start, place + 1)
        sent = (bits[place] + lost[place]) * seconds[silent] / seconds[both].sum()
        when[silent] = sent * min(1.0, lost[place] / sent.sum())
        when[place] = lost[place] - when[silent].sum()
    return when


def joined_zeros(bits: FloatArray, lost: FloatArray | None, seconds: FloatArray) -> tuple[FloatArray, int]:
    """Return bits with each arrival spread over the silence before it, and the number of silent intervals.

    A silence with losses stays an outage.
    """
    spread, quiet = bits.copy(), 0
    for silent, place in _silences(bits):
        both = slice(silent.start, place + 1)
        if lost is None or not lost[both].any():
            spread[both] = bits[place] * seconds[both] / seconds[both].sum()
            quiet += place - silent.start
    return spread, quiet


def _datagram_bits(bits: FloatArray, lost: FloatArray, sent: FloatArray) -> float:
    """Return the bits of a datagram, from the intervals without late ones; 0 if no datagram arrived."""
    plain = (lost >= 0) & (bits > 0)
    received = float((sent - lost)[plain].sum())
    return float(bits[plain].sum()) / received if received > 0 else 0.0


def _loss_notes(
    bits: FloatArray, lost: FloatArray, seconds: FloatArray, offered_bps: float | None
) -> list[str]:
    if not lost.any():
        return []
    total = float(seconds.sum())
    received, sent = float(bits.sum()) / total, float((bits + lost).sum()) / total
    said = [
        f"lost datagrams are added to the rate at the receiver: {in_words(sent)} in place of "
        f"{in_words(received)}; if a queue overflowed, the rate of the link is the latter"
    ]
    rates, share = (bits + lost) / seconds, lost / np.maximum(bits + lost, 1.0)
    if offered_bps and (above := rates > 1.2 * offered_bps).any():
        said.append(
            f"in {counted(int(above.sum()), 'interval')} more datagrams arrived or were lost than the sender "
            f"sent: up to {in_words(float(rates.max()))}, and it sent {in_words(offered_bps)}"
        )
    if (most := (share > 0.5) & (bits > 0)).any():
        worst = int(np.argmax(np.where(most, share, 0.0)))
        said.append(
            f"in {counted(int(most.sum()), 'interval')} more than half of the datagrams are lost, up to "
            f"{100 * share[worst]:.1f} % at {in_words(bits[worst] / seconds[worst])} received: the rows of "
            f"{in_words(rates[worst])} that they make are no capacity that was seen"
        )
    return said


def in_words(rate_bps: float) -> str:
    """Return a rate with its unit."""
    unit, factor = rate_unit(rate_bps)
    return f"{rate_bps * factor:,.1f} {unit}"
