"""The results of a campaign as people read them: means, intervals, and which variants are best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.campaign.columns import DONE
from tmt.metrics.statistics import Interval, rank

if TYPE_CHECKING:
    import pandas as pd


_POINT_WORDS = {
    "stack": "stack {}",
    "rtt_s": "RTT {} s",
    "queue_packets": "queue of {} packets",
    "window_packets": "window of {} packets",
    "hold_s": "held for at most {} s",
    "wired_rate_bps": "wired hop of {} bit/s",
    "wired_delay_s": "wired hop of {} s",
    "wired_loss": "wired loss {}",
    "proxy_tcp": "proxy's TCP {}",
    "proxy_stack": "proxy's stack {}",
    "proxy_buffer_packets": "proxy's buffer of {} packets",
    "proxy_delay_s": "proxy's delay {} s",
    "return_link": "return link {}",
    "return_rate_bps": "return link of {} bit/s",
    "duration_s": "{} s",
    "flows": "{} flows",
    "transfer_bytes": "{} bytes",
    "packet_bytes": "packets of {} bytes",
    "start_spread_s": "starts within {} s",
    "code": "code {}",
    "block_segments": "blocks of {} segments",
}
_NO_VALUE_WORDS = dict.fromkeys(("proxy_tcp", "proxy_stack", "proxy_buffer_packets", "proxy_delay_s"), "") | {
    "transfer_bytes": "endless"
}
_FLAG_WORDS = {
    "in_order": ("packets as they arrive", "packets in order"),
    "loop": ("one pass", "repeated"),
    "proxy": ("no proxy", "proxy"),
    "delayed_acks": ("every packet acknowledged", "delayed acknowledgements"),
}


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
        TCP payload that full packets sent back to back would carry, on average over the trace; NaN where the
        scheme works online.
    """

    point: dict[str, Any]
    scheme: str
    scheme_name: str
    capacity_kbps: float
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        """The point in words; empty where the grid has a single one."""
        words = (_word(column, value) for column, value in self.point.items())
        return ", ".join(word for word in words if word)


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


def _word(column: str, value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124  (NaN is the value that is not itself)
        return _NO_VALUE_WORDS.get(column, f"{column} not set")
    if column in _FLAG_WORDS:
        return _FLAG_WORDS[column][bool(value)]
    number = f"{value:g}" if isinstance(value, float) else str(value)
    return _POINT_WORDS.get(column, "{}").format(number)
