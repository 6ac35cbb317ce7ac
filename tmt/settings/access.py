"""What stands before the link: a wired hop from the senders, and a proxy that splits their connections."""

from __future__ import annotations

from dataclasses import dataclass

from tmt.settings.checks import MAX_PACKETS, check_range
from tmt.settings.tcp import check_stack
from tmt.units import MAX_TIME_NS

MIN_BUFFER_PACKETS = 2
"""Least buffer of a proxy: the segment without data that opens a connection, and one with data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WiredHop:
    """The way between the senders and the node before the link: a link of constant rate each way.

    Attributes
    ----------
    rate_bps
        Rate of both directions.
    delay_ns
        Propagation time in one direction; it comes on top of the replay's RTT.
    loss
        Probability that a data packet is lost on it; acknowledgements are not.
    """

    rate_bps: float
    delay_ns: int
    loss: float = 0.0

    def __post_init__(self) -> None:
        check_range("rate_bps", self.rate_bps, 1, 1e12)
        check_range("delay_ns", self.delay_ns, 0, MAX_TIME_NS)
        check_range("loss", self.loss, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A node that acknowledges the senders' data and sends them on over connections of its own.

    Attributes
    ----------
    tcp, stack
        Of the connections over the link; None is what the senders have.
    buffer_packets
        Segments of one connection that it holds; None is as many as a sender's window.
    delay_ns
        From a segment's arrival in order until it may be sent on.
    """

    tcp: str | None = None
    stack: str | None = None
    buffer_packets: int | None = None
    delay_ns: int = 0

    def __post_init__(self) -> None:
        if self.stack is not None and self.tcp is not None:
            check_stack(self.tcp, self.stack, "proxy's ")
        if self.buffer_packets is not None:
            check_range("buffer_packets", self.buffer_packets, MIN_BUFFER_PACKETS, MAX_PACKETS)
        check_range("delay_ns", self.delay_ns, 0, MAX_TIME_NS)

    def variant(self, tcp: str, stack: str) -> tuple[str, str]:
        """Return variant and stack over the link, where the senders have these."""
        return self.tcp or tcp, self.stack or stack
