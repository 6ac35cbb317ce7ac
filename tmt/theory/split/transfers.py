"""Transfers over two links with and without proxy and ARQ, by each kind of formulas, and sweeps."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tmt.core.errors import UsageError
from tmt.theory.split import lossless, lossy, printed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.theory.split.go_back_n import GoBackNLink
    from tmt.theory.split.lossy import Transfer
    from tmt.theory.split.path import TwoLinks
    from tmt.theory.split.sender import TcpSender

Formula = Literal["segments", "windows", "printed"]

MOST_SEGMENTS = 1_000_000
"""Upper bound of the segments of a transfer."""

SYSTEMS = tuple((split, arq) for split in (False, True) for arq in (False, True))
"""The compared systems: without and with a proxy, each without and with ARQ."""


@dataclass(frozen=True, slots=True)
class SplitScenario:
    """Parameters that all systems have in common.

    Attributes
    ----------
    path, link
        The two links; the wireless link's losses and go-back-N protocol.
    sender, proxy
        TCP at the end of the wired link, and in the proxy.
    segments
        M, size of the transfer.
    residual_loss
        p_2', probability that a packet is lost on the wireless link in spite of ARQ.

    Raises
    ------
    UsageError
        When `segments` or `residual_loss` is out of its range.
    """

    path: TwoLinks
    link: GoBackNLink
    sender: TcpSender
    proxy: TcpSender
    segments: int
    residual_loss: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.segments <= MOST_SEGMENTS:
            raise UsageError(f"segments are {self.segments}: 1 to {MOST_SEGMENTS} are allowed")
        if not 0.0 <= self.residual_loss < 1.0:
            raise UsageError(
                f"residual loss is {self.residual_loss:g}: a probability of at least 0 and below 1 is allowed"
            )


def transfer(scenario: SplitScenario, *, split: bool, arq: bool, formula: Formula = "segments") -> Transfer:
    """Return latency and throughput with or without a proxy and go-back-N.

    Parameters
    ----------
    split
        Whether a proxy splits the connection.
    arq
        Whether the wireless link retransmits by go-back-N.
    formula
        ``segments`` and ``windows`` differ in the time until the first loss (`tmt.theory.split.lossless`);
        ``printed`` takes the paper's formulas as they stand.
    """
    path, sender, proxy, count = scenario.path, scenario.sender, scenario.proxy, scenario.segments
    wireless_loss = scenario.residual_loss if arq else scenario.link.packet_loss
    if formula == "printed":
        sends_wireless = proxy if split else sender
        arq_s = printed.added_s(scenario.link, sends_wireless.packets_per_ack) if arq else 0.0
        if split:
            return printed.split_transfer(path, sender, proxy, wireless_loss, count, arq_s)
        return printed.end_to_end_transfer(path, sender, wireless_loss, count, arq_s)
    if arq:
        path = replace(path, wireless_packet_s=scenario.link.packet_s(path.wireless_packet_s))
    if split:
        rate = lossy.split_packets_per_s(path, sender, proxy, wireless_loss)
        lossless_s = (
            lossless.split_by_segments_s(path, sender, proxy, count)
            if formula == "segments"
            else lossless.split_s(path, proxy, count)
        )
    else:
        rate = lossy.end_to_end_packets_per_s(path, sender, wireless_loss)
        by = lossless.end_to_end_by_segments_s if formula == "segments" else lossless.end_to_end_s
        lossless_s = by(path, sender, count)
    packet_loss = lossy.lost_on_either(path.wired_loss, wireless_loss)
    mean_s = lossy.latency_s(lossless_s, packet_loss, rate)
    return lossy.Transfer(mean_s, count / mean_s, rate, packet_loss)


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
