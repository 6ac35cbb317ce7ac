"""Transfers that lose packets (Jin and Yang 2006, eqs. 8, 9, 12, 13 and 15).

Until its first loss a transfer is as fast as one without loss; from then on it is as fast as a long-lived
connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.theory import padhye

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray
    from tmt.theory.split.path import TwoLinks
    from tmt.theory.split.sender import TcpSender


@dataclass(frozen=True, slots=True)
class Transfer:
    """Latency and throughput of a transfer of M segments.

    Attributes
    ----------
    latency_s
        Mean time from the first segment's start until the receiver has all.
    packets_per_s
        M / latency.
    long_run_packets_per_s
        Throughput of a transfer without end.
    packet_loss
        Probability that a packet is lost on its way, on either link.
    """

    latency_s: float
    packets_per_s: float
    long_run_packets_per_s: float
    packet_loss: float


def segments_before_loss(segments: int, packet_loss: float) -> float:
    """Return m_loss, the mean number of segments before the first loss, at most `segments`.

    The sum of (1-p)^n over n = 1..M, which is (1 - (1-p)^M) (1-p) / p.
    """
    if packet_loss == 0.0:
        return float(segments)
    none_lost = -np.expm1(segments * np.log1p(-packet_loss))
    return float(none_lost * (1.0 - packet_loss) / packet_loss)


def latency_s(lossless_s: FloatArray, packet_loss: float, packets_per_s: float) -> float:
    """Return eq. 9: the mean over the position of the first loss of the latencies before it and after it.

    With probability p(n) = (1-p)^n p, n segments precede the first loss; with (1-p)^M no segment is lost. The
    other M - n segments follow at `packets_per_s`. If the first segment is lost, T(0) = 0.

    Parameters
    ----------
    lossless_s : [M], float64
        Latencies without loss of transfers of 1 to M segments.
    packet_loss
        p, probability that a packet is lost.
    packets_per_s
        Throughput of a long-lived connection with this loss.
    """
    segments = len(lossless_s)
    before = np.arange(1, segments + 1)
    weights = (1.0 - packet_loss) ** before
    weights[:-1] *= packet_loss
    rest = segments - segments_before_loss(segments, packet_loss)
    return float(weights @ lossless_s) + (rest / packets_per_s if packet_loss > 0.0 else 0.0)


def delivered_packets_per_s(sender: TcpSender, cycle_s: float, packet_s: float, packet_loss: float) -> float:
    """Return the rate at which one long-lived connection delivers packets (eq. 8), in packets/s.

    The largest window per cycle and the slowest link's rate are upper bounds; the share 1 - p of the sent
    packets arrives.

    Parameters
    ----------
    cycle_s
        RTT of eq. 8, from the start of a window to its first ACK.
    packet_s
        Transmission time of a packet on the slowest link.
    packet_loss
        p, probability that a packet is lost.
    """
    sent = min(
        padhye.packets_per_s(cycle_s, packet_loss, sender.timeout_over_s(cycle_s), sender.packets_per_ack),
        sender.largest_window / cycle_s,
        1.0 / packet_s,
    )
    return sent * (1.0 - packet_loss)


def lost_on_either(first: float, second: float) -> float:
    """Return the probability that a packet is lost on one of two links, p_1 + p_2 - p_1 p_2."""
    return first + second - first * second


def end_to_end_packets_per_s(path: TwoLinks, sender: TcpSender, wireless_loss: float) -> float:
    """Return the throughput of a long-lived connection without a proxy, in packets/s."""
    cycle_s = path.end_to_end_cycle_s(sender.packets_per_ack)
    packet_loss = lost_on_either(path.wired_loss, wireless_loss)
    return delivered_packets_per_s(sender, cycle_s, path.bottleneck_s, packet_loss)


def split_packets_per_s(path: TwoLinks, sender: TcpSender, proxy: TcpSender, wireless_loss: float) -> float:
    """Return the throughput of two long-lived connections in a row, that of the slower one, in packets/s."""
    wired = delivered_packets_per_s(
        sender, path.wired_cycle_s(sender.packets_per_ack), path.wired_packet_s, path.wired_loss
    )
    wireless = delivered_packets_per_s(
        proxy, path.wireless_cycle_s(proxy.packets_per_ack), path.wireless_packet_s, wireless_loss
    )
    return min(wired, wireless)
