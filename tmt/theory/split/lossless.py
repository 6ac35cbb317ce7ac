"""Latency of transfers without loss (Jin and Yang 2006, eqs. 6, 7, 11, 14), by windows and by segments.

By windows: windows are fractional and sent back to back, and a proxy always has data. By segments: the
schedule of every segment, with a proxy that forwards segments when they arrive. Each function returns the
latencies in seconds of transfers of 1, 2, ..., `segments` segments, [segments], float64: from the start of
the first segment until the receiver has the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray
    from tmt.theory.split.path import TwoLinks
    from tmt.theory.split.sender import TcpSender


def end_to_end_s(path: TwoLinks, sender: TcpSender, segments: int) -> FloatArray:
    """Return eq. 6, by windows; with go-back-N, the path's mu_p is the mean time per packet (eq. 11)."""
    cycle_s = path.end_to_end_cycle_s(sender.packets_per_ack)
    sent = np.arange(1, segments + 1) * path.bottleneck_s
    latency: FloatArray = path.crossing_s + sent + sender.idle_s(segments, cycle_s, path.bottleneck_s)
    return latency


def split_s(path: TwoLinks, proxy: TcpSender, segments: int) -> FloatArray:
    """Return eq. 7 plus its missing term M mu_p, by windows; with go-back-N likewise eq. 14."""
    cycle_s = path.wireless_cycle_s(proxy.packets_per_ack)
    sent = np.arange(1, segments + 1) * path.wireless_packet_s
    first = path.wired_packet_s + path.wired_delay_s + path.processing_s
    latency: FloatArray = (
        first + sent + proxy.idle_s(segments, cycle_s, path.wireless_packet_s) + path.wireless_delay_s
    )
    return latency


def end_to_end_by_segments_s(path: TwoLinks, sender: TcpSender, segments: int) -> FloatArray:
    """Return the latencies without a proxy, by the schedule of every segment."""
    acks = sender.acks_before(segments).tolist()
    back_s = path.wireless_delay_s + path.wired_ack_s + path.wireless_ack_s
    forwarded: list[float] = []
    sent_s = forwarded_s = 0.0
    for needed in acks:
        allowed_s = forwarded[needed * sender.packets_per_ack - 1] + back_s if needed else 0.0
        sent_s = max(sent_s, allowed_s) + path.wired_packet_s
        forwarded_s = max(forwarded_s, sent_s + path.wired_delay_s) + path.wireless_packet_s
        forwarded.append(forwarded_s)
    return np.array(forwarded) + path.wireless_delay_s


def split_by_segments_s(path: TwoLinks, sender: TcpSender, proxy: TcpSender, segments: int) -> FloatArray:
    """Return the latencies through a proxy that waits for its data, by the schedule of every segment."""
    at_proxy = _one_link_s(
        np.zeros(segments), sender, path.wired_packet_s, path.wired_delay_s, path.wired_ack_s
    )
    return _one_link_s(
        at_proxy + path.processing_s,
        proxy,
        path.wireless_packet_s,
        path.wireless_delay_s,
        path.wireless_ack_s,
    )


def _one_link_s(
    available_s: FloatArray, sender: TcpSender, packet_s: float, delay_s: float, ack_s: float
) -> FloatArray:
    """Return the time at which each segment, available from `available_s` on, has crossed one link."""
    acks = sender.acks_before(len(available_s)).tolist()
    arrived: list[float] = []
    sent_s = 0.0
    for needed, ready_s in zip(acks, available_s.tolist(), strict=True):
        allowed_s = arrived[needed * sender.packets_per_ack - 1] + ack_s if needed else 0.0
        sent_s = max(sent_s, ready_s, allowed_s) + packet_s
        arrived.append(sent_s + delay_s)
    return np.array(arrived)
