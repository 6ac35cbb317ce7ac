"""Every exporter by the name that users type, and those that write packets: opportunities or losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.export_rates import (
    write_leoreplayer,
    write_lines,
    write_picoquic,
    write_rattan,
    write_tc_netem,
)
from tmt.importers.link_intervals import PACKET_BYTES, LinkIntervals, fates, packet_fates, rows_per_packet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from tmt.core.trace import Int64Array, Trace

    Write = Callable[[str | PathLike[str], Trace, int | None, int], Sequence[str]]

_ARGUMENT_BYTES = 131_071
"""Longest argument of a program under Linux: 128 KiB less the byte at its end."""


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


def write_ns3(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write the changes of rate and delay to `path`, and beside it the numbers of lost packets, from 0.

    ns-3's receive list error model counts the packets that it sees from 0.
    """
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    lines = ["# time_s rate_bps delay_s"]
    before = None
    for number, (rate, delay) in enumerate(zip(link.rate_bps, link.delay_ns, strict=True)):
        values = f"{rate:.0f} {delay / NS_PER_S:.9f}"
        if values != before:
            lines.append(f"{number * interval_ns / NS_PER_S:g} {values}")
        before = values
    lost = np.flatnonzero(~packet_fates(trace, lldu_bytes))
    losses = f"{path}.losses"
    write_lines(path, lines)
    write_lines(losses, ["# packets lost, from 0", *map(str, lost.tolist())])
    return (f"{len(lines) - 1} changes of rate or delay; {len(lost):,} lost packets in {losses}",)


def write_quic_simulator(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write the QUIC network simulator's ``droplist``: mean rate and delay, and lost packets from 1.

    Raises
    ------
    UsageError
        When the list is longer than an argument of a program may be.
    """
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    lost = np.flatnonzero(~packet_fates(trace, lldu_bytes)) + 1
    rate = float(link.rate_bps.mean())
    delay_ms = float(np.average(link.delay_ns, weights=np.maximum(link.rate_bps, 1e-9))) / NS_PER_MS
    drops = f" --drops_to_client={','.join(map(str, lost.tolist()))}" if len(lost) else ""
    line = f"droplist --delay={delay_ms:.3f}ms --bandwidth={rate / 1e6:.6f}Mbps --queue=25{drops}"
    if len(line) > _ARGUMENT_BYTES:
        raise UsageError(
            f"{path}: not written: {len(lost)} lost packets make {len(line)} characters; an argument has at "
            f"most {_ARGUMENT_BYTES}; export a part of the trace"
        )
    write_lines(path, [line])
    notes = [f'{len(lost):,} lost packets; run it with SCENARIO="$(cat {path})"']
    if rate > 10e6:
        notes.append(
            f"its rate is {rate / 1e6:.1f} Mbit/s; the simulator says that 10 Mbit/s may saturate it"
        )
    return notes


EXPORTERS: dict[str, Write] = {
    "mahimahi": write_opportunities,
    "leoreplayer": write_leoreplayer,
    "tc-netem": write_tc_netem,
    "rattan": write_rattan,
    "picoquic": write_picoquic,
    "quic-simulator": write_quic_simulator,
    "ns3": write_ns3,
}
"""Functions of file, trace, bytes of a row and length of an interval in ns; they return notes."""
