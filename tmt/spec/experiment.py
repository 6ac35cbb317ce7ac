"""One experiment: links, the path around them, traffic and seed; a backend of `tmt.run` carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from tmt.core.declaration import Count, Param, PositiveSeconds, Probability, Rate, Seconds, Spec
from tmt.core.orbit import Orbit
from tmt.core.schema import Packing
from tmt.core.schemes.scheme import RoundTrip, Scheme
from tmt.core.sharing import SCHEDULERS, Scheduler
from tmt.core.units import MAX_TIME_NS
from tmt.spec.flow_settings import Bytes
from tmt.spec.queue import DISCIPLINES, Discipline, DropTail, KernelQdisc
from tmt.spec.shared_line import shared_line_rules
from tmt.spec.stacks import (
    FECTCP,
    LINUX,
    NS2_STACKS,
    PRAGUE,
    STACKS,
    Ns2Stack,
    Ns2Variant,
    answers_marks,
    stack_rule,
)
from tmt.spec.traffic import Seed, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Place, Rules

MOST_RATE_BPS = 1e12
"""Upper bound on the rate of a link, so that no run counts more bytes than fit in 64 bits."""

MAX_PACKETS = 2**31 - 1
"""Most packets that ns-2 can count in a queue or a window."""

Packets = Annotated[int, Param("packets", 1, MAX_PACKETS)]

MIN_BUFFER_PACKETS = 2
"""Least buffer of a proxy: the segment without data that opens a connection, and one with data."""


class Wired(Spec):
    """A hop from the senders to the node before the link, with a constant rate each way.

    Its propagation time is added to the RTT. Acknowledgements are not lost on it.
    """

    rate: Annotated[Rate, "rate of the wired hop, in both directions"]
    delay: Annotated[Seconds, "propagation time of the wired hop in one direction, beyond the RTT"] = 0
    loss: Annotated[Probability, "probability that the wired hop loses a data packet"] = 0


class Proxy(Spec):
    """A node that acknowledges the senders' data and forwards them over its own connections."""

    tcp: Annotated[
        Ns2Variant | None,
        "TCP variant of the proxy's senders",
        Param(absent="that of the senders", label="proxy's TCP"),
    ] = None
    stack: Annotated[
        Ns2Stack | None,
        "TCP stack of the proxy's senders and of the receivers",
        Param(absent="that of the senders", label="proxy's stack"),
    ] = None
    buffer_packets: Annotated[
        Packets | None,
        "limit of one connection's buffer at the proxy",
        Param(
            least=MIN_BUFFER_PACKETS,
            absent="as many as a sender's window",
            label="proxy's buffer",
            counts="TCP segments",
        ),
    ] = None
    delay: Annotated[
        Seconds,
        "time from a segment's in-order arrival at the proxy until it may be sent on",
        Param(label="proxy's delay"),
    ] = 0

    def rules(self) -> Rules:
        """Refuse a variant that the stack does not have."""
        if self.tcp is not None and self.stack is not None:
            yield from stack_rule(self.tcp, self.stack)

    def variant(self, tcp: Any, stack: Any) -> tuple[Any, Any]:
        """Return variant and stack over the link, given those of the senders."""
        return self.tcp or tcp, self.stack or stack


class Path(Spec):
    """The path between sender and receiver, without the traces of its links."""

    rtt: Annotated[
        RoundTrip,
        "round-trip propagation time of the path, half of it each way; where it changes, its upper bound",
    ]
    rtt_series: Annotated[
        str | None,
        "CSV file of round-trip times over time, columns `time,rtt` in seconds",
        Param(
            absent="the round-trip time is that of `rtt`, or follows the orbit",
            is_path=True,
            label="series of round-trip times",
            null="without a file",
        ),
    ] = None
    orbit: Annotated[
        Orbit | None, "satellites over which the round-trip time follows", Param(absent="nothing moves")
    ] = None
    overtaking: Annotated[
        bool,
        "whether packets overtake earlier ones where the round-trip time falls; else they keep their order",
    ] = False
    in_order: Annotated[bool, "whether links release packets in order", Param(label="in-order delivery")] = (
        True
    )
    hold: Annotated[
        PositiveSeconds | None,
        "longest time for which in-order delivery holds a packet back",
        Param(
            absent="no limit", label="hold time", null="when packets may wait for ever, or in_order is off"
        ),
    ] = None
    queue: Annotated[Discipline, "discipline of the queue in front of each link"] = DropTail()
    queue_packets: Annotated[
        Packets | None,
        "limit of the queue before each link",
        Param(
            absent="one bandwidth-delay product, at least 10 packets",
            counts="IP packets",
            null="for a queue that is limited only in bytes or time, or by the kernel's own rule",
        ),
    ] = None
    queue_bytes: Annotated[
        Bytes | None,
        "limit of the queue before each link in bytes",
        Param(absent="no limit", counts="IP packets: payload and headers", null="without one"),
    ] = None
    queue_time: Annotated[
        PositiveSeconds | None,
        "time after which the queue drops a packet that still waits",
        Param(absent="no limit", null="without one"),
    ] = None
    queue_counts: Annotated[
        Literal["all", "waiting"],
        "packets that the limits count: all, or only those of which nothing has been sent",
        Param(label="packets that limits count"),
    ] = "all"
    window_packets: Annotated[
        Packets | None,
        "bound on each sender's window",
        Param(
            absent="bandwidth-delay product plus queue, four times that with stack modern",
            counts="TCP segments",
            null="when the backend does not bound it",
        ),
    ] = None
    loop: Annotated[
        bool,
        "whether a trace starts again at its end; else the link stops there",
        Param(label="looped trace"),
    ] = True
    return_link: Annotated[
        Literal["plain", "unprotected", "protected"],
        "return link: without losses, or a trace as forward, without or with its scheme",
    ] = "plain"
    return_rate: Annotated[
        Rate | None, "rate of a plain return link", Param(absent="the forward link's mean rate")
    ] = None
    return_trace: Annotated[
        str | None, "PHY trace of the return link", Param(absent="the forward link's trace", is_path=True)
    ] = None
    ack_thinning: Annotated[
        Literal["none", "filter", "decimate"],
        "what the return link's modem does with acknowledgements: nothing, put a new one in the place of one "
        "that waits, or bound their rate",
        Param(label="ACK thinning"),
    ] = "none"
    ack_interval: Annotated[
        PositiveSeconds | None,
        "least time between two acknowledgements of a flow that decimation lets pass",
        Param(absent="the modem bounds no rate", label="ACK interval", null="without decimation"),
    ] = None
    wired: Annotated[
        Wired | None, "hop between the senders and the node before the link", Param(absent="no such hop")
    ] = None
    proxy: Annotated[
        Proxy | None,
        "node before the link that splits the connections",
        Param(absent="the node forwards packets"),
    ] = None

    def rules(self) -> Rules:
        """Refuse settings that another field makes meaningless."""
        yield from self._of_motion()
        if self.hold is not None and not self.in_order:
            yield "hold", "in_order = true", "has no meaning without delivery in order"
        meaning = f"has no meaning for a return link that is {self.return_link}"
        if self.return_rate is not None and self.return_link != "plain":
            yield "return_rate", 'return_link = "plain"', meaning
        if self.wired is not None and self.queue_packets is None and self.is_limited_otherwise:
            reason = "is missing: the queue of the wired hop counts packets"
            yield "queue_packets", "a number, with a wired hop and a limit in bytes or time", reason
        if self.return_trace is not None and self.return_link == "plain":
            yield "return_trace", 'return_link = "unprotected" or "protected"', meaning
        if (self.ack_interval is None) == (self.ack_thinning == "decimate"):
            allowed = 'a time in seconds with ack_thinning = "decimate", none without it'
            reason = "has no meaning without decimation"
            yield "ack_interval", allowed, "is missing" if self.ack_interval is None else reason
        if self.proxy is not None and self.wired is None:
            yield "proxy", "a wired hop, at whose end the proxy stands", "needs `wired.rate`"
        if isinstance(self.queue, KernelQdisc):
            yield from self._of_kernel(self.queue)

    def _of_motion(self) -> Rules:
        """Refuse two motions, overtaking without motion, and a round-trip time shorter than the longest of an
        orbit.
        """
        if self.orbit is not None:
            if self.rtt_series is not None:
                yield "rtt_series", "none with an orbit", "stands beside an orbit"
            if self.rtt < self.orbit.most_rtt:
                reason = "is less than the round trip over a satellite at the mask"
                yield "rtt", f"{self.orbit.most_rtt:.6f} s or more", reason
        elif self.rtt_series is None and self.overtaking:
            yield (
                "overtaking",
                "false without rtt_series or orbit",
                "has no meaning at a constant round-trip time",
            )

    def _of_kernel(self, queue: KernelQdisc) -> Rules:
        """Refuse settings that a queue of the kernel's own does not have."""
        lacking = f"is not in the kernel's {queue.qdisc}"
        limits = ("queue_bytes", "queue_time", *(["queue_packets"] if queue.has_own_limit else []))
        for key in limits:
            if getattr(self, key) is not None:
                allowed = "none: its limit is its own" if queue.has_own_limit else "queue_packets only"
                yield key, allowed, lacking
        if self.ack_thinning == "filter":
            yield "ack_thinning", '"none" or "decimate"', lacking

    @property
    def is_limited_otherwise(self) -> bool:
        """Whether bytes, time or a rule of the kernel limits the queue, instead of packets."""
        own = isinstance(self.queue, KernelQdisc) and self.queue.has_own_limit
        return self.queue_bytes is not None or self.queue_time is not None or own


class Link(Spec):
    """A link in one direction of a path."""


class PlainLink(Link):
    """A link of constant rate that loses nothing."""

    rate: Annotated[Rate, "bits per second, IP bytes"]

    @property
    def rate_bps(self) -> float:
        """The rate, as a link over a trace also has one."""
        return self.rate


class TraceLink(Link):
    """A link that serves packets by a link trace, or by an online scheme over a PHY trace."""

    path: Annotated[str, "link trace; with a scheme a PHY trace"]
    lldu_bytes: Annotated[
        Count | None, "useful bytes of one LLDU", Param("byte", absent="those of the trace, or 1500")
    ] = None
    offset_ns: Annotated[
        int, "where in the trace the run starts, from its first row", Param("ns", 0, MAX_TIME_NS)
    ] = 0
    scheme: Annotated[
        Scheme | None,
        "scheme that works inside the simulator, on the packets that really come",
        Param(absent="the trace is a link trace"),
    ] = None
    packing: Annotated[
        Packing | None, "how packets lie in rows", Param(absent="that of the trace, or padded")
    ] = None
    scheduler: Annotated[
        Scheduler | None,
        "rule that gives each slot, at its time, to a user who has something to send",
        Param(absent="the slots are one user's"),
    ] = None
    others: Annotated[tuple[str, ...], "PHY traces of the same slots, one of each further user"] = ()

    def rules(self) -> Rules:
        """Refuse a scheme that cannot work online, and users without a rule or a scheme."""
        if self.scheme is not None and not self.scheme.online:
            yield ("scheme", "online"), "true: the scheme works inside the simulator"
        if self.scheduler is None:
            if self.others:
                yield "scheduler", ", ".join(SCHEDULERS), "is missing: users share the slots"
            return
        if self.scheme is None:
            yield "scheme", "a scheme with online = true", "is missing: users share the slots of PHY traces"
        if (fault := self.scheduler.fault(self.users)) is not None:
            field, *rest = fault
            yield ("scheduler", field), *rest  # type: ignore[misc]

    @property
    def users(self) -> int:
        """Number of users of a line that is shared; otherwise 0."""
        return 0 if self.scheduler is None else 1 + len(self.others)


class Experiment(Spec):
    """TCP flows over a forward link, their acknowledgements over a return link."""

    forward: Annotated[Link, "link from the senders to the receivers"]
    path: Annotated[Path, "path between sender and receiver"]
    traffic: Annotated[Traffic, "flows"] = Traffic()
    back: Annotated[
        Link | None,
        "link from the receivers to the senders",
        Param(absent="a plain link as fast as the forward link is on average"),
    ] = None
    seed: Annotated[Seed, "number of the random substream"] = 1

    def rules(self) -> Rules:
        """Refuse combinations that are not possible."""
        for key, usual in (("return_link", "plain"), ("return_rate", None)):
            if self.back is None and getattr(self.path, key) != usual:
                yield ("path", key), "back, the return link of one run", "is for a scenario, which has traces"
        if self.users and isinstance(self.back, TraceLink):
            yield "back", "a plain link", "is a trace, which does not go with users in one run"
        yield from shared_line_rules(self.users, self.path, self.traffic)
        yield from together(self.path, self.traffic, self._schemes())

    @property
    def users(self) -> int:
        """Number of users who share the forward link in this run; 0 if it is one user's."""
        return self.forward.users if isinstance(self.forward, TraceLink) else 0

    def _schemes(self) -> Iterator[tuple[Place, Scheme]]:
        for key in ("forward", "back"):
            scheme = getattr(getattr(self, key), "scheme", None)
            if scheme is not None:
                yield (key, "scheme"), scheme

    @property
    def backend(self) -> str:
        """The program that carries the experiment out."""
        return self.traffic.carrier


def together(path: Path, traffic: Traffic, schemes: Iterator[tuple[Place, Scheme]]) -> Rules:
    """Refuse a combination of path, traffic and schemes that is not possible; places begin with path or
    traffic.
    """
    if path.proxy is not None:
        yield from _of_proxy(path.proxy, traffic)
    for at, group in enumerate(traffic.flow):
        if group.rtt is not None and group.rtt < path.rtt:
            yield ("traffic", "flow", at, "rtt"), f"at least that of the path, {path.rtt:g} s", "is too short"
    for place, scheme in schemes:
        for key, allowed in scheme.on_link(path.rtt):
            yield (*place, key), allowed
        if traffic.carrier != "ns2":
            lacking = f"is not in backend {traffic.carrier}"
            yield (*place, "online"), "false: only backend ns2 has online schemes", lacking
    yield from _of_backend(path, traffic, traffic.carrier)


def _of_proxy(proxy: Proxy, traffic: Traffic) -> Rules:
    tcp, stack = proxy.variant(traffic.tcp, traffic.stack)
    if stack != LINUX and proxy.tcp is not None:
        for _, *rest in stack_rule(tcp, stack):
            yield ("path", "proxy", "tcp"), *rest  # type: ignore[misc]
    elif stack != LINUX and tcp not in STACKS[stack]:
        having = " or ".join(name for name in NS2_STACKS if tcp in STACKS[name])
        yield ("path", "proxy", "stack"), having, f"does not have {tcp}, the senders' variant"
    if FECTCP in (tcp, traffic.tcp):
        yield ("path", "proxy"), "TCP: a proxy cannot split FECTCP", "does not go with FECTCP"
    for key, usual in (("return_flows", "0"), ("pause", "none")):
        if getattr(traffic, key) != traffic.usual(key):
            yield ("traffic", key), f"{usual} with a proxy"
    if traffic.ecn != "off" and not answers_marks(tcp, stack):
        yield ("traffic", "ecn"), '"off": the proxy\'s senders lack it'
    elif tcp == PRAGUE and traffic.ecn != "accurate":
        yield ("traffic", "ecn"), '"accurate": the proxy\'s senders need it'
    if traffic.flow:
        yield ("traffic", "flow"), "none with a proxy", "does not go with a proxy"


def queue_rule(path: Path, backend: str) -> Rules:
    """Refuse a discipline that a backend does not have."""
    if isinstance(path.queue, KernelQdisc) and backend != LINUX:
        ours = ", ".join(name for name in DISCIPLINES if name != path.queue.name)
        yield ("path", "queue"), f"{ours}; kernel with backend linux only", f"is not in backend {backend}"


def _of_backend(path: Path, traffic: Traffic, backend: str) -> Rules:
    lacking = f"is not in backend {backend}"
    for key in ("wired", "proxy"):
        if backend != "ns2" and getattr(path, key) is not None:
            yield ("path", key), '"none": only backend ns2 has it', f"is given, which backend {backend} lacks"
    if path.ack_thinning != "none" and (backend in ("emulate", "programs") or traffic.tcp == FECTCP):
        why = lacking if backend != "ns2" else "goes without FECTCP, which needs all of them"
        yield ("path", "ack_thinning"), '"none"', why
    yield from queue_rule(path, backend)
    if backend == "emulate":
        if traffic.delayed_acks is not None:
            yield ("traffic", "delayed_acks"), "none: the kernel's own rule holds", lacking
        if path.window_packets is not None:
            yield ("path", "window_packets"), '"none": the kernel\'s own buffers bound it', lacking
        if traffic.pause is not None:
            yield ("traffic", "pause"), "none", lacking
        if traffic.return_flows:
            yield ("traffic", "return_flows"), "0", lacking
        if traffic.flow:
            yield ("traffic", "flow"), "none: all flows have one variant", lacking
