"""Rows of runs as a campaign stores them, with values that are easy to compute by hand."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from tmt.campaign.columns import COLUMNS
from tmt.campaign.database import read_runs


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


OF_ONE_EXECUTION = ["attempt", "finished_at", "wall_time_s", "command", "records"]
"""Columns that differ from one execution of a run to the next."""


def results_of(out: Path) -> pd.DataFrame:
    """Return the results of a campaign, without what differs from one execution to the next."""
    table = pq.read_table(out / "results.parquet")
    return table.drop_columns(OF_ONE_EXECUTION).to_pandas().sort_values("key").reset_index(drop=True)


def finished_runs(out: Path) -> int:
    """Return how many runs a campaign has stored so far."""
    return len(read_runs(out)) if (out / "campaign.sqlite").exists() else 0
