"""Packet-delivery traces of the emulator mahimahi: one line per opportunity to send a packet of 1500 bytes.

A line holds the millisecond of the opportunity, a whole number; several in one millisecond are several lines.
Source: README of mahimahi's ``traces/`` folder; `LinkQueue` in its ``src/frontend/link_queue.cc`` refuses
empty files, times that decrease, and a trace that lasts no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, UsageError
from tmt.core.trace import Int64Array, PhyTrace
from tmt.core.units import MAX_TIME_NS, NS_PER_MS
from tmt.core.words.refusals import refusal, shown
from tmt.importers.export_rates import write_lines
from tmt.importers.importer import Importer, Measurement, Option
from tmt.importers.link_intervals import PACKET_BYTES, fates, rows_per_packet
from tmt.importers.options import DECODE_TIME
from tmt.importers.text_lines import text_lines
from tmt.io.files import open_input
from tmt.io.lines import LineBlocks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tmt.core.trace import Trace

_DELAYS = Option(
    "delays",
    "--delays",
    "file",
    "LeoReplayer's file of one-way delays in ms, one a line; it replaces --decode-time.",
)
_DELAY_INTERVAL = Option(
    "delay_interval_ns",
    "--delay-interval",
    "positive seconds",
    "With --delays: seconds from one line to the next.",
    default=10 * NS_PER_MS,
)


def read_opportunities_ms(path: str) -> Int64Array:
    """Return the milliseconds of all opportunities, increasing, with repeats.

    Raises
    ------
    InputError
        With the line, when a line is no whole number or earlier than the one before; and for a file that is
        empty, or whose opportunities all lie in millisecond 0, so that it lasts no time.
    """
    times: list[int] = []
    with open_input(path) as file:
        for first_line, block in LineBlocks(file, path).blocks():
            for line, field in enumerate(block.removesuffix(b"\n").split(b"\n"), first_line):
                times.append(_opportunity_ms(path, line, field.strip(), times[-1] if times else 0))
    if times[-1] == 0:
        raise InputError(path, "every opportunity lies in millisecond 0; the trace must last some time")
    return np.array(times, np.int64)


def _opportunity_ms(path: str, line: int, field: bytes, previous: int) -> int:
    if not (field.isdigit() and len(field) < 20):
        text = shown(field.decode("utf-8", "replace"))
        raise InputError(path, f"{text or 'the line'} is no whole number of milliseconds", line)
    time_ms = int(field)
    if time_ms < previous:
        raise InputError(path, f"{time_ms} ms is earlier than {previous} ms in the line before", line)
    if time_ms >= MAX_TIME_NS // NS_PER_MS:
        limits = refusal(
            "above_maximum", column="time", value=f"{time_ms} ms", maximum=f"{MAX_TIME_NS // NS_PER_MS} ms"
        )
        raise InputError(path, limits, line)
    return time_ms


def read_mahimahi(
    path: str, decode_time_ns: int, delays: str | None = None, delay_interval_ns: int = 10 * NS_PER_MS
) -> Measurement:
    """Return one slot per opportunity, none erased, decoded after `decode_time_ns` or after measured delays.

    The file tells which packets went through, and no losses. The c opportunities of a millisecond are spread
    evenly over it, the first at its start. Errors as for `read_opportunities_ms`.

    Parameters
    ----------
    delays
        File of LeoReplayer: one-way delays in whole milliseconds, one a line for each `delay_interval_ns`
        from time 0 on, and anew at its end.
    """
    times_ms = read_opportunities_ms(path)
    _, first, index, count = np.unique(times_ms, return_index=True, return_inverse=True, return_counts=True)
    rank: Int64Array = np.arange(len(times_ms)) - first[index]
    tx_time_ns: Int64Array = times_ms * NS_PER_MS + rank * NS_PER_MS // count[index]
    decode_ns = np.full(len(times_ms), decode_time_ns, np.int64)
    if delays is not None:
        held_ns = _read_delays_ms(delays) * NS_PER_MS
        decode_ns = held_ns[tx_time_ns // delay_interval_ns % len(held_ns)]
    return Measurement(PhyTrace(tx_time_ns, decode_ns), "packed", PACKET_BYTES)


def _read_delays_ms(path: str) -> Int64Array:
    """Return the delays of LeoReplayer's file; a delay of 0 would mean an erased slot."""
    delays: list[int] = []
    for line in text_lines(path):
        if not (line.text.isdigit() and 0 < int(line.text[:20]) < MAX_TIME_NS // NS_PER_MS):
            reason = f"{shown(line.text)} is no whole number of milliseconds, 1 or more"
            raise InputError(path, reason, line.number)
        delays.append(int(line.text))
    return np.array(delays, np.int64)


def _sniff(head: bytes) -> bool:
    """Whether the first lines are whole numbers that do not decrease."""
    lines = head[:4096].split(b"\n")[:-1][:100]
    times = [int(line) for line in lines if line.strip().isdigit() and len(line) < 20]
    return len(times) == len(lines) > 1 and times == sorted(times)


def opportunities_ms(trace: Trace, lldu_bytes: int | None) -> Int64Array:
    """Return the milliseconds in which a receiver has got enough bytes for one more packet of 1500.

    Delivered LLDUs (decoded slots of a PHY trace) count in the order in which they arrive, without
    propagation. With LLDUs of one size every ``ceil(1500 / lldu_bytes)``-th of them is an opportunity; with
    sizes of their own, every 1500 bytes are. Milliseconds are those of the trace's clock. Where that had run
    for longer than the trace lasts when it began, as the time of day has, they count from the first row:
    mahimahi would wait for all that time.
    """
    delay_ns, arrived = fates(trace)
    first_ns, last_ns = int(trace.tx_time_ns[0]), int(trace.tx_time_ns[-1])
    origin_ns = first_ns - first_ns % NS_PER_MS if 0 < last_ns - first_ns < first_ns else 0
    arrivals_ns = (trace.tx_time_ns + delay_ns)[arrived] - origin_ns
    if trace.size_bytes is None:
        needed = rows_per_packet(lldu_bytes)
        return np.sort(arrivals_ns)[needed - 1 :: needed] // NS_PER_MS
    order = np.argsort(arrivals_ns, kind="stable")
    held = np.cumsum(trace.size_bytes[arrived][order].astype(np.int64))
    packets = np.arange(1, (int(held[-1]) if len(held) else 0) // PACKET_BYTES + 1, dtype=np.int64)
    return arrivals_ns[order][np.searchsorted(held, packets * PACKET_BYTES)] // NS_PER_MS


def write_opportunities(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int = 0
) -> Sequence[str]:
    """Write `trace` as a packet-delivery trace, and return its number of opportunities in words.

    `interval_ns` means nothing here.

    Raises
    ------
    OutputError
        When the file cannot be written.
    UsageError
        When too little is delivered for a trace that mahimahi accepts.
    """
    del interval_ns
    times_ms = opportunities_ms(trace, lldu_bytes)
    if len(times_ms) == 0 or times_ms[-1] == 0:
        rows = f"in LLDUs of {lldu_bytes} bytes, " if trace.size_bytes is None else ""
        raise UsageError(
            f"{path}: not written: {rows}the trace delivers no packet of {PACKET_BYTES} bytes after its "
            f"first millisecond"
        )
    write_lines(path, map(str, times_ms.tolist()))
    return (f"{len(times_ms):,} opportunities for 1500 bytes",)


IMPORTER = Importer(
    "mahimahi",
    "packet-delivery trace: one millisecond a line, each for 1500 bytes",
    read_mahimahi,
    _sniff,
    (DECODE_TIME, _DELAYS, _DELAY_INTERVAL),
    """\
Each line becomes a slot of 1500 bytes, none erased; several in one millisecond are spread over it. With
--delays each slot is decoded after a measured one-way delay.

\b
  tmt import mahimahi Verizon-LTE-short.down phy.parquet""",
)
