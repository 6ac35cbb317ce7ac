"""Output of ping (iputils), with ``-D`` and ``-O`` or without: round trips with the time of each reply.

A reply reads ``[epoch seconds] N bytes from A: icmp_seq=S ttl=T time=X ms``; its stamp is the arrival. ``no
answer yet for icmp_seq=S`` is printed when probe S + 1 is sent, so it also appears for every probe if the
round trip is longer than the interval: it gives a sending time, and does not prove a loss. Numbers have 16
bits. Without ``-D`` there are no stamps: probe S was sent S intervals after the start. The pings of macOS
and BusyBox have no stamps either and count from 0; that of macOS prints ``Request timeout for icmp_seq S``,
that of BusyBox ``seq=S``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from tmt.core.declaration import PositiveSeconds, ns
from tmt.core.errors import InputError, UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S, seconds_to_ns
from tmt.core.words.refusals import shown
from tmt.importers.notes import CUT_LINE, HALF_TRIP, left_out, milliseconds, unknown_losses
from tmt.importers.probes import Probes, RoundTripImporter, numbers_between
from tmt.io.files import TextLine, text_lines

if TYPE_CHECKING:
    from tmt.core.trace import Int64Array
    from tmt.importers.importer import Direction

_STAMP = r"(\[(?P<stamp>[1-4]?\d{1,9}\.\d+)\] )?"
_REPLY = re.compile(
    _STAMP + r"(?P<bytes>\d{1,6}) bytes from .*\b(icmp_)?seq=(?P<seq>\d{1,5})\b.* "
    r"time=(?P<time>[\d.]{1,12}) ms.*"
)
_WAITING = re.compile(_STAMP + r"no answer yet for icmp_seq=(?P<seq>\d{1,5})")
_REFUSED = re.compile(
    _STAMP + r"(From .*icmp_seq=(?P<seq>\d{1,5})\b.*|Request timeout for icmp_seq (?P<silent>\d{1,5}))"
)
_START = re.compile(r"PING .* (?P<payload>\d{1,6})(\((?P<packet>\d{1,6})\))? (data )?bytes.*")
_SENT = re.compile(r"(?P<sent>\d{1,9}) packets transmitted, .*")
_BESIDE = re.compile(
    r"--- .* ping statistics ---|rtt min/.*|round-trip min/.*|ping: .*|Warning: time of day goes back.*|"
    r"\d+/\d+ packets, .*"  # at SIGQUIT
)

_IPV6 = re.compile(r":[0-9a-f]*:")
_IPV4_BYTES, _IPV6_BYTES, _ICMP_BYTES = 20, 40, 8
_WRAP = 1 << 16
_FAR = 1 << 62


class Ping(RoundTripImporter):
    """Output of ping -D, better with -O; without -D, --interval gives the sending times.

    Each probe becomes a row whose delay is half of the round trip (ms). See docs/import/probes.md.

        ping -D -O -i 0.02 example.org > ping.txt
        tmt import ping ping.txt down.parquet --line 5e6
    """

    name: ClassVar[str] = "ping"
    signs: ClassVar[tuple[bytes, ...]] = (
        rb"\A\s*(PING \S+ |(\[\d+\.\d+\] )?(\d+ bytes from \S|no answer yet for ))",
    )

    interval: Annotated[
        PositiveSeconds | None,
        "time from probe to probe, for output without time stamps: the -i of ping, which is 1 s unless set",
    ] = None

    def probes(self, path: str) -> Probes:
        """Return the probes of one direction, with half of each round trip as their delay.

        A probe without a reply is lost if a later one was answered, or if the log continues for the longest
        round trip; otherwise it is left out.
        """
        log = _Log(path, None if self.interval is None else ns(self.interval))
        for line in text_lines(path, comments=False):
            log.take(line)
        if not log.replies:
            raise InputError(path, "there is no reply of ping")
        return log.probes(self.way)


class _Log:
    """A ping's replies by sequence number, without wraps."""

    def __init__(self, path: str, interval_ns: int | None) -> None:
        self._path = path
        self._interval_ns = interval_ns
        self.replies: dict[int, tuple[int, int]] = {}  # sequence: sent, round trip, in ns
        self._lowest, self._highest, self._sent = _FAR, 0, 0
        self._sending: dict[int, int] = {}  # sequence: sent, from the line about the probe before
        self._last_ns = self._size_bytes = 0
        self._cut = False
        self._duplicates = 0

    def take(self, line: TextLine) -> None:
        if found := _REPLY.fullmatch(line.text):
            self._reply(line, found)
        elif found := _WAITING.fullmatch(line.text):
            following = self._unwrapped(int(found["seq"])) + 1
            self._sending[following] = self._stamp(line, found["stamp"], following)
        elif found := _REFUSED.fullmatch(line.text):
            self._stamp(line, found["stamp"], self._unwrapped(int(found["seq"] or found["silent"])))
        elif found := _START.fullmatch(line.text):
            self._size_bytes = int(found["packet"] or 0) or _packet_bytes(found, "payload", _ICMP_BYTES)
            self._lowest = 1
        elif found := _SENT.fullmatch(line.text):
            self._sent = int(found["sent"])
        elif not line.ended:
            self._cut = True
        elif not _BESIDE.fullmatch(line.text):
            raise InputError(self._path, f"{shown(line.text)} is not a line of ping", line.number)

    def _reply(self, line: TextLine, found: re.Match[str]) -> None:
        sequence = self._unwrapped(int(found["seq"]))
        try:
            round_trip_ns = round(float(found["time"]) * NS_PER_MS)
        except ValueError:
            raise InputError(self._path, f"time is {found['time']}, no number", line.number) from None
        stamp_ns = self._stamp(line, found["stamp"], sequence, round_trip_ns)
        if sequence in self.replies:
            self._duplicates += 1
            return
        self.replies[sequence] = (stamp_ns - round_trip_ns, round_trip_ns)
        self._size_bytes = self._size_bytes or _packet_bytes(found, "bytes", 0)

    def _stamp(self, line: TextLine, text: str | None, sequence: int, after_ns: int = 0) -> int:
        """Return when a line was printed: its stamp, or `after_ns` after a probe of the interval was sent."""
        if text is None:
            if self._interval_ns is None:
                reason = "this line has no time stamp; give the -i of ping as --interval, or run ping with -D"
                raise InputError(self._path, reason, line.number)
            stamp_ns = sequence * self._interval_ns + after_ns
            self._last_ns = max(self._last_ns, stamp_ns)
            return stamp_ns
        if self._interval_ns is not None:
            raise UsageError(f"--interval is for output without time stamps; {self._path} has them")
        stamp_ns = seconds_to_ns(text)
        if stamp_ns < self._last_ns:
            reason = f"time goes back by {milliseconds(self._last_ns - stamp_ns)} from the line before"
            raise InputError(self._path, reason, line.number)
        self._last_ns = stamp_ns
        return stamp_ns

    def _unwrapped(self, sequence: int) -> int:
        """Return the sequence number nearest to the highest one so far, and remember it."""
        turn = round((self._highest - sequence) / _WRAP)
        counted = sequence + max(turn, 0) * _WRAP
        self._lowest, self._highest = min(self._lowest, counted), max(self._highest, counted)
        return counted

    def probes(self, direction: Direction) -> Probes:
        known = np.array(sorted(self.replies), np.int64)
        sent, trips = (np.array([self.replies[s][i] for s in known], np.int64) for i in (0, 1))
        last = max(self._highest, self._sent - (self._lowest == 0), *self._sending)
        numbers = numbers_between(self._path, self._lowest, last, len(known))
        sending = self._sending | dict(zip(known.tolist(), sent.tolist(), strict=True))
        times = _sending_times(numbers, sending)
        delivered = np.isin(numbers, known)
        settled = (numbers < known[-1]) | (times + trips.max() <= self._last_ns) | delivered
        notes = [HALF_TRIP]
        if self._interval_ns is not None:
            every = f"{self._interval_ns / NS_PER_S:g} s"
            notes.append(f"probes are taken to be sent every {every} (--interval): pauses do not show")
        notes += unknown_losses(int((settled & ~delivered).sum()), direction)
        notes += left_out(int((~settled).sum()), "probe", "at the end without an answer")
        notes += left_out(self._duplicates, "duplicate")
        notes += [CUT_LINE] * self._cut
        return Probes.of(times[settled], trips // 2, delivered[settled], self._size_bytes, tuple(notes))


def _packet_bytes(line: re.Match[str], name: str, icmp_bytes: int) -> int:
    """Return the size of the IP packet of a line, which has its address."""
    return int(line[name]) + icmp_bytes + (_IPV6_BYTES if _IPV6.search(line[0]) else _IPV4_BYTES)


def _sending_times(numbers: Int64Array, sending: dict[int, int]) -> Int64Array:
    """Return the sending time of each probe; an unknown time is interpolated between its neighbours."""
    known = np.array(sorted(sending), np.int64)
    start = min(sending.values())
    sent = np.array([sending[number] - start for number in known.tolist()], np.float64)
    interval = (sent[-1] - sent[0]) / (known[-1] - known[0]) if len(known) > 1 else float(NS_PER_S)
    times = np.interp(numbers, known, sent)
    times += np.minimum(numbers - known[0], 0) * interval + np.maximum(numbers - known[-1], 0) * interval
    return start + np.rint(times).astype(np.int64)
