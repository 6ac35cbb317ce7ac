"""TCP through a proxy and over a wireless link with go-back-N ARQ, after Jin and Yang (2006).

The path has a sender, a wired link, a node, a wireless link and a receiver. The node forwards packets, or it
is a proxy that ends one connection and begins another. Equation numbers are the paper's;
``docs/proxy-model.md`` lists its misprints and approximations. The last functions are the formulas exactly
as printed.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from scipy.optimize import brentq

from tmt.core.declaration import Count, Param, Probability, Spec, taken
from tmt.core.errors import UsageError
from tmt.theory import two_links
from tmt.theory.channel import MOST, Loss, Quantity
from tmt.theory.tcp import TcpSender, long_run_packets_per_s
from tmt.theory.two_links import TwoLinks, lost_on_either

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.theory.channel import FloatArray

__all__ = ["GoBackNLink", "SplitScenario", "TcpSender", "Transfer", "TwoLinks", "sweep", "transfer"]

Formula = Literal["segments", "windows", "printed"]

SYSTEMS = tuple((split, arq) for split in (False, True) for arq in (False, True))
"""The compared systems: without and with a proxy, each without and with ARQ."""


class GoBackNLink(Spec):
    """Go-back-N on a channel with two states, whose step is a frame (eqs. 1 and 10).

    A packet crosses the link as n frames, one in each slot. A lost frame is retransmitted N slots later,
    together with all frames sent in between, which the receiver has discarded. Errors are independent if q =
    s.
    """

    error_after_success: Annotated[Probability, "q of eq. 1; c = 1 - q"]
    error_after_error: Annotated[Loss, "s of eq. 1; r = 1 - s"]
    frames: Annotated[Count, "n, frames of a packet"] = 10
    window: Annotated[Count, "N, slots from a lost frame to its retransmission"] = 10
    frame_processing_s: Annotated[Quantity, "D_ARQ, time that each frame takes beyond its transmission"] = 0.0

    @classmethod
    def losing(
        cls,
        packet_loss: float,
        burst_frames: float | None = None,
        frames: int = 10,
        window: int = 10,
        frame_processing_s: float = 0.0,
    ) -> GoBackNLink:
        """Return the channel that loses this share of packets without retransmissions.

        `packet_loss` is p_2, the share of packets that lose a frame. Error bursts have a mean length of
        `burst_frames`, 1 or more; None makes errors independent. UsageError when such bursts cannot lose that
        many packets.
        """
        taken("wireless_loss", Loss, packet_loss)
        if burst_frames is None:
            error = -math.expm1(math.log1p(-packet_loss) / frames)
            return cls(error, error, frames, window, frame_processing_s)
        taken("burst_frames", Annotated[float, Param(least=1, most=MOST)], burst_frames)

        def channel(error: float) -> GoBackNLink:
            return cls(error, 1.0 - 1.0 / burst_frames, frames, window, frame_processing_s)

        if channel(1.0).packet_loss < packet_loss:
            raise UsageError(
                f"wireless loss is {packet_loss:g}: bursts of {burst_frames:g} frames lose at most "
                f"{channel(1.0).packet_loss:.4g}"
            )
        found = brentq(lambda q: channel(q).packet_loss - packet_loss, 0.0, 1.0, xtol=1e-15, rtol=1e-14)
        return channel(float(found))

    @property
    def frame_error(self) -> float:
        """Share of slots in which a frame is lost, q / (q + r)."""
        return self.error_after_success / (self.error_after_success + 1.0 - self.error_after_error)

    @property
    def packet_loss(self) -> float:
        """p_2, share of packets that lose a frame, without retransmissions."""
        return 1.0 - (1.0 - self.frame_error) * (1.0 - self.error_after_success) ** (self.frames - 1)

    @property
    def error_a_window_later(self) -> float:
        """Probability of an error N slots after one: the chain's N-step transition, not s^N."""
        memory = self.error_after_error - self.error_after_success
        return self.frame_error + (1.0 - self.frame_error) * memory**self.window

    @property
    def slots_per_frame(self) -> float:
        """Mean number of slots per frame on a link that is never idle, 1 + N q / (1 - s_N).

        An attempt in the slot after a success fails with q; an attempt N slots after an error fails with s_N.
        So a success costs q / (1 - s_N) errors of N slots each. Independent errors give the classical
        1 + N q / (1 - q); the general form is that of Leung, Kikumoto and Sorensen (1988).
        """
        return 1.0 + self.window * self.error_after_success / (1.0 - self.error_a_window_later)

    def packet_s(self, transmission_s: float) -> float:
        """Return mu_p', the mean time per packet, if one transmission takes mu_p, `transmission_s`."""
        return (transmission_s + self.frames * self.frame_processing_s) * self.slots_per_frame


class SplitScenario(Spec):
    """Parameters that all systems share."""

    path: Annotated[TwoLinks, "the two links"]
    link: Annotated[GoBackNLink, "the wireless link's losses and go-back-N protocol"]
    sender: Annotated[TcpSender, "TCP at the end of the wired link"]
    proxy: Annotated[TcpSender, "TCP in the proxy"]
    segments: Annotated[int, "M, size of the transfer", Param("segments", 1, 1_000_000)]
    residual_loss: Annotated[
        Loss, "p_2', probability that a packet is lost on the wireless link in spite of ARQ"
    ] = 0.0


@dataclass(frozen=True, slots=True)
class Transfer:
    """Latency and throughput of a transfer of M segments, and throughput of an endless one.

    `latency_s` is the mean time from the first segment's start until the receiver has all, `packets_per_s` is
    M / latency, and `packet_loss` the probability that a packet is lost on either link.
    """

    latency_s: float
    packets_per_s: float
    long_run_packets_per_s: float
    packet_loss: float


def transfer(scenario: SplitScenario, *, split: bool, arq: bool, formula: Formula = "segments") -> Transfer:
    """Return latency and throughput, with a proxy if `split`, with go-back-N on the wireless link if `arq`.

    The formulas ``segments`` and ``windows`` differ in the time until the first loss
    (`tmt.theory.two_links`); ``printed`` uses the paper's formulas unchanged.
    """
    path, sender, proxy, count = scenario.path, scenario.sender, scenario.proxy, scenario.segments
    wireless_loss = scenario.residual_loss if arq else scenario.link.packet_loss
    if formula == "printed":
        arq_s = added_s(scenario.link, (proxy if split else sender).packets_per_ack) if arq else 0.0
        return _as_printed(scenario, wireless_loss, arq_s, split=split)
    if arq:
        path = replace(path, wireless_packet_s=scenario.link.packet_s(path.wireless_packet_s))
    rate = (
        two_links.split_packets_per_s(path, sender, proxy, wireless_loss)
        if split
        else two_links.end_to_end_packets_per_s(path, sender, wireless_loss)
    )
    match split, formula:
        case True, "segments":
            lossless_s = two_links.split_by_segments_s(path, sender, proxy, count)
        case True, _:
            lossless_s = two_links.split_s(path, proxy, count)
        case _, "segments":
            lossless_s = two_links.end_to_end_by_segments_s(path, sender, count)
        case _:
            lossless_s = two_links.end_to_end_s(path, sender, count)
    return _transfer(lossless_s, lost_on_either(path.wired_loss, wireless_loss), rate)


def sweep(scenarios: Iterable[SplitScenario], formula: Formula = "segments") -> list[dict[str, Any]]:
    """Return one row per scenario and system: the varied parameters, and the attributes of `Transfer`."""
    return [
        {
            "wired_delay_s": scenario.path.wired_delay_s,
            "wired_loss": scenario.path.wired_loss,
            "wireless_loss": scenario.link.packet_loss,
            "frame_error": scenario.link.frame_error,
            "error_after_success": scenario.link.error_after_success,
            "error_after_error": scenario.link.error_after_error,
            "split": split,
            "arq": arq,
            **asdict(transfer(scenario, split=split, arq=arq, formula=formula)),
        }
        for scenario in scenarios
        for split, arq in SYSTEMS
    ]


def added_s(link: GoBackNLink, packets_per_ack: int) -> float:
    """Return E(tau_ARQ) of eq. 10, n b D + N D q (n b - 1) / (1 - s^N), in seconds."""
    frames = link.frames * packets_per_ack
    repeated = link.error_after_success * (frames - 1) / (1.0 - link.error_after_error**link.window)
    return link.frame_processing_s * (frames + link.window * repeated)


def _as_printed(scenario: SplitScenario, wireless_loss: float, arq_s: float, *, split: bool) -> Transfer:
    """Return eqs. 6 and 9, and with a proxy eqs. 7 and 13; with go-back-N eqs. 11, 12, 14 and 15.

    `arq_s` is the delay that go-back-N adds to each packet. Without loss the paper prints no long-run
    throughput, and eq. 8 is infinite.
    """
    path, sender, proxy = scenario.path, scenario.sender, scenario.proxy
    packet_loss = lost_on_either(path.wired_loss, wireless_loss)
    if packet_loss == 0.0:
        path = replace(path, wireless_packet_s=path.wireless_packet_s + arq_s)
    lossless_s = (
        two_links.split_s(path, proxy, scenario.segments, printed=True)
        if split
        else two_links.end_to_end_s(path, sender, scenario.segments)
    )
    wired_s = path.wired_delay_s + path.wired_ack_s
    wired_cycle_s = path.wired_cycle_s(sender.packets_per_ack)
    if packet_loss == 0.0:
        rate = math.inf
    elif not split:
        rtt_s = path.wired_delay_s + path.wireless_delay_s + path.wired_ack_s + path.wireless_ack_s
        cycle_s = path.end_to_end_cycle_s(sender.packets_per_ack)
        rate = _packets_per_s(sender, rtt_s + arq_s, packet_loss, cycle_s)
    elif wireless_loss == 0.0:
        rate = _packets_per_s(sender, wired_s + arq_s, path.wired_loss, wired_cycle_s)
    else:
        wireless_s = path.wireless_delay_s + path.wireless_ack_s
        cycle_s = path.wireless_cycle_s(proxy.packets_per_ack)
        rate = min(
            _packets_per_s(sender, wired_s, path.wired_loss, wired_cycle_s),
            _packets_per_s(proxy, wireless_s + arq_s, wireless_loss, cycle_s),
        )
    return _transfer(lossless_s, packet_loss, rate)


def _packets_per_s(sender: TcpSender, rtt_s: float, packet_loss: float, cycle_s: float) -> float:
    """Return eq. 8, Th(RTT, p); the paper gives no T0, which is derived from the real round trip."""
    return long_run_packets_per_s(rtt_s, packet_loss, sender.timeout_over_s(cycle_s), sender.packets_per_ack)


def _transfer(lossless_s: FloatArray, packet_loss: float, packets_per_s: float) -> Transfer:
    mean_s = two_links.latency_s(lossless_s, packet_loss, packets_per_s)
    return Transfer(mean_s, len(lossless_s) / mean_s, packets_per_s, packet_loss)
