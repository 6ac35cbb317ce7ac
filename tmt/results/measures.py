"""The result columns that charts show: label, unit, and which direction is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tmt.campaign.columns import COLUMNS as CAMPAIGN_COLUMNS
from tmt.core.words.display_units import rate_unit, time_unit

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {column.name: column for column in CAMPAIGN_COLUMNS}


@dataclass(frozen=True, slots=True)
class Measure:
    """A result column as a chart shows it: `scale` times the column's value is in `unit`.

    `better` is "more" or "less" for a measure with a preferred direction, else empty.
    """

    column: str
    label: str
    better: Literal["more", "less", ""]
    unit: str
    scale: float


_SHOWN: tuple[tuple[str, str, Literal["more", "less", ""]], ...] = (
    ("goodput_bps", "Goodput", "more"),
    ("delay_median_s", "Median delay", "less"),
    ("delay_p95_s", "95th percentile of delay", "less"),
    ("delay_p99_s", "99th percentile of delay", "less"),
    ("completion_s", "Transfer time", "less"),
    ("retransmission_ratio", "TCP retransmissions", "less"),
    ("timeouts", "Timeouts", "less"),
    ("cwnd_mean_packets", "Mean congestion window", ""),
    ("forward_utilisation", "Use of the link", "more"),
    ("forward_link_lost", "Packets lost on the link", "less"),
    ("forward_queue_dropped", "Packets dropped by the queue", "less"),
    ("fairness", "Fairness (Jain)", "more"),
)

COMPARED = ("goodput_bps", "delay_p95_s", "completion_s")
"""Columns whose paired differences are tested."""

_SHARES = ("retransmission_ratio", "forward_utilisation")


def measures(runs: pd.DataFrame) -> list[Measure]:
    """Return the measures for which a run has a value, in units that suit the size of the values."""
    delays = delay_unit(runs)
    return [
        Measure(column, label, better, *(delays if column.startswith("delay_") else _unit_for(runs, column)))
        for column, label, better in _SHOWN
        if column in runs and runs[column].notna().any()
    ]


def delay_unit(runs: pd.DataFrame) -> tuple[str, float]:
    """Return the unit in which all delays are shown, and its scale from seconds."""
    return _unit_for(runs, "delay_p99_s")


def _unit_for(runs: pd.DataFrame, column: str) -> tuple[str, float]:
    """Return unit and scale that suit the largest value of a column."""
    largest = float(runs[column].dropna().abs().max()) if column in runs else math.nan
    unit = COLUMNS[column].unit
    if unit == "bit/s":
        return rate_unit(largest)
    if unit == "s":
        return time_unit(largest)
    if column in _SHARES:
        return "%", 100.0
    return unit, 1.0
