"""An experiment with every value set: checked traces, computed queue and window."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.core.words.values import no_loss_notes, padding_notes, span_notes, time_notes, unsettled_notes
from tmt.run.link_files import ReadyLink, ready_link
from tmt.run.motion import moved_trip
from tmt.spec.experiment import PlainLink, TraceLink
from tmt.spec.path import MAX_PACKETS, MIN_BUFFER_PACKETS
from tmt.spec.queue import KernelQdisc
from tmt.spec.shared_line import users_of
from tmt.spec.stacks import FECTCP, HEADER_BYTES, RECEIVE_BUFFER_BYTES, WINDOWS_PER_PATH
from tmt.spec.traffic import DEFAULT_CODE, ENDLESS_BLOCK_SEGMENTS, MAX_BLOCK_SEGMENTS, Flow

if TYPE_CHECKING:
    from tmt.run.motion import Rows
    from tmt.spec.experiment import Experiment, Link
    from tmt.spec.path import Path
    from tmt.spec.traffic import Traffic

MIN_QUEUE_PACKETS = 10
"""Least default queue: short bursts fit even if the bandwidth-delay product is tiny."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A prepared run: a trace link has its checked file.

    The experiment is as requested, with computed values for missing ones: queue, window, variant, stack and
    buffer of the proxy, code and block of FECTCP.
    """

    experiment: Experiment
    forward: ReadyLink | PlainLink
    back: ReadyLink | PlainLink
    moved: tuple[Rows, int] | None = None
    """Series of round-trip times of a moving path, and the run's start in it: see `moved_trip`."""

    @property
    def path(self) -> Path:
        """The path of the experiment."""
        return self.experiment.path

    @property
    def traffic(self) -> Traffic:
        """The traffic of the experiment."""
        return self.experiment.traffic

    @property
    def groups(self) -> tuple[Flow, ...]:
        """The groups of flows in the order of their flows' numbers, those of the forward direction first.

        Without groups they are what the traffic's `tcp`, `flows` and `return_flows` describe, of each user.
        """
        return tuple(_filled(one, self.traffic) for one in self._groups)

    @property
    def _groups(self) -> list[Flow]:
        traffic, users = self.traffic, self.experiment.users
        if traffic.flow:
            whose = users_of(traffic.flow) if users else [None] * len(traffic.flow)
            named = (replace(one, user=user) for one, user in zip(traffic.flow, whose, strict=True))
            return sorted(named, key=lambda one: one.direction == "return")
        own = Flow(traffic.tcp, traffic.flows, traffic.start, transfer_bytes=traffic.transfer_bytes)
        found = [replace(own, pause=traffic.pause, slow_start=traffic.slow_start, resume=traffic.resume)]
        if users:
            return [replace(found[0], user=user) for user in range(1, users + 1)]
        if traffic.return_flows:
            back = replace(own, count=traffic.return_flows, transfer_bytes=None, direction="return")
            found.append(back)
        return found

    @property
    def has_groups(self) -> bool:
        """Whether the run has figures of each of its groups: they are described, or of users of one line."""
        return bool(self.traffic.flow) or self.experiment.users > 0

    @property
    def labels(self) -> list[str]:
        """Names of the traffic's groups, in the order of `groups`."""
        return [one.label for one in self._groups]

    @property
    def flows(self) -> tuple[int, int]:
        """Number of flows in the forward direction, whose numbers come first, and in the return direction."""
        groups = self.groups
        forward = sum(one.count for one in groups if one.direction == "forward")
        return forward, sum(one.count for one in groups) - forward

    def notes(self) -> list[str]:
        """Return notes on the traces: those of `link_notes`, a trace that ends before the run, no losses."""
        found = []
        for direction, link in (("forward", self.forward), ("return", self.back)):
            found += link_notes(direction, link, self.path.rtt, self.traffic.packet_bytes)
            if isinstance(link, PlainLink):
                continue
            left_ns = link.file.span_ns - link.link.offset_ns
            if left_ns < ns(self.traffic.duration):
                then = "starts again" if self.path.loop else "stops"
                found.append(
                    f"the {direction} trace ends after {ns_to_seconds(left_ns):g} s; the link then {then}"
                )
        if self.moved is not None and self.path.rtt_series is not None:
            rows, begin_ns = self.moved
            left_ns = int(rows["time_ns"][-1] - rows["time_ns"][0]) - begin_ns
            if left_ns < ns(self.traffic.duration):
                found.append(
                    f"the series of round-trip times ends after {ns_to_seconds(left_ns):g} s; it then repeats"
                )
        if isinstance(self.forward, ReadyLink):
            found += no_loss_notes("the forward trace", self.forward.file.lost, self.forward.file.repeated)
        return found


def _filled(group: Flow, traffic: Traffic) -> Flow:
    """Return a group with the traffic's values for the settings that it lacks."""
    delayed_acks = traffic.delays_acks if group.delayed_acks is None else group.delayed_acks
    buffer_bytes = group.receive_buffer_bytes or traffic.receive_buffer_bytes
    ecn = group.ecn or traffic.ecn
    return replace(group, delayed_acks=delayed_acks, ecn=ecn, receive_buffer_bytes=buffer_bytes)


def link_notes(direction: str, link: ReadyLink | PlainLink, rtt: float, packet_bytes: int) -> list[str]:
    """Note an assumed LLDU size, much padding, a short trace, long delays, and unsettled rows."""
    if isinstance(link, PlainLink):
        return []
    name = f"the {direction} trace"
    found = span_notes(name, link.file.span_ns, ns(rtt))
    found += time_notes(f"the mean delay of {name}", link.file.mean_delay_ns)
    found += unsettled_notes(name, link.file.unsettled, link.file.rows)
    if link.lldu_bytes_assumed:
        found.append(f"{name} does not say its LLDU size; {link.lldu_bytes} bytes assumed")
    if link.packing == "padded" and link.lldu_bytes is not None:
        found += padding_notes(name, link.lldu_bytes, packet_bytes)
    return found


@dataclass(frozen=True, slots=True)
class ReadyPath:
    """Both links of a path, and its bandwidth-delay product in full packets.

    That product is the forward link's mean packet rate (a wired hop's if that is less) times the time that a
    packet and its acknowledgement take without queueing: the RTT, the wired hop's, and the traces' mean
    delays in order.
    """

    forward: ReadyLink | PlainLink
    back: ReadyLink | PlainLink
    pipe_packets: int


def ready_path(forward_link: Link, return_link: Link | None, path: Path, packet_bytes: int) -> ReadyPath:
    """Check a path's traces; without a return link, it is plain and as fast as the forward link on average.

    Errors are those of `tmt.run.link_files.ready_link`.
    """
    forward, packet_rate, forward_delay_s = _ready(forward_link, packet_bytes)
    back, _, return_delay_s = _ready(return_link or PlainLink(forward.rate_bps), packet_bytes)
    round_trip_s = path.rtt + forward_delay_s + return_delay_s
    if path.wired is not None:
        packet_rate = min(packet_rate, path.wired.rate / (8 * packet_bytes))
        round_trip_s += 2 * path.wired.delay
    return ReadyPath(forward, back, math.ceil(packet_rate * round_trip_s))


def queue_for(links: ReadyPath, path: Path) -> int | None:
    """Return the limit of the queue in packets; by default one bandwidth-delay product."""
    if path.queue_packets is None and not path.is_limited_otherwise:
        return max(links.pipe_packets, MIN_QUEUE_PACKETS)
    return path.queue_packets


def _most_queued(links: ReadyPath, path: Path, queue_packets: int | None, packet_bytes: int) -> int:
    """Return the greatest number of full packets in the queue, at the mean rate if time limits it."""
    limits = [] if queue_packets is None else [queue_packets]
    if isinstance(path.queue, KernelQdisc) and path.queue.has_own_limit:
        limits.append(max(links.pipe_packets, MIN_QUEUE_PACKETS))
    if path.queue_bytes is not None:
        limits.append(-(-path.queue_bytes // packet_bytes))
    if path.queue_time is not None:
        limits.append(math.ceil(path.queue_time * links.forward.rate_bps / (8 * packet_bytes)))
    return min(limits)


def set_up(experiment: Experiment) -> Setup:
    """Check the traces of an experiment and compute the settings that it leaves open.

    Queue and window follow from the bandwidth-delay product, as described in `tmt.spec.path.Path`.
    Errors are those of `tmt.run.link_files.ready_link`, and UsageError when a path holds more packets than
    ns-2 can count.
    """
    path, traffic = experiment.path, experiment.traffic
    links = ready_path(experiment.forward, experiment.back, path, traffic.packet_bytes)
    queue_packets = queue_for(links, path)
    most_queued = _most_queued(links, path, queue_packets, traffic.packet_bytes)
    held_packets = max(links.pipe_packets + most_queued, 2)
    proxy, stacks, buffer_packets = path.proxy, {traffic.stack}, 0
    if proxy is not None:
        tcp, stack = proxy.variant(traffic.tcp, traffic.stack)
        stacks.add(stack)
    longest = max([path.rtt, *(group.rtt or 0 for group in traffic.flow)])
    if longest > path.rtt:
        longer = ready_path(
            experiment.forward, experiment.back, replace(path, rtt=longest), traffic.packet_bytes
        )
        held_packets += longer.pipe_packets - links.pipe_packets
    window_packets = path.window_packets or held_packets * max(WINDOWS_PER_PATH[name] for name in stacks)
    if proxy is not None:
        buffer_packets = proxy.buffer_packets or max(window_packets, MIN_BUFFER_PACKETS)
    for name, packets in (("queue", most_queued), ("window", window_packets), ("buffer", buffer_packets)):
        if packets > MAX_PACKETS:
            raise UsageError(
                f"the path holds {links.pipe_packets} packets (rate times RTT); the {name} would be "
                f"{packets} packets, at most {MAX_PACKETS} are allowed"
            )
    if proxy is not None:
        proxy = replace(proxy, tcp=tcp, stack=stack, buffer_packets=buffer_packets)
    if traffic.tcp == FECTCP:
        traffic = replace(traffic, code=traffic.code or DEFAULT_CODE, block_segments=largest_block(traffic))
    if traffic.has_host_receivers:
        buffer_bytes = traffic.receive_buffer_bytes or RECEIVE_BUFFER_BYTES
        traffic = replace(traffic, receive_buffer_bytes=buffer_bytes)
    window = None
    if experiment.backend != "emulate":  # there, the kernel's own buffers and its rule of ACKs apply
        window = window_packets
        traffic = replace(traffic, delayed_acks=traffic.delays_acks)
    # The packet on the link has already left one of the kernel's own queues.
    counts = "waiting" if isinstance(path.queue, KernelQdisc) else path.queue_counts
    path = replace(path, queue_packets=queue_packets, queue_counts=counts, window_packets=window, proxy=proxy)
    moved = moved_trip(path, offset_ns(experiment.forward), ns(traffic.duration))
    return Setup(replace(experiment, path=path, traffic=traffic), links.forward, links.back, moved)


def offset_ns(link: Link) -> int:
    """Return the start of a run in the trace of a link; 0 without a trace."""
    return link.offset_ns if isinstance(link, TraceLink) else 0


def largest_block(traffic: Traffic) -> int:
    """Return the source symbols of a flow's largest block."""
    if traffic.transfer_bytes is None:
        return traffic.block_segments or ENDLESS_BLOCK_SEGMENTS
    segments = -(-traffic.transfer_bytes // (traffic.packet_bytes - HEADER_BYTES))
    blocks = -(-segments // (traffic.block_segments or MAX_BLOCK_SEGMENTS))
    return -(-segments // blocks)


def _ready(link: Link, packet_bytes: int) -> tuple[ReadyLink | PlainLink, float, float]:
    """Return the link, its rate in full packets per second, and its mean delay without propagation."""
    if isinstance(link, PlainLink):
        return link, link.rate / (8 * packet_bytes), 0.0
    assert isinstance(link, TraceLink)
    ready = ready_link(link, packet_bytes)
    return ready, ready.packets_per_s(packet_bytes), ready.file.mean_delay_ns / NS_PER_S
