"""The results of a campaign as people read them: means, intervals, and which variants are best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.campaign.columns import DONE
from tmt.metrics.statistics import Interval, rank

if TYPE_CHECKING:
    import pandas as pd

    from tmt.campaign.grid import Run

COUNTS = "in-order TCP payload bytes handed to the receiving application"
"""What the goodput of the summary counts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The runs of one TCP variant over one scheme at one point of the grid.

    Attributes
    ----------
    goodput_kbps
        Mean over the seeds, and its 95 % interval.
    values_kbps
        One value a run.
    letters, among_best
        As in `tmt.metrics.statistics.Rank`, among the TCP variants of the same scheme and point.
    """

    tcp: str
    goodput_kbps: Interval
    values_kbps: tuple[float, ...]
    letters: str
    among_best: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The TCP variants over one scheme at one point of the grid, in the scenario's order.

    Attributes
    ----------
    point
        Columns that vary besides TCP, scheme and seed, with their values here.
    capacity_kbps
        LLDU payload that the scheme delivers, on average over the trace.
    line_kbps
        LLDU payload that the trace's slots could carry.
    payload_share
        TCP payload of a full packet / LLDU payload that it occupies.
    """

    point: dict[str, Any]
    scheme: str
    scheme_name: str
    capacity_kbps: float
    line_kbps: float
    payload_share: float
    cells: tuple[Cell, ...]


def frame(table: Any, runs: list[Run]) -> pd.DataFrame:
    """Return the rows of the given runs, in their order; runs without a row are left out."""
    rows: pd.DataFrame = table.to_pandas()
    order = {run.key: place for place, run in enumerate(runs)}
    rows = rows[rows["key"].isin(order)]
    return rows.sort_values("key", key=lambda keys: keys.map(order)).reset_index(drop=True)


def groups(rows: pd.DataFrame, point_columns: list[str], header_bytes: int) -> list[Group]:
    """Return what the finished runs say, scheme by scheme.

    Parameters
    ----------
    rows
        As `frame` gives them.
    point_columns
        Columns that vary besides TCP, scheme and seed.
    header_bytes
        Part of a packet that is no TCP payload.
    """
    done = rows[rows["status"] == DONE]
    found: list[Group] = []
    for at, part in done.groupby([*point_columns, "scheme"], sort=False, dropna=False):
        *point, scheme = at
        first = part.iloc[0]
        blocks = part.pivot_table(index="seed", columns="tcp", values="goodput_bps", sort=False) / 1000
        ranks = {entry.column: entry for entry in rank(blocks.to_numpy())}
        cells = tuple(
            Cell(
                tcp,
                ranks[place].interval,
                tuple(blocks[tcp].dropna()),
                ranks[place].letters,
                ranks[place].among_best,
            )
            for place, tcp in enumerate(blocks.columns)
        )
        lldus = np.ceil(first["packet_bytes"] / first["forward_lldu_bytes"])
        found.append(
            Group(
                dict(zip(point_columns, point, strict=True)),
                scheme,
                first["scheme_name"],
                first["capacity_bps"] / 1000,
                first["line_bps"] / 1000,
                float((first["packet_bytes"] - header_bytes) / (lldus * first["forward_lldu_bytes"])),
                cells,
            )
        )
    return found
