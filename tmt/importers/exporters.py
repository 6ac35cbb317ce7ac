"""Links in the form of other tools: rate, loss and delay over time, opportunities, or lost packets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.measure.link_use import arrive, packets_in_rows
from tmt.core.schema import ES_N0_MDB, SIZE_BYTES
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.values import counted
from tmt.importers.opportunities import PACKET_BYTES, begin_ns, in_one_turn_ms, opportunities_ms, row_fates
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    from tmt.core.schema import Packing
    from tmt.core.trace import BoolArray, FloatArray, Trace

    FileName = str | PathLike[str]
    Notes = Sequence[str]

MAX_INTERVALS = 10_000_000
_ARGUMENT_BYTES = 131_071
"""Longest argument of a program under Linux: 128 KiB less the byte at its end."""
_PICOQUIC_LINE = 1023
"""Characters of a line that picoquic's parser reads."""


@dataclass(frozen=True, slots=True)
class LinkIntervals:
    """A link in intervals of equal length."""

    rate_bps: FloatArray
    """[n], float64: bits that the rows of the interval carry, including lost ones, divided by its length."""
    loss: FloatArray
    """[n], float64: share of the rows that are lost; 0 in an interval without rows."""
    delay_ns: FloatArray
    """[n], float64: mean delay of the delivered rows; without one, that of the interval before."""

    @classmethod
    def of(cls, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> LinkIntervals:
        """Cut a trace into intervals from its beginning to its end (UsageError for too many).

        Without an extent, from its first row to its last.
        """
        extent = Extent.said(trace.metadata)
        at = (trace.tx_time_ns - begin_ns(trace)) // interval_ns
        count = int(at[-1]) + 1 if extent is None else -(-extent.length_ns // interval_ns)
        if count > MAX_INTERVALS:
            raise UsageError(f"--interval gives {count} intervals; the most are {MAX_INTERVALS}")
        delay, delivered = row_fates(trace)
        rows = np.bincount(at, minlength=count)
        bits = np.bincount(at, weights=8.0 * _row_bytes(trace, lldu_bytes), minlength=count)
        arrived = np.bincount(at[delivered], minlength=count)
        total = np.bincount(at[delivered], weights=delay[delivered].astype(np.float64), minlength=count)
        mean = np.divide(total, arrived, out=np.full(count, np.nan), where=arrived > 0)
        known = np.maximum.accumulate(np.where(arrived > 0, np.arange(count), -1))
        first = float(mean[arrived > 0][0]) if arrived.any() else 0.0
        rate = (bits * (NS_PER_S / interval_ns)).astype(np.float64)
        loss: FloatArray = (rows - arrived) / np.maximum(rows, 1)
        return cls(rate, loss, np.where(known >= 0, mean[known], first))

    def mean(self, values: FloatArray) -> float:
        """Return the mean of one of the columns over the bits."""
        return float(np.average(values, weights=np.maximum(self.rate_bps, 1e-9)))


def _row_bytes(trace: Trace, lldu_bytes: int | None) -> FloatArray:
    if trace.size_bytes is not None:
        return trace.size_bytes.astype(np.float64)
    return np.full(len(trace), float(lldu_bytes or 0))


def packet_fates(trace: Trace, lldu_bytes: int | None) -> BoolArray:
    """Return whether all rows of each packet are delivered, for packets of 1500 bytes sent without a pause.

    Rows with sizes carry consecutive bytes; of rows of one size, a packet takes ``ceil(1500 / lldu_bytes)``.
    """
    sizes = trace.size_bytes
    rows = np.zeros(len(trace), []) if sizes is None else sizes.view([(SIZE_BYTES.name, sizes.dtype)])
    packing: Packing = "padded" if sizes is None else "packed"
    packets = packets_in_rows(rows, PACKET_BYTES, lldu_bytes or PACKET_BYTES, packing)
    return arrive(packets, row_fates(trace)[1])


def write_opportunities(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int = 0) -> Notes:
    """Write a packet-delivery trace; UsageError when fewer packets are delivered than mahimahi accepts."""
    del interval_ns
    times_ms, notes = in_one_turn_ms(opportunities_ms(trace, lldu_bytes), trace)
    if len(times_ms) == 0 or times_ms[-1] == 0:
        rows = f"in LLDUs of {lldu_bytes} bytes, " if trace.size_bytes is None else ""
        reason = f"the trace delivers no packet of {PACKET_BYTES} bytes after its first millisecond"
        raise UsageError(f"{path}: not written: {rows}{reason}")
    _write_lines(path, map(str, times_ms.tolist()))
    return (_opportunities(len(times_ms)), *notes)


def _opportunities(number: int) -> str:
    return f"{number:,} {'opportunity' if number == 1 else 'opportunities'} for {PACKET_BYTES} bytes"


def write_leoreplayer(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write opportunities to `path` and delays beside it, in the form of LeoReplayer's mm-link and mm-delay.

    UsageError when an interval is not a whole number of milliseconds, or the rows carry no packet.
    """
    if interval_ns % NS_PER_MS:
        raise UsageError(f"--interval is {interval_ns / NS_PER_S:g} s; LeoReplayer counts whole milliseconds")
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    held = np.cumsum(_row_bytes(trace, lldu_bytes))
    wanted = np.arange(1, int(held[-1] + 1e-6) // PACKET_BYTES + 1) * PACKET_BYTES
    rows = np.searchsorted(held, wanted - 1e-6)
    times, notes = in_one_turn_ms((trace.tx_time_ns[rows] - begin_ns(trace)) // NS_PER_MS, trace)
    if not len(times) or times[-1] == 0:
        raise UsageError(f"{path}: not written: the rows carry no packet of {PACKET_BYTES} bytes after 1 ms")
    _write_lines(path, map(str, times.tolist()))
    beside = _beside(path, ".delay")
    _write_lines(beside, map(str, np.rint(link.delay_ns / NS_PER_MS).astype(int).tolist()))
    return (
        f"{_opportunities(len(times))}; delays in {beside}",
        f"mm-delay {interval_ns // NS_PER_MS} {beside} mm-loss uplink {link.mean(link.loss):.6f} "
        f"mm-link {path} {path}",
        *notes,
    )


def write_tc_netem(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write a shell script that sets rate, delay and loss of a device with tc, interval after interval.

    For netem a rate of 0 means no limit, so an interval without rows loses everything instead.
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
    _write_lines(path, lines)
    return (f"{counted(len(link.rate_bps), 'interval')}; run it as root: sh {path} DEVICE",)


def write_rattan(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write bandwidth to `path`, and delay and loss beside it, in the JSON of Rattan's replay cells."""
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    columns: tuple[tuple[str, str, list[Any]], ...] = (
        ("", "Bw", [f"{rate:.0f}bps" for rate in link.rate_bps]),
        (".delay", "Delay", [f"{round(delay)}ns" for delay in link.delay_ns]),
        (".loss", "Loss", [[round(loss, 6)] for loss in link.loss.tolist()]),
    )
    for ending, kind, values in columns:
        steps = [{kind.lower(): value, "duration": f"{interval_ns}ns"} for value in values]
        pattern = [{f"Static{kind}Config": step} for step in steps]
        document = {f"Repeated{kind}PatternConfig": {"pattern": pattern, "count": 0}}
        _write_lines(_beside(path, ending), [json.dumps(document, separators=(",", ":"))])
    names = ", ".join(_beside(path, ending) for ending, *_ in columns)
    count = counted(len(link.rate_bps), "interval")
    return (f"{count}; for the cells BwReplay, DelayReplay and LossReplay: {names}",)


def write_picoquic(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write the line ``link_scenario`` of a specification for picoquic's simulator (pico_sim).

    Each item holds a duration in us, rates up and down in Gbit/s, latency in us and losses: one of P + 2
    packets is lost, so at most every second one. UsageError when the simulator would not read all of it.
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
    _write_lines(path, [line])
    return (f"{counted(len(items), 'interval')}; add the line to a specification of pico_sim",)


def write_quic_simulator(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write the ``droplist``: mean rate and delay, lost packets from 1; UsageError when it is too long."""
    link = LinkIntervals.of(trace, lldu_bytes, interval_ns)
    lost = np.flatnonzero(~packet_fates(trace, lldu_bytes)) + 1
    mbps = float(link.rate_bps.mean()) / 1e6
    drops = f" --drops_to_client={','.join(map(str, lost.tolist()))}" if len(lost) else ""
    delay_ms = link.mean(link.delay_ns) / NS_PER_MS
    line = f"droplist --delay={delay_ms:.3f}ms --bandwidth={mbps:.6f}Mbps --queue=25{drops}"
    if len(line) > _ARGUMENT_BYTES:
        raise UsageError(
            f"{path}: not written: {len(lost)} lost packets make {len(line)} characters; an argument has at "
            f"most {_ARGUMENT_BYTES}; export a part of the trace"
        )
    _write_lines(path, [line])
    notes = [f'{counted(len(lost), "lost packet")}; run it with SCENARIO="$(cat {path})"']
    if mbps > 10:
        notes.append(f"its rate is {mbps:.1f} Mbit/s; the simulator says that 10 Mbit/s may saturate it")
    return notes


def write_ns3(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write the changes of rate and delay to `path`, and beside it the lost packets; ns-3 counts from 0."""
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
    _write_lines(path, lines)
    _write_lines(losses, ["# packets lost, from 0", *map(str, lost.tolist())])
    changes, packets = counted(len(lines) - 1, "line"), counted(len(lost), "lost packet")
    notes = [f"{changes} of rate and delay; {packets} in {losses}"]
    extent = Extent.said(trace.metadata)
    if extent is not None:
        notes.append(f"the trace ends after {extent.length_ns / NS_PER_S:g} s, which the file does not say")
    return notes


def write_signal(path: FileName, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> Notes:
    """Write seconds and Es/N0 of each slot, in the form of channel `snr` (UsageError without Es/N0)."""
    del lldu_bytes, interval_ns
    if not isinstance(trace, PhyTrace) or trace.es_n0_mdb is None:
        raise UsageError(f"{path}: not written: the trace has no column {ES_N0_MDB.name}")
    seconds, decibels = (trace.tx_time_ns / NS_PER_S).tolist(), (trace.es_n0_mdb / 1000.0).tolist()
    samples = zip(seconds, decibels, strict=True)
    _write_lines(path, ["time_s,es_n0_db", *(f"{time:.9f},{value:g}" for time, value in samples)])
    return (f"{counted(len(trace), 'sample')}: tmt generate --channel snr --signal {path}",)


def _beside(path: FileName, ending: str) -> str:
    """Return the name of a companion file: ``link.json`` and ``.delay`` give ``link.delay.json``."""
    text = str(path)
    stem, dot, last = text.rpartition(".")
    return f"{stem}{ending}.{last}" if dot and stem and "/" not in last else text + ending


def _write_lines(path: FileName, lines: Iterable[str]) -> None:
    with staged(path) as part:
        part.write_text("\n".join(lines) + "\n", encoding="ascii")


EXPORTERS: dict[str, Callable[[FileName, Trace, int | None, int], Notes]] = {
    "mahimahi": write_opportunities,
    "leoreplayer": write_leoreplayer,
    "tc-netem": write_tc_netem,
    "rattan": write_rattan,
    "picoquic": write_picoquic,
    "quic-simulator": write_quic_simulator,
    "ns3": write_ns3,
    "signal": write_signal,
}
"""Functions of file, trace, bytes per row and length of an interval in ns; they return notes."""
