"""A TCP connection in a capture of one end: acknowledged bytes over time, round trips, repeats."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from tmt.core.declaration import Param, ns
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.core.words.values import counted
from tmt.importers.captures import TCP, UDP, CaptureFile, bytes_of
from tmt.importers.notes import agreed, left_out, milliseconds
from tmt.importers.rate_series import RateImporter, RateSeries
from tmt.importers.tcp_segments import (
    Coverage,
    connections,
    end_text,
    payload_bytes,
    trips_by_numbers,
    trips_by_stamps,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tmt.core.trace import FloatArray, Int64Array
    from tmt.importers.tcp_segments import End, RoundTrip, Segment

_MOST_INTERVALS = 10_000_000


class PcapTcp(RateImporter):
    """Capture of a TCP connection at one end (pcap, pcapng): its rate and delay over time.

    The connection with the most payload is used, in the direction of its data. An interval has the
    acknowledged rate, losses from the retransmissions seen, and half of the round trip as delay. The rate is
    what TCP used, not what the link could carry.

        tmt import pcap-tcp download.pcap down.parquet
    """

    name: ClassVar[str] = "pcap-tcp"

    rate_interval: Annotated[
        float, "time over which bytes are counted as one rate", Param("s", 0.001, 3600)
    ] = 0.1

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether its first packets carry more TCP than UDP."""
        return bytes_of(TCP, head) > bytes_of(UDP, head)

    def rates(self, path: str) -> RateSeries:
        """Return the rate, the share of retransmissions and the delay of each interval."""
        capture = CaptureFile(path)
        segments, *others = connections(capture)
        by_source: defaultdict[End, int] = defaultdict(int)
        for segment in segments:
            by_source[segment.source] += segment.payload_bytes
        if not any(by_source.values()):
            raise InputError(path, "its TCP packets carry no payload")
        source = max(by_source, key=lambda end: by_source[end])
        if len(by_source) < 2:
            raise InputError(path, "it holds one direction only; acknowledgements are needed, too")
        target = next(end for end in by_source if end != source)
        acked, repeated = _acknowledged(segments, source), _repeated(segments, source)
        if not acked:
            raise InputError(path, "no payload is acknowledged in this capture")
        origin_ns = next(s.time_ns for s in segments if s.source == source and s.payload_bytes)
        step_ns = ns(self.rate_interval)
        count = max((acked[-1][0] - origin_ns) // step_ns, 1)
        if count > _MOST_INTERVALS:
            reason = f"its packets span {count} intervals of --rate-interval {self.rate_interval:g} s"
            raise InputError(path, f"{reason}; up to {_MOST_INTERVALS:,} are allowed")
        delivered = _sums(acked, origin_ns, step_ns, count)
        lost = _sums(repeated, origin_ns, step_ns, count)
        carried = delivered + lost
        silent = int((delivered == 0).sum())
        again, sent = sum(size for _, size in repeated), by_source[source]
        notes = [
            f"{end_text(source)} sends {counted(sent, 'byte')} of payload to {end_text(target)}",
            f"{agreed(again, 'byte', 'count')} as lost, seen again: dropped by a queue, late or out of order"
            if again
            else "no byte looks sent again: no loss is seen",
            "the rate is that of acknowledged payload, a lower bound of the capacity",
            f"nothing is acknowledged in {silent:,} of {counted(count, 'interval')}: an outage looks like a "
            "silent sender",
        ]
        rest = counted(sum(map(payload_bytes, others)), "byte")
        notes += left_out(len(others), "smaller connection", f"with {rest} of payload")
        delay_ns, said = _delays(segments, source, origin_ns, step_ns, count)
        return RateSeries(
            np.full(count, step_ns, np.int64),
            carried * 8 * NS_PER_S / step_ns,
            np.divide(lost, carried, out=np.zeros(count), where=carried > 0),
            delay_ns,
            (*notes, said, *capture.cut_notes),
        )


def _acknowledged(segments: Iterable[Segment], source: End) -> list[tuple[int, int]]:
    """Return time and number of the bytes from `source` that are newly acknowledged, also selectively."""
    known, found = Coverage(), []
    first = last = None
    for segment in segments:
        if segment.source == source:
            if segment.payload_bytes:
                first = segment.begin if first is None else first
                last = max(last or first, segment.begin + segment.payload_bytes)
        elif segment.acknowledged is not None and first is not None and last is not None:
            blocks = [(first, segment.acknowledged), *segment.sacked]
            within = [(max(begin, first), min(end, last)) for begin, end in blocks]
            if fresh := sum(known.add(begin, end) for begin, end in within if begin < end):
                found.append((segment.time_ns, fresh))
    return found


def _repeated(segments: Iterable[Segment], source: End) -> list[tuple[int, int]]:
    """Return time and number of retransmitted bytes from `source`: seen before, or filling a hole."""
    last, found = None, []
    for segment in segments:
        if segment.source == source and segment.payload_bytes:
            end = segment.begin + segment.payload_bytes
            if last is not None and segment.begin < last:
                found.append((segment.time_ns, min(end, last) - segment.begin))
            last = max(last or end, end)
    return found


def _sums(events: Sequence[tuple[int, int]], origin_ns: int, step_ns: int, count: int) -> FloatArray:
    """Return the bytes of events in each interval: [count]; later events are left out."""
    if not events:
        return np.zeros(count)
    times, sizes = np.array(events, np.int64).T
    index = (times - origin_ns) // step_ns
    inside = (index >= 0) & (index < count)
    sums: FloatArray = np.bincount(index[inside], sizes[inside], count).astype(np.float64)
    return sums


def _delays(
    segments: Sequence[Segment], source: End, origin_ns: int, step_ns: int, count: int
) -> tuple[Int64Array | None, str]:
    """Return half of the median round trip in each interval, interpolated if there is none, and a note.

    A capture sees the way to one end and back; the way to its own end takes no time. The longer round trip is
    used.
    """
    stamped = any(segment.echo for segment in segments)
    trips = list((trips_by_stamps if stamped else trips_by_numbers)(segments))
    if not trips:
        return None, "the capture tells no round trip: rows have --decode-time"
    sender = _least_ns(trips, source, own=True) >= _least_ns(trips, source, own=False)
    chosen = [trip for trip in trips if (trip.source == source) == sender]
    times, values = np.array([trip[1:] for trip in chosen], np.int64).T
    index = np.clip((times - origin_ns) // step_ns, 0, count - 1)
    known = np.unique(index)
    medians = [float(np.median(values[index == place])) for place in known]
    delay_ns = np.rint(np.interp(np.arange(count), known, medians) / 2).astype(np.int64)
    how = "timestamps" if stamped else "sequence numbers"
    return delay_ns, (
        f"the capture seems to be at the {'sender' if sender else 'receiver'}: "
        f"{counted(len(chosen), 'round trip')} by {how}, least {milliseconds(int(values.min()))}, median "
        f"{milliseconds(int(np.median(values)))}, with the queue that TCP filled; delays are half of them"
    )


def _least_ns(trips: Iterable[RoundTrip], source: End, *, own: bool) -> int:
    """Return the least round trip of the segments of `source`, or of the other end; -1 without one."""
    return min((trip.trip_ns for trip in trips if (trip.source == source) == own), default=-1)
