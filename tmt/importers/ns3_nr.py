"""ns-3 mmWave and NR: `RxPacketTrace.txt` of the PHY, `NrDlMacStats.txt`, `NrUlMacStats.txt` of the MAC.

Column names changed from version to version; those of one meaning are listed together here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.importers.attempts import LARGEST_BLOCK_BYTES, Attempt, in_order, select
from tmt.importers.blocks import infer_failures, number_blocks
from tmt.importers.columns import UNITS_NS, Row, TextTable, es_n0_mdb, first_names
from tmt.importers.importer import Importer, Measurement
from tmt.importers.options import DECODE_TIME, DIRECTION, READING, USER
from tmt.importers.readings import measurement

if TYPE_CHECKING:
    from collections.abc import Collection

    from tmt.importers.options import Direction, Reading

_NAMES = {
    "time": ("Time", "time", "time(s)"),
    "direction": ("direction", "DL/UL", ""),
    "cell": ("cellId",),
    "user": ("rnti", "RNTI"),
    "carrier": ("ccId", "bwpId"),
    "stream": ("streamId", "stream"),
    "tbSize": ("tbSize",),
    "rv": ("rv",),
    "corrupt": ("corrupt",),
    "harqId": ("harqId",),
    "ndi": ("ndi",),
    "signal": ("SINR(dB)",),
}
_RECEIVED = ("time", "direction", "user", "tbSize", "rv", "corrupt")
_SCHEDULED = ("time", "user", "tbSize", "rv", "harqId", "ndi")


def _found(names: Collection[str]) -> dict[str, str]:
    """Return the name in the file of each column that it has, by our name."""
    return {ours: name for ours, choices in _NAMES.items() for name in choices if name in names}


def read_ns3_nr(
    path: str, reading: Reading, direction: Direction | None, user: str | None, decode_time_ns: int
) -> Measurement:
    """Return the trace of one terminal's transport blocks; errors as for `tmt.importers.attempts.select`."""
    table = TextTable(path)
    found = _found(table.names)
    if not (set(_RECEIVED) <= set(found) or set(_SCHEDULED) <= set(found)):
        columns = " or ".join(
            ", ".join(_NAMES[name][0] for name in names) for names in (_RECEIVED, _SCHEDULED)
        )
        names = shown(", ".join(table.names), 300)
        raise InputError(path, f"the columns are {names}; needed are {columns}")
    attempts = []
    cells = []
    for row in table.rows(*found.values()):
        fields = {ours: row[name] for ours, name in found.items()}
        attempts.append(_attempt(Row(path, row.place, fields), direction))
        cells.append(fields.get("cell", ""))
    if len(set(cells)) > 1:  # an RNTI is unique in its cell only
        for attempt, cell in zip(attempts, cells, strict=True):
            attempt.user = f"{cell}/{attempt.user}"
    kept, notes = select(path, in_order(path, attempts), direction, user)
    notes += table.cut_notes
    blocks = number_blocks(kept)
    if "corrupt" not in found:
        infer_failures(kept)
        notes.append("the scheduler's log has no outcomes: an attempt counts as erased if it was repeated")
    return measurement(kept, blocks, reading, decode_time_ns, notes)


def _attempt(row: Row, asked: Direction | None) -> Attempt:
    size = row.whole("tbSize", 1, LARGEST_BLOCK_BYTES)
    version = row.whole("rv", 0, 3)
    stream = tuple(row.fields.get(name, "") for name in ("cell", "carrier", "stream"))
    here: Direction = asked or "down"
    if "direction" in row.fields:
        if row["direction"] not in ("DL", "UL"):
            raise row.refused(f"direction is {shown(row['direction'])}; allowed are DL and UL")
        here = "down" if row["direction"] == "DL" else "up"
    process = row.whole("harqId", 0, 255) if "harqId" in row.fields else None
    new = "ndi" not in row.fields or row.whole("ndi", 0, 1) == 1
    return Attempt(
        line=row.place,
        time_ns=row.time_ns("time", UNITS_NS["s"], 0),
        size_bytes=size,
        failed=row.whole("corrupt", 0, 1) == 1 if "corrupt" in row.fields else None,
        repeat=version > 0 or not new,
        process=process,
        stream=stream,
        version=version,
        user=row["user"],
        direction=here,
        es_n0_mdb=es_n0_mdb(row.fields.get("signal", "")),
    )


def _sniff(head: bytes) -> bool:
    found = set(_found(first_names(head)))
    return set(_RECEIVED) <= found or set(_SCHEDULED) <= found


IMPORTER = Importer(
    "ns3-nr",
    "ns-3 mmWave and NR: RxPacketTrace.txt, NrDlMacStats.txt, NrUlMacStats.txt",
    read_ns3_nr,
    _sniff,
    (READING, DIRECTION, USER, DECODE_TIME),
    """\
The time is in seconds, `corrupt` is 1 for a block that was not decoded. --user is the RNTI, or CELL/RNTI
where the file has several cells. RxPacketTrace does not tell HARQ processes: --as link gives a repeat to the
oldest failed block that fits. The MAC statistics tell processes, and no outcomes: an attempt counts as erased
if it was repeated. Their direction is in the file's name.

\b
  tmt import ns3-nr RxPacketTrace.txt phy.parquet --direction down""",
)
