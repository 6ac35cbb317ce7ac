"""Packets of OWAMP and TWAMP (RFC 4656, RFC 5357): one-way delays and losses of each direction.

Raw output of ``owping -R`` and ``twping -R``, a packet a line, the fields separated by blanks:

=================  ==================================================================================
program            fields
=================  ==================================================================================
``owping``         number, sent, synchronised, error, received, synchronised, error, TTL
``twping``         the same 8 of the packet there, then the same 8 of its reflection
=================  ==================================================================================

Times are NTP stamps: units of 2**-32 s since 1900, in 20 digits; an arrival time of 0 is a loss. Text of ``-v
-U``: ``seq_no=N delay=D ms (sync, err=E ms) sent=S recv=R``, for twping with ``fwd_delay`` and ``bck_delay``;
a lost packet has ``*LOST*`` and no time. perfSONAR's JSON has ``raw-packets`` with ``seq-num``, ``src-ts``
and ``dst-ts``. Source: owping.c, stats.c of perfsonar/owamp; schema of the latency test of
perfsonar/pscheduler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.errors import InputError
from tmt.core.units import MAX_TIME_NS, NS_PER_S, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.importers.irtt import one_direction
from tmt.importers.log_files import UNITS_NS, Record, Row, first_letter, member, read_json
from tmt.importers.notes import CUT_LINE, left_out
from tmt.importers.probes import ProbeImporter, Probes, RoundTripImporter, all_lost, positive_delays
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.core.trace import BoolArray, Int64Array

_OWAMP_BYTES, _TWAMP_BYTES = 42, 69
"""IP packets of the shortest test packets, the programs' default (``-s``)."""

_RAW = re.compile(rb"\d{1,10} \d{20} [01] \S+ \d{20} [01] \S+ \d{1,3}(?P<back> \d+ \d{20} [01] .*)?\r?\n")
_PACKET = re.compile(r"seq_no=(?P<number>\d{1,10}) +(?P<rest>.*)")
_TIMES = re.compile(
    r"(fwd_delay=(?P<there>\S+) (?P<there_unit>\w+) bck_delay=(?P<back>\S+) (?P<back_unit>\w+) )?"
    r"delay=(?P<delay>\S+) (?P<unit>\w+)\b.*\bsent=(?P<sent>\S+) recv=.*"
)
_PROGRAMS = ("owping", "twping")
_FIELDS = ((1, 2, 5), (1, 2, 5, 10, 13))
"""Fields of a raw packet that are read, from 1: its number, and stamps of sending and receiving, each way."""
_DIGITS = 20
_MOST_DELAY_NS = MAX_TIME_NS // 8
_WANTED = "run it with -R, or with -v -U"
_DOCUMENT = b'"raw-packets"'


@dataclass(frozen=True, slots=True)
class _Packet:
    """A packet: its sending time (None for a lost packet of the text form), and its delays (none for a lost
    packet).
    """

    place: int | str
    number: int
    sent_ns: int | None
    delays_ns: tuple[int, ...]


class Owamp(ProbeImporter):
    """Packets of owping -R, or -v -U, and perfSONAR's raw packets (JSON): one direction.

    Each packet becomes a row with its one-way delay and fate. See docs/import/probes.md.

        owping -R -t example.org > up.txt
        tmt import owamp up.txt up.parquet --line 5e6
    """

    name: ClassVar[str] = "owamp"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds packets of owping, or of perfSONAR."""
        return _is_of(head, 1) or _DOCUMENT in head

    def probes(self, path: str) -> Probes:
        """Return the packets; InputError, with the place, at a wrong field, and if all are lost."""
        packets, notes = _by_number(path, 1)
        sent, delivered = _sending_times(packets)
        delay, note = positive_delays(_delays(packets, 0))
        return Probes.of(sent, delay, delivered, _OWAMP_BYTES, (note, *notes))


class Twamp(RoundTripImporter):
    """Packets of twping -R, or -v -U, one direction; up is towards the reflector.

    Each packet becomes a row with its one-way delay and fate. See docs/import/probes.md.

        twping -R example.org > packets.txt
        tmt import twamp packets.txt down.parquet --line 5e6
    """

    name: ClassVar[str] = "twamp"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds packets of twping."""
        return _is_of(head, 2)

    def probes(self, path: str) -> Probes:
        """Return the packets of one direction; errors as for `Owamp.probes`."""
        packets, notes = _by_number(path, 2)
        sent, delivered = _sending_times(packets)
        lost = np.where(delivered, "", "unknown")
        delays = _delays(packets, 0), _delays(packets, 1)
        found = one_direction(path, sent, lost, *delays, _TWAMP_BYTES, self.way)
        return replace(found, notes=(*found.notes, *notes))


def _is_of(head: bytes, ways: int) -> bool:
    """Whether a file with this beginning holds packets of one or two ways."""
    if raw := _RAW.match(head):
        return (raw["back"] is not None) == (ways == 2)
    first = re.match(rb"\s*seq_no=\d+ +(fwd_)?delay=", head)
    title = f"--- {_PROGRAMS[ways - 1]} statistics".encode()
    return title in head or (first is not None and (first[1] is not None) == (ways == 2))


def _packets(path: str, ways: int) -> tuple[list[_Packet], list[str]]:
    """Return the packets of a file in its order, and a note on a truncated last line."""
    if first_letter(path) in (b"{", b"["):
        return list(_of_document(path)), []
    packets: list[_Packet] = []
    raw = False
    for line in text_lines(path):
        fields = line.text.split()
        raw = raw or (len(fields) == 8 * ways and len(fields[1]) == _DIGITS)
        found = None if raw else _PACKET.match(line.text)
        times = _TIMES.fullmatch(found["rest"]) if found else None
        reason = ""
        if raw and len(fields) != 8 * ways:
            reason = refusal("fields", found=len(fields), needed=8 * ways)
        elif found and found["rest"] != "*LOST*" and (times is None or (ways == 2) != bool(times["there"])):
            reason = f"{shown(line.text)} has no sending time of {_PROGRAMS[ways - 1]}; {_WANTED}"
        if reason and not line.ended:
            return packets, [CUT_LINE]
        if reason:
            raise InputError(path, reason, line.number)
        if raw:
            row = Row(path, line.number, {f"field {at}": text for at, text in enumerate(fields, 1)})
            packets.append(_of_stamps(row, [f"field {at}" for at in _FIELDS[ways - 1]]))
        elif found:
            packets.append(_of_text(path, line.number, found, times, ways))
    return packets, []


def _of_stamps(row: Row, names: Sequence[str]) -> _Packet:
    """Return a packet, from its number and the NTP stamps of sending and receiving in both directions."""
    number, *stamps = (row.whole(name, 0, 2**64 - 1) for name in names)
    sent_ns = (stamps[0] * NS_PER_S) >> 32
    if min(stamps[1:]) == 0:
        return _Packet(row.place, number, sent_ns, ())
    pairs = zip(stamps[::2], stamps[1::2], strict=True)
    delays = tuple(((last - first) * NS_PER_S) >> 32 for first, last in pairs)
    if max(map(abs, delays)) > _MOST_DELAY_NS:
        raise row.refused(f"its delay is {max(delays, key=abs) / NS_PER_S:g} s")
    return _Packet(row.place, number, sent_ns, delays)


def _of_text(path: str, place: int, found: re.Match[str], times: re.Match[str] | None, ways: int) -> _Packet:
    number = int(found["number"])
    if times is None:
        return _Packet(place, number, None, ())
    parts = [("there", "there_unit"), ("back", "back_unit")] if ways == 2 else [("delay", "unit")]
    try:
        delays = [float(times[value]) * UNITS_NS[times[unit]] for value, unit in parts]
        sent_ns = seconds_to_ns(times["sent"])
    except (ValueError, KeyError, ArithmeticError):
        delays, sent_ns = [float("nan")], 0
    if not (all(abs(delay) <= _MOST_DELAY_NS for delay in delays) and 0 <= sent_ns <= MAX_TIME_NS):
        raise InputError(path, f"{shown(found[0])} holds a wrong time", place)
    return _Packet(place, number, sent_ns, tuple(round(delay) for delay in delays))


def _of_document(path: str) -> Iterator[_Packet]:
    """Yield the packets of a result of pScheduler, which may be inside its run."""
    document = read_json(path)
    while isinstance(document, dict) and "raw-packets" not in document:
        document = document.get("result", document.get("measurement"))
    packets = member(document, "raw-packets")
    if not isinstance(packets, list):
        raise InputError(path, "there is no list raw-packets; give the task of pScheduler --output-raw")
    for index, packet in enumerate(packets):
        record = Record.of(path, f"raw-packets[{index}]", packet)
        yield _of_stamps(record, ("seq-num", "src-ts", "dst-ts"))


def _by_number(path: str, ways: int) -> tuple[list[_Packet], list[str]]:
    """Return the packets of a file by number, each once, and notes."""
    packets, notes = _packets(path, ways)
    held: dict[int, _Packet] = {}
    for packet in packets:
        first = held.setdefault(packet.number, packet)
        if first is not packet and (first.sent_ns != packet.sent_ns or packet.sent_ns is None):
            reason = f"packet {packet.number} occurs again with another time; a file must hold one session"
            raise InputError(path, reason, packet.place)
    if not held:
        raise InputError(path, f"there is no packet of {_PROGRAMS[ways - 1]}; {_WANTED}")
    if not any(packet.delays_ns for packet in held.values()):
        raise all_lost(path, len(held), "packet")
    notes += left_out(len(packets) - len(held), "duplicate")
    return [held[number] for number in sorted(held)], notes


def _sending_times(packets: list[_Packet]) -> tuple[Int64Array, BoolArray]:
    """Return when each packet was sent, interpolated by number if unknown, and whether it arrived."""
    known = [packet for packet in packets if packet.sent_ns is not None]
    origin = known[0].sent_ns or 0
    times = np.interp(
        [packet.number for packet in packets],
        [packet.number for packet in known],
        [float((packet.sent_ns or 0) - origin) for packet in known],
    )
    delivered = np.array([bool(packet.delays_ns) for packet in packets])
    return np.rint(times).astype(np.int64), delivered


def _delays(packets: list[_Packet], way: int) -> Int64Array:
    return np.array([packet.delays_ns[way] for packet in packets if packet.delays_ns], np.int64)
