"""The settings of one emulation: links, the command at the near end, the server at the far end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError
from tmt.core.parameters import check_range
from tmt.core.units import MAX_TIME_NS
from tmt.spec.checks import MAX_PACKETS, check_hold

if TYPE_CHECKING:
    from tmt.spec.links import Link

SENDER_ADDRESSES = ("10.0.0.1", "fd00::1")
RECEIVER_ADDRESSES = ("10.0.0.2", "fd00::2")
"""IPv4 and IPv6 addresses of the two ends, the only hosts."""

MIN_MTU_BYTES = 68
"""Least MTU of an IPv4 link (RFC 791); IPv6 needs 1280 (RFC 8200) and is left out below that."""

MAX_MTU_BYTES = 65_535


@dataclass(frozen=True, slots=True)
class WayOut:
    """A TCP port of the receiver, and the host and port that its connections go on to."""

    port: int
    host: str
    host_port: int

    @classmethod
    def parse(cls, text: str) -> WayOut:
        """Read ``PORT=HOST:PORT``; an IPv6 address may stand in brackets (UsageError when it is none)."""
        port, equals, target = text.partition("=")
        host, colon, host_port = target.rpartition(":")
        if not (equals and colon and host) or not all(_is_port(number) for number in (port, host_port)):
            raise UsageError(f"the way out is {text!r}; it must be PORT=HOST:PORT with ports from 1 to 65535")
        return cls(int(port), host.strip("[]"), int(host_port))


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulation:
    """A command whose packets go over an emulated link, in a network of its own.

    Attributes
    ----------
    command
        Program and arguments, run at the sender's end.
    forward_link
        From the sender to the receiver.
    return_link
        None is a plain link as fast as the forward link is on average.
    rtt_ns
        Round-trip propagation time; each direction has half of it.
    queue_packets
        Limit of the queue before each link; None is one bandwidth-delay product, at least 10.
    mtu_bytes
        Size of the largest IP packet.
    loop
        Whether a link trace starts again when it ends; otherwise the link then stops.
    in_order
        Whether links release packets in order.
    hold_ns
        Longest time that in-order delivery holds a packet back; None has no bound.
    server
        Shell command, run at the receiver's end; the command starts when it listens.
    ways_out
        TCP connections to these ports of the receiver go on from this machine's own network.
    sysctls
        Kernel settings ``net.NAME=VALUE`` of both ends.

    Raises
    ------
    UsageError
        When a value is not allowed; the message names the parameter, the value and the allowed values.
    """

    command: tuple[str, ...]
    forward_link: Link
    rtt_ns: int
    return_link: Link | None = None
    queue_packets: int | None = None
    mtu_bytes: int = 1500
    loop: bool = True
    in_order: bool = True
    hold_ns: int | None = None
    server: str | None = None
    ways_out: tuple[WayOut, ...] = ()
    sysctls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.command:
            raise UsageError("command is empty; it must be a program and its arguments")
        check_range("rtt_ns", self.rtt_ns, 0, MAX_TIME_NS)
        check_range("mtu_bytes", self.mtu_bytes, MIN_MTU_BYTES, MAX_MTU_BYTES)
        if self.queue_packets is not None:
            check_range("queue_packets", self.queue_packets, 1, MAX_PACKETS)
        if self.hold_ns is not None:
            check_range("hold_ns", self.hold_ns, 1, MAX_TIME_NS)
        check_hold(self.hold_ns, self.in_order)
        for sysctl in self.sysctls:
            name, equals, _ = sysctl.partition("=")
            if not equals or not name.startswith("net."):
                raise UsageError(f"sysctl is {sysctl!r}; it must be net.NAME=VALUE")
