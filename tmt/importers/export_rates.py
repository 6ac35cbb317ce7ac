"""Exporters of rate, loss and delay over time: tc-netem, picoquic's simulator, Rattan and LeoReplayer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.link_intervals import PACKET_BYTES, LinkIntervals, row_bytes
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tmt.core.trace import Trace

_PICOQUIC_LINE = 1023
"""Characters that picoquic's parser reads of one line."""


def write_tc_netem(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write a shell script that sets rate, delay and loss of a device with tc, interval after interval.

    netem takes a rate of 0 for no limit, so that an interval without rows loses everything instead.
    """
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    lines = [
        "#!/bin/sh",
        "# Set rate, delay and loss of a network device over time. Usage: sh FILE DEVICE, as root",
        "set -e",
        "device=${1:?usage: sh FILE DEVICE}",
    ]
    verb = "replace"
    for rate, loss, delay in zip(link.rate_bps, link.loss, link.delay_ns, strict=True):
        rate_text, percent = (f"rate {rate:.0f}bit ", 100 * loss) if rate >= 1 else ("", 100.0)
        lines += [
            f'tc qdisc {verb} dev "$device" root netem limit 1000 {rate_text}'
            f"delay {delay / NS_PER_MS:.3f}ms loss {percent:.4f}%",
            f"sleep {interval_ns / NS_PER_S:g}",
        ]
        verb = "change"
    write_lines(path, lines)
    return (f"{len(link.rate_bps)} intervals; run it as root: sh {path} DEVICE",)


def write_picoquic(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write the line ``link_scenario`` of a specification for picoquic's simulator (pico_sim).

    Each item holds a duration in us, rates up and down in Gbit/s, latency in us and losses: of P + 2 packets
    one is lost, which is at most every second one.

    Raises
    ------
    UsageError
        When the line is longer than the simulator reads.
    """
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    items: list[tuple[int, str]] = []
    for rate, loss, delay in zip(link.rate_bps, link.loss, link.delay_ns, strict=True):
        gbps = f"{rate / 1e9:.6f}".rstrip("0").rstrip(".")
        losses = f":B1:P{max(round(1 / loss) - 2, 0)}" if loss > 0 else ""
        text = f"U{gbps}:D{gbps}:L{round(delay / 1000)}{losses}"
        if items and items[-1][1] == text:
            items[-1] = (items[-1][0] + interval_ns, text)
        else:
            items.append((interval_ns, text))
    line = "link_scenario: " + ";".join(f"{time_ns // 1000}:{text}" for time_ns, text in items)
    if len(line) > _PICOQUIC_LINE:
        raise UsageError(
            f"{path}: not written: {len(items)} intervals make a line of {len(line)} characters, of which "
            f"picoquic reads {_PICOQUIC_LINE}; give a longer --interval, or a part of the trace"
        )
    write_lines(path, [line])
    return (f"{len(items)} intervals; add the line to a specification of pico_sim",)


def write_rattan(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write bandwidth to `path`, and delay and loss beside it, in the JSON of Rattan's replay cells."""
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    duration = f"{interval_ns}ns"
    columns: tuple[tuple[str, str, str, list[Any]], ...] = (
        ("", "Bw", "bw", [f"{rate:.0f}bps" for rate in link.rate_bps]),
        (".delay", "Delay", "delay", [f"{round(delay)}ns" for delay in link.delay_ns]),
        (".loss", "Loss", "loss", [[round(loss, 6)] for loss in link.loss.tolist()]),
    )
    names = []
    for ending, kind, key, values in columns:
        names.append(_beside(path, ending))
        document = {
            f"Repeated{kind}PatternConfig": {
                "pattern": [{f"Static{kind}Config": {key: value, "duration": duration}} for value in values],
                "count": 0,
            }
        }
        write_lines(names[-1], [json.dumps(document, separators=(",", ":"))])
    cells = "BwReplay, DelayReplay and LossReplay"
    return (f"{len(link.rate_bps)} intervals; for the cells {cells}: {', '.join(names)}",)


def write_leoreplayer(
    path: str | PathLike[str], trace: Trace, lldu_bytes: int | None, interval_ns: int
) -> Sequence[str]:
    """Write opportunities to `path` and delays beside it, as LeoReplayer's mm-link and mm-delay take them.

    Raises
    ------
    UsageError
        When an interval is no whole number of milliseconds, or the rows carry no packet.
    """
    if interval_ns % NS_PER_MS:
        raise UsageError(f"--interval is {interval_ns / NS_PER_S:g} s; LeoReplayer counts whole milliseconds")
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    held = np.cumsum(row_bytes(trace, lldu_bytes))
    wanted = np.arange(1, int(held[-1] + 1e-6) // PACKET_BYTES + 1) * PACKET_BYTES
    rows = np.searchsorted(held, wanted - 1e-6)
    times = (trace.tx_time_ns - trace.tx_time_ns[0])[rows] // NS_PER_MS
    if not len(times) or times[-1] == 0:
        raise UsageError(f"{path}: not written: the rows carry no packet of {PACKET_BYTES} bytes after 1 ms")
    write_lines(path, [str(time) for time in times.tolist()])
    beside = _beside(path, ".delay")
    write_lines(beside, [str(delay) for delay in np.rint(link.delay_ns / NS_PER_MS).astype(int).tolist()])
    loss = float(np.average(link.loss, weights=np.maximum(link.rate_bps, 1e-9)))
    milliseconds = interval_ns // NS_PER_MS
    return (
        f"{len(times):,} opportunities for 1500 bytes; delays in {beside}",
        f"mm-delay {milliseconds} {beside} mm-loss uplink {loss:.6f} mm-link {path} {path}",
    )


def _beside(path: str | PathLike[str], ending: str) -> str:
    """Return the name of a companion: ``link.json`` and ``.delay`` give ``link.delay.json``."""
    text = str(path)
    stem, dot, last = text.rpartition(".")
    return f"{stem}{ending}.{last}" if dot and stem and "/" not in last else text + ending


def write_lines(path: str | PathLike[str], lines: Iterable[str]) -> None:
    """Write lines of ASCII."""
    with staged(path) as part:
        part.write_text("\n".join(lines) + "\n", encoding="ascii")
