"""iperf3 and iperf2: the rate of each interval, and the datagrams that UDP lost.

JSON of iperf3 (``-J``): ``intervals[].sum`` (``sum_bidir_reverse`` for the other direction with ``--bidir``)
with ``start`` and ``end`` in s, ``bits_per_second``, and with UDP ``packets``, ``lost_packets`` and
``lost_percent`` at the receiver; ``start.test_start`` has ``reverse``, ``protocol``, ``blksize`` and, since
3.10, ``target_bitrate``. Source: the code of iperf3 that prints an interval.

A line of text reads ``[ ID] start-end sec  N Bytes  N bits/sec``, each number with a prefix (K, M, G or T:
1024 for bytes, 1000 for bits). At a receiver of UDP the jitter in ms and ``lost/total (percent%)`` follow.
iperf3 marks omitted intervals, and totals by ``sender`` or ``receiver``; iperf 2 does not mark its total,
which begins where the first interval begins. Source: the formats in both programs' sources of words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS
from tmt.core.words.refusals import shown
from tmt.importers.iperf_series import TCP_BLOCK_BYTES, Interval, series
from tmt.importers.log_files import Record, first_letter, member, read_json
from tmt.importers.notes import CUT_LINE
from tmt.importers.rate_series import TwoWayRateImporter
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from tmt.importers.importer import Direction
    from tmt.importers.rate_series import RateSeries

_MAX = 1e15
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,9})?"
_LINE = re.compile(
    rf"\[ *(?P<id>[0-9]{{1,9}}|SUM)\](?:\[(?P<role>[TR]X-[CS])\])? +"
    rf"(?P<start>{_NUMBER})- *(?P<end>{_NUMBER}) +sec +"
    rf"{_NUMBER} [KMGT]?Bytes +(?P<rate>{_NUMBER}) (?P<prefix>[KMGT]?)(?P<kind>bits|Bytes)/sec(?P<rest>.*)"
)
_LOST = re.compile(r" ms +(?P<lost>-?[0-9]{1,15})/ *(?P<sent>[0-9]{1,15}) \(")
_BESIDE = re.compile(r"sender|receiver|omitted")
_DAMAGED = re.compile(r"^\[ *(?:[0-9]+|SUM)\].* sec .*/sec")
_DATAGRAMS = re.compile(r"(?:Sending|Receiving) ([1-9][0-9]{0,5}) byte datagrams")
_SENDER_COLUMNS = re.compile(r"Retr|(?<!Lost/)Total Datagrams")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SERVER = ("Server listening", "Accepted connection")
_HEAD = re.compile(rb"\[ *(?:[0-9]+|SUM)\].* sec +[0-9.]+ [KMGT]?Bytes +[0-9.]+ [KMGT]?(?:bits|Bytes)/sec")
_HEAD_3 = re.compile(
    rb"Connecting to host|Server listening on [0-9]|Accepted connection|Bitrate|"
    rb"Interval {11}Transfer|[0-9] {2,}sec "
)
_PRECISION_NS = 10 * NS_PER_MS
"""iperf3 rounds ends to hundredths of a second."""
_ROLES: dict[str, tuple[Direction, bool]] = {
    "TX-C": ("up", True),
    "RX-C": ("down", False),
    "TX-S": ("down", True),
    "RX-S": ("up", False),
}
"""Direction of each role of a stream in a test of both directions, and whether it sends."""


class Iperf3(TwoWayRateImporter):
    """Intervals of iperf3, JSON (-J) or text: rates, and losses with UDP; up is from client to server.

    Losses of UDP are drawn within each interval. See docs/import/rates.md.

        iperf3 -c example.org -u -b 50M -R -J > iperf.json
        tmt import iperf3 iperf.json down.parquet
    """

    name: ClassVar[str] = "iperf3"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds intervals of iperf3."""
        return (b'"bits_per_second"' in head and b'"intervals"' in head) or _is_text(head, version=3)

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction, without omitted intervals (``-O``).

        The client counts bytes when it passes them to the kernel, a receiver when they arrive.
        """
        if first_letter(path) != b"{":
            return _read_text(path, self.direction)
        document = read_json(path)
        intervals = member(document, "intervals")
        if not isinstance(intervals, list) or not intervals:
            raise InputError(path, "there is no list intervals; this is not the JSON of iperf3 (-J)")
        test = member(document, "start", "test_start")
        reverse = bool(member(test, "reverse"))
        key, sends = _sum_of(path, intervals[0], reverse=reverse, direction=self.direction)
        rows = []
        for number, interval in enumerate(intervals):
            held = Record.of(path, f"intervals[{number}].{key}", member(interval, key))
            if not held.fields.get("omitted"):
                rows.append(_interval(held))
        if not rows:
            raise InputError(path, "every interval is omitted")
        is_udp = member(test, "protocol") == "UDP"
        offered = _known(member(test, "target_bitrate")) or _known(
            member(document, "end", "sum_sent", "bits_per_second")
        )
        block = _known(member(test, "blksize")) if is_udp or sends else None
        # Ends are rounded individually: an end within 1 ms of the next start is the same time.
        offered = offered if is_udp else None
        return series(path, rows, NS_PER_MS, sends=sends, block_bytes=block, offered_bps=offered)


class Iperf2(TwoWayRateImporter):
    """Intervals of iperf (version 2), text: rates, and losses with UDP; up is from client to server.

    Losses of UDP are drawn within each interval (-i 1). See docs/import/rates.md.

        iperf -s -u -i 1 > server.txt
        tmt import iperf2 server.txt up.parquet
    """

    name: ClassVar[str] = "iperf2"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether it holds intervals of iperf 2."""
        return _is_text(head, version=2)

    def rates(self, path: str) -> RateSeries:
        """Return the rates of one direction; errors as for `Iperf3.rates`."""
        return _read_text(path, self.direction)


def _interval(held: Record) -> Interval:
    start, end, rate = (held.number(name, 0, _MAX) for name in ("start", "end", "bits_per_second"))
    found = Interval(held.place, start, end, rate)
    if "lost_percent" not in held.fields:
        return found
    if held.fields.keys() >= {"lost_packets", "packets"}:
        lost = held.number("lost_packets", -_MAX, _MAX)
        return found._replace(lost=lost, sent=held.number("packets", 0, _MAX))
    # Without counts, bits replace datagrams: sent ones are those that arrived plus those that were lost.
    share = held.number("lost_percent", -_MAX, 100) / 100
    arrived = rate * (end - start)
    sent = arrived / (1 - share) if share < 1 else arrived
    return found._replace(lost=sent - arrived, sent=sent)


def _sum_of(path: str, interval: Any, *, reverse: bool, direction: str | None) -> tuple[str, bool]:
    """Return the key of the direction's sum, and whether the rate was measured at the sender."""
    main, other = ("down", "up") if reverse else ("up", "down")
    found = {main: "sum"}
    if isinstance(interval, dict) and "sum_bidir_reverse" in interval:
        found[other] = "sum_bidir_reverse"
    direction = direction or main
    if direction not in found:
        raise InputError(path, f"--direction is {direction}; this test sent {' and '.join(found)}")
    key = found[direction]
    sender = member(interval, key, "sender")
    return key, bool(sender) if sender is not None else direction == "up"


def _known(value: Any) -> float | None:
    """Return a number above 0; None for anything else."""
    return float(value) if isinstance(value, (int, float)) and 0 < value <= _MAX else None


def _is_text(head: bytes, version: int) -> bool:
    """Whether a file with this beginning holds intervals of iperf 2 or 3."""
    return _HEAD.search(head) is not None and (_HEAD_3.search(head) is not None) == (version == 3)


def _read_text(path: str, direction: Direction | None) -> RateSeries:
    """Return the rates of one direction of a test (InputError, with the line)."""
    found: list[tuple[int, re.Match[str]]] = []
    others: list[str] = []
    cut: tuple[str, ...] = ()
    for line, text, ended in text_lines(path):
        match = _LINE.search(text)
        if not ended and text.startswith("["):
            cut = (CUT_LINE,)
        elif match is not None:
            found.append((line, match))
        elif _DAMAGED.search(text):
            raise InputError(path, f"{shown(text, 120)} is not an interval of iperf", line)
        else:
            others.append(text)
    roles = {_ROLES[match["role"]] for _, match in found if match["role"]}
    if roles:
        direction = direction or "up"
        found = [one for one in found if one[1]["role"] and _ROLES[one[1]["role"]][0] == direction]
    streams = sorted({match["id"] for _, match in found})
    if len(streams) > 1 and "SUM" not in streams:
        names = shown(", ".join(streams), 60)
        raise InputError(path, f"it holds streams {names} without their sum; a file must hold one test")
    intervals = _intervals(path, [one for one in found if one[1]["id"] == streams[-1]])
    counts_losses = any(one.lost is not None for one in intervals)
    if counts_losses:
        intervals = [one._replace(lost=one.lost or 0.0) for one in intervals]
    is_server = any(text.startswith(_SERVER) for text in others)
    is_reversed = any(text.startswith("Reverse mode") for text in others)
    columns = any(_SENDER_COLUMNS.search(text) for text in others)
    sends = not counts_losses and (columns if is_server else not is_reversed)
    if roles:
        sends = dict(roles)[direction or "up"]
    elif direction not in (None, way := "up" if sends != is_server else "down"):
        raise InputError(path, f"--direction is {direction}; this test sent {way}")
    datagrams = next((match for text in others if (match := _DATAGRAMS.search(text))), None)
    is_udp = counts_losses or any("Datagrams" in text for text in others)
    block_bytes = float(datagrams[1]) if datagrams else TCP_BLOCK_BYTES if sends and not is_udp else None
    rates = series(path, intervals, _PRECISION_NS, sends=sends, block_bytes=block_bytes)
    return replace(rates, notes=(*rates.notes, *cut))


def _intervals(path: str, found: list[tuple[int, re.Match[str]]]) -> list[Interval]:
    """Return the intervals of a stream without omitted ones, empty ones and totals."""
    rows: list[Interval] = []
    for line, match in found:
        rest = match["rest"]
        start, end = float(match["start"]), float(match["end"])
        if _BESIDE.search(rest) or (start == end and rows):
            continue
        if rows and start == rows[0].start_s:
            if end < rows[-1].end_s:
                raise InputError(path, "a second test begins here; a file must hold one test", line)
            continue
        is_bits = match["kind"] == "bits"
        unit = (1 if is_bits else 8) * (1000 if is_bits else 1024) ** _POWERS[match["prefix"]]
        lost = _LOST.search(rest)
        counts = (float(lost["lost"]), float(lost["sent"])) if lost else (None, 0.0)
        rows.append(Interval(line, start, end, float(match["rate"]) * unit, *counts))
    if not rows:
        raise InputError(path, "there is no interval; run iperf with -i 1")
    return rows
