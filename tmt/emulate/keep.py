"""An emulation's figures and packets as files that say how they were made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from tmt import provenance
from tmt.errors import OutputError, UsageError
from tmt.io.atomic import staged
from tmt.schema import PACKET_RECORDS

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.emulate.results import EmulationResult


def own_folder(folder: Path) -> None:
    """Make the folder of an emulation's files, or take an empty one.

    Raises
    ------
    UsageError, OutputError
        When it holds something, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder}: is not empty; an emulation's files need a folder of their own")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from error


def save(result: EmulationResult, folder: Path) -> None:
    """Write `result.json`, and `packets.parquet` where packets were recorded.

    Raises
    ------
    OutputError
        When a file cannot be written.
    """
    with staged(folder / "result.json") as part:
        part.write_text(json.dumps(result.row, indent=2) + "\n")
    if result.packets is None:
        return
    import pyarrow as pa  # noqa: PLC0415  (takes long to import)
    import pyarrow.parquet as pq  # noqa: PLC0415

    from tmt.io.parquet import arrow_schema  # noqa: PLC0415

    arrays = []
    for column in PACKET_RECORDS.columns:
        values = np.ascontiguousarray(result.packets[column.name])
        arrays.append(pa.array(values, mask=None if column.null is None else values == column.null))
    schema = arrow_schema(PACKET_RECORDS, provenance.record(PACKET_RECORDS.kind, emulation=result.row))
    with staged(folder / "packets.parquet") as part:
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), part)
