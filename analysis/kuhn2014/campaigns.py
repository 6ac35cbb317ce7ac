"""The scenarios of Kuhn 2014, with their lines, variants and schemes, and further scenarios."""

from __future__ import annotations

INTERLEAVED, NOT_INTERLEAVED = "Internet, interleaved", "Internet, not interleaved"
TRANSFERS = "Internet, interleaved: transfers"
UP, DOWN = "Distribution, up", "Distribution, down"

PAPER = {
    "internet-interleaved": INTERLEAVED,
    "internet-transfers": TRANSFERS,
    "internet-not-interleaved": NOT_INTERLEAVED,
    "distribution-up": UP,
    "distribution-down": DOWN,
}
"""Scenarios of the paper, and their titles in `published.csv`."""

BEYOND = {
    "internet-in-order": "order",
    "internet-persistency": "persistency",
    "internet-lossy-return": "return",
}
"""Scenarios beyond the paper, and the names of their cells."""

DISTRIBUTION_ES_N0_DB = 14.0
"""Es/N0 of the Distribution scenarios, whose channel has no such parameter."""

RATE_KBPS = {INTERLEAVED: 263.0, NOT_INTERLEAVED: 263.0, UP: 2340.0, DOWN: 2250.0}
LLDUS_PER_PACKET = {INTERLEAVED: (46, 33), NOT_INTERLEAVED: (46, 33), UP: (46, 33), DOWN: (1, 1523)}
"""LLDUs of a packet of 1500 bytes, and bytes of an LLDU."""

PAPER_TCPS = ("newreno", "compound", "westwood", "hybla", "cubic")
HARQS = ("HARQ(10/12)", "HARQ(10/15)", "HARQ(50/52)")
BY_REPAIR = ("ARQ", "HARQ(50/52)", "HARQ(10/12)", "HARQ(10/15)")
"""Schemes, by the share of their slots that carries repair."""


def packet_rate_kbps(scenario: str) -> float:
    """Return the rate of packets of 1500 bytes, back to back, over a line without erasures."""
    lldus, lldu_bytes = LLDUS_PER_PACKET[scenario]
    return RATE_KBPS[scenario] * 1500 / (lldus * lldu_bytes)


def code_rate(scheme: str) -> float:
    """Return data over all LLDUs of a scheme's blocks: 10/12 for HARQ(10/12)."""
    if not scheme.startswith("HARQ("):
        return 1.0
    data, total = scheme.removeprefix("HARQ(").split(")")[0].split("/")
    return int(data) / int(total)
