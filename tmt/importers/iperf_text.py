"""Text output of iperf3 and of iperf 2, as the client or the server prints it.

A line reads ``[ ID] start-end sec  N Bytes  N bits/sec``, each number with a prefix (K, M, G or T: 1024 for
bytes, 1000 for bits). At a receiver of UDP the jitter in ms and ``lost/total (percent%)`` follow. iperf3
marks omitted intervals, and totals by ``sender`` or ``receiver``; iperf 2 does not mark its total, which
begins where the first interval begins. Source: the formats in both programs' sources of words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS
from tmt.core.words.refusals import shown
from tmt.importers.iperf_series import TCP_BLOCK_BYTES, Interval, Measured, series
from tmt.importers.log_files import text_lines
from tmt.importers.notes import CUT_LINE

if TYPE_CHECKING:
    from tmt.importers.importer import Direction
    from tmt.importers.rate_series import RateSeries

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
"""iperf3 prints ends in hundredths of a second."""
_ROLES: dict[str, tuple[Direction, bool]] = {
    "TX-C": ("up", True),
    "RX-C": ("down", False),
    "TX-S": ("down", True),
    "RX-S": ("up", False),
}
"""Direction of each role of a stream in a test of both directions, and whether it sends."""


def is_text(head: bytes, version: int) -> bool:
    """Whether a file that begins so holds intervals of iperf 2 or 3."""
    return _HEAD.search(head) is not None and (_HEAD_3.search(head) is not None) == (version == 3)


def read_text(path: str, direction: Direction | None) -> RateSeries:
    """Return the rates of one direction of a test.

    InputError, with the line, where an interval is damaged, a second test begins, the direction is missing,
    or there are several streams without their sum.
    """
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
    intervals = _intervals(path, _one_stream(path, found))
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
    rates = series(path, intervals, Measured(sends, block_bytes), _PRECISION_NS)
    return replace(rates, notes=(*rates.notes, *cut))


def _one_stream(path: str, found: list[tuple[int, re.Match[str]]]) -> list[tuple[int, re.Match[str]]]:
    """Return the lines of the sum of all streams, or of the only one."""
    streams = sorted({match["id"] for _, match in found})
    if "SUM" not in streams and len(streams) > 1:
        names = shown(", ".join(streams), 60)
        raise InputError(path, f"it holds streams {names} without their sum; a file must hold one test")
    return [one for one in found if one[1]["id"] == streams[-1]]


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
        rate = (
            float(match["rate"])
            * (1.0 if is_bits else 8.0)
            * (1000 if is_bits else 1024) ** _POWERS[match["prefix"]]
        )
        lost = _LOST.search(rest)
        counts = (float(lost["lost"]), float(lost["sent"])) if lost else (None, 0.0)
        rows.append(Interval(line, start, end, rate, *counts))
    if not rows:
        raise InputError(path, "there is no interval; run iperf with -i 1")
    return rows
