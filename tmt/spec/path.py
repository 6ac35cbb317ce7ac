"""The path between senders and receivers: round trip, queue, wired hop, proxy, and the return link's kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from tmt.core.declaration import Param, PositiveSeconds, Probability, Rate, Seconds, Spec
from tmt.core.orbit import Orbit
from tmt.core.schemes.scheme import RoundTrip
from tmt.spec.flow_settings import Bytes
from tmt.spec.queue import Discipline, DropTail, KernelQdisc
from tmt.spec.stacks import Ns2Stack, Ns2Variant, stack_rule

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

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
