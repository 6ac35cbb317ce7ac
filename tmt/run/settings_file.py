"""The settings file of programs that contain TMT's link core: the kernel's driver and QUIC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.run import RunError
from tmt.run.link_files import link_settings, queue_settings
from tmt.run.motion import motion_settings
from tmt.spec.queue import KernelQdisc
from tmt.spec.stacks import HEADER_BYTES, QUIC, RECEIVE_BUFFER_BYTES, control_of

if TYPE_CHECKING:
    from pathlib import Path as File

    from tmt.run.setup import Setup
    from tmt.spec.path import Path
    from tmt.spec.traffic import Flow

SETTINGS = "settings.txt"

FAILURE_STATUS = 2
"""Exit status of a program that cannot carry the run out; its last line on stderr gives the reason."""

SEGMENT_MEMORY_BYTES = 2304
"""Memory that the kernel counts for a packet of 1500 bytes; larger packets take more."""

LEAST_BUFFER_BYTES = 1 << 20


def window_packets(setup: Setup) -> int:
    """Return the limit on the window, which a setup always has."""
    assert setup.path.window_packets is not None
    return setup.path.window_packets


def send_buffer_bytes(setup: Setup) -> int:
    """Return the size of a send buffer that never limits: four of the largest windows."""
    memory = max(SEGMENT_MEMORY_BYTES, 2 * setup.traffic.packet_bytes)
    return max(LEAST_BUFFER_BYTES, 4 * window_packets(setup) * memory)


def settings_text(setup: Setup, directory: File) -> str:
    """Return the text of the settings file: a key and its value a line (`clift-linux/driver/host.cc`).

    The round-trip times of a moving path are written into the run's directory.
    """
    path, traffic = setup.path, setup.traffic
    values = link_settings("forward", setup.forward) | link_settings("return", setup.back)
    values |= {
        "loop": int(path.loop),
        "in_order": int(path.in_order),
        "hold_ns": 0 if path.hold is None else ns(path.hold),
        "rtt_ns": ns(path.rtt),
        **motion_settings(path, setup.moved, directory),
        **_queue_settings(path),
        "seed": setup.experiment.seed,
        "duration_ns": ns(traffic.duration),
        "packet_bytes": traffic.packet_bytes,
        "send_buffer_bytes": send_buffer_bytes(setup),
        "window_packets": window_packets(setup),
    }
    if path.ack_thinning == "filter":
        values["ack_filter"] = 1
    if path.ack_interval is not None:
        values["ack_interval_ns"] = ns(path.ack_interval)
    lines = [f"{key} {value}" for key, value in values.items()]
    of_flows = [group for group in setup.groups for _ in range(group.count)]
    drawn = np.random.default_rng(setup.experiment.seed).random(len(of_flows)).tolist()
    for group, part in zip(of_flows, drawn, strict=True):
        lines += [_flow_line(setup, group, int(part * ns(traffic.start_spread)))]
    return "\n".join(lines) + "\n"


def _queue_settings(path: Path) -> dict[str, object]:
    """Return the settings of the queues: those of the link core, or of a discipline of the kernel's own."""
    if not isinstance(path.queue, KernelQdisc):
        return queue_settings(path)
    return {"qdisc": path.queue.qdisc, "qdisc_packets": path.queue_packets or 0}


def _flow_line(setup: Setup, group: Flow, later_ns: int) -> str:
    """Return the line of a flow that starts this much later than its group."""
    stack = setup.traffic.stack
    # QUIC has no segments.
    segment_bytes = 1 if stack == QUIC else setup.traffic.packet_bytes - HEADER_BYTES
    segments = -(-(group.transfer_bytes or 0) // segment_bytes)
    pauses = group.pause is not None and segments > 1
    values = (
        control_of(group.tcp, stack),
        int(group.direction == "return"),
        ns(group.start) + later_ns,
        0 if group.end is None else ns(group.end),
        segments * segment_bytes,
        (segments + 1) // 2 * segment_bytes if pauses else 0,
        ns(group.pause or 0),
        0 if group.rtt is None else (ns(group.rtt) - ns(setup.path.rtt)) // 2,
        int(bool(group.delayed_acks)),
        int(group.ecn != "off"),
        group.receive_buffer_bytes or RECEIVE_BUFFER_BYTES,
    )
    return f"flow {' '.join(map(str, values))}"


def explained(error: RunError, reason: str = "") -> RunError:
    """Return the error with its reason: the given one, or the last line of a program that refused the run."""
    if not reason and error.status == FAILURE_STATUS and error.last_words:
        reason = error.last_words.splitlines()[-1]
    if not reason:
        return error
    return RunError(error.argv, reason, "", program=error.program, status=error.status)
