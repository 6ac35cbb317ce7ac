"""Throughput of one long-lived TCP connection as a function of loss, RTT and timeout (Padhye et al. 1998)."""

from __future__ import annotations

import math


def packets_per_s(rtt_s: float, packet_loss: float, timeout_s: float, packets_per_ack: int) -> float:
    """Return the sending rate in packets/s; it is infinite without loss.

    This is eq. 30 of Padhye, Firoiu, Towsley and Kurose (1998) without the largest window's bound:
    1 / (RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2)).

    Parameters
    ----------
    rtt_s, packet_loss, timeout_s, packets_per_ack
        RTT, p, T0 and b.
    """
    if packet_loss == 0.0:
        return math.inf
    halved = math.sqrt(2.0 * packets_per_ack * packet_loss / 3.0)
    timeouts = min(1.0, 3.0 * math.sqrt(3.0 * packets_per_ack * packet_loss / 8.0))
    seconds = rtt_s * halved + timeout_s * timeouts * packet_loss * (1.0 + 32.0 * packet_loss**2)
    return 1.0 / seconds if seconds > 0.0 else math.inf
