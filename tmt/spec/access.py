"""Settings of the path before the link: a wired hop from the senders, and a proxy that splits connections."""

from dataclasses import dataclass
from typing import Annotated

from tmt.core.parameters import Parameter, check_bounds
from tmt.spec.checks import MAX_PACKETS
from tmt.spec.links import MOST_RATE_BPS
from tmt.spec.tcp import NS2_STACKS, NS2_VARIANTS, check_stack

MIN_BUFFER_PACKETS = 2
"""Least buffer of a proxy: the segment without data that opens a connection, and one with data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WiredHop:
    """The path between the senders and the node before the link: a link of constant rate each way.

    Its propagation time comes on top of the RTT. Acknowledgements are not lost on it.
    """

    rate_bps: Annotated[
        float,
        Parameter(
            "rate of the wired hop between the senders and the node before the link, in both directions",
            "bit/s",
            1,
            MOST_RATE_BPS,
            key="rate",
        ),
    ]
    delay_ns: Annotated[
        int, Parameter("propagation time of the wired hop in one direction, beyond the RTT")
    ] = 0
    loss: Annotated[float, Parameter("probability that the wired hop loses a data packet", "", 0, 1)] = 0.0

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A node that acknowledges the senders' data and sends them on over connections of its own."""

    tcp: Annotated[
        str | None,
        Parameter(
            "TCP variant of the proxy's senders",
            choices=NS2_VARIANTS,
            absent="that of the senders",
            label="proxy's TCP",
        ),
    ] = None
    stack: Annotated[
        str | None,
        Parameter(
            "TCP stack of the proxy's senders and of the receivers",
            choices=NS2_STACKS,
            absent="that of the senders",
            label="proxy's stack",
        ),
    ] = None
    buffer_packets: Annotated[
        int | None,
        Parameter(
            "limit of one connection's buffer at the proxy",
            "packets",
            MIN_BUFFER_PACKETS,
            MAX_PACKETS,
            absent="as many as a sender's window",
            label="proxy's buffer",
            counts="TCP segments",
        ),
    ] = None
    delay_ns: Annotated[
        int,
        Parameter(
            "time from a segment's in-order arrival at the proxy until it may be sent on",
            label="proxy's delay",
        ),
    ] = 0

    def __post_init__(self) -> None:
        if self.stack is not None and self.tcp is not None:
            check_stack(self.tcp, self.stack, "proxy's ")
        check_bounds(self)

    def variant(self, tcp: str, stack: str) -> tuple[str, str]:
        """Return variant and stack over the link, where the senders have these."""
        return self.tcp or tcp, self.stack or stack
