"""The settings of one experiment: links, path, TCP and traffic, checked when they are written down."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from tmt.core.errors import UsageError
from tmt.core.parameters import Declared, Parameter, check_bounds, declared
from tmt.core.units import ns_to_seconds
from tmt.spec.access import Proxy, WiredHop
from tmt.spec.checks import MAX_PACKETS, check_hold
from tmt.spec.coding import Coding
from tmt.spec.links import Link
from tmt.spec.tcp import DEFAULT_STACK, FECTCP, STACKS, TCP_VARIANTS, check_stack

MAX_SEED = 1_000_000

Value = str | int | float | bool | None
"""Value of a result column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """TCP flows over a forward link, their acknowledgements over a return link.

    Beside the annotated parameters, whose meaning stands with them:

    Attributes
    ----------
    forward_link
        From the senders to the receivers.
    return_link
        None is a plain link as fast as the forward link is on average.
    wired
        A hop between the senders and the node before the link; None: the senders are there.
    proxy
        Splits the connections at the node before the link; None: that node forwards packets.
    coding
        Code of FECTCP's segments, with `tcp` fectcp only; None is `Coding()`.

    Raises
    ------
    UsageError
        When a value is not allowed; the message names the parameter, the value and the allowed values.
    """

    tcp: Annotated[str, Parameter("TCP variant of all flows", choices=TCP_VARIANTS, label="TCP")]
    stack: Annotated[
        str,
        Parameter(
            "TCP stack: modern (today's), 2009 (Linux 2.6.22, mended), 2009-as-shipped, or linux (a real "
            "kernel)",
            choices=tuple(STACKS),
            table="traffic",
        ),
    ] = DEFAULT_STACK
    forward_link: Link
    return_link: Link | None = None
    rtt_ns: Annotated[
        int,
        Parameter(
            "round-trip propagation time of the path, half of it in each direction", table="link", label="RTT"
        ),
    ]
    duration_ns: Annotated[
        int, Parameter("simulated time at which the run ends at the latest", least=1, table="traffic")
    ]
    transfer_bytes: Annotated[
        int | None,
        Parameter(
            "TCP payload that each flow sends, in whole segments",
            "byte",
            1,
            2**62,
            flag="--transfer-bytes",
            table="traffic",
            absent="it sends until the end",
            counts="TCP payload bytes, each counted once; no TCP, IP or link header",
            null="for flows that send until the end",
        ),
    ] = None
    queue_packets: Annotated[
        int | None,
        Parameter(
            "limit of the queue before each link",
            "packets",
            1,
            MAX_PACKETS,
            table="link",
            absent="one bandwidth-delay product, at least 10 packets",
            counts="IP packets",
        ),
    ] = None
    window_packets: Annotated[
        int | None,
        Parameter(
            "bound on each sender's window",
            "packets",
            1,
            MAX_PACKETS,
            table="link",
            absent="bandwidth-delay product plus queue, four times that with stack modern",
            counts="TCP segments",
            null="when the backend does not bound it",
        ),
    ] = None
    packet_bytes: Annotated[
        int,
        Parameter(
            "IP size of a full data packet",
            "byte",
            100,
            65_535,
            flag="--packet-bytes",
            table="traffic",
            label="packet size",
            counts="IP packet: payload and headers",
        ),
    ] = 1500
    flows: Annotated[
        int, Parameter("number of TCP flows that share the path", "", 1, 1000, table="traffic")
    ] = 1
    return_flows: Annotated[
        int,
        Parameter(
            "number of TCP flows in the other direction, which send until the end and share both links",
            "",
            0,
            1000,
            table="traffic",
        ),
    ] = 0
    start_ns: Annotated[int, Parameter("simulated time at which the first flow may start")] = 0
    start_spread_ns: Annotated[
        int, Parameter("time within which each flow starts at random", table="traffic")
    ] = 0
    seed: Annotated[int, Parameter("number of the random substream", "", 1, MAX_SEED)] = 1
    loop: Annotated[
        bool,
        Parameter(
            "whether a trace starts again at its end; else the link stops there",
            flag="--loop/--no-loop",
            table="link",
            label="looped trace",
        ),
    ] = True
    in_order: Annotated[
        bool,
        Parameter(
            "whether links release packets in order",
            flag="--in-order/--any-order",
            table="link",
            label="in-order delivery",
        ),
    ] = True
    hold_ns: Annotated[
        int | None,
        Parameter(
            "longest time for which in-order delivery holds a packet back",
            least=1,
            table="link",
            absent="no limit",
            label="hold time",
            null="when packets may wait for ever, or in_order is off",
        ),
    ] = None
    receive_buffer_bytes: Annotated[
        int | None,
        Parameter(
            "receive buffer of each flow, as the kernel counts memory; it may limit the sender",
            "byte",
            4096,
            2**30,
            table="traffic",
            absent="so large that it never limits a sender",
            counts="memory of the receiver's socket: data and the kernel's own overhead",
            null="when the receive buffer never limits",
        ),
    ] = None
    delayed_acks: Annotated[
        bool,
        Parameter(
            "whether receivers acknowledge every second packet, or a single waiting packet after 100 ms",
            table="traffic",
            label="delayed acknowledgements",
        ),
    ] = False
    coding: Coding | None = None
    wired: WiredHop | None = None
    proxy: Proxy | None = None

    def __post_init__(self) -> None:
        check_stack(self.tcp, self.stack)
        if self.proxy is not None:
            if self.wired is None:
                raise UsageError("proxy is given without wired: it stands at the end of a wired hop")
            check_stack(*self.proxy.variant(self.tcp, self.stack), "proxy's ")
        self._check_fectcp()
        check_bounds(self)
        latest_ns = self.start_ns + self.start_spread_ns
        if latest_ns >= self.duration_ns:
            raise UsageError(
                f"the latest start of a flow is {ns_to_seconds(latest_ns):.15g} s; "
                f"it must be before the end of the run, {ns_to_seconds(self.duration_ns):.15g} s"
            )
        for link in (self.forward_link, self.return_link):
            rtt_ns = getattr(getattr(link, "scheme", None), "rtt_ns", self.rtt_ns)
            if rtt_ns != self.rtt_ns:
                raise UsageError(
                    f"rtt_ns of an online scheme is {rtt_ns}; it must be the path's, {self.rtt_ns}"
                )
        check_hold(self.hold_ns, self.in_order)

    def _check_fectcp(self) -> None:
        if self.tcp != FECTCP and self.coding is not None:
            raise UsageError(f"coding is given, which means something only with tcp {FECTCP}")
        if self.tcp == FECTCP and self.delayed_acks:
            raise UsageError(f"delayed_acks is given with tcp {FECTCP}, which acknowledges every segment")
        if self.tcp == FECTCP and self.return_flows:
            raise UsageError(f"return_flows is {self.return_flows} with tcp {FECTCP}, must be 0")
        if self.proxy is not None and self.return_flows:
            raise UsageError(f"return_flows is {self.return_flows} with a proxy, must be 0")
        if self.proxy is not None and FECTCP in (self.tcp, self.proxy.variant(self.tcp, self.stack)[0]):
            raise UsageError(f"proxy is given with tcp {FECTCP}, which it cannot split")


PARAMETERS: tuple[Declared, ...] = (
    *declared(Settings),
    *declared(Coding, group="coding", table="traffic", null="for TCP"),
    *declared(WiredHop, group="wired", prefix="wired_", table="wired", null="without a wired hop"),
    *declared(Proxy, group="proxy", prefix="proxy_", table="proxy", null="without a proxy"),
)
"""Every parameter of an experiment; those of links stand with `TraceLink` and `PlainLink`."""


def values_of(settings: Settings) -> Iterator[tuple[Declared, Any]]:
    """Return every parameter with its value; None where the settings have no such part."""
    for one in PARAMETERS:
        part = getattr(settings, one.group) if one.group else settings
        yield one, None if part is None else getattr(part, one.name)


def columns_of(settings: Settings) -> dict[str, Value]:
    """Return the settings as result columns, times in seconds."""
    columns: dict[str, Value] = {"proxy": settings.proxy is not None}
    for one, value in values_of(settings):
        columns[one.column] = ns_to_seconds(value) if one.kind == "time" and value is not None else value
    return columns
