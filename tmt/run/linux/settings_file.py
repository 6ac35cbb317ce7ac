"""The settings file of a run of the kernel: a key and its values a line (`clift-linux/driver/host.cc`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.run.link_files import link_settings
from tmt.spec.tcp import HEADER_BYTES, LINUX, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.run.setup import Setup

SETTINGS = "settings.txt"
SEGMENT_MEMORY_BYTES = 2304
"""Memory that the kernel counts for a segment of a packet of 1500 bytes; larger ones take more."""

LEAST_BUFFER_BYTES = 1 << 20


def settings_text(setup: Setup) -> str:
    """Return the text of the settings file."""
    return "".join(f"{line}\n" for line in _lines(setup))


def window_packets(setup: Setup) -> int:
    """Return the bound on the window, which a setup always has."""
    assert setup.path.window_packets is not None
    return setup.path.window_packets


def ample_buffer_bytes(setup: Setup) -> int:
    """Return the bytes of a buffer that never limits: four of the largest windows, as the kernel counts.

    A receiver may hold one window out of order while it advertises another one, and it advertises half of the
    memory that is free.
    """
    memory = max(SEGMENT_MEMORY_BYTES, 2 * setup.traffic.packet_bytes)
    return max(LEAST_BUFFER_BYTES, 4 * window_packets(setup) * memory)


def _lines(setup: Setup) -> Iterator[str]:
    path, traffic = setup.path, setup.traffic
    values = link_settings("forward", setup.forward) | link_settings("return", setup.back)
    for name in ("forward", "return"):
        if packing := values.pop(f"{name}_packing", None):
            values[f"{name}_packed"] = int(packing == "packed")
    values |= {
        "loop": int(path.loop),
        "in_order": int(path.in_order),
        "hold_ns": 0 if path.hold is None else ns(path.hold),
        "rtt_ns": ns(path.rtt),
        "queue_packets": path.queue_packets,
        "control": VARIANTS[traffic.tcp].controls[LINUX],
        "duration_ns": ns(traffic.duration),
        "packet_bytes": traffic.packet_bytes,
        "transfer_bytes": _whole_segments(traffic.transfer_bytes or 0, traffic.packet_bytes),
        "transfers": traffic.flows,
        "receive_buffer_bytes": traffic.receive_buffer_bytes or ample_buffer_bytes(setup),
        "send_buffer_bytes": ample_buffer_bytes(setup),
        "window_packets": window_packets(setup),
        "delayed_acks": int(traffic.delayed_acks),
    }
    yield from (f"{key} {value}" for key, value in values.items())
    spread = np.random.default_rng(setup.experiment.seed).random(traffic.flows + traffic.return_flows)
    for number, part in enumerate(spread.tolist()):
        direction = int(number >= traffic.flows)
        yield f"flow {direction} {ns(traffic.start) + int(part * ns(traffic.start_spread))}"


def _whole_segments(transfer_bytes: int, packet_bytes: int) -> int:
    segment_bytes = packet_bytes - HEADER_BYTES
    return -(-transfer_bytes // segment_bytes) * segment_bytes
