"""Long-lived TCP over a link with hybrid FEC/ARQ-SR, after Barakat and Al Fawal (2003, 2004).

The link sends a TCP packet as X frames of K data units and N - K redundant units. Each unit is lost
independently with probability p. A frame with fewer than K units left is retransmitted, at most delta times,
and packets leave the link in order. Equation numbers are the paper's; ``docs/hybrid-model.md`` lists its
misprints and approximations.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import xlog1py
from scipy.stats import binom

from tmt.core.declaration import Count, Number, Param, Spec
from tmt.core.errors import UsageError
from tmt.theory.channel import Loss, Positive, Quantity, at_least
from tmt.theory.tcp import long_run_packets_per_s

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from tmt.core.declaration import Rules

RELATIVE_TOLERANCE = 1e-12
"""Relative distance of R and f(R) at which the search for the fixed point of eq. 1 ends."""

_MOST_TRIAL_LOSS = 1.0 - 1e-4

TIE = 1e-12
"""Code lengths tie if their largest throughputs differ by less than this, relatively."""


class HybridLink(Spec):
    """The link and the rest of the path; all TCP packets have X K units of data."""

    unit_loss: Annotated[Loss, "p, probability that a transmission unit is lost"]
    code_length: Annotated[Count, "N, units of a frame, redundant ones included"]
    frame_units: Annotated[Count, "K, units of a frame that carry data"] = 10
    packet_frames: Annotated[Count, "X, frames of a TCP packet"] = 6
    persistency: Annotated[
        Number | None, "delta, most retransmissions of one frame", Param(absent="unlimited")
    ] = None
    rate_units_per_s: Annotated[Positive, "B, the link's rate"] = 10_000.0
    delay_s: Annotated[Quantity, "D, the link's one-way propagation delay"] = 0.2
    access_rtt_s: Annotated[Quantity, "T, two-way delay of the rest of the path"] = 0.08

    def rules(self) -> Rules:
        """Refuse a code that is shorter than its data."""
        if self.code_length < self.frame_units:
            yield "code_length", f"at least the {self.frame_units} units of frame_units"

    @property
    def trial_loss(self) -> float:
        """P_T, the probability that one transmission of a frame cannot be decoded (eq. 4)."""
        return float(binom.sf(self.code_length - self.frame_units, self.code_length, self.unit_loss))

    @property
    def frame_loss(self) -> float:
        """P_F, the probability that a frame is given up (eq. 5)."""
        return 0.0 if self.persistency is None else self.trial_loss ** (self.persistency + 1)

    @property
    def packet_loss(self) -> float:
        """P, the probability that a TCP packet is lost (eq. 3)."""
        return -math.expm1(float(xlog1py(self.packet_frames, -self.frame_loss)))

    @property
    def efficiency(self) -> float:
        """Alpha, the share of useful units on a link that is never idle (eq. 6)."""
        reassembled = (1.0 - self.frame_loss) ** (self.packet_frames - 1)
        return reassembled * (1.0 - self.trial_loss) * self.frame_units / self.code_length

    @property
    def frame_time_s(self) -> float:
        """N / B, the transmission time of a frame."""
        return self.code_length / self.rate_units_per_s

    @property
    def trial_time_s(self) -> float:
        """Tau, the time from the start of a frame's transmission to its ACK or NACK."""
        return 2.0 * self.delay_s + self.frame_time_s

    @property
    def mean_most_retransmissions(self) -> float:
        """E[M], mean of the most retransmissions that a frame of a delivered packet needs (eq. 9)."""
        return float((1.0 - self._retransmission_law() ** self.packet_frames).sum())

    @property
    def mean_last_frame(self) -> float:
        """E[Y], mean index of the last frame that needs M retransmissions, from 1 to X (eq. 10)."""
        frames = self.packet_frames
        law = self._retransmission_law()
        before = np.concatenate(([0.0], law[:-1]))
        index = np.arange(1, frames + 1)
        # P{Y >= y} by the value k of M_y: the maximum of frames y to X is k, and no earlier frame exceeds k.
        last = law ** (frames + 1 - index)[:, np.newaxis] - before ** (frames + 1 - index)[:, np.newaxis]
        return float((last * law ** (index - 1)[:, np.newaxis]).sum())

    def _retransmission_law(self) -> npt.NDArray[np.float64]:
        """Return F_k = P{retransmissions of a delivered frame <= k} for k from 0 (eq. 8); the last is 1."""
        loss = self.trial_loss
        if loss == 0.0:
            return np.ones(1)
        last = self.persistency
        if last is None:
            if loss > _MOST_TRIAL_LOSS:
                raise UsageError(
                    f"a frame of {self.code_length} units needs {1.0 / (1.0 - loss):.3g} transmissions: "
                    f"with unlimited persistency up to {1.0 / (1.0 - _MOST_TRIAL_LOSS):.0f} are allowed"
                )
            # Beyond this the law of X frames is 1 in double precision.
            last = math.ceil(math.log(1e-18 / self.packet_frames) / math.log(loss))
        trials = np.arange(1, last + 2)
        law: npt.NDArray[np.float64] = -np.expm1(trials * math.log(loss)) / (1.0 - self.frame_loss)
        law[-1] = 1.0
        return law

    def mean_transmission_time_s(self, busy: float, *, printed: bool = False) -> float:
        """Return E[sigma], the mean transmission time of a new frame; retransmissions have priority over it.

        The share of transmissions that are followed by another one of the same frame is P_T (1 - P_T^delta) /
        (1 - P_T^(delta + 1)); with `printed` it is the paper's approximation, P_T (1 - P_T^delta / (delta +
        1)). `busy` is pi, the probability that the link is busy.
        """
        loss = self.trial_loss
        if self.persistency is None:
            repeated = loss
        elif printed:
            repeated = loss * (1.0 - loss**self.persistency / (self.persistency + 1))
        else:
            repeated = loss * (1.0 - loss**self.persistency) / (1.0 - self.frame_loss)
        return self.frame_time_s / (1.0 - busy * repeated)

    def mean_rtt_s(
        self, busy: float, packets_per_s: float, *, resequenced: bool = True, printed: bool = False
    ) -> float:
        """Return A, the mean RTT of delivered packets on a medium bandwidth-delay product (section 4.4.3).

        Queueing before the link is left out. `busy` is pi, `packets_per_s` lambda, the rate at which packets
        arrive at the link. If packets are `resequenced`, Proposition 1 adds the mean wait for earlier
        packets. `printed` is as for `mean_transmission_time_s`.
        """
        crossing_s = (
            self.delay_s
            + self.trial_time_s * self.mean_most_retransmissions
            + self.mean_last_frame * self.mean_transmission_time_s(busy, printed=printed)
        )
        rtt_s = self.access_rtt_s + self.delay_s + crossing_s
        if resequenced:
            load = packets_per_s * crossing_s
            rtt_s += crossing_s / 2.0 * load / (1.0 + load)
        return rtt_s


@dataclass(frozen=True, slots=True)
class HybridPerformance:
    """Performance of C long-lived TCP connections.

    `throughput` is U / B, data units of delivered packets per unit that the link could send (eq. 2);
    `efficiency` is alpha, its upper bound; `utilisation` is pi, the share of time in which the link is busy;
    `connection_units_per_s` is R, the throughput of one connection that no queue slows down (eq. 1); `rtt_s`
    is A, the mean RTT without queueing before the link; `packet_loss` is P.
    """

    throughput: float
    utilisation: float
    connection_units_per_s: float
    rtt_s: float
    packet_loss: float
    efficiency: float


def tcp_units_per_s(packet_units: int, rtt_s: float, packet_loss: float, delayed_acks: int = 2) -> float:
    """Return R, the rate in data units/s at which one connection receives (eq. 1, Padhye et al. 1998).

    The timeout is four RTTs. Without loss the rate is infinite. `packet_units` are X K, the data units of a
    packet, `delayed_acks` is b, the packets for each ACK.
    """
    sent = long_run_packets_per_s(rtt_s, packet_loss, 4.0 * rtt_s, delayed_acks)
    return packet_units * sent * (1.0 - packet_loss)


def hybrid(
    link: HybridLink, connections: int, delayed_acks: int = 2, *, printed: bool = False
) -> HybridPerformance:
    """Return the performance of `connections` long-lived connections over `link` (eq. 1 to 10).

    R depends on the RTT, the RTT on the link's utilisation, and the utilisation on R. The RTT grows with R,
    so f(R) falls and R = f(R) has one solution, between 0 and f(0). It is bracketed to `RELATIVE_TOLERANCE`.
    C is `connections`, b is `delayed_acks`, 1 or more each; `printed` takes the printed approximation of
    `HybridLink.mean_transmission_time_s`. UsageError when frames need more transmissions than the sum can
    hold.
    """
    at_least(1, connections=connections, delayed_acks=delayed_acks)
    loss = link.packet_loss
    capacity = link.efficiency * link.rate_units_per_s
    units = link.packet_frames * link.frame_units

    def rtt_s(rate: float) -> float:
        # The link carries at most its capacity; with a larger R, packets wait in the queue before it.
        carried = min(connections * rate, capacity)
        return link.mean_rtt_s(carried / capacity, carried / (units * (1.0 - loss)), printed=printed)

    if loss == 1.0 or capacity == 0.0:
        return HybridPerformance(0.0, 0.0, 0.0, math.nan, loss, link.efficiency)
    if loss == 0.0:
        return HybridPerformance(link.efficiency, 1.0, math.inf, rtt_s(math.inf), loss, link.efficiency)

    def excess(rate: float) -> float:
        return tcp_units_per_s(units, rtt_s(rate), loss, delayed_acks) - rate

    highest = excess(0.0)
    tolerance = highest * RELATIVE_TOLERANCE
    rate = float(brentq(excess, 0.0, highest, xtol=tolerance, rtol=RELATIVE_TOLERANCE))
    delivered = min(capacity, connections * rate)
    return HybridPerformance(
        delivered / link.rate_units_per_s, delivered / capacity, rate, rtt_s(rate), loss, link.efficiency
    )


def sweep(links: Iterable[HybridLink], connections: int, delayed_acks: int = 2) -> list[dict[str, Any]]:
    """Return one row per link: the attributes of `HybridLink` and `HybridPerformance`; errors of `hybrid`."""
    return [{**asdict(link), **asdict(hybrid(link, connections, delayed_acks))} for link in links]


def largest_throughput(unit_loss: float, code_length: int, frame_units: int) -> float:
    """Return (1 - P_T) K / N, the throughput with unlimited persistency as a share of B (section 4.6)."""
    return HybridLink(unit_loss, code_length, frame_units).efficiency


def optimal_code_lengths(unit_loss: float, frame_units: int) -> tuple[int, ...]:
    """Return every N that maximises the largest throughput (section 4.6): one, or several that tie.

    K / N is an upper bound of the throughput, so the search ends where K / N is below the best found.
    """
    best = 0.0
    lengths: tuple[int, ...] = ()
    code_length = frame_units
    while frame_units / code_length >= best * (1.0 - TIE):
        value = largest_throughput(unit_loss, code_length, frame_units)
        if value > best * (1.0 + TIE):
            best, lengths = value, (code_length,)
        elif value >= best * (1.0 - TIE):
            lengths = (*lengths, code_length)
        code_length += 1
    return lengths
