"""One emulation: its settings, and its result read from the emulator's output."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

from tmt.core import provenance
from tmt.core.declaration import Param, Spec, ns
from tmt.core.errors import EmulatorError, SimulatorError, UsageError
from tmt.core.schema import PACKET_RECORDS
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.io.atomic import write_text
from tmt.run.link_files import link_figures, link_settings, queue_settings
from tmt.run.motion import motion_settings, moved_trip
from tmt.run.records import COUNTERS, PACKETS, Counters, read_array_of
from tmt.run.setup import link_notes, offset_ns
from tmt.spec.experiment import Link, queue_rule
from tmt.spec.path import Path

if TYPE_CHECKING:
    import pathlib

    from tmt.core.declaration import Rules
    from tmt.core.measure.transport import Records
    from tmt.run.setup import ReadyPath
    from tmt.spec.settings import Value

SENDER_ADDRESSES = ("10.0.0.1", "fd00::1")
RECEIVER_ADDRESSES = ("10.0.0.2", "fd00::2")
"""IPv4 and IPv6 addresses of the two ends, the only hosts."""

MIN_MTU_BYTES = 68
"""Least MTU of an IPv4 link (RFC 791); IPv6 needs 1280 (RFC 8200) and is left out below that."""

MAX_MTU_BYTES = 65_535

Port = Annotated[int, Param("", 1, 65_535)]


class WayOut(Spec):
    """A TCP port of the receiver, and the host and port to which its connections are forwarded."""

    port: Port
    host: str
    host_port: Port

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``PORT=HOST:PORT``; an IPv6 address may be in brackets (UsageError if malformed)."""
        port, equals, target = text.partition("=")
        host, colon, host_port = target.rpartition(":")
        if not (equals and colon and host) or not all(_is_port(number) for number in (port, host_port)):
            raise UsageError(f"the way out is {text!r}; it must be PORT=HOST:PORT with ports from 1 to 65535")
        return cls(int(port), host.strip("[]"), int(host_port))


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= 65_535


class Emulation(Spec):
    """A command whose packets go over an emulated link, in its own network namespace.

    The path has no wired hop, no proxy and no window; by default its queue is one bandwidth-delay product, at
    least 10 packets.
    """

    command: Annotated[tuple[str, ...], "program and arguments, run at the sender's end"]
    forward: Annotated[Link, "link from the sender to the receiver"]
    path: Annotated[Path, "path between the ends"]
    back: Annotated[
        Link | None,
        "link from the receiver to the sender",
        Param(absent="a plain link as fast as the forward link is on average"),
    ] = None
    mtu_bytes: Annotated[
        int, "size of the largest IP packet", Param("byte", MIN_MTU_BYTES, MAX_MTU_BYTES)
    ] = 1500
    server: Annotated[
        str | None,
        "shell command, run at the receiver's end; the command starts when it listens",
        Param(absent="no server"),
    ] = None
    ways_out: Annotated[
        tuple[WayOut, ...], "ports of the receiver whose connections go on from this machine's own network"
    ] = ()
    sysctls: Annotated[tuple[str, ...], "kernel settings net.NAME=VALUE of both ends"] = ()

    def rules(self) -> Rules:
        """Refuse kernel settings that do not belong to the network."""
        for at, sysctl in enumerate(self.sysctls):
            if not (sysctl.startswith("net.") and "=" in sysctl):
                yield ("sysctls", at), "net.NAME=VALUE"
        for key in ("wired", "proxy", "window_packets"):
            if getattr(self.path, key) is not None:
                yield ("path", key), '"none": an emulation has none'
        yield from queue_rule(self.path, "emulate")

    def arguments(self, links: ReadyPath, folder: pathlib.Path, *, record: bool) -> list[str]:
        """Return the emulator's arguments before ``--``, over checked links: alternating keys and values.

        The round-trip times of a moving path are written into the folder.
        """
        moved = moved_trip(self.path, offset_ns(self.forward), None)
        settings: list[tuple[str, object]] = [
            *link_settings("forward", links.forward).items(),
            *link_settings("return", links.back).items(),
            ("loop", int(self.path.loop)),
            ("in_order", int(self.path.in_order)),
            ("hold_ns", 0 if self.path.hold is None else ns(self.path.hold)),
            ("rtt_ns", ns(self.path.rtt)),
            *motion_settings(self.path, moved, folder).items(),
            *queue_settings(self.path).items(),
            ("mtu_bytes", self.mtu_bytes),
            ("record", int(record)),
            ("folder", folder),
            ("server", self.server or ""),
            *(("port", way.port) for way in self.ways_out),
            *(("sysctl", sysctl) for sysctl in self.sysctls),
        ]
        return [str(word) for item in settings for word in item]


DIRECTIONS = ("forward", "return")
LATE_SHARE = 0.01
"""An emulation with a larger share of packets that are 1 ms or more late has not kept up."""


@dataclass(frozen=True, slots=True)
class EmulationResult:
    """The result of one emulation.

    Attributes
    ----------
    status : exit status of the command; 128 plus the signal's number for one that was killed, as in a shell
    row : name and value of each figure, times in seconds; the names are in `docs/emulation.md`
    packets : [n_packets], columns of `PACKET_RECORDS`, or None
    notes : notes for the user: an assumed LLDU size, a stopped link, a machine that did not keep up
    """

    status: int
    row: dict[str, Value]
    packets: Records | None
    notes: list[str]

    def save(self, folder: pathlib.Path) -> None:
        """Write `result.json`, and `packets.parquet` if packets were recorded (OutputError)."""
        write_text(folder / "result.json", json.dumps(self.row, indent=2) + "\n")
        if self.packets is None:
            return
        from tmt.io.parquet import write_records  # noqa: PLC0415  (pyarrow takes long to import)

        metadata = provenance.record(PACKET_RECORDS.kind, emulation=self.row)
        write_records(folder / "packets.parquet", PACKET_RECORDS, self.packets, metadata)


def read_result(
    folder: pathlib.Path, emulation: Emulation, links: ReadyPath, status: int, *, record: bool
) -> EmulationResult:
    """Read the output of an emulation over checked links (EmulatorError when it is damaged or missing)."""
    try:
        return _result(folder, emulation, links, status, record=record)
    except SimulatorError as error:
        raise EmulatorError(f"the emulator was killed (status {status}): {error}") from error


def _result(
    folder: pathlib.Path, emulation: Emulation, links: ReadyPath, status: int, *, record: bool
) -> EmulationResult:
    counters = Counters(folder / COUNTERS)
    row: dict[str, Value] = {
        "command_status": counters("command_status"),
        "server_status": counters("server_status") if counters("server_status") >= 0 else None,
        "duration_s": ns_to_seconds(counters("duration_ns")),
        "flows": counters("flows"),
        "real_time_priority": bool(counters("real_time")),
        "emulator_cpu_s": ns_to_seconds(counters("cpu_ns")),
        "emulator_memory_bytes": counters("memory_bytes"),
        "rtt_s": emulation.path.rtt,
        "queue": emulation.path.queue.label,
        "queue_packets": emulation.path.queue_packets,
        "queue_bytes": emulation.path.queue_bytes,
        "queue_time_s": emulation.path.queue_time,
        "queue_counts": emulation.path.queue_counts,
        "mtu_bytes": emulation.mtu_bytes,
        "loop": emulation.path.loop,
        "in_order": emulation.path.in_order,
        "hold_s": emulation.path.hold,
        "sender": SENDER_ADDRESSES[0],
        "receiver": RECEIVER_ADDRESSES[0],
    }
    notes = []
    for direction, link in zip(DIRECTIONS, (links.forward, links.back), strict=True):
        row |= link_figures(direction, link) | _figures(direction, counters)
        notes += link_notes(direction, link, emulation.path.rtt, emulation.mtu_bytes)
    packets = read_array_of(folder / PACKETS, PACKET_RECORDS) if record else None
    notes += _notes(counters)
    if emulation.server is not None and not counters("server_listened"):
        notes.append("the server did not listen within 30 s; the command was started all the same")
    return EmulationResult(status, row, packets, notes)


def _figures(direction: str, counters: Counters) -> dict[str, Value]:
    def count(name: str) -> int:
        return counters(f"{direction}_{name}")

    fates = ("arrived", "delivered", "lost", "unsettled", "overflowed", "aqm_dropped", "marked")
    names = (*fates, "under_way", "refused")
    figures: dict[str, Value] = {f"{direction}_packets_{name}": count(f"packets_{name}") for name in names}
    figures[f"{direction}_interface_dropped"] = count("interface_dropped")
    figures[f"{direction}_delivered_bps"] = 8 * count("bytes_delivered") * NS_PER_S / counters("duration_ns")
    delivered, outcomes = count("packets_delivered"), count("outcomes")
    for what, exists in (("delay", delivered), ("lateness", outcomes)):
        for share in ("least", "p50", "p95", "p99", "most"):
            value = ns_to_seconds(count(f"{what}_{share}_ns")) if exists else None
            figures[f"{direction}_{what}_{share}_s"] = value
    figures[f"{direction}_late_share"] = count("outcomes_1ms_late") / outcomes if outcomes else None
    if f"{direction}_rows_offered" in counters:
        use = ("rows_offered", "rows_used", "bytes_offered", "bytes_used", "trace_repeats")
        figures |= {f"{direction}_{name}": count(name) for name in use}
    return figures


def _notes(counters: Counters) -> list[str]:
    found = []
    for direction in DIRECTIONS:
        if counters(f"{direction}_stopped"):
            found.append(f"the {direction} trace has ended, and its link with it; packets wait in its queue")
        dropped = counters(f"{direction}_interface_dropped")
        if dropped:
            found.append(
                f"the {direction} interface dropped {dropped} packets that the emulator did not read in time"
            )
        late, outcomes = counters(f"{direction}_outcomes_1ms_late"), counters(f"{direction}_outcomes")
        if late > LATE_SHARE * outcomes:
            found.append(
                f"the machine did not keep up: {late / outcomes:.1%} of the {direction} packets "
                f"were 1 ms late or more, at most {counters(f'{direction}_lateness_most_ns') / 1e6:.3g} ms"
            )
    return found
