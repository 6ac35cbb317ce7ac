"""NR-Scope: the control information (DCI) of a 5G cell, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.core.words.refusals import refusal, shown
from tmt.importers.attempts import MAX_BLOCK_BYTES, Attempt
from tmt.importers.harq_logs import GrantImporter, SlotClock, SlotImporter, slot_of, slots_per_frame
from tmt.importers.log_files import UNITS_NS, TextTable, mcs_index

if TYPE_CHECKING:
    from tmt.importers.importer import Measurement

_USERS = ("rnti", "ue")


class NrScope(SlotImporter, GrantImporter):
    """NR-Scope: the control information (DCI) of a 5G cell, one grant a line, CSV with a header.

    transport_block_size is in bits. The log has no outcomes: a grant counts as erased if the same HARQ
    process was granted again within 50 ms with the same NDI, and a redundancy version above 0 or the same
    size. Notes say how sure that is, and how many grants were not heard.

        tmt import nr-scope dci.csv phy.parquet --user 25
    """

    name: ClassVar[str] = "nr-scope"
    columns: ClassVar[tuple[str, ...]] = (
        "timestamp",
        "system_frame_index",
        "slot_index",
        "dci_format",
        "transport_block_size",
        "redundancy_version",
        "new_data_indicator",
        "harq_id",
    )

    def read(self, path: str) -> Measurement:
        """Return the trace of one terminal; errors as for `of_grants`."""
        return self.of_grants(path, *read_grants(path, self.subcarrier_spacing))


def read_grants(path: str, spacing_khz: int | None) -> tuple[list[Attempt], int, list[str]]:
    """Return every grant of the log in its order, the length of a slot in ns, and notes."""
    table = TextTable(path)
    user_column = next((name for name in _USERS if table.has(name)), _USERS[0])
    carriers = ["carrier_index"] if table.has("carrier_index") else []
    rows = list(table.rows(*NrScope.columns, user_column, *carriers))
    if not rows:
        raise InputError(path, refusal("no_rows"))
    slots = [row.whole("slot_index", 0, 79) for row in rows]
    per_frame = slots_per_frame(max(slots), spacing_khz)
    clock = SlotClock(per_frame)
    grants = []
    for row, slot in zip(rows, slots, strict=True):
        form = row["dci_format"]
        if form[:2] not in ("0_", "1_"):
            raise row.refused(f"dci_format is {shown(form)}; allowed are 0_0 to 1_2")
        log_ns = row.time_ns("timestamp", UNITS_NS["s"])
        count = row.whole("system_frame_index", 0, 1023) * per_frame + slot
        grants.append(
            Attempt(
                line=row.place,
                time_ns=clock.time_ns(count, log_ns),
                size_bytes=row.whole("transport_block_size", 0, 8 * MAX_BLOCK_BYTES) // 8,
                process=row.whole("harq_id", 0, 31),
                stream=tuple(row[name] for name in carriers),
                version=row.whole("redundancy_version", 0, 3),
                mode=mcs_index(row.fields.get("mcs_index", "")),
                new_data=row.whole("new_data_indicator", 0, 1),
                user=row[user_column],
                direction="down" if form.startswith("1") else "up",
            )
        )
    notes = [f"a frame has {per_frame} slots, by the slot numbers"] if spacing_khz is None else []
    notes += table.cut_notes
    return grants, slot_of(per_frame), notes
