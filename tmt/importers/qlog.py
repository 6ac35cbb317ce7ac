"""Logs of QUIC endpoints in qlog: sent packets and their fates.

Forms: one JSON document with ``traces[].events`` (aioquic, mvfst, picoquic), or one JSON record a line, with
or without the record separator of JSON-SEQ (quic-go, quiche, ngtcp2: ``.sqlog``). An event is an object with
``time``, ``name`` and ``data``, or, up to draft-01, an array whose columns ``event_fields`` names. Times are
in ms, or in the ``time_units`` of old drafts. Source: draft-ietf-quic-qlog-main-schema and
draft-ietf-quic-qlog-quic-events, and the loggers of those programs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import MAX_TIME_NS, NS_PER_MS
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.log_files import UNITS_NS, Record, json_lines, member, read_json
from tmt.importers.notes import CUT_LINE, agreed, left_out, milliseconds
from tmt.importers.probes import ProbeImporter, Probes
from tmt.io.files import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEQUENCE = (b"\x1e", b'"JSON-SEQ"', b'"NDJSON"', b"qlog:file:sequential", b"+json-seq")
"""Marks of a file with one record a line."""
_IP_UDP_BYTES = 28
_ACKS = ("ack", "path_ack", "ack_mp", "mp_ack")
"""Frames that acknowledge, with or without ECN; those of drafts of multipath QUIC name the path."""
_MOST = (1 << 62) - 1


class Qlog(ProbeImporter):
    """qlog of a QUIC endpoint (JSON or JSON-SEQ): its sent packets as probes.

    A packet arrived if an acknowledgement names it. It is lost if none does although later packets are named.
    The delay is half of the round trip.

        tmt import qlog client.sqlog up.parquet --line 20e6
    """

    name: ClassVar[str] = "qlog"
    signs: ClassVar[tuple[bytes, ...]] = (b'"qlog_version"|urn:ietf:params:qlog',)

    def probes(self, path: str) -> Probes:
        """Return the packets of the connection that sent the most."""
        found: dict[object, _Connection] = {}
        cut = False
        for event in _events(path):
            if event is None:
                cut = True
            elif handle := _HANDLERS.get(event.name):
                handle(found.setdefault(event.connection, _Connection()), event)
        if not any(connection.sent for connection in found.values()):
            raise InputError(path, "there is no event packet_sent in this log")
        connection = max(found.values(), key=lambda one: len(one.sent))
        others = sum(bool(one.sent) for one in found.values()) - 1
        notes = left_out(others, "connection", "with fewer packets") + [CUT_LINE] * cut
        return connection.probes(path, notes)


class _Event(NamedTuple):
    """An event; `place` is used in refusals."""

    path: str
    place: int | str
    connection: object
    name: str
    time_ns: int
    data: dict[str, Any]
    is_ms: bool
    """Whether its log has times in ms, as drafts from 02 on require; older delays have other units."""

    def whole(self, name: str, value: object) -> int:
        """Return a whole number (InputError)."""
        return Record.of(self.path, self.place, {name: value}).whole(name, 0, _MOST)

    @property
    def space(self) -> str:
        """The space of packet numbers: 0-RTT and 1-RTT share one, but each path has its own."""
        kind = member(self.data, "header", "packet_type") or self.data.get("packet_type") or "1RTT"
        kind = str(kind).lower()
        path = member(self.data, "header", "path_id")
        return kind if kind in ("initial", "handshake") else _space_of_path(self.data.get("path_id", path))

    @property
    def number(self) -> tuple[str, int]:
        """Space and number of its packet (InputError)."""
        value = member(self.data, "header", "packet_number")
        value = self.data.get("packet_number") if value is None else value
        return self.space, self.whole("packet_number", value)


@dataclass(slots=True)
class _Connection:
    """Packets of one connection, by space and number."""

    sent: dict[tuple[str, int], int] = field(default_factory=dict)
    """When each was sent."""
    sizes: Counter[int] = field(default_factory=Counter)
    acknowledged: set[tuple[str, int]] = field(default_factory=set)
    trips: dict[tuple[str, int], int] = field(default_factory=dict)
    """Round trip of packets that were the largest newly acknowledged one."""
    declared: set[tuple[str, int]] = field(default_factory=set)
    """Packets that the sender declared lost."""
    awaited: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Numbers that no acknowledgement names yet, in order, by space."""
    newest: dict[str, int] = field(default_factory=dict)
    """Largest acknowledged number of each space."""

    def packet_sent(self, event: _Event) -> None:
        if str(member(event.data, "header", "packet_type")).lower() in ("retry", "version_negotiation"):
            return
        space, number = event.number
        if (space, number) not in self.sent:
            self.sent[space, number] = event.time_ns
            insort(self.awaited[space], number)
        size = member(event.data, "raw", "length") or member(event.data, "header", "packet_size")
        if size is not None:
            self.sizes[event.whole("the length", size)] += 1

    def packet_received(self, event: _Event) -> None:
        frames = event.data.get("frames")
        for frame in frames if isinstance(frames, list) else ():
            if str(member(frame, "frame_type")).lower().removesuffix("_ecn") in _ACKS:
                self._acknowledge(event, frame)

    def packet_lost(self, event: _Event) -> None:
        if event.data.get("header") is not None or "packet_number" in event.data:
            self.declared.add(event.number)

    def _acknowledge(self, event: _Event, frame: dict[str, Any]) -> None:
        ranges = frame.get("acked_ranges")
        if not isinstance(ranges, list):
            raise InputError(event.path, "an ACK frame has no acked_ranges", event.place)
        space, fresh = event.space, list[int]()
        if space not in ("initial", "handshake"):
            space = _space_of_path(frame.get("path_id"))
        awaited = self.awaited[space]
        for one in ranges:
            edges = one if isinstance(one, list) and 1 <= len(one) <= 2 else [one]
            first, last = (event.whole("acked_ranges", edges[place]) for place in (0, -1))
            begin, end = bisect_left(awaited, first), bisect_right(awaited, last)
            fresh += awaited[begin:end]
            del awaited[begin:end]
        if fresh:
            self.acknowledged.update((space, number) for number in fresh)
            largest = max(fresh)
            self.newest[space] = max(largest, self.newest.get(space, 0))
            trip = event.time_ns - self.sent[space, largest]
            held = _delay_ns(frame.get("ack_delay")) if event.is_ms else 0
            self.trips[space, largest] = trip - held if held < trip else trip

    def probes(self, path: str, notes: list[str]) -> Probes:
        sizes = Counter(space for space, _ in self.sent)
        main = max((space for space in sizes if "/" in space), key=lambda space: sizes[space], default="")
        other_paths = [key for key in self.sent if "/" in key[0] and key[0] != main]
        for key in other_paths:
            del self.sent[key]
            self.trips.pop(key, None)
        if not self.trips:
            raise InputError(path, "no packet of this log is acknowledged; were frames logged?")
        settled = [key for key in self.sent if key[1] <= self.newest.get(key[0], -1)]
        arrived = np.array([key in self.acknowledged for key in settled])
        times = np.array([self.sent[key] for key in settled], np.int64)
        sampled = np.array([key in self.trips for key in settled])
        trips = np.array([self.trips[key] for key in settled if key in self.trips], np.int64)
        order = np.argsort(times[sampled], kind="stable")
        every = np.interp(times[arrived], times[sampled][order], trips[order])
        delay = np.maximum(np.rint(every / 2).astype(np.int64), 1)
        declared = sum(key in self.declared for key in settled if key not in self.acknowledged)
        lost = int((~arrived).sum())
        spurious = len(self.declared & self.acknowledged & self.sent.keys())
        size = self.sizes.most_common(1)[0][0] if self.sizes else 0
        said = [
            f"lost are {lost:,} of {counted(len(settled), 'packet')}: {declared:,} as the sender declared, "
            f"{lost - declared:,} because no acknowledgement names them",
            f"delays are half of {counted(len(trips), 'round trip')}, at least "
            f"{milliseconds(int(trips.min()))}; others are interpolated",
        ]
        if spurious:
            said.append(f"{agreed(spurious, 'packet', 'were')} declared lost, but acknowledged: no loss")
        said += left_out(len(self.sent) - len(settled), "packet", "behind the last acknowledged one")
        said += left_out(len(other_paths), "packet", "of other paths")
        if size:
            said.append(f"packets have {min(self.sizes):,} to {max(self.sizes):,} bytes, most often {size:,}")
        return Probes.of(times, delay, arrived, size + _IP_UDP_BYTES, (*said, *notes))


_HANDLERS = {
    "packet_sent": _Connection.packet_sent,
    "packet_received": _Connection.packet_received,
    "packet_lost": _Connection.packet_lost,
}


def _space_of_path(path: object) -> str:
    """Return the space of packet numbers of a path, by its number; a single path is 0."""
    return f"1rtt/{path or 0}"


def _delay_ns(value: object) -> int:
    """Return an acknowledgement delay in ms as nanoseconds; 0 for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e6:
        return 0
    return round(value * NS_PER_MS)


def _events(path: str) -> Iterator[_Event | None]:
    """Yield the events of a file; None for a truncated last line."""
    head = head_of(path)
    if any(sign in head for sign in _SEQUENCE):
        lines = json_lines(path)
        _, first = next(lines, (0, None))  # it describes the trace
        form = _Form(path, member(first, "trace") or {}, 0)
        for number, record in lines:
            yield None if record is None else form.event(record, number)
        return
    traces = member(read_json(path), "traces")
    if not isinstance(traces, list):
        raise InputError(path, "there is no list traces; this is not a file of qlog")
    for index, trace in enumerate(traces):
        events = member(trace, "events")
        form = _Form(path, trace, index)
        for at, event in enumerate(events if isinstance(events, list) else ()):
            yield form.event(event, f"traces[{index}].events[{at}]")


class _Form:
    """The form of a trace's events."""

    def __init__(self, path: str, trace: object, index: int) -> None:
        self.path, self.index = path, index
        fields = member(trace, "event_fields")
        self._fields = [str(name) for name in fields] if isinstance(fields, list) else []
        unit = member(trace, "configuration", "time_units") or member(trace, "common_fields", "time_units")
        unit = "ms" if unit is None else str(unit)
        if unit not in UNITS_NS:
            raise InputError(path, f"time_units is {shown(unit)}; allowed are {', '.join(UNITS_NS)}")
        self._unit_ns = UNITS_NS[unit]
        form = str(member(trace, "common_fields", "time_format"))
        self._adds_up = form in ("delta", "relative_to_previous_event")
        self._last_ns = 0

    def event(self, event: object, place: int | str) -> _Event:
        """Return an event (InputError)."""
        if isinstance(event, list) and len(event) == len(self._fields):
            event = dict(zip(self._fields, event, strict=True))
        if not isinstance(event, dict):
            raise InputError(self.path, f"{shown(repr(event))} is no event", place)
        name = event.get("name") or event.get("event_type") or event.get("event") or event.get("type") or ""
        name = str(name).lower().rpartition(":")[2]
        time = next((event[key] for key in ("time", "relative_time", "delta_time") if key in event), None)
        time_ns = self._time_ns(time, place)
        if self._adds_up:
            time_ns += self._last_ns
        self._last_ns = time_ns
        data = event["data"] if isinstance(event.get("data"), dict) else {}
        connection = self.index, str(event.get("group_id", event.get("group_ids", "")))
        is_ms = self._unit_ns == NS_PER_MS
        return _Event(self.path, place, connection, name, time_ns, data, is_ms)

    def _time_ns(self, time: object, place: int | str) -> int:
        with suppress(ArithmeticError):
            value = Decimal(str(time)) * self._unit_ns
            if isinstance(time, (int, float, str)) and abs(value) <= MAX_TIME_NS // 2:
                return int(value.to_integral_value())
        raise InputError(self.path, f"the time of an event is {shown(repr(time))}; a number is needed", place)
