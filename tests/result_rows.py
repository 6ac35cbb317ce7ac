"""Rows of runs as a campaign stores them, with values that are easy to compute by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tmt.campaign.columns import COLUMNS


def run(**values: Any) -> dict[str, Any]:
    """Return a row with `values`, and with defaults in a few other columns."""
    defaults = {
        "tcp": "cubic",
        "scheme": "ARQ",
        "scheme_parameters": "{}",
        "trace": "sample",
        "seed": 1,
        "rtt_s": 0.5,
        "goodput_bps": 1e6,
        "packet_bytes": 1500,
        "forward_lldu_bytes": 1500,
        "simulated_s": 10.0,
        "tmt_version": "0",
        "simulator": "ns",
        "finished_at": "2026-01-01T00:00:00+00:00",
    }
    return dict.fromkeys(column.name for column in COLUMNS) | defaults | values


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame."""
    return pd.DataFrame(rows)
