"""ns-3: received transport blocks of LENA (LTE), and received or scheduled ones of mmWave and NR."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.importers.attempts import MAX_BLOCK_BYTES, Attempt, in_order, number_blocks, select
from tmt.importers.harq_logs import SUBFRAME_NS, CellImporter, PairingOf, extent_of_slots
from tmt.importers.log_files import UNITS_NS, Row, TextTable, es_n0_mdb, first_names, mcs_index
from tmt.importers.notes import NO_OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Collection

    from tmt.importers.importer import Direction, Measurement

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
    "mcs": ("mcs",),
}
"""Names of the columns of mmWave and NR, by meaning; they differ between versions."""
_NEEDED = (
    ("time", "direction", "user", "tbSize", "rv", "corrupt"),
    ("time", "user", "tbSize", "rv", "harqId", "ndi"),
)
"""Columns, by meaning, of received blocks and of scheduled ones."""


class Ns3Lte(CellImporter):
    """ns-3 LTE: DlRxPhyStats.txt and UlRxPhyStats.txt of LENA, one received transport block a line.

    Times are in ms, `correct` is 1 for a decoded block. --user is the IMSI. See docs/import/cellular.md.

        tmt import ns3-lte DlRxPhyStats.txt phy.parquet --user 2
    """

    name: ClassVar[str] = "ns3-lte"
    columns: ClassVar[tuple[str, ...]] = ("time", "cellId", "IMSI", "layer", "size", "rv", "ndi", "correct")

    pairing: PairingOf = "size"

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal's transport blocks; errors as for `select`."""
        table = TextTable(path)
        # Both files have the same columns, but only the downlink has a transmission mode.
        here: Direction = "down" if table.has("txMode") else "up"
        carriers = ["ccId"] if table.has("ccId") else []
        modes = ["mcs"] if table.has("mcs") else []
        attempts = []
        for row in table.rows(*self.columns, *carriers, *modes):
            version = row.whole("rv", 0, 3)
            attempts.append(
                Attempt(
                    line=row.place,
                    time_ns=row.time_ns("time", UNITS_NS["ms"], 0),
                    size_bytes=row.whole("size", 1, MAX_BLOCK_BYTES),
                    failed=row.whole("correct", 0, 1) == 0,
                    repeat=row.whole("ndi", 0, 1) == 0 or version > 0,
                    stream=tuple(row[name] for name in ("cellId", "layer", *carriers)),
                    version=version,
                    mode=mcs_index(row.fields.get("mcs", "")),
                    user=row["IMSI"],
                    direction=here,
                )
            )
        kept, notes = select(path, in_order(path, attempts), self.direction, self.user)
        notes += table.cut_notes
        blocks = number_blocks(kept, pairing=self.pairing)
        return self.measured(kept, blocks, notes, extent_of_slots(attempts, SUBFRAME_NS))


class Ns3Nr(CellImporter):
    """ns-3 mmWave and NR: RxPacketTrace.txt of the PHY, NrDlMacStats.txt and NrUlMacStats.txt of the MAC.

    Times are in s, `corrupt` is 1 for a block that was not decoded. --user is the RNTI, or CELL/RNTI. See
    docs/import/cellular.md.

        tmt import ns3-nr RxPacketTrace.txt phy.parquet --direction down
    """

    name: ClassVar[str] = "ns3-nr"

    pairing: PairingOf = "size"

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether the first line names the columns."""
        return _is_known(_found(first_names(head)))

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal's transport blocks; errors as for `select`."""
        table = TextTable(path)
        found = _found(table.names)
        if not _is_known(found):
            columns = " or ".join(", ".join(_NAMES[name][0] for name in names) for names in _NEEDED)
            names = shown(", ".join(table.names), 300)
            raise InputError(path, f"the columns are {names}; needed are {columns}")
        attempts = []
        cells = []
        for row in table.rows(*found.values()):
            fields = {ours: row[name] for ours, name in found.items()}
            attempts.append(_attempt(Row(path, row.place, fields), self.direction))
            cells.append(fields.get("cell", ""))
        if len(set(cells)) > 1:  # an RNTI is unique only in its cell
            for attempt, cell in zip(attempts, cells, strict=True):
                attempt.user = f"{cell}/{attempt.user}"
        kept, notes = select(path, in_order(path, attempts), self.direction, self.user)
        notes += table.cut_notes
        blocks = number_blocks(kept, pairing=self.pairing)
        if "corrupt" not in found:
            notes.append(NO_OUTCOMES)
        return self.measured(kept, blocks, notes)


def _found(names: Collection[str]) -> dict[str, str]:
    """Return the name in the file of each column that it has, by TMT's name."""
    return {ours: name for ours, choices in _NAMES.items() for name in choices if name in names}


def _is_known(found: Collection[str]) -> bool:
    return any(set(names) <= set(found) for names in _NEEDED)


def _attempt(row: Row, asked: Direction | None) -> Attempt:
    size = row.whole("tbSize", 1, MAX_BLOCK_BYTES)
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
        mode=mcs_index(row.fields.get("mcs", "")),
    )
