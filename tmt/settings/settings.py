"""The settings of one experiment: links, path, TCP and traffic, checked when they are written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.errors import UsageError
from tmt.settings.checks import MAX_PACKETS, check_hold, check_range
from tmt.settings.tcp import DEFAULT_STACK, FECTCP, check_stack
from tmt.units import MAX_TIME_NS, ns_to_seconds

if TYPE_CHECKING:
    from tmt.settings.access import Proxy, WiredHop
    from tmt.settings.coding import Coding
    from tmt.settings.links import Link

MAX_FLOWS = 1000
MAX_SEED = 1_000_000
MIN_PACKET_BYTES = 100
MAX_PACKET_BYTES = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One simulation: TCP flows over a forward link, their acknowledgements over a return link.

    Attributes
    ----------
    tcp
        For all flows, one of the variants that `tmt.settings.tcp.STACKS` lists for `stack`.
    stack
        One of `STACKS`: how senders and receivers detect and repair losses, with selective acknowledgements
        and timestamps in both.
    forward_link
        From the senders to the receivers.
    return_link
        None is a plain link as fast as the forward link is on average.
    rtt_ns
        Round-trip propagation time; each direction has half of it.
    duration_ns
        Simulated time at which the run ends, if its transfers have not ended before.
    transfer_bytes
        TCP payload that each flow sends; None sends until the end.
    queue_packets
        Limit of the queue before each link; None is one bandwidth-delay product, at least 10.
    window_packets
        Bound on each sender's window; None is the bandwidth-delay product plus the queue, four times that
        with stack modern.
    packet_bytes
        IP size of a full data packet, with its headers.
    flows, start_ns, start_spread_ns
        Number of flows; each starts at `start_ns` plus a random part of `start_spread_ns`.
    seed
        Number of the substream that random numbers come from.
    loop
        Whether a link trace starts again when it ends; otherwise the link then stops.
    in_order
        Whether links release packets in order.
    hold_ns
        Longest time that in-order delivery holds a packet back; None has no bound.
    wired
        A hop between the senders and the node before the link, beyond `rtt_ns`; None: the senders are there.
    proxy
        What splits the connections at the node before the link; None: it forwards packets.
    delayed_acks
        Whether receivers acknowledge every second packet (after 100 ms, the one that waits).
    coding
        What FECTCP's segments are symbols of, with `tcp` fectcp only; None is `Coding()`.

    Raises
    ------
    UsageError
        When a value is not allowed; the message names it, the value and what is allowed.
    """

    tcp: str
    stack: str = DEFAULT_STACK
    forward_link: Link
    rtt_ns: int
    duration_ns: int
    return_link: Link | None = None
    transfer_bytes: int | None = None
    queue_packets: int | None = None
    window_packets: int | None = None
    packet_bytes: int = 1500
    flows: int = 1
    start_ns: int = 0
    start_spread_ns: int = 0
    seed: int = 1
    loop: bool = True
    in_order: bool = True
    hold_ns: int | None = None
    wired: WiredHop | None = None
    proxy: Proxy | None = None
    delayed_acks: bool = False
    coding: Coding | None = None

    def __post_init__(self) -> None:
        check_stack(self.tcp, self.stack)
        if self.proxy is not None:
            if self.wired is None:
                raise UsageError("proxy is given without wired: it stands at the end of a wired hop")
            check_stack(*self.proxy.variant(self.tcp, self.stack), "proxy's ")
        self._check_fectcp()
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if value is not None:
                check_range(name, value, least, most)
        latest_ns = self.start_ns + self.start_spread_ns
        if latest_ns >= self.duration_ns:
            raise UsageError(
                f"the latest start of a flow is {ns_to_seconds(latest_ns):.15g} s, "
                f"must be before the end of the run, {ns_to_seconds(self.duration_ns):.15g} s"
            )
        for link in (self.forward_link, self.return_link):
            rtt_ns = getattr(getattr(link, "scheme", None), "rtt_ns", self.rtt_ns)
            if rtt_ns != self.rtt_ns:
                raise UsageError(f"rtt_ns of an online scheme is {rtt_ns}, must be the path's, {self.rtt_ns}")
        check_hold(self.hold_ns, self.in_order)

    def _check_fectcp(self) -> None:
        if self.tcp != FECTCP and self.coding is not None:
            raise UsageError(f"coding is given, which means something only with tcp {FECTCP}")
        if self.tcp == FECTCP and self.delayed_acks:
            raise UsageError(f"delayed_acks is given with tcp {FECTCP}, which acknowledges every segment")
        if self.proxy is not None and FECTCP in (self.tcp, self.proxy.variant(self.tcp, self.stack)[0]):
            raise UsageError(f"proxy is given with tcp {FECTCP}, which it cannot split")


_BOUNDS: dict[str, tuple[int, int]] = {
    "rtt_ns": (0, MAX_TIME_NS),
    "duration_ns": (1, MAX_TIME_NS),
    "transfer_bytes": (1, 2**62),
    "queue_packets": (1, MAX_PACKETS),
    "window_packets": (1, MAX_PACKETS),
    "packet_bytes": (MIN_PACKET_BYTES, MAX_PACKET_BYTES),
    "flows": (1, MAX_FLOWS),
    "start_ns": (0, MAX_TIME_NS),
    "start_spread_ns": (0, MAX_TIME_NS),
    "seed": (1, MAX_SEED),
    "hold_ns": (1, MAX_TIME_NS),
}
