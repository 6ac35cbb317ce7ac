"""ns-3 LTE: `DlRxPhyStats.txt` and `UlRxPhyStats.txt` of LENA, one received transport block a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.importers.attempts import LARGEST_BLOCK_BYTES, Attempt, in_order, select
from tmt.importers.blocks import number_blocks
from tmt.importers.columns import UNITS_NS, TextTable, header_of
from tmt.importers.importer import Importer, Measurement
from tmt.importers.options import DECODE_TIME, DIRECTION, READING, USER
from tmt.importers.readings import measurement

if TYPE_CHECKING:
    from tmt.importers.options import Direction, Reading

_COLUMNS = ("time", "cellId", "IMSI", "layer", "size", "rv", "ndi", "correct")


def read_ns3_lte(
    path: str, reading: Reading, direction: Direction | None, user: str | None, decode_time_ns: int
) -> Measurement:
    """Return the trace of one terminal's transport blocks; errors as for `tmt.importers.attempts.select`."""
    table = TextTable(path)
    # Both files have the same columns, but only the downlink has a transmission mode.
    here: Direction = "down" if table.has("txMode") else "up"
    carriers = ["ccId"] if table.has("ccId") else []
    attempts = []
    for row in table.rows(*_COLUMNS, *carriers):
        version = row.whole("rv", 0, 3)
        attempts.append(
            Attempt(
                line=row.place,
                time_ns=row.time_ns("time", UNITS_NS["ms"], 0),
                size_bytes=row.whole("size", 1, LARGEST_BLOCK_BYTES),
                failed=row.whole("correct", 0, 1) == 0,
                repeat=row.whole("ndi", 0, 1) == 0 or version > 0,
                stream=tuple(row[name] for name in ("cellId", "layer", *carriers)),
                version=version,
                user=row["IMSI"],
                direction=here,
            )
        )
    kept, notes = select(path, in_order(path, attempts), direction, user)
    notes += table.cut_notes
    return measurement(kept, number_blocks(kept), reading, decode_time_ns, notes)


IMPORTER = Importer(
    "ns3-lte",
    "ns-3 LTE: DlRxPhyStats.txt, UlRxPhyStats.txt",
    read_ns3_lte,
    header_of(*_COLUMNS),
    (READING, DIRECTION, USER, DECODE_TIME),
    """\
The time is in milliseconds, `correct` is 1 for a decoded block. --user is the IMSI, which a terminal keeps
in every cell. The file does not tell HARQ processes: --as link gives a repeat to the oldest failed block.

\b
  tmt import ns3-lte DlRxPhyStats.txt phy.parquet --user 2""",
)
