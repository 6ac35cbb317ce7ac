"""One transfer under the kernel or under a stack of ns-2, and what both are compared by."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from analysis.judge.cases import DURATION_NS, PACKET_BYTES, RTT_NS
from tmt.backend.emulate import Emulation
from tmt.backend.emulate import run as emulate
from tmt.experiment import Experiment
from tmt.metrics import transport
from tmt.schema import UNSETTLED, WINDOW_RECORDS
from tmt.settings.tcp import HEADER_BYTES, STACKS
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from analysis.judge.cases import Case
    from tmt.metrics.transport import Records

HERE = Path(__file__).parent
WINDOW_PACKETS = 10_000
"""Bound on the window, in ns-2 and by the kernel's buffers: beyond what any of these paths can hold."""

KERNEL = "kernel"
VARIANTS = ("reno", "cubic", "bbr")
NS2_NAMES = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}

SYSCTLS = (
    "net.ipv4.tcp_rmem=4096 33554432 33554432",
    "net.ipv4.tcp_wmem=4096 33554432 33554432",
    "net.ipv4.tcp_no_metrics_save=1",
    "net.ipv4.tcp_ecn=0",
)
"""Of both ends: buffers that never bound the window, and nothing remembered from a connection before."""


class JudgeError(RuntimeError):
    """A transfer of the kernel that did not take place as it should have."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """What one bulk transfer came to.

    `windows` are rows of `[time_s, cwnd_packets]`, one for each change seen.
    """

    goodput_bps: float
    segments_sent: int
    retransmissions: int
    queue_dropped: int
    link_lost: int
    cwnd_mean_packets: float
    late_share: float
    windows: list[list[float]]


def run_kernel(case: Case, variant: str, repeat: int, folder: Path) -> Transfer:
    """Transfer through the kernel of this machine; takes as long as it says."""
    duration_s = DURATION_NS / NS_PER_S
    with TemporaryDirectory(prefix="tmt-judge-") as scratch:
        samples = Path(scratch, "samples.json")
        sender = (sys.executable, str(HERE / "bulk_sender.py"), variant, f"{duration_s}", str(samples))
        emulation = Emulation(
            command=sender,
            server=f"exec {sys.executable} {HERE / 'bulk_receiver.py'}",
            forward_link=case.link(folder, repeat),
            rtt_ns=RTT_NS,
            mtu_bytes=PACKET_BYTES,
            in_order=case.in_order,
            sysctls=SYSCTLS,
        )
        result = emulate(emulation, record=True)
        if result.status != 0:
            raise JudgeError(f"the sender ended with status {result.status}")
        found = json.loads(samples.read_text())
    if found["congestion_control"] != variant:
        raise JudgeError(f"the kernel took {found['congestion_control']} instead of {variant}")
    assert result.packets is not None
    late = result.row["forward_late_share"]
    return _measured(result.packets, _windows(found["samples"]), float(late or 0))


def run_ns2(case: Case, stack: str, variant: str, repeat: int, folder: Path) -> Transfer:
    """Transfer in ns-2."""
    result = Experiment(
        tcp=NS2_NAMES[variant],
        forward_link=case.link(folder, repeat),
        rtt_ns=RTT_NS,
        duration_ns=DURATION_NS,
        packet_bytes=PACKET_BYTES,
        window_packets=WINDOW_PACKETS,
        in_order=case.in_order,
        stack=stack,
    ).run()
    return _measured(result.packets, result.windows, 0.0)


def can_run(stack: str, variant: str) -> bool:
    """Whether ns-2 has this variant in this stack."""
    return NS2_NAMES[variant] in STACKS[stack]


def _windows(samples: list[list[float]]) -> Records:
    """Turn samples of TCP_INFO into window records, by the kernel's own numbers of states."""
    windows = np.zeros(len(samples), WINDOW_RECORDS.dtype)
    for row, (time_s, cwnd, ssthresh, srtt_us, state, _, _) in zip(windows, samples, strict=True):
        row["time_ns"] = round(time_s * NS_PER_S)
        row["cwnd_packets"], row["ssthresh_packets"] = cwnd, ssthresh
        row["srtt_ns"] = round(1000 * srtt_us) or UNSETTLED
        row["state"] = state
    return windows


def _measured(packets: Records, windows: Records, late_share: float) -> Transfer:
    """Measure the first connection, by the same code for the kernel's packets and for ns-2's."""
    packets = packets[(packets["flow"] == 0) & (packets["time_ns"] <= DURATION_NS)]
    flows = transport.deliveries(packets, flows=1, end_ns=DURATION_NS, header_bytes=HEADER_BYTES)
    recovery, losses = transport.recovery_figures(packets), transport.loss_figures(packets)
    shown = windows[windows["time_ns"] <= DURATION_NS]
    start_ns = flows[0].start_ns or 0
    return Transfer(
        goodput_bps=flows[0].goodput_bps,
        segments_sent=int(recovery["segments_sent"] or 0),
        retransmissions=int(recovery["retransmissions"] or 0),
        queue_dropped=int(losses["forward_queue_dropped"] or 0),
        link_lost=int(losses["forward_link_lost"] or 0),
        cwnd_mean_packets=transport.mean_window(
            shown["time_ns"], shown["cwnd_packets"], start_ns, DURATION_NS
        ),
        late_share=late_share,
        windows=_thinned(shown),
    )


def _thinned(windows: Records, points: int = 3000) -> list[list[float]]:
    """Return times in seconds and windows of at most so many changes, evenly chosen."""
    kept = windows[:: max(1, len(windows) // points)]
    return [[float(row["time_ns"]) / NS_PER_S, float(row["cwnd_packets"])] for row in kept]
