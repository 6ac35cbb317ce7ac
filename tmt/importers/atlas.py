"""Results of ping on RIPE Atlas: a list (JSON), or one result a line (NDJSON).

A result holds a few packets: ``prb_id`` and ``msm_id`` (the probe and its measurement), ``timestamp`` (s
since 1970, of the first packet), ``size`` (bytes of ICMP payload), ``af`` (4 or 6), and ``result``, a list.
Its items have ``rtt`` in ms for an answer, ``x`` for none, ``error`` for a packet that could not be sent or
delivered, and ``dup`` or ``late`` for a further answer. Firmware 1 has no list, only ``sent``, ``rcvd`` and
``avg``. Results of other types have a ``type`` other than ping. Source: "Measurement result format" in the
documentation of RIPE Atlas, versions 1 to 5000.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from tmt.core.declaration import Param, PositiveSeconds, ns
from tmt.core.errors import InputError, UsageError
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.core.words.values import counted
from tmt.importers.attempts import most_common
from tmt.importers.log_files import Record, first_letter, json_lines, read_json
from tmt.importers.notes import CUT_LINE, HALF_TRIP, left_out, unknown_losses
from tmt.importers.probes import Probes, RoundTripImporter, all_lost
from tmt.io.files import MAX_JSON_LINE_BYTES, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_S, _MOST_MS = 2**33, 1e7
_MOST_SENT = 10_000
_IPV4_BYTES, _IPV6_BYTES = 28, 48
"""Headers of IP and ICMP."""


class Atlas(RoundTripImporter):
    """Results of ping on RIPE Atlas (JSON list or one result a line).

    Each packet becomes a row whose delay is half of the round trip (ms). See docs/import/probes.md.

        tmt import atlas results.json down.parquet --probe 1009618 --line 5e6
    """

    name: ClassVar[str] = "atlas"
    signs: ClassVar[tuple[bytes, ...]] = (b'"prb_id"', b'"rcvd"')

    probe: Annotated[
        str | None,
        "probe to import (prb_id), as PROBE/MEASUREMENT where it has several measurements",
        Param(absent="the only one in the file"),
    ] = None
    packet_interval: Annotated[
        PositiveSeconds, "time between the packets of a result, which does not hold it"
    ] = 1.0

    def probes(self, path: str) -> Probes:
        """Return the packets of one probe and measurement."""
        results, notes = _results(path)
        chosen = self._chosen(path, results)
        sent, trips = list[int](), list[float | None]()
        for result in chosen:
            begin_ns = int(result.number("timestamp", 0, _MOST_S) * NS_PER_S)
            found = _round_trips(result)
            sent += [begin_ns + index * ns(self.packet_interval) for index in range(len(found))]
            trips += found
        known = np.array([trip for trip in trips if trip is not None], np.float64)
        if not len(known):
            raise all_lost(path, len(trips), "packet")
        delivered = np.array([trip is not None for trip in trips])
        first = chosen[0]
        is_ipv6 = first.fields.get("af") == 6 or first.fields.get("mode") == "ICMP6"
        size = first.whole("size", 0, 65_535) + (_IPV6_BYTES if is_ipv6 else _IPV4_BYTES)
        notes += [
            HALF_TRIP,
            f"{counted(len(chosen), 'result')} of {len(trips) / len(chosen):.3g} packets; "
            "between them nothing is known",
            *unknown_losses(int((~delivered).sum()), self.way),
        ]
        delay_ns = np.rint(known * NS_PER_MS / 2).astype(np.int64)
        return Probes.of(np.array(sent, np.int64), delay_ns, delivered, size, tuple(notes))

    def _chosen(self, path: str, results: list[Record]) -> list[Record]:
        """Return the results of the chosen probe and measurement."""
        keys = [tuple(str(one.fields.get(name)) for name in ("prb_id", "msm_id")) for one in results]
        wanted = [key for key in keys if self.probe in (None, key[0], "/".join(key))]
        counts = Counter("/".join(key) for key in wanted or keys)
        names = most_common(counts, "result")
        if not wanted:
            raise UsageError(f"--probe is {self.probe}; {path} holds {names}")
        if len(counts) > 1:
            raise InputError(
                path, f"there are {len(counts)} probes or measurements; choose one by --probe: {names}"
            )
        return [result for key, result in zip(keys, results, strict=True) if key == wanted[0]]


def _results(path: str) -> tuple[list[Record], list[str]]:
    """Return the results of ping, and notes on other results and on a truncated last line."""
    found = list(_documents(path))
    pings = [
        Record(path, place, result)
        for place, result in found
        if isinstance(result, dict) and result.get("type", "ping") == "ping" and "rcvd" in result
    ]
    if not pings:
        raise InputError(path, "there is no result of ping by RIPE Atlas in it")
    cut = sum(result is None for _, result in found)
    others = len(found) - len(pings) - cut
    return pings, [*left_out(others, "result", "of other types"), *[CUT_LINE] * cut]


def _documents(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the results of a list, of one document, or of lines, with their places; None for a truncated
    line.
    """
    lines = text_lines(path, comments=False, max_line_bytes=MAX_JSON_LINE_BYTES)
    first = next(lines, None) if first_letter(path) == b"{" else None
    if first is not None and first.text.endswith("}"):
        for number, result in json_lines(path):
            yield f"line {number}", result
        return
    document = read_json(path)
    for number, result in enumerate(document if isinstance(document, list) else [document], 1):
        yield f"result {number}", result


def _round_trips(result: Record) -> list[float | None]:
    """Return the round trip of each packet in ms, None for a lost one."""
    if result.fields.get("result") is None:  # firmware 1
        sent, received = (result.whole(name, 0, _MOST_SENT) for name in ("sent", "rcvd"))
        average = result.number("avg", 0, _MOST_MS) if received else None
        return [average] * received + [None] * (sent - received)
    packets = result["result"]
    if not isinstance(packets, list):
        raise result.refused("result is no list")
    trips: list[float | None] = []
    for packet in (Record.of(result.path, result.place, packet) for packet in packets):
        if any(packet.fields.get(name) is not None for name in ("dup", "late")):
            continue
        answered = packet.fields.get("rtt") is not None
        if not answered and all(packet.fields.get(name) is None for name in ("x", "error")):
            raise result.refused(f"a packet of it has neither rtt, x nor error: {packet.fields!r:.60}")
        trips.append(packet.number("rtt", 0, _MOST_MS) if answered else None)
    return trips
