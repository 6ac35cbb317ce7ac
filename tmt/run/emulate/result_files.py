"""An emulation's figures and packets as files that say how they were made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tmt.core import provenance
from tmt.core.schema import PACKET_RECORDS
from tmt.io.atomic import write_text

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.run.emulate.results import EmulationResult


def save(result: EmulationResult, folder: Path) -> None:
    """Write `result.json`, and `packets.parquet` where packets were recorded.

    Raises
    ------
    OutputError
        When a file cannot be written.
    """
    write_text(folder / "result.json", json.dumps(result.row, indent=2) + "\n")
    if result.packets is None:
        return
    from tmt.io.parquet import write_records  # noqa: PLC0415  (pyarrow takes long to import)

    metadata = provenance.record(PACKET_RECORDS.kind, emulation=result.row)
    write_records(folder / "packets.parquet", PACKET_RECORDS, result.packets, metadata)
