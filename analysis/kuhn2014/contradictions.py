"""Published numbers that exclude each other whatever the channel is: the arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.kuhn2014.campaigns import INTERLEAVED, LLDUS_PER_PACKET, RATE_KBPS
from analysis.kuhn2014.comparison import Compared

LINE_KBPS, PACKET_BYTES = RATE_KBPS[INTERLEAVED], 1500
LLDUS_OF_A_PACKET, LLDU_BYTES = LLDUS_PER_PACKET[INTERLEAVED]
WHOLE_BLOCK_LLDUS = 60
"""LLDUs of a packet over HARQ(10/12) in section 5.1: five whole blocks of twelve."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds that some of the paper's numbers set to others.

    `erasures` is the largest packet error rate with the retransmission probabilities of table 1,
    `whole_blocks_kbps` the largest goodput over HARQ(10/12) in the Internet scenarios if a packet took
    60 LLDUs. The gains are what HARQ(10/12) gives CUBIC over ARQ, as shares of the line.
    """

    erasures: float
    whole_blocks_kbps: float
    gain_5db: float
    gain_6db: float

    @classmethod
    def of(cls, lines: Sequence[Compared]) -> Bounds:
        """Return the bounds that follow from the paper's numbers."""
        values = [line.value for line in lines]
        ratio = {one.scheme: one.value for one in values if one.measure == "retransmission_ratio"}
        goodput = {
            (one.scheme, one.es_n0_db): one.value / 1000
            for one in values
            if one.measure == "goodput_bps" and one.scenario == INTERLEAVED
        }
        gains = [(goodput["HARQ(10/12)", es] - goodput["ARQ", es]) / LINE_KBPS for es in (5.0, 6.0)]
        return cls(
            most_erasures(ratio["ARQ"], ratio["HARQ(10/12)"], ratio["HARQ(10/15)"]),
            LINE_KBPS * PACKET_BYTES / (WHOLE_BLOCK_LLDUS * LLDU_BYTES),
            *gains,
        )


def most_erasures(arq: float, harq_12: float, harq_15: float) -> float:
    """Return the largest share of erased LLDUs, from the shares of packets that TCP sends again.

    TCP sends a packet again if the link delays it by a retransmission. So a packet that ARQ delays, and
    HARQ(10/12) does not, lies in blocks of twelve with at most two erasures each; one that HARQ(10/15) does
    not delay lies in blocks of fifteen with at most five. A packet touches one block more than it fills.
    """
    of_12, of_15 = (
        lost * (LLDUS_OF_A_PACKET / block + 1) / LLDUS_OF_A_PACKET for lost, block in ((2, 12), (5, 15))
    )
    return (arq - harq_12) * of_12 + (harq_12 - harq_15) * of_15 + harq_15
