"""Records of a run as tables: for pandas, and as Parquet files that say how they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tmt import provenance
from tmt.backend.records import PACKETS, WINDOWS
from tmt.io.atomic import staged
from tmt.run_columns import RUN_RESULTS
from tmt.schema import CONGESTION_STATES, PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from tmt.experiment.measure import ExperimentResult
    from tmt.metrics.transport import Records
    from tmt.schema import Table


def packet_table(result: ExperimentResult) -> pd.DataFrame:
    """Return the packet records as a data frame: `event` by its name, null where there is no delay."""
    return _named(_frame(result.packets, PACKET_RECORDS), "event", PACKET_EVENTS)


def window_table(result: ExperimentResult) -> pd.DataFrame:
    """Return the window records as a data frame: `state` by its name, null where there is no `srtt_ns`."""
    frame = _frame(result.windows, WINDOW_RECORDS)
    return _named(frame, "state", CONGESTION_STATES)


def save(result: ExperimentResult, directory: str | PathLike[str]) -> None:
    """Write `packets.parquet`, `windows.parquet` and `result.json` into `directory`, which exists.

    Where that is the run's own directory they replace the simulator's files of the same records.

    Raises
    ------
    OutputError
        When a file cannot be written.
    """
    folder = Path(directory)
    _write(folder / "packets.parquet", result, result.packets, PACKET_RECORDS)
    _write(folder / "windows.parquet", result, result.windows, WINDOW_RECORDS)
    with staged(folder / "result.json") as part:
        part.write_text(json.dumps(result.row, indent=2) + "\n")
    for name in (PACKETS, WINDOWS):
        (folder / name).unlink(missing_ok=True)


def _named(frame: pd.DataFrame, column: str, names: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  (takes long to import, and most runs need only the row)

    return frame.assign(**{column: pd.Categorical(np.array(names)[frame[column]], names)})


def _frame(records: Records, table: Table) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415

    frame = pd.DataFrame({name: records[name] for name in table.names})
    for column in table.columns:
        if column.null is not None:
            values = frame[column.name].astype("Int64")
            frame[column.name] = values.mask(values == column.null)
    return frame


def _write(path: Path, result: ExperimentResult, records: Records, table: Table) -> None:
    from tmt.io.parquet import write_records  # noqa: PLC0415  (pyarrow takes long to import)

    run = {column.name: result.row[column.name] for column in RUN_RESULTS if column.group != "cost"}
    write_records(path, table, records, provenance.record(table.kind, run=run))
