"""One transfer under the kernel or under a stack of ns-2, and what both are compared by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.judge.cases import DURATION_NS, PACKET_BYTES, RTT_NS
from tmt.experiment import Experiment
from tmt.metrics import transport
from tmt.settings.tcp import HEADER_BYTES, LINUX
from tmt.settings.tcp import VARIANTS as TCP_VARIANTS
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.judge.cases import Case
    from tmt.metrics.transport import Records

WINDOW_PACKETS = 10_000
"""Bound on the window, in ns-2 and by the kernel's buffers: beyond what any of these paths can hold."""

KERNEL = "kernel"
STACKS = ("2009", "modern")
VARIANTS = ("reno", "cubic", "bbr")
NS2_NAMES = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}


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
    result = Experiment(
        tcp=NS2_NAMES[variant],
        stack=LINUX,
        backend="emulate",
        forward_link=case.link(folder, repeat),
        rtt_ns=RTT_NS,
        duration_ns=DURATION_NS,
        packet_bytes=PACKET_BYTES,
        in_order=case.in_order,
    ).run()
    return _measured(result.packets, result.windows, float(result.row["late_share"] or 0))


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
    return stack in TCP_VARIANTS[NS2_NAMES[variant]].controls


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
