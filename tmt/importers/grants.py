"""Grants of a base station as heard by a sniffer, and NR-Scope: the control information (DCI) of a 5G cell.

A sniffer hears no acknowledgements. A block is sent again, in the same HARQ process and with the same
new-data indicator (NDI), if the terminal did not decode it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.core.words.refusals import refusal, shown
from tmt.core.words.values import counted
from tmt.importers.attempts import (
    MAX_BLOCK_BYTES,
    Attempt,
    count_from_first,
    in_order,
    number_blocks,
    select,
    with_data,
)
from tmt.importers.harq_logs import (
    CellImporter,
    SlotClock,
    SlotImporter,
    extent_of_slots,
    slots_per_frame,
)
from tmt.importers.log_files import UNITS_NS, TextTable, mcs_index
from tmt.importers.notes import NO_OUTCOMES, agreed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tmt.importers.importer import Measurement

_WINDOW_NS = 50_000_000
"""Longest time from a grant to its repeat."""
_USERS = ("rnti", "ue")


@dataclass(slots=True)
class Repeats:
    """Counts of grants by the evidence that they repeat the previous grant of their process."""

    heard: int = 0
    """Redundancy version above 0, same NDI as the previous grant."""
    unheard: int = 0
    """Redundancy version above 0, no grant with that NDI in the window: the block's grant was not heard."""
    likely: int = 0
    """Redundancy version 0, same NDI and size as the previous grant."""
    missed: int = 0
    """Redundancy version 0, same NDI as the previous grant, another size: one between was not heard."""

    def notes(self) -> list[str]:
        """Return sentences on the certainty of the trace's erasures."""
        said = [NO_OUTCOMES]
        if total := self.heard + self.unheard:
            said.append(
                f"of {counted(total, 'repeat')} {self.heard:,} came after a grant that was heard, "
                f"{self.unheard:,} did not: about {100 * self.unheard / total:.0f} % of the grants are "
                "missing from the log"
            )
        if self.likely or self.missed:
            said.append(
                f"{agreed(self.likely, 'grant', 'count', 'of redundancy version 0')} as repeated by the same "
                f"NDI and size, which is less sure; {self.missed:,} of the same NDI and another size do not"
            )
        return said


def mark_repeats(grants: Sequence[Attempt]) -> Repeats:
    """Set `repeat` of grants in order of time, and replace `size_bytes` 0 of repeats by the size of their
    block.

    Grants without a new-data indicator (`new_data` None) are repeats by their redundancy version alone.
    """
    counts = Repeats()
    last: dict[Hashable, Attempt] = {}
    for grant in grants:
        key = grant.user, grant.direction, grant.stream, grant.process
        before = last.get(key)
        last[key] = grant
        near = before is not None and grant.time_ns - before.time_ns <= _WINDOW_NS
        if before is None or not near or before.new_data != grant.new_data:
            counts.unheard += grant.version > 0
            continue
        if grant.version > 0:
            grant.repeat = True
            counts.heard += 1
        elif grant.new_data is not None:
            grant.repeat = 0 != grant.size_bytes == before.size_bytes
            counts.likely += grant.repeat
            counts.missed += not grant.repeat
            before.sure = False
        if grant.repeat and not grant.size_bytes:
            grant.size_bytes = before.size_bytes
    return counts


class GrantImporter(CellImporter):
    """A log of grants of several terminals."""

    def of_grants(
        self, path: str, grants: Sequence[Attempt], slot_ns: int, notes: Sequence[str]
    ) -> Measurement:
        """Return the trace of one terminal's grants; times count from the first grant of the log."""
        ordered = in_order(path, grants)
        kept, said = select(path, ordered, self.direction, self.user)
        repeats = mark_repeats(kept)
        sized, left_out = with_data(path, kept)
        count_from_first(ordered)
        blocks = number_blocks(sized, _WINDOW_NS)
        blocks.orphans += repeats.unheard
        told = [*said, *left_out, *repeats.notes(), *notes]
        return self.measured(sized, blocks, told, extent_of_slots(ordered, slot_ns))


class NrScope(SlotImporter, GrantImporter):
    """NR-Scope: the control information (DCI) of a 5G cell, one grant a line, CSV with a header.

    Sizes are in bits. The log has no outcomes: a grant counts as erased if a repeat follows. See
    docs/import/cellular.md.

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
    modes = ["mcs_index"] if table.has("mcs_index") else []
    rows = list(table.rows(*NrScope.columns, user_column, *carriers, *modes))
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
    return grants, clock.slot_ns, notes
