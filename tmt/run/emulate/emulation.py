"""The settings of one emulation: links, the command at the near end, the server at the far end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from tmt.core.declaration import Param, Spec, ns
from tmt.core.errors import UsageError
from tmt.run.link_files import link_settings
from tmt.spec.experiment import Link, Path

if TYPE_CHECKING:
    import pathlib

    from tmt.core.declaration import Rules
    from tmt.run.setup import ReadyPath

SENDER_ADDRESSES = ("10.0.0.1", "fd00::1")
RECEIVER_ADDRESSES = ("10.0.0.2", "fd00::2")
"""IPv4 and IPv6 addresses of the two ends, the only hosts."""

MIN_MTU_BYTES = 68
"""Least MTU of an IPv4 link (RFC 791); IPv6 needs 1280 (RFC 8200) and is left out below that."""

MAX_MTU_BYTES = 65_535

Port = Annotated[int, Param("", 1, 65_535)]


class WayOut(Spec):
    """A TCP port of the receiver, and the host and port that its connections go on to."""

    port: Port
    host: str
    host_port: Port

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``PORT=HOST:PORT``; an IPv6 address may be in brackets (UsageError when it is none)."""
        port, equals, target = text.partition("=")
        host, colon, host_port = target.rpartition(":")
        if not (equals and colon and host) or not all(_is_port(number) for number in (port, host_port)):
            raise UsageError(f"the way out is {text!r}; it must be PORT=HOST:PORT with ports from 1 to 65535")
        return cls(int(port), host.strip("[]"), int(host_port))


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= 65_535


class Emulation(Spec):
    """A command whose packets go over an emulated link, in a network of its own.

    The path has no wired hop, no proxy and no window; its queue is one bandwidth-delay product, at least 10
    packets, where none is given.
    """

    command: Annotated[tuple[str, ...], "program and arguments, run at the sender's end"]
    forward: Annotated[Link, "link from the sender to the receiver"]
    path: Annotated[Path, "path between the ends"]
    back: Annotated[
        Link | None,
        "link from the receiver to the sender",
        Param(absent="a plain link as fast as the forward link is on average"),
    ] = None
    mtu_bytes: Annotated[
        int, "size of the largest IP packet", Param("byte", MIN_MTU_BYTES, MAX_MTU_BYTES)
    ] = 1500
    server: Annotated[
        str | None,
        "shell command, run at the receiver's end; the command starts when it listens",
        Param(absent="no server"),
    ] = None
    ways_out: Annotated[
        tuple[WayOut, ...], "ports of the receiver whose connections go on from this machine's own network"
    ] = ()
    sysctls: Annotated[tuple[str, ...], "kernel settings net.NAME=VALUE of both ends"] = ()

    def rules(self) -> Rules:
        """Refuse settings of the kernel that are not the network's."""
        for at, sysctl in enumerate(self.sysctls):
            if not (sysctl.startswith("net.") and "=" in sysctl):
                yield ("sysctls", at), "net.NAME=VALUE"
        for key in ("wired", "proxy", "window_packets"):
            if getattr(self.path, key) is not None:
                yield ("path", key), '"none": an emulation has none'

    def arguments(self, links: ReadyPath, folder: pathlib.Path, *, record: bool) -> list[str]:
        """Return the emulator's arguments before ``--``, over checked links: alternating keys and values."""
        settings: list[tuple[str, object]] = [
            *link_settings("forward", links.forward).items(),
            *link_settings("return", links.back).items(),
            ("loop", int(self.path.loop)),
            ("in_order", int(self.path.in_order)),
            ("hold_ns", 0 if self.path.hold is None else ns(self.path.hold)),
            ("rtt_ns", ns(self.path.rtt)),
            ("queue_packets", self.path.queue_packets),
            ("mtu_bytes", self.mtu_bytes),
            ("record", int(record)),
            ("folder", folder),
            ("server", self.server or ""),
            *(("port", way.port) for way in self.ways_out),
            *(("sysctl", sysctl) for sysctl in self.sysctls),
        ]
        return [str(word) for item in settings for word in item]
