"""Rows of runs as a campaign stores them, with values that are easy to compute by hand."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from tmt.campaign.columns import COLUMNS, DONE, blank_row
from tmt.campaign.database import read_runs
from tmt.campaign.store import Store


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


def row_of(number: int, **values: Any) -> dict[str, Any]:
    """Return the row of the finished run with a number: its key and seed, and `values`."""
    key = f"{number * 2654435761 % 2**60:015x}{number:017x}"
    return blank_row() | {"key": key, "status": DONE, "attempt": 1, "seed": number} | values


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame."""
    return pd.DataFrame(rows)


def stored(folder: Path, *rows: dict[str, Any]) -> Path:
    """Keep rows of runs, and empty folders of their records, in a campaign's folder; return the folder."""
    whole = []
    with closing(Store(folder)) as store:
        for number, row in enumerate(rows):
            if row["records"] is not None:
                (store.scratch / Path(row["records"]).name).mkdir()
            told = {name: value for name, value in row.items() if value is not None}
            whole.append(row | {"key": f"{number:032x}", "status": DONE, "attempt": 1} | told)
        store.append(*whole)
    return folder


OF_ONE_EXECUTION = ["attempt", "finished_at", "wall_time_s", "command", "records"]
"""Columns that differ from one execution of a run to the next."""


def results_of(out: Path) -> pd.DataFrame:
    """Return the results of a campaign, without what differs from one execution to the next."""
    table = pq.read_table(out / "results.parquet")
    return table.drop_columns(OF_ONE_EXECUTION).to_pandas().sort_values("key").reset_index(drop=True)


def finished_runs(out: Path) -> int:
    """Return how many runs a campaign has stored so far."""
    return len(read_runs(out)) if (out / "campaign.sqlite").exists() else 0
