"""An experiment with nothing left open: checked traces, computed queue and window."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.core.words.plausibility import span_notes, unsettled_notes
from tmt.run.link_files import ReadyLink, ready_link
from tmt.spec.access import MIN_BUFFER_PACKETS
from tmt.spec.checks import MAX_PACKETS
from tmt.spec.coding import Coding
from tmt.spec.links import PlainLink
from tmt.spec.settings import Settings
from tmt.spec.tcp import FECTCP, WINDOWS_PER_PATH

if TYPE_CHECKING:
    from tmt.spec.access import WiredHop
    from tmt.spec.links import Link

MIN_QUEUE_PACKETS = 10
"""Least queue where none is given: short bursts fit even where the bandwidth-delay product is tiny."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A prepared run.

    Attributes
    ----------
    settings
        As asked for, with computed values where there were none: queue, window, variant, stack and buffer of
        the proxy, code and block of FECTCP.
    forward, back
        The links; a trace link with its checked file.
    """

    settings: Settings
    forward: ReadyLink | PlainLink
    back: ReadyLink | PlainLink

    def notes(self) -> list[str]:
        """Return notes on the traces for the user: those of `link_notes`, and an end before the run's."""
        found = []
        for direction, link in (("forward", self.forward), ("return", self.back)):
            found += link_notes(direction, link, self.settings.rtt_ns)
            if isinstance(link, PlainLink):
                continue
            left_ns = link.file.span_ns - link.link.offset_ns
            if left_ns < self.settings.duration_ns:
                then = "starts again" if self.settings.loop else "stops"
                found.append(
                    f"the {direction} trace ends after {ns_to_seconds(left_ns):g} s; the link then {then}"
                )
        return found


def link_notes(direction: str, link: ReadyLink | PlainLink, rtt_ns: int) -> list[str]:
    """Note an assumed LLDU size, a trace shorter than one round trip, and unsettled rows."""
    if isinstance(link, PlainLink):
        return []
    name = f"the {direction} trace"
    found = span_notes(name, link.file.span_ns, rtt_ns)
    found += unsettled_notes(name, link.file.unsettled, link.file.rows)
    if link.lldu_bytes_assumed:
        found.append(f"{name} does not say its LLDU size; {link.lldu_bytes} bytes assumed")
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
        When a trace cannot be used; see `tmt.run.link_files.ready_link`.
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


def set_up(settings: Settings) -> Setup:
    """Check the traces of an experiment and compute the settings that it leaves open.

    Queue and window follow from the bandwidth-delay product as `Settings` says.

    Raises
    ------
    InputError, UsageError
        When a trace cannot be used (`tmt.run.link_files.ready_link`), or the path holds more packets than
        ns-2 counts.
    """
    path = ready_path(
        settings.forward_link,
        settings.return_link,
        settings.rtt_ns,
        packet_bytes=settings.packet_bytes,
        wired=settings.wired,
    )
    queue_packets = settings.queue_packets or queue_for(path)
    held_packets = max(path.pipe_packets + queue_packets, 2)
    proxy = settings.proxy
    if proxy is not None:
        tcp, stack = proxy.variant(settings.tcp, settings.stack)
        proxy = replace(proxy, tcp=tcp, stack=stack)
    stacks = {settings.stack} | ({proxy.stack} if proxy is not None and proxy.stack else set())
    windows_per_path = max(WINDOWS_PER_PATH[name] for name in stacks)
    window_packets = settings.window_packets or held_packets * windows_per_path
    buffer_packets = 0
    if proxy is not None:
        buffer_packets = proxy.buffer_packets or max(window_packets, MIN_BUFFER_PACKETS)
    for name, packets in (("queue", queue_packets), ("window", window_packets), ("buffer", buffer_packets)):
        if packets > MAX_PACKETS:
            raise UsageError(
                f"the path holds {path.pipe_packets} packets (rate times RTT); the {name} would be {packets} "
                f"packets, at most {MAX_PACKETS} are allowed"
            )
    coding = (settings.coding or Coding()) if settings.tcp == FECTCP else None
    if coding is not None:
        block_segments = coding.largest_block(settings.transfer_bytes, settings.packet_bytes)
        coding = replace(coding, block_segments=block_segments)
    # Not `replace`: an `Experiment` has more fields.
    asked = {field.name: getattr(settings, field.name) for field in fields(Settings)}
    computed = {
        "queue_packets": queue_packets,
        "window_packets": window_packets,
        "proxy": None if proxy is None else replace(proxy, buffer_packets=buffer_packets),
        "coding": coding,
    }
    complete = Settings(**asked | computed)
    return Setup(complete, path.forward, path.back)


def _ready(link: Link, packet_bytes: int) -> tuple[ReadyLink | PlainLink, float, float]:
    """Return the link, its rate in full packets per second, and its mean delay without propagation."""
    if isinstance(link, PlainLink):
        return link, link.rate_bps / (8 * packet_bytes), 0.0
    ready = ready_link(link, packet_bytes)
    return ready, ready.packets_per_s(packet_bytes), ready.file.mean_delay_ns / NS_PER_S
