"""The formulas of Jin and Yang (2006), exactly as printed, for comparison with the corrected ones.

`docs/proxy-formulas.md` lists their faults.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tmt.theory import padhye
from tmt.theory.split.lossless import end_to_end_s
from tmt.theory.split.lossy import Transfer, latency_s, lost_on_either

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray
    from tmt.theory.split.go_back_n import GoBackNLink
    from tmt.theory.split.path import TwoLinks
    from tmt.theory.split.sender import TcpSender


def added_s(link: GoBackNLink, packets_per_ack: int) -> float:
    """Return E(tau_ARQ) of eq. 10, n b D + N D q (n b - 1) / (1 - s^N), in seconds."""
    frames = link.frames * packets_per_ack
    repeated = link.error_after_success * (frames - 1) / (1.0 - link.error_after_error**link.window)
    return link.frame_processing_s * (frames + link.window * repeated)


def split_s(path: TwoLinks, proxy: TcpSender, segments: int) -> FloatArray:
    """Return eqs. 7 and 14, which lack the transmission times, in seconds: [segments], float64."""
    cycle_s = path.wireless_cycle_s(proxy.packets_per_ack)
    idle_s = proxy.idle_s(segments, cycle_s, path.wireless_packet_s)
    first_s = path.wired_packet_s + path.wired_delay_s + path.processing_s
    latency: FloatArray = first_s + idle_s + path.wireless_delay_s
    return latency


def end_to_end_transfer(
    path: TwoLinks, sender: TcpSender, wireless_loss: float, segments: int, arq_s: float = 0.0
) -> Transfer:
    """Return eqs. 6 and 9; with `arq_s`, the delay that go-back-N adds to each packet, eqs. 11 and 12."""
    packet_loss = lost_on_either(path.wired_loss, wireless_loss)
    if packet_loss == 0.0:
        slower = replace(path, wireless_packet_s=path.wireless_packet_s + arq_s)
        return _without_loss(end_to_end_s(slower, sender, segments))
    rtt_s = path.wired_delay_s + path.wireless_delay_s + path.wired_ack_s + path.wireless_ack_s
    rate = _packets_per_s(sender, rtt_s + arq_s, packet_loss, path.end_to_end_cycle_s(sender.packets_per_ack))
    return _with_loss(end_to_end_s(path, sender, segments), packet_loss, rate)


def split_transfer(
    path: TwoLinks,
    sender: TcpSender,
    proxy: TcpSender,
    wireless_loss: float,
    segments: int,
    arq_s: float = 0.0,
) -> Transfer:
    """Return eqs. 7 and 13, or with go-back-N eqs. 14 and 15, and their forms for two lossy links."""
    packet_loss = lost_on_either(path.wired_loss, wireless_loss)
    if packet_loss == 0.0:
        slower = replace(path, wireless_packet_s=path.wireless_packet_s + arq_s)
        return _without_loss(split_s(slower, proxy, segments))
    wired_s = path.wired_delay_s + path.wired_ack_s
    wireless_s = path.wireless_delay_s + path.wireless_ack_s
    wired_cycle_s = path.wired_cycle_s(sender.packets_per_ack)
    wireless_cycle_s = path.wireless_cycle_s(proxy.packets_per_ack)
    if wireless_loss == 0.0:
        rate = _packets_per_s(sender, wired_s + arq_s, path.wired_loss, wired_cycle_s)
    else:
        rate = min(
            _packets_per_s(sender, wired_s, path.wired_loss, wired_cycle_s),
            _packets_per_s(proxy, wireless_s + arq_s, wireless_loss, wireless_cycle_s),
        )
    return _with_loss(split_s(path, proxy, segments), packet_loss, rate)


def _packets_per_s(sender: TcpSender, rtt_s: float, packet_loss: float, cycle_s: float) -> float:
    """Return eq. 8, Th(RTT, p); the paper gives no T0, which is derived from the real round trip."""
    return padhye.packets_per_s(rtt_s, packet_loss, sender.timeout_over_s(cycle_s), sender.packets_per_ack)


def _without_loss(lossless_s: FloatArray) -> Transfer:
    """Return a transfer without loss; the paper prints no long-run throughput, and eq. 8 is infinite."""
    last_s = float(lossless_s[-1])
    return Transfer(last_s, len(lossless_s) / last_s, float("inf"), 0.0)


def _with_loss(lossless_s: FloatArray, packet_loss: float, packets_per_s: float) -> Transfer:
    mean_s = latency_s(lossless_s, packet_loss, packets_per_s)
    return Transfer(mean_s, len(lossless_s) / mean_s, packets_per_s, packet_loss)
