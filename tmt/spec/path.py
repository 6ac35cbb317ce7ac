"""The path between sender and receiver: propagation, queues, the return link, a wired hop and a proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from tmt.core.declaration import MAX_TIME_S, Param, PositiveSeconds, Probability, Rate, Seconds, Spec
from tmt.core.schemes.scheme import RoundTrip
from tmt.spec.tcp import Ns2Stack, Ns2Variant, stack_rule

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

MAX_PACKETS = 2**31 - 1
"""Most packets that ns-2 counts in a queue or a window."""

Packets = Annotated[int, Param("packets", 1, MAX_PACKETS)]

MIN_BUFFER_PACKETS = 2
"""Least buffer of a proxy: the segment without data that opens a connection, and one with data."""


class Wired(Spec):
    """A hop from the senders to the node before the link: a link of constant rate each way.

    Its propagation time comes on top of the RTT. Acknowledgements are not lost on it.
    """

    rate: Annotated[Rate, "rate of the wired hop, in both directions"]
    delay: Annotated[Seconds, "propagation time of the wired hop in one direction, beyond the RTT"] = 0
    loss: Annotated[Probability, "probability that the wired hop loses a data packet"] = 0


class Proxy(Spec):
    """A node that acknowledges the senders' data and sends them on over connections of its own."""

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
        """Return variant and stack over the link, where the senders have these."""
        return self.tcp or tcp, self.stack or stack


class Path(Spec):
    """The path between sender and receiver, but for the traces of its links."""

    rtt: Annotated[RoundTrip, "round-trip propagation time of the path, half of it in each direction"]
    in_order: Annotated[bool, "whether links release packets in order", Param(label="in-order delivery")] = (
        True
    )
    hold: Annotated[
        PositiveSeconds | None,
        "longest time for which in-order delivery holds a packet back",
        Param(
            most=MAX_TIME_S,
            absent="no limit",
            label="hold time",
            null="when packets may wait for ever, or in_order is off",
        ),
    ] = None
    queue_packets: Annotated[
        Packets | None,
        "limit of the queue before each link",
        Param(absent="one bandwidth-delay product, at least 10 packets", counts="IP packets"),
    ] = None
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
    wired: Annotated[
        Wired | None, "hop between the senders and the node before the link", Param(absent="no such hop")
    ] = None
    proxy: Annotated[
        Proxy | None,
        "node before the link that splits the connections",
        Param(absent="the node forwards packets"),
    ] = None

    def rules(self) -> Rules:
        """Refuse what another field makes meaningless."""
        if self.hold is not None and not self.in_order:
            yield "hold", "in_order = true", "has no meaning without delivery in order"
        meaning = f"has no meaning for a return link that is {self.return_link}"
        if self.return_rate is not None and self.return_link != "plain":
            yield "return_rate", 'return_link = "plain"', meaning
        if self.return_trace is not None and self.return_link == "plain":
            yield "return_trace", 'return_link = "unprotected" or "protected"', meaning
        if self.proxy is not None and self.wired is None:
            yield "proxy", "a wired hop, at whose end the proxy stands", "needs `wired.rate`"
