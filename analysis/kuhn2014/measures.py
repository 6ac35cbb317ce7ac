"""The paper's measures from the rows of our runs: means over seeds and 95 % intervals, one row per cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import pandas as pd

from tmt.results.statistics import t_interval

PAYLOAD_PER_PACKET = 1448 / 1500
"""Our goodput counts TCP payload; the paper's kbit/s count whole packets (`docs/reproduction.md`)."""

CELL = ["scenario", "stack", "es_n0_db", "tcp", "scheme", "in_order", "hold_s", "return_link"]
"""Columns that identify a cell."""

LONG_FLOW = (
    *("goodput_bps", "retransmission_ratio", "max_retransmissions"),
    *("delay_min_s", "delay_p85_s", "delay_p99_s", "cwnd_max_packets", "cwnd_mean_packets", "timeouts"),
)
"""Measures of flows without end."""

TRANSFER = ("completion_s",)
"""Measures of transfers."""

GAIN = "goodput_gain"
"""Goodput of a scheme over that of ARQ, minus 1, seed by seed."""


def cells(rows: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """Return mean, low, high and number of seeds by cell and measure of one scenario's runs."""
    rows = rows.assign(scenario=scenario)
    long, transfers = rows[rows["transfer_bytes"].isna()], rows[rows["transfer_bytes"].notna()]
    whole = long.assign(
        goodput_bps=long["goodput_bps"] / PAYLOAD_PER_PACKET,
        max_retransmissions=long["max_transmissions"] - 1,
    )
    found = [
        _cell(place, measure, part[measure])
        for chosen, measures in ((whole, LONG_FLOW), (transfers, TRANSFER))
        for place, part in chosen.groupby(CELL, sort=False, dropna=False)
        for measure in measures
    ]
    found += _erasures(long)
    found += _gains(long)
    return pd.DataFrame(found)


def _cell(place: tuple[object, ...], measure: str, values: pd.Series) -> dict[str, object]:
    interval = asdict(t_interval(values.astype(float)))
    return dict(zip(CELL, place, strict=True)) | {"measure": measure} | interval


def _erasures(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield the share of erased slots: the loss of a link without scheme."""
    bare = rows[rows["scheme"] == "none"].assign(tcp="")
    for place, part in bare.drop_duplicates([*CELL, "seed"]).groupby(CELL, sort=False, dropna=False):
        yield _cell(place, "erasure_ratio", part["lldu_loss_ratio"])


def _gains(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield each scheme's gain over ARQ on the same seeds."""
    others = [name for name in CELL if name != "scheme"]
    for place, part in rows.groupby(others, sort=False, dropna=False):
        goodput = part.pivot_table(index="seed", columns="scheme", values="goodput_bps", sort=False)
        for scheme in goodput.columns.drop("ARQ", errors="ignore") if "ARQ" in goodput else []:
            at = dict(zip(others, place, strict=True)) | {"scheme": scheme}
            ratio = goodput[scheme] / goodput["ARQ"].replace(0, np.nan) - 1
            yield _cell(tuple(at[name] for name in CELL), GAIN, ratio)


def effort(runs: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """Return the effort of a scenario: its runs, their link traces and the sum of their wall times."""
    took = {
        "runs": len(runs),
        "link_traces": runs["forward_sha256"].nunique(),
        "wall_time_s": runs["wall_time_s"].sum(),
    }
    rows = [{"scenario": scenario, "measure": name, "mean": value} for name, value in took.items()]
    return pd.DataFrame(rows)


class Cells:
    """Cells that can be asked for."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table

    def find(self, scenario: str, measure: str, **place: object) -> pd.DataFrame:
        """Return the cells of a scenario and measure at a place."""
        chosen = self.table[(self.table["scenario"] == scenario) & (self.table["measure"] == measure)]
        for name, value in place.items():
            chosen = chosen[chosen[name].isna() if value is None else chosen[name] == value]
        return chosen

    def one(self, scenario: str, measure: str, **place: object) -> pd.Series:
        """Return the only cell at a place; LookupError when there is none, or more than one."""
        found = self.find(scenario, measure, **place)
        if len(found) != 1:
            raise LookupError(f"{len(found)} cells of {measure} in {scenario} at {place}")
        return found.iloc[0]

    def mean(self, scenario: str, measure: str, **place: object) -> float:
        """Return the mean of the only cell at a place; see `one`."""
        return float(self.one(scenario, measure, **place)["mean"])


def read_cells(path: object) -> Cells:
    """Return cells as `write_cells` has kept them."""
    texts = dict.fromkeys(("return_link", "tcp", "stack"), str)
    return Cells(pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=texts))


def write_cells(table: pd.DataFrame, path: object) -> None:
    """Keep cells as text with five significant digits."""
    table.to_csv(path, index=False, float_format="%.5g", lineterminator="\n")
