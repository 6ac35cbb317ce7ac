"""The scenarios of Kuhn 2014, and further scenarios with its schemes."""

from __future__ import annotations

PAPER = {
    "internet-interleaved": "Internet, interleaved",
    "internet-transfers": "Internet, interleaved: transfers",
    "internet-not-interleaved": "Internet, not interleaved",
    "distribution-up": "Distribution, up",
    "distribution-down": "Distribution, down",
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
