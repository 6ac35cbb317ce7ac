"""Packet-delivery traces of the emulator mahimahi: one line per opportunity to send a packet of 1500 bytes.

A line holds the millisecond of the opportunity, a whole number; several opportunities in a millisecond are
several lines. Source: README of mahimahi's ``traces/`` folder; `LinkQueue` in its
``src/frontend/link_queue.cc`` refuses empty files, decreasing times, and a trace of duration 0.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import Annotated, ClassVar

import numpy as np

from tmt.core.declaration import Param, PositiveSeconds, ns
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.trace import Int64Array, PhyTrace
from tmt.core.units import MAX_TIME_NS, NS_PER_MS
from tmt.core.words.refusals import refusal, shown
from tmt.importers.importer import DecodeTime, Importer, Measurement
from tmt.importers.opportunities import PACKET_BYTES
from tmt.io.files import LineBlocks, open_input, text_lines


class Mahimahi(Importer):
    """Packet-delivery trace: each line is the millisecond of an opportunity for 1500 bytes.

    With --delays each slot is decoded after a measured one-way delay. See docs/import/capacity.md.

        tmt import mahimahi Verizon-LTE-short.down phy.parquet
    """

    name: ClassVar[str] = "mahimahi"

    decode_time: DecodeTime = 0.001
    delays: Annotated[
        str | None,
        "LeoReplayer's file of one-way delays in ms, one a line; it replaces --decode-time",
        Param(is_path=True),
    ] = None
    delay_interval: Annotated[PositiveSeconds, "with --delays: time from one line to the next"] = 0.01

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether the first lines are whole numbers that do not decrease; a single one is above 0."""
        lines = head.removeprefix(BOM_UTF8).rstrip().split(b"\n", 100)[:100]
        times = [int(line) for line in lines if line.strip().isdigit() and len(line) < 20]
        return len(times) == len(lines) and times == sorted(times) and (len(times) > 1 or times[0] > 0)

    def read(self, path: str) -> Measurement:
        """Return one slot per opportunity, none erased, decoded after `decode_time` or after measured delays.

        The c opportunities of a millisecond are spread evenly over it, the first at its start. Those of the
        last millisecond, at which mahimahi repeats the trace, come just before it. The file of delays
        repeats, too.
        """
        times_ms = read_opportunities_ms(path)
        extent = Extent(0, int(times_ms[-1]) * NS_PER_MS)
        _, first, index, count = np.unique(
            times_ms, return_index=True, return_inverse=True, return_counts=True
        )
        rank: Int64Array = np.arange(len(times_ms)) - first[index]
        tx_time_ns: Int64Array = times_ms * NS_PER_MS + rank * NS_PER_MS // count[index]
        tx_time_ns = np.minimum(tx_time_ns, extent.end_ns - np.arange(len(times_ms), 0, -1))
        decode_ns = np.full(len(times_ms), ns(self.decode_time), np.int64)
        if self.delays is not None:
            held_ns = _read_delays_ms(self.delays) * NS_PER_MS
            decode_ns = held_ns[tx_time_ns // ns(self.delay_interval) % len(held_ns)]
        return Measurement(PhyTrace(tx_time_ns, decode_ns), "packed", PACKET_BYTES, extent=extent)


def read_opportunities_ms(path: str) -> Int64Array:
    """Return the milliseconds of all opportunities, increasing, with repeats (InputError, with the line)."""
    times: list[int] = []
    with open_input(path) as file:
        for first_line, block in LineBlocks(file, path).blocks():
            for line, field in enumerate(block.removesuffix(b"\n").split(b"\n"), first_line):
                text = field.strip().removeprefix(BOM_UTF8 if line == 1 else b"")
                times.append(_opportunity_ms(path, line, text, times[-1] if times else 0))
    if times[-1] == 0:
        raise InputError(path, "every opportunity lies in millisecond 0; the trace must last some time")
    return np.array(times, np.int64)


def _opportunity_ms(path: str, line: int, field: bytes, previous: int) -> int:
    if not (field.isdigit() and len(field) < 20):
        text = shown(field.decode("utf-8", "replace"))
        raise InputError(path, f"{text or 'the line'} is not a whole number of milliseconds", line)
    time_ms = int(field)
    if time_ms < previous:
        raise InputError(path, f"{time_ms} ms is earlier than {previous} ms in the line before", line)
    if time_ms >= MAX_TIME_NS // NS_PER_MS:
        limits = refusal(
            "above_maximum", column="time", value=f"{time_ms} ms", maximum=f"{MAX_TIME_NS // NS_PER_MS} ms"
        )
        raise InputError(path, limits, line)
    return time_ms


def _read_delays_ms(path: str) -> Int64Array:
    """Return the delays of LeoReplayer's file; a delay of 0 would mean an erased slot."""
    delays: list[int] = []
    for line in text_lines(path):
        is_number = line.text.isdecimal() and len(line.text) < 20
        if not (is_number and 0 < int(line.text) < MAX_TIME_NS // NS_PER_MS):
            reason = f"{shown(line.text)} is not a whole number of milliseconds, 1 or more"
            raise InputError(path, reason, line.number)
        delays.append(int(line.text))
    if not delays:
        raise InputError(path, refusal("no_rows"))
    return np.array(delays, np.int64)
