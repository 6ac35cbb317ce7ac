"""Exporters of the packets that are lost, by their number: ns-3 and the QUIC network simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.export_rates import write_lines
from tmt.importers.link_intervals import LinkIntervals, packet_fates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tmt.core.trace import Trace

_ARGUMENT_BYTES = 131_071
"""Longest argument of a program under Linux: 128 KiB less the byte at its end."""


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
