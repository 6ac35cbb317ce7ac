"""Read the packet and window records of single runs from a campaign's folder."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
from pyarrow.lib import ArrowException

from tmt.core.errors import InputError, first_line
from tmt.core.provenance import file_sha256
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.core.words.refusals import shown
from tmt.results.dataset import RunRecords

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt
    import pandas as pd

    from tmt.core.schema import Table
    from tmt.results.dataset import Axis

MOST_RUNS = 40
"""Upper bound on the runs that are read."""


def read_chosen(folder: Path, runs: pd.DataFrame, axes: Sequence[Axis] = ()) -> tuple[RunRecords, ...]:
    """Return the records of the runs that kept them, of those that `chosen_rows` names when many did.

    Raises
    ------
    InputError
        When a file of records is missing, damaged, of another kind or outside the folder.
    """
    return tuple(read_run(folder, runs, row) for row in chosen_rows(runs, axes))


def chosen_rows(runs: pd.DataFrame, axes: Sequence[Axis]) -> list[int]:
    """Return the rows of `MOST_RUNS` recorded runs at most, evenly spread over points of the grid and seeds.

    A point and seed comes with all TCP variants and schemes, so that they can be compared.
    """
    rows = recorded(runs)
    if len(rows) <= MOST_RUNS:
        return rows
    place = [*(axis.column for axis in axes), "seed"]
    groups = runs.iloc[rows].assign(row=rows).groupby(place, dropna=False, sort=False)["row"].apply(list)
    whole = _spread(list(groups), max(1, MOST_RUNS // groups.map(len).max()))
    return sorted(_spread([row for group in whole for row in group], MOST_RUNS))


def _spread(items: list[Any], most: int) -> list[Any]:
    """Return `most` items at most, evenly spread."""
    if len(items) <= most:
        return items
    return [items[i] for i in np.linspace(0, len(items) - 1, most).round().astype(int)]


def recorded(runs: pd.DataFrame) -> list[int]:
    """Return the rows of the runs that kept their records."""
    return [row for row, name in enumerate(runs["records"]) if isinstance(name, str)]


def read_run(campaign: Path, runs: pd.DataFrame, row: int) -> RunRecords:
    """Return the records of a run; errors as for `read_chosen`."""
    run = runs.iloc[row]
    name = run["records"]
    folder = campaign / name
    if not name.isprintable() or not folder.resolve().is_relative_to(campaign.resolve()):
        raise InputError(campaign, f"names records outside the campaign's folder: {shown(name)}")
    return RunRecords(
        row,
        _read(folder / "packets.parquet", PACKET_RECORDS),
        _read(folder / "windows.parquet", WINDOW_RECORDS),
        _link_trace(campaign, run),
    )


def _link_trace(campaign: Path, run: pd.Series) -> Path | None:
    """Return the forward link trace of a run; None where the run had none, or the cache has it no more."""
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
