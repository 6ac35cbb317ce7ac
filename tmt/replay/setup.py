"""A replay with nothing left open: checked traces, computed queue and window, the simulator's arguments."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tmt.errors import UsageError
from tmt.replay.checks import MAX_PACKETS
from tmt.replay.coding import Coding
from tmt.replay.links import ReadyLink, ready_link
from tmt.replay.parameters import PlainLink
from tmt.replay.stacks import FECTCP
from tmt.replay.wired import MIN_BUFFER_PACKETS
from tmt.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.replay.parameters import Link, Replay
    from tmt.replay.wired import WiredHop
    from tmt.schemes.parameters import OnlineScheme

Value = str | int | float | bool | None

WINDOWS_PER_PATH = {"2009": 1, "modern": 4}
"""What the default window is, in multiples of what path and queue hold.

In stack 2009 slow start overshoots the path by as much as it allows. In the modern stack it is the receiver's
buffer, which must hold what arrives while a packet is sent again, and once more.
"""

MIN_QUEUE_PACKETS = 10
"""Least queue where none is given: short bursts fit even where the bandwidth-delay product is tiny."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What one simulation is run with.

    Attributes
    ----------
    replay
        As asked for.
    forward, back
        The links; a trace link with its checked file.
    queue_packets, window_packets, buffer_packets
        As asked for, or computed; the last is the proxy's, None without one.
    coding
        As asked for, or the default; None unless the flows are FECTCP's.
    """

    replay: Replay
    forward: ReadyLink | PlainLink
    back: ReadyLink | PlainLink
    queue_packets: int
    window_packets: int
    buffer_packets: int | None
    coding: Coding | None

    def arguments(self) -> list[str]:
        """Return the arguments of the simulator's script: alternating keys and values."""
        replay = self.replay
        settings: dict[str, object] = {
            "stack": replay.stack,
            "tcp": replay.tcp,
            **dict(_link_arguments("forward", self.forward)),
            **dict(_link_arguments("return", self.back)),
            "loop": int(replay.loop),
            "in_order": int(replay.in_order),
            "hold_s": _seconds(replay.hold_ns or 0),
            "rtt_s": _seconds(replay.rtt_ns),
            "queue_packets": self.queue_packets,
            "window_packets": self.window_packets,
            "packet_bytes": replay.packet_bytes,
            "duration_s": _seconds(replay.duration_ns),
            "transfer_bytes": replay.transfer_bytes or 0,
            "flows": replay.flows,
            "start_s": _seconds(replay.start_ns),
            "start_spread_s": _seconds(replay.start_spread_ns),
            "seed": replay.seed,
            **dict(self._access_arguments()),
            **dict(self._coding_arguments()),
        }
        return [str(word) for item in settings.items() for word in item]

    def _access_arguments(self) -> Iterator[tuple[str, object]]:
        replay = self.replay
        if replay.delayed_acks:
            yield "delayed_acks", 1
        if replay.wired is not None:
            yield "wired_rate_bps", f"{replay.wired.rate_bps:.15g}"
            yield "wired_delay_s", _seconds(replay.wired.delay_ns)
            yield "wired_loss", f"{replay.wired.loss:.15g}"
        if replay.proxy is not None:
            tcp, stack = replay.proxy.variant(replay.tcp, replay.stack)
            yield "proxy", 1
            yield "proxy_stack", stack
            yield "proxy_tcp", tcp
            yield "proxy_buffer_packets", self.buffer_packets
            yield "proxy_delay_s", _seconds(replay.proxy.delay_ns)

    def _coding_arguments(self) -> Iterator[tuple[str, object]]:
        if self.coding is not None:
            yield "block_segments", self._block_segments()
            yield "code_overhead", self.coding.overhead(self._block_segments())

    def _block_segments(self) -> int:
        assert self.coding is not None
        return self.coding.largest_block(self.replay.transfer_bytes, self.replay.packet_bytes)

    def columns(self) -> dict[str, Value]:
        """Return the result columns that are known before the run."""
        replay = self.replay
        return {
            "tcp": replay.tcp,
            "stack": replay.stack,
            "flows": replay.flows,
            "rtt_s": ns_to_seconds(replay.rtt_ns),
            "duration_s": ns_to_seconds(replay.duration_ns),
            "transfer_bytes": replay.transfer_bytes,
            "start_s": ns_to_seconds(replay.start_ns),
            "start_spread_s": ns_to_seconds(replay.start_spread_ns),
            "seed": replay.seed,
            "packet_bytes": replay.packet_bytes,
            "queue_packets": self.queue_packets,
            "window_packets": self.window_packets,
            "loop": replay.loop,
            "in_order": replay.in_order,
            "hold_s": None if replay.hold_ns is None else ns_to_seconds(replay.hold_ns),
            **_link_columns("forward", self.forward),
            **_link_columns("return", self.back),
            **self._access_columns(),
            "code": None if self.coding is None else self.coding.code,
            "block_segments": None if self.coding is None else self._block_segments(),
        }

    def _access_columns(self) -> dict[str, Value]:
        wired, proxy = self.replay.wired, self.replay.proxy
        tcp, stack = (None, None) if proxy is None else proxy.variant(self.replay.tcp, self.replay.stack)
        return {
            "delayed_acks": self.replay.delayed_acks,
            "wired_rate_bps": None if wired is None else wired.rate_bps,
            "wired_delay_s": None if wired is None else ns_to_seconds(wired.delay_ns),
            "wired_loss": None if wired is None else wired.loss,
            "proxy": proxy is not None,
            "proxy_tcp": tcp,
            "proxy_stack": stack,
            "proxy_buffer_packets": self.buffer_packets,
            "proxy_delay_s": None if proxy is None else ns_to_seconds(proxy.delay_ns),
        }

    def notes(self) -> list[str]:
        """Say what a user may not expect of the traces: an assumed LLDU size, an end before the run's."""
        found = []
        for direction, link in (("forward", self.forward), ("return", self.back)):
            if isinstance(link, PlainLink):
                continue
            if link.lldu_bytes_assumed:
                found.append(
                    f"the {direction} trace does not say its LLDU size; {link.lldu_bytes} bytes assumed"
                )
            left_ns = link.file.span_ns - link.link.offset_ns
            if left_ns < self.replay.duration_ns:
                then = "starts again" if self.replay.loop else "stops"
                found.append(
                    f"the {direction} trace ends after {ns_to_seconds(left_ns):g} s; the link then {then}"
                )
        return found


@dataclass(frozen=True, slots=True)
class ReadyPath:
    """Both links of a path, and its bandwidth-delay product in full packets.

    That product is the forward link's mean packet rate (a wired hop's where that is less) times the time that
    a packet and its acknowledgement take without queueing: the RTT, the wired hop's, and the traces' mean
    delays in order.
    """

    forward: ReadyLink | PlainLink
    back: ReadyLink | PlainLink
    pipe_packets: int


def ready_path(
    forward_link: Link,
    return_link: Link | None,
    rtt_ns: int,
    *,
    packet_bytes: int,
    wired: WiredHop | None = None,
) -> ReadyPath:
    """Check a path's traces; without a return link that is plain and as fast as the forward link on average.

    Raises
    ------
    InputError, UsageError
        When a trace cannot be used; see `tmt.replay.links.ready_link`.
    """
    forward, packet_rate, forward_delay_s = _ready(forward_link, packet_bytes)
    back, _, return_delay_s = _ready(return_link or PlainLink(forward.rate_bps), packet_bytes)
    round_trip_s = ns_to_seconds(rtt_ns) + forward_delay_s + return_delay_s
    if wired is not None:
        packet_rate = min(packet_rate, wired.rate_bps / (8 * packet_bytes))
        round_trip_s += 2 * ns_to_seconds(wired.delay_ns)
    return ReadyPath(forward, back, math.ceil(packet_rate * round_trip_s))


def queue_for(path: ReadyPath) -> int:
    """Return the limit of the queue where none is given: one bandwidth-delay product."""
    return max(path.pipe_packets, MIN_QUEUE_PACKETS)


def set_up(replay: Replay) -> Setup:
    """Check the traces of a replay and compute what it leaves open.

    Queue and window follow from the bandwidth-delay product as `Replay` says.

    Raises
    ------
    InputError, UsageError
        When a trace cannot be used, see `tmt.replay.links.ready_link`; or when the path holds more packets
        than ns-2 counts.
    """
    path = ready_path(
        replay.forward_link,
        replay.return_link,
        replay.rtt_ns,
        packet_bytes=replay.packet_bytes,
        wired=replay.wired,
    )
    queue_packets = replay.queue_packets or queue_for(path)
    held_packets = max(path.pipe_packets + queue_packets, 2)
    window_packets, buffer_packets = replay.window_packets, None
    stacks = {replay.stack}
    if replay.proxy is not None:
        stacks.add(replay.proxy.variant(replay.tcp, replay.stack)[1])
    window_packets = window_packets or held_packets * max(WINDOWS_PER_PATH[stack] for stack in stacks)
    if replay.proxy is not None:
        buffer_packets = replay.proxy.buffer_packets or max(window_packets, MIN_BUFFER_PACKETS)
    for name, packets in (("queue", queue_packets), ("window", window_packets), ("buffer", buffer_packets)):
        if packets is not None and packets > MAX_PACKETS:
            raise UsageError(
                f"the path holds {path.pipe_packets} packets, rate times RTT, so that the {name} would be "
                f"{packets}, must be at most {MAX_PACKETS}"
            )
    coding = (replay.coding or Coding()) if replay.tcp == FECTCP else None
    return Setup(replay, path.forward, path.back, queue_packets, window_packets, buffer_packets, coding)


def _ready(link: Link, packet_bytes: int) -> tuple[ReadyLink | PlainLink, float, float]:
    """Return the link, its rate in full packets per second, and its mean delay without propagation."""
    if isinstance(link, PlainLink):
        return link, link.rate_bps / (8 * packet_bytes), 0.0
    ready = ready_link(link)
    row_rate = ready.rate_bps / (8 * ready.lldu_bytes)
    return ready, row_rate / math.ceil(packet_bytes / ready.lldu_bytes), ready.file.mean_delay_ns / NS_PER_S


def _link_arguments(direction: str, link: ReadyLink | PlainLink) -> Iterator[tuple[str, object]]:
    if isinstance(link, PlainLink):
        yield f"{direction}_rate_bps", f"{link.rate_bps:.15g}"
        return
    yield direction, link.file.npy
    yield f"{direction}_lldu_bytes", link.lldu_bytes
    yield f"{direction}_offset_s", _seconds(link.file.first_ns + link.link.offset_ns)
    if link.link.scheme is not None:
        yield from _scheme_arguments(direction, link.link.scheme)


_UNLIMITED = {"max_transmissions": 0, "persistency": -1}
"""What the queue takes for no limit."""


def _scheme_arguments(direction: str, scheme: OnlineScheme) -> Iterator[tuple[str, object]]:
    """Name an online scheme's parameters as the queue does; its RTT is the link's, which ns-2 knows."""
    yield f"{direction}_scheme", scheme.name
    for name, value in scheme.describe().items():
        if name in {"name", "rtt_ns"}:
            continue
        if value is None:
            yield f"{direction}_{name}", _UNLIMITED[name]
        elif name.endswith("_ns"):
            yield f"{direction}_{name.removesuffix('_ns')}_s", _seconds(cast("int", value))
        else:
            yield f"{direction}_{name}", value


def _link_columns(direction: str, link: ReadyLink | PlainLink) -> dict[str, Value]:
    columns: dict[str, Value] = dict.fromkeys(("trace", "sha256", "lldu_bytes", "offset_s", "online"))
    if isinstance(link, ReadyLink):
        columns |= {
            "trace": Path(os.fspath(link.link.path)).name,
            "sha256": link.file.sha256,
            "lldu_bytes": link.lldu_bytes,
            "offset_s": ns_to_seconds(link.link.offset_ns),
            "online": None if link.link.scheme is None else link.link.scheme.label,
        }
    return {f"{direction}_{name}": value for name, value in (columns | {"rate_bps": link.rate_bps}).items()}


def _seconds(time_ns: int) -> str:
    """Write a time in seconds exactly, in plain digits."""
    return f"{Decimal(time_ns) / NS_PER_S:f}"
