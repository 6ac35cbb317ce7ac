"""Single runs over time: their packet and window records, and the series that figures show."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from pyarrow.lib import ArrowException

from tmt.core.errors import InputError, first_line
from tmt.core.measure.link_use import RowsInTime, link_use
from tmt.core.provenance import file_sha256
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS
from tmt.core.units import NS_PER_S
from tmt.core.words.refusals import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from tmt.core.schema import Table
    from tmt.results.values import Axis

    FloatArray = npt.NDArray[np.float64]

MOST_RUNS = 40
"""Upper bound on the runs whose records are read."""

BINS = 240
"""Bins of a run's time in which rates and delays are computed."""

STEPS = 200
"""Bins of a run's time in which a step series keeps its first, least, greatest and last value."""

LEVELS = np.concatenate([np.linspace(0, 0.9, 37), np.linspace(0.91, 0.99, 9), [0.995, 0.999, 1.0]])
"""Shares at which a distribution is drawn, closer together in the tail."""

FORWARD = 0


@dataclass(frozen=True, slots=True)
class RunRecords:
    """Packet and window records of one run.

    `row` is the index of the run in `Results.runs`; `packets` ([n_events]) is a `schema.PACKET_RECORDS`,
    `windows` ([n_changes]) a `schema.WINDOW_RECORDS`. `link_trace` is the link trace that the run used, if
    the campaign's cache still holds it.
    """

    row: int
    packets: npt.NDArray[np.void]
    windows: npt.NDArray[np.void]
    link_trace: Path | None = None


def read_chosen(folder: Path, runs: pd.DataFrame, axes: Sequence[Axis] = ()) -> tuple[RunRecords, ...]:
    """Return the records of the runs that kept them; if many did, of those that `chosen_rows` names.

    InputError when a file of records is missing, damaged, of another kind or outside the folder.
    """
    return tuple(read_run(folder, runs, row) for row in chosen_rows(runs, axes))


def chosen_rows(runs: pd.DataFrame, axes: Sequence[Axis]) -> list[int]:
    """Return the rows of at most `MOST_RUNS` recorded runs, evenly spread over points of the grid and seeds.

    A chosen point and seed includes all TCP variants and schemes, so that they can be compared.
    """
    rows = recorded(runs)
    if len(rows) <= MOST_RUNS:
        return rows
    place = [*(axis.column for axis in axes), "seed"]
    groups = runs.iloc[rows].assign(row=rows).groupby(place, dropna=False, sort=False)["row"].apply(list)
    whole = _spread(list(groups), max(1, MOST_RUNS // groups.map(len).max()))
    return sorted(_spread([row for group in whole for row in group], MOST_RUNS))


def _spread(items: list[Any], most: int) -> list[Any]:
    """Return at most `most` items, evenly spread."""
    if len(items) <= most:
        return items
    return [items[i] for i in np.linspace(0, len(items) - 1, most).round().astype(int)]


def recorded(runs: pd.DataFrame) -> list[int]:
    """Return the rows of the runs that kept their records."""
    rows: list[int] = np.flatnonzero(runs["records"].notna()).tolist()
    return rows


def read_run(campaign: Path, runs: pd.DataFrame, row: int) -> RunRecords:
    """Return the records of a run; errors as for `read_chosen`."""
    run = runs.iloc[row]
    name, folder = run["records"], campaign / run["records"]
    if not name.isprintable() or not folder.resolve().is_relative_to(campaign.resolve()):
        raise InputError(campaign, f"names records outside the campaign's folder: {shown(name)}")
    return RunRecords(
        row,
        _read(folder / "packets.parquet", PACKET_RECORDS),
        _read(folder / "windows.parquet", WINDOW_RECORDS),
        _link_trace(campaign, run),
    )


def _link_trace(campaign: Path, run: pd.Series) -> Path | None:
    """Return the forward link trace of a run; None if the run had none, or the cache no longer holds it."""
    if not isinstance(run["forward_trace"], str):
        return None
    name = PurePath(run["forward_trace"]).name
    if not name.isprintable():
        raise InputError(campaign, f"names a link trace that cannot be there: {shown(name)}")
    path = campaign / "cache" / name
    try:
        is_the_run_s = file_sha256(path) == run["forward_sha256"]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    if not is_the_run_s:
        raise InputError(path, f"is not the link trace that the run {run['key']} had; remove it")
    return path


def _read(path: Path, table: Table) -> npt.NDArray[np.void]:
    """Return a Parquet file as the structured array of its table."""
    try:
        with path.open("rb") as file, pq.ParquetFile(file) as source:
            columns = source.read(list(table.names), use_threads=False)  # see `tmt.campaign.database.frame`
    except FileNotFoundError as error:
        raise InputError(path, "is missing, though the run kept its records") from error
    except (OSError, ArrowException, ValueError) as error:
        raise InputError(path, f"is damaged: {first_line(error)}") from error
    if tuple(columns.column_names) != table.names:
        raise InputError(path, f"holds {', '.join(columns.column_names)}, not the columns of {table.kind}")
    array = np.empty(len(columns), table.dtype)
    for column in table.columns:
        values = columns.column(column.name)
        array[column.name] = (values if column.null is None else values.fill_null(column.null)).to_numpy()
    return array


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time, in SI units; `low` and `high` are empty unless each value has a range.

    `panel` is ``window``, ``srtt``, ``capacity``, ``lost_rows``, ``queue``, ``arrivals`` or ``delay``; or a
    kind of loss, which has times only: ``link lost``, ``queue dropped``, ``retransmission``.
    """

    panel: str
    time_s: FloatArray
    value: FloatArray = field(default_factory=lambda: np.empty(0))
    low: FloatArray = field(default_factory=lambda: np.empty(0))
    high: FloatArray = field(default_factory=lambda: np.empty(0))


def delay_quantiles_s(records: RunRecords) -> FloatArray:
    """Return the one-way delays of forward packets at `LEVELS`; empty when nothing was received."""
    delays = _received(records.packets)["delay_ns"]
    return np.quantile(delays, LEVELS) / NS_PER_S if len(delays) else np.empty(0)


def run_over_time(records: RunRecords, run: pd.Series) -> list[Series]:
    """Return window, RTT, capacity, queue, arrivals, delays and losses of a run, given its row of results.

    Capacity and queue length need the run's link trace; without it they are missing.
    """
    end_s = float(run["simulated_s"])
    edges_s = np.linspace(0, end_s, BINS + 1)
    first = records.windows[records.windows["flow"] == 0]
    known = first[first["srtt_ns"] != UNSETTLED]
    received = _received(records.packets)
    found = [
        _steps("window", first["time_ns"] / NS_PER_S, first["cwnd_packets"], end_s),
        _steps("srtt", known["time_ns"] / NS_PER_S, known["srtt_ns"] / NS_PER_S, end_s),
        _arrivals(received, edges_s),
        _delays(received, edges_s),
        *_losses(records.packets, end_s),
    ]
    link = link_use({str(name): value for name, value in run.items()}, records.link_trace)
    if isinstance(link, RowsInTime):
        found.append(Series("capacity", edges_s[:-1], link.capacity_bps(edges_s)))
        found.append(Series("lost_rows", edges_s[:-1], link.lost_share(edges_s)))
        if (queue := link.queue_length(records.packets)) is not None:
            found.append(_steps("queue", *queue, end_s))
    return found


def _received(packets: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return the arrivals of TCP data at the receiver."""
    is_arrival = (packets["event"] == PACKET_EVENTS.index("received")) & (packets["direction"] == FORWARD)
    kept: npt.NDArray[np.void] = packets[is_arrival]
    return kept


def _steps(panel: str, time_s: FloatArray, value: FloatArray, end_s: float) -> Series:
    """Return a step series reduced to the first, least, greatest and last value of each bin.

    These four values leave a line's pixels unchanged (Jugel et al., "M4: a visualization-oriented time series
    data aggregation", Proc. VLDB 7(10), 2014).
    """
    part = np.minimum((time_s / end_s * STEPS).astype(np.int64), STEPS - 1)
    if not len(part):
        return Series(panel, np.empty(0))
    parts = pd.Series(value).groupby(part)
    ends = parts.head(1).index, parts.tail(1).index
    order = np.unique(np.concatenate([*ends, parts.idxmin(), parts.idxmax()]))
    time_s, value = np.asarray(time_s)[order], np.asarray(value, dtype=np.float64)[order]
    return Series(panel, np.append(time_s, end_s), np.append(value, value[-1]))


def _arrivals(received: npt.NDArray[np.void], edges_s: FloatArray) -> Series:
    """Return the rate at which IP packets with TCP data arrive, in bit/s."""
    bits = received["size_bytes"] * 8.0
    per_bin, _ = np.histogram(received["time_ns"] / NS_PER_S, edges_s, weights=bits)
    return Series("arrivals", edges_s[:-1], per_bin / np.diff(edges_s))


def _delays(received: npt.NDArray[np.void], edges_s: FloatArray) -> Series:
    """Return least, median and greatest one-way delay of the packets that arrive in each bin."""
    time_s, delay_s = received["time_ns"] / NS_PER_S, received["delay_ns"] / NS_PER_S
    parts = np.split(delay_s, np.searchsorted(time_s, edges_s[1:-1]))
    held = [place for place, part in enumerate(parts) if len(part)]
    middle_s = (edges_s[:-1] + edges_s[1:]) / 2
    columns = [np.array([of(parts[place]) for place in held]) for of in (np.median, np.min, np.max)]
    return Series("delay", middle_s[held], *columns)


def _losses(packets: npt.NDArray[np.void], end_s: float) -> list[Series]:
    """Return the times of losses and retransmissions, each kind reduced to distinct pixels."""
    forward = packets[packets["direction"] == FORWARD]
    event, again = forward["event"], forward["transmission"] > 1
    kinds = (
        ("link lost", event == PACKET_EVENTS.index("link_lost")),
        ("queue dropped", event == PACKET_EVENTS.index("queue_dropped")),
        ("retransmission", (event == PACKET_EVENTS.index("sent")) & again),
    )
    grain_s = end_s / 1000
    return [
        Series(kind, np.unique(np.round(forward["time_ns"][chosen] / NS_PER_S / grain_s)) * grain_s)
        for kind, chosen in kinds
    ]
