"""The arguments of the simulator's script `clift-ns2/tcl/replay.tcl`: alternating keys and values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, cast

from tmt.backend.link_files import ReadyLink
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.backend.setup import Setup
    from tmt.schemes.parameters import OnlineScheme
    from tmt.settings.links import PlainLink


def arguments(setup: Setup) -> list[str]:
    """Return the script's arguments for one run."""
    settings = setup.settings
    given: dict[str, object] = {
        "stack": settings.stack,
        "tcp": settings.tcp,
        **dict(_link_arguments("forward", setup.forward)),
        **dict(_link_arguments("return", setup.back)),
        "loop": int(settings.loop),
        "in_order": int(settings.in_order),
        "hold_s": _seconds(settings.hold_ns or 0),
        "rtt_s": _seconds(settings.rtt_ns),
        "queue_packets": setup.queue_packets,
        "window_packets": setup.window_packets,
        "packet_bytes": settings.packet_bytes,
        "duration_s": _seconds(settings.duration_ns),
        "transfer_bytes": settings.transfer_bytes or 0,
        "flows": settings.flows,
        "start_s": _seconds(settings.start_ns),
        "start_spread_s": _seconds(settings.start_spread_ns),
        "seed": settings.seed,
        **dict(_access_arguments(setup)),
        **dict(_coding_arguments(setup)),
    }
    return [str(word) for item in given.items() for word in item]


def _access_arguments(setup: Setup) -> Iterator[tuple[str, object]]:
    settings = setup.settings
    if settings.delayed_acks:
        yield "delayed_acks", 1
    if settings.wired is not None:
        yield "wired_rate_bps", f"{settings.wired.rate_bps:.15g}"
        yield "wired_delay_s", _seconds(settings.wired.delay_ns)
        yield "wired_loss", f"{settings.wired.loss:.15g}"
    if settings.proxy is not None:
        tcp, stack = settings.proxy.variant(settings.tcp, settings.stack)
        yield "proxy", 1
        yield "proxy_stack", stack
        yield "proxy_tcp", tcp
        yield "proxy_buffer_packets", setup.buffer_packets
        yield "proxy_delay_s", _seconds(settings.proxy.delay_ns)


def _coding_arguments(setup: Setup) -> Iterator[tuple[str, object]]:
    if setup.coding is not None and setup.block_segments is not None:
        yield "block_segments", setup.block_segments
        yield "code_overhead", setup.coding.overhead(setup.block_segments)


def _link_arguments(direction: str, link: ReadyLink | PlainLink) -> Iterator[tuple[str, object]]:
    if not isinstance(link, ReadyLink):
        yield f"{direction}_rate_bps", f"{link.rate_bps:.15g}"
        return
    yield direction, link.file.npy
    yield f"{direction}_lldu_bytes", link.lldu_bytes
    yield f"{direction}_offset_s", _seconds(link.file.first_ns + link.link.offset_ns)
    if link.link.scheme is not None:
        yield from _scheme_arguments(direction, link.link.scheme)


_UNLIMITED = {"max_transmissions": 0, "persistency": -1}
"""Values by which the queue means no limit."""


def _scheme_arguments(direction: str, scheme: OnlineScheme) -> Iterator[tuple[str, object]]:
    """Name an online scheme's parameters as the queue does; ns-2 knows the RTT from the link."""
    yield f"{direction}_scheme", scheme.name
    for name, value in scheme.describe().items():
        if name in {"name", "rtt_ns"}:
            continue
        if value is None:
            yield f"{direction}_{name}", _UNLIMITED[name]
        elif name.endswith("_ns"):
            yield f"{direction}_{name.removesuffix('_ns')}_s", _seconds(cast("int", value))
        else:
            yield f"{direction}_{name}", value


def _seconds(time_ns: int) -> str:
    """Write a time in seconds exactly, in plain digits."""
    return f"{Decimal(time_ns) / NS_PER_S:f}"
