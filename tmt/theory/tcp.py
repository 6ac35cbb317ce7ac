"""TCP senders: long-run throughput with losses, and windows of a transfer before its first loss.

The throughput is that of Padhye et al. (1998). Slow start, congestion avoidance and the largest window follow
Jin and Yang (2006), eqs. 2 to 5, after Ehsan and Liu (2004).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Count, Param, Spec
from tmt.theory.channel import Positive

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.declaration import Rules
    from tmt.theory.channel import FloatArray

LEAST_TIMEOUT_S = 0.2
"""The shortest retransmission timeout of ns-2 and Linux."""


def long_run_packets_per_s(rtt_s: float, packet_loss: float, timeout_s: float, packets_per_ack: int) -> float:
    """Return the sending rate in packets/s; it is infinite without loss.

    This is eq. 30 of Padhye, Firoiu, Towsley and Kurose (1998) without the largest window's bound:
    1 / (RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2)).
    The arguments are RTT, p, T0 and b.
    """
    if packet_loss == 0.0:
        return math.inf
    halved = math.sqrt(2.0 * packets_per_ack * packet_loss / 3.0)
    timeouts = min(1.0, 3.0 * math.sqrt(3.0 * packets_per_ack * packet_loss / 8.0))
    seconds = rtt_s * halved + timeout_s * timeouts * packet_loss * (1.0 + 32.0 * packet_loss**2)
    return 1.0 / seconds if seconds > 0.0 else math.inf


class TcpSender(Spec):
    """A sender, at the path's end or in the proxy."""

    initial_window: Annotated[Positive, "omega_0, in packets"] = 2.0
    threshold: Annotated[Positive, "omega_ss-thresh, in packets"] = 44.0
    largest_window: Annotated[Positive, "omega_max, in packets"] = 44.0
    packets_per_ack: Annotated[Count, "b, packets that one ACK acknowledges"] = 2
    timeout_s: Annotated[
        Positive | None,
        "T0, the retransmission timeout",
        Param(absent="0.2 s, or the connection's round trip if that is longer"),
    ] = None

    def rules(self) -> Rules:
        """Refuse windows that shrink, and a first window that only the receiver's timer acknowledges."""
        if self.initial_window < self.packets_per_ack:
            yield "initial_window", f"at least the {self.packets_per_ack} packets that one ACK acknowledges"
        if not self.initial_window <= self.threshold <= self.largest_window:
            yield "threshold", "a number from initial_window to largest_window"

    def timeout_over_s(self, cycle_s: float) -> float:
        """Return T0 of a connection with this round-trip time."""
        return max(LEAST_TIMEOUT_S, cycle_s) if self.timeout_s is None else self.timeout_s

    @property
    def growth(self) -> float:
        """1 + 1/b, the growth from one window of slow start to the next."""
        return 1.0 + 1.0 / self.packets_per_ack

    @property
    def slow_start_windows(self) -> int:
        """S, windows below the threshold in slow start (eq. 2)."""
        count = math.ceil(math.log(self.threshold / self.initial_window) / math.log(self.growth))
        # The logarithms may be a rounding error away from a window that equals the threshold.
        while count > 0 and self.initial_window * self.growth ** (count - 1) >= self.threshold:
            count -= 1
        while self.initial_window * self.growth**count < self.threshold:
            count += 1
        return count

    @property
    def growing_windows(self) -> int:
        """M_x, windows before the first of the largest size (eq. 3)."""
        steps = math.ceil(self.packets_per_ack * (self.largest_window - self.threshold))
        return self.slow_start_windows + steps

    def windows(self, count: int) -> FloatArray:
        """Return the sizes of the first `count` windows in packets, [count] (eq. 5 without the time)."""
        slow_start, growing = self.slow_start_windows, self.growing_windows
        sizes = np.full(count, self.largest_window, dtype=np.float64)
        k = np.arange(1, min(count, growing) + 1)
        sizes[: len(k)] = self.threshold + (k - slow_start - 1) / self.packets_per_ack
        k = k[:slow_start]
        sizes[: len(k)] = self.initial_window * self.growth ** (k - 1)
        return sizes

    def windows_by_segment(self, segments: int) -> npt.NDArray[np.int64]:
        """Return K (eq. 4) for transfers of 1 to `segments` segments, [segments]: the last one's window."""
        most = math.ceil(segments / self.initial_window)
        sent = np.cumsum(self.windows(most))
        return 1 + np.searchsorted(sent, np.arange(1, segments + 1)).astype(np.int64)

    def idle_s(self, segments: int, cycle_s: float, packet_s: float) -> FloatArray:
        """Return the sum of [R - t_k(mu)]^+ over the windows before the last, in seconds, [segments].

        For transfers of 1 to `segments` segments; `cycle_s` is R, from the start of a window to its first
        ACK, and `packet_s` the time mu that the slowest link takes for one packet.
        """
        needed = self.windows_by_segment(segments)
        idle = np.maximum(cycle_s - self.windows(int(needed[-1])) * packet_s, 0.0)
        total: FloatArray = np.concatenate(([0.0], np.cumsum(idle)))[needed - 1]
        return total

    def acks_before(self, segments: int) -> npt.NDArray[np.int64]:
        """Return the number of ACKs that must arrive before each segment may be sent, [segments].

        As in TCP, the receiver acknowledges every b-th segment. An ACK adds 1 to the window in slow start and
        1/window afterwards. Only whole segments are sent.
        """
        needed = np.zeros(segments, dtype=np.int64)
        window, acks, allowed = self.initial_window, 0, math.floor(self.initial_window)
        while allowed < segments:
            acks += 1
            if window < self.threshold:
                window = min(window + 1.0, self.threshold)
            else:
                window = min(window + 1.0 / window, self.largest_window)
            before, allowed = allowed, acks * self.packets_per_ack + math.floor(window)
            needed[before:allowed] = acks
        return needed
