"""TCP connections of a capture: their segments, round trips, and acknowledged bytes.

Source: RFC 9293 (header), RFC 7323 (timestamps option), RFC 2018 (selective acknowledgements).
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from tmt.core.errors import InputError
from tmt.importers.captures import TCP, ip_packets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tmt.importers.captures import CaptureFile, IpPacket

_HEADER = struct.Struct(">2H2I4H")
_FIN, _SYN, _ACK = 1, 2, 16
_END, _NOTHING, _SACK, _TIMESTAMPS = 0, 1, 5, 8
"""Kinds of options."""
_WRAP = 1 << 32

End = tuple[bytes, int]
"""Address and port."""


class Segment(NamedTuple):
    """A segment; numbers count without wrapping."""

    time_ns: int
    source: End
    begin: int
    """Sequence number."""
    end: int
    """Sequence number after it; SYN and FIN count one each."""
    payload_bytes: int
    acknowledged: int | None
    sacked: tuple[tuple[int, int], ...]
    """Start and end of blocks that are acknowledged beyond `acknowledged`."""
    stamp: int | None
    """TSval of the timestamps option."""
    echo: int | None
    """TSecr."""


def connections(capture: CaptureFile) -> list[list[Segment]]:
    """Return the segments of each connection in order of time, the one with the most payload first."""
    held: defaultdict[tuple[End, End], list[tuple[End, IpPacket]]] = defaultdict(list)
    for packet in ip_packets(capture, TCP):
        if len(packet.payload) >= _HEADER.size:
            source_port, target_port = struct.unpack_from(">2H", packet.payload)
            source, target = (packet.ends[0], source_port), (packet.ends[1], target_port)
            held[min(source, target), max(source, target)].append((source, packet))
    if not held:
        others = "tmt import pcap reads UDP, tmt import ping what ping prints"
        raise InputError(capture.path, f"there is no TCP packet in this capture; {others}")
    found = [list(_segments(packets)) for packets in held.values()]
    return sorted(found, key=payload_bytes, reverse=True)


def payload_bytes(segments: Iterable[Segment]) -> int:
    """Return the bytes of payload of segments."""
    return sum(segment.payload_bytes for segment in segments)


def end_text(end: End) -> str:
    """Return an address and its port as text."""
    address = ip_address(end[0])
    return f"[{address}]:{end[1]}" if address.version == 6 else f"{address}:{end[1]}"


def _segments(packets: list[tuple[End, IpPacket]]) -> Iterator[Segment]:
    near: dict[End, int] = {}
    ends = {source for source, _ in packets}
    for source, packet in sorted(packets, key=lambda one: one[1].time_ns):
        data = packet.payload
        _, _, sequence, acknowledged, bits, *_ = _HEADER.unpack_from(data)
        header = (bits >> 12) * 4
        if not 20 <= header <= packet.payload_bytes:
            continue
        begin = near[source] = _unwrapped(sequence, near.get(source, sequence))
        payload = packet.payload_bytes - header
        other = next((end for end in ends if end != source), None)
        acked = stamp = echo = None
        if bits & _ACK and other is not None:
            acked = _unwrapped(acknowledged, near.setdefault(other, acknowledged))
        sacked: tuple[tuple[int, int], ...] = ()
        for kind, value in _options(data[20:header]):
            if kind == _TIMESTAMPS and len(value) == 8:
                stamp, echo = struct.unpack(">2I", value)
            elif kind == _SACK and len(value) % 8 == 0 and acked is not None:
                edges = [_unwrapped(edge, acked) for (edge,) in struct.iter_unpack(">I", value)]
                sacked = tuple(zip(edges[::2], edges[1::2], strict=True))
        end = begin + payload + bool(bits & _SYN) + bool(bits & _FIN)
        echo = None if acked is None else echo
        yield Segment(packet.time_ns, source, begin, end, payload, acked, sacked, stamp, echo)


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data) and data[at] != _END:
        if data[at] == _NOTHING:
            at += 1
            continue
        length = data[at + 1] if at + 1 < len(data) else 0
        if length < 2 or at + length > len(data):
            return
        yield data[at], data[at + 2 : at + length]
        at += length


def _unwrapped(number: int, near: int) -> int:
    """Return the unwrapped value of a number of 32 bits that is nearest to another one."""
    return near + (number - near + _WRAP // 2) % _WRAP - _WRAP // 2


class Coverage:
    """Seen sequence numbers, as disjoint intervals in order."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, begin: int, end: int) -> int:
        """Add numbers from `begin` to before `end`, and return how many of them are new."""
        first, last = bisect_left(self._ends, begin), bisect_right(self._begins, end)
        known = sum(self._ends[first:last]) - sum(self._begins[first:last])
        if first < last:
            begin, end = min(begin, self._begins[first]), max(end, self._ends[last - 1])
        self._begins[first:last], self._ends[first:last] = [begin], [end]
        return end - begin - known


class RoundTrip(NamedTuple):
    """A segment of one end, and the first answer of the other end."""

    source: End
    time_ns: int
    """Of the answer."""
    trip_ns: int


def trips_by_stamps(segments: Iterable[Segment]) -> Iterator[RoundTrip]:
    """Yield for each TSval the time from the first segment that has it to the first one that echoes it."""
    sent: dict[tuple[End, int], int] = {}
    latest: dict[End, int] = {}
    for segment in segments:
        if segment.stamp is not None and latest.get(segment.source) != segment.stamp:
            latest[segment.source] = segment.stamp
            sent.setdefault((segment.source, segment.stamp), segment.time_ns)
        for source in latest:
            if source != segment.source and segment.echo is not None:
                begun_ns = sent.pop((source, segment.echo), None)
                if begun_ns is not None:
                    yield RoundTrip(source, segment.time_ns, segment.time_ns - begun_ns)


def trips_by_numbers(segments: Iterable[Segment]) -> Iterator[RoundTrip]:
    """Yield the time from each segment to the acknowledgement of its end, except for data sent twice."""
    open_segments: defaultdict[End, deque[Segment]] = defaultdict(deque)
    sampled: dict[End, int] = {}
    for segment in segments:
        source = segment.source
        if segment.end > segment.begin:
            if segment.begin >= sampled.setdefault(source, segment.begin):
                open_segments[source].append(segment)
                sampled[source] = segment.end
            else:  # sent again: an acknowledgement may answer either transmission (Karn)
                open_segments[source].clear()
        for other, waiting in open_segments.items():
            if other == source or segment.acknowledged is None:
                continue
            while waiting and waiting[0].end <= segment.acknowledged:
                answered = waiting.popleft()
                if answered.end == segment.acknowledged:
                    yield RoundTrip(other, segment.time_ns, segment.time_ns - answered.time_ns)
