"""Records of a run as Parquet files that say how they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.core import provenance
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.io.atomic import write_text
from tmt.run.records import PACKETS, WINDOWS
from tmt.spec.run_columns import RUN_RESULTS

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.measure.transport import Records
    from tmt.core.schema import Table
    from tmt.run.measure import ExperimentResult


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
    write_text(folder / "result.json", json.dumps(result.row, indent=2) + "\n")
    for name in (PACKETS, WINDOWS):
        (folder / name).unlink(missing_ok=True)


def _write(path: Path, result: ExperimentResult, records: Records, table: Table) -> None:
    from tmt.io.parquet import write_records  # noqa: PLC0415  (pyarrow takes long to import)

    run = {column.name: result.row[column.name] for column in RUN_RESULTS if column.group != "cost"}
    write_records(path, table, records, provenance.record(table.kind, run=run))
