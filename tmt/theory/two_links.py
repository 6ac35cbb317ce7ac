"""TCP over two links in a row with a node between them (Jin and Yang 2006, figure 2).

The latency of transfers without loss (eqs. 6, 7, 11 and 14) is computed in two ways. By windows: windows are
fractional and sent back to back, and a proxy always has data. By segments: the schedule of every segment,
with a proxy that forwards segments when they arrive. Each of these functions returns the latencies in seconds
of transfers of 1, 2, ..., `segments` segments, [segments], float64: from the start of the first segment until
the receiver has the last.

Until its first loss a transfer is as fast as one without loss; after that it is as fast as a long-lived
connection (eqs. 8, 9, 12, 13 and 15).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Spec
from tmt.theory.channel import Loss, Positive, Quantity
from tmt.theory.tcp import long_run_packets_per_s

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray
    from tmt.theory.tcp import TcpSender


class TwoLinks(Spec):
    """A wired link, a node, which may be a proxy, and a wireless link."""

    wired_packet_s: Annotated[Positive, "mu_1, transmission time of a packet on the wired link"]
    wireless_packet_s: Annotated[Positive, "mu_p, the same on the wireless link"]
    wired_delay_s: Annotated[Quantity, "tau_1, one-way propagation delay of the wired link"]
    wireless_delay_s: Annotated[Quantity, "tau_2, one-way propagation delay of the wireless link"]
    wired_ack_s: Annotated[Quantity, "tau_5, time of an ACK on the wired link; tau_3 is tau_4 + tau_5"]
    wireless_ack_s: Annotated[Quantity, "tau_4, time of an ACK on the wireless link"]
    processing_s: Annotated[
        Quantity, "t_p, time from a packet's arrival at the proxy until it may be sent on, side by side"
    ] = 0.0
    wired_loss: Annotated[Loss, "p_1, probability that a packet is lost on the wired link"] = 0.0

    @classmethod
    def of_rates(
        cls,
        *,
        wired_bps: float,
        wireless_bps: float,
        wired_delay_s: float,
        wireless_delay_s: float,
        packet_bytes: int,
        ack_bytes: int,
        processing_s: float = 0.0,
        wired_loss: float = 0.0,
    ) -> TwoLinks:
        """Return links of given rates in bit/s, over which packets and ACKs of given sizes are sent.

        An ACK takes its transmission time and the propagation delay of each link. Other parameters are those
        of the class.
        """
        return cls(
            8 * packet_bytes / wired_bps,
            8 * packet_bytes / wireless_bps,
            wired_delay_s,
            wireless_delay_s,
            wired_ack_s=wired_delay_s + 8 * ack_bytes / wired_bps,
            wireless_ack_s=wireless_delay_s + 8 * ack_bytes / wireless_bps,
            processing_s=processing_s,
            wired_loss=wired_loss,
        )

    @property
    def bottleneck_s(self) -> float:
        """Transmission time of a packet on the slower link, max(mu_1, mu_p)."""
        return max(self.wired_packet_s, self.wireless_packet_s)

    @property
    def crossing_s(self) -> float:
        """Time of a packet beyond the slower link's transmission time, min(mu_1, mu_p) + tau_1 + tau_2."""
        return min(self.wired_packet_s, self.wireless_packet_s) + self.wired_delay_s + self.wireless_delay_s

    def end_to_end_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_e, from the start of a window to its first ACK, without a proxy."""
        return self.crossing_s + packets_per_ack * self.bottleneck_s + self.wired_ack_s + self.wireless_ack_s

    def wired_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_1, the same for the connection from the sender to the proxy."""
        return packets_per_ack * self.wired_packet_s + self.wired_delay_s + self.wired_ack_s

    def wireless_cycle_s(self, packets_per_ack: int) -> float:
        """Return R_2, the same for the connection from the proxy to the receiver."""
        return packets_per_ack * self.wireless_packet_s + self.wireless_delay_s + self.wireless_ack_s


def end_to_end_s(path: TwoLinks, sender: TcpSender, segments: int) -> FloatArray:
    """Return eq. 6, by windows; with go-back-N, the path's mu_p is the mean time per packet (eq. 11)."""
    cycle_s = path.end_to_end_cycle_s(sender.packets_per_ack)
    sent = np.arange(1, segments + 1) * path.bottleneck_s
    latency: FloatArray = path.crossing_s + sent + sender.idle_s(segments, cycle_s, path.bottleneck_s)
    return latency


def split_s(path: TwoLinks, proxy: TcpSender, segments: int, *, printed: bool = False) -> FloatArray:
    """Return eq. 7, by windows; with go-back-N likewise eq. 14.

    Both lack the term M mu_p, the transmission times; this adds it unless `printed`.
    """
    cycle_s = path.wireless_cycle_s(proxy.packets_per_ack)
    sent = np.arange(1, segments + 1) * (0.0 if printed else path.wireless_packet_s)
    first = path.wired_packet_s + path.wired_delay_s + path.processing_s
    idle = proxy.idle_s(segments, cycle_s, path.wireless_packet_s)
    latency: FloatArray = first + sent + idle + path.wireless_delay_s
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
    wired_s = path.wired_packet_s, path.wired_delay_s, path.wired_ack_s
    wireless_s = path.wireless_packet_s, path.wireless_delay_s, path.wireless_ack_s
    at_proxy = _one_link_s(np.zeros(segments), sender, *wired_s)
    return _one_link_s(at_proxy + path.processing_s, proxy, *wireless_s)


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
    other M - n segments follow at the throughput of a long-lived connection with the loss p. If the first
    segment is lost, T(0) = 0. `lossless_s`, [M], are the latencies without loss of 1 to M segments.
    """
    segments = len(lossless_s)
    before = np.arange(1, segments + 1)
    weights = (1.0 - packet_loss) ** before
    weights[:-1] *= packet_loss
    rest = segments - segments_before_loss(segments, packet_loss)
    return float(weights @ lossless_s) + (rest / packets_per_s if packet_loss > 0.0 else 0.0)


def delivered_packets_per_s(sender: TcpSender, cycle_s: float, packet_s: float, packet_loss: float) -> float:
    """Return the rate at which one long-lived connection delivers packets (eq. 8), in packets/s.

    The largest window per cycle and the slowest link's rate, 1 / `packet_s`, are upper bounds; the share
    1 - p of the sent packets arrives. `cycle_s` is the RTT of eq. 8, from a window's start to its first ACK.
    """
    sent = min(
        long_run_packets_per_s(cycle_s, packet_loss, sender.timeout_over_s(cycle_s), sender.packets_per_ack),
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
    wired_s = path.wired_cycle_s(sender.packets_per_ack)
    wireless_s = path.wireless_cycle_s(proxy.packets_per_ack)
    wired = delivered_packets_per_s(sender, wired_s, path.wired_packet_s, path.wired_loss)
    wireless = delivered_packets_per_s(proxy, wireless_s, path.wireless_packet_s, wireless_loss)
    return min(wired, wireless)
