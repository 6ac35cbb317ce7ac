"""The results of a campaign as people read them: means, intervals, and which variants are best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.campaign.columns import DONE
from tmt.metrics.statistics import Interval, rank

if TYPE_CHECKING:
    import pandas as pd


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
        TCP payload that full packets sent back to back would carry, on average over the trace; NaN when no
        run of the group has delivered any.
    """

    point: dict[str, Any]
    scheme: str
    scheme_name: str
    capacity_kbps: float
    cells: tuple[Cell, ...]


def groups(rows: pd.DataFrame, point_columns: list[str]) -> list[Group]:
    """Return what the finished runs say, scheme by scheme.

    Parameters
    ----------
    rows
        As `Campaign.rows` gives them.
    point_columns
        Columns that vary besides TCP, scheme and seed.
    """
    done = rows[rows["status"] == DONE]
    found: list[Group] = []
    for at, part in done.groupby([*point_columns, "scheme"], sort=False, dropna=False):
        *point, scheme = at
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
        found.append(
            Group(
                dict(zip(point_columns, point, strict=True)),
                str(scheme),
                part["scheme_name"].iloc[0],
                float(part["capacity_bps"].mean()) / 1000,
                cells,
            )
        )
    return found
