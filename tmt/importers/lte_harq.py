"""Uplink HARQ logs of LTE terminals: a CSV of this project, selected from a MobileInsight log.

Columns: `log_ms`, the time of the log entry, good to some milliseconds; `sfn` (0..1023) and `subframe`
(0..9), which count milliseconds and wrap every 10.24 s; `attempt`, from 1; optional `tb_bytes`. Uplink HARQ
is synchronous: a repeat follows exactly 8 subframes after the attempt before (3GPP TS 36.213, section 8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tmt.core.errors import InputError
from tmt.core.units import NS_PER_MS
from tmt.core.words.refusals import refusal
from tmt.importers.attempts import (
    MAX_BLOCK_BYTES,
    Attempt,
    count_from_first,
    number_blocks,
    with_data,
)
from tmt.importers.harq_logs import SUBFRAME_NS, HarqImporter, SlotClock, extent_of_slots
from tmt.importers.log_files import UNITS_NS, TextTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.importers.attempts import Blocks
    from tmt.importers.importer import Measurement

ROUND_TRIP_MS = 8
"""Subframes of 1 ms from an attempt to its repeat; as many HARQ processes take turns."""

TERMINALS = range(0x3D, 0xFFF4)
"""RNTIs of single terminals; others are for random access, paging and system information."""


class LteHarq(HarqImporter):
    """Uplink HARQ log of an LTE terminal, one attempt a line (CSV).

    The columns are log_ms, sfn, subframe, attempt and tb_bytes. See docs/import/cellular.md.

        tmt import lte-harq lte_ul_pusch_harq.csv phy.parquet
    """

    name: ClassVar[str] = "lte-harq"
    columns: ClassVar[tuple[str, ...]] = ("log_ms", "sfn", "subframe", "attempt")

    def read(self, path: str) -> Measurement:
        """Return the trace of the logged attempts, erased where the log shows that they were repeated.

        An attempt without a logged repeat counts as decoded. Slots without an attempt are other terminals'.
        """
        attempts = read_attempts(path)
        extent = extent_of_slots(attempts, SUBFRAME_NS)
        return self.measured(*synchronous(path, attempts), extent)


def read_attempts(path: str) -> list[Attempt]:
    """Return the attempts in order of time, the first one at 0; `version` is the number of the attempt.

    InputError, with the line, for a missing column, a wrong value, or attempts that are out of order.
    """
    table = TextTable(path)
    sizes = ["tb_bytes"] if table.has("tb_bytes") else []
    clock = SlotClock()
    attempts: list[Attempt] = []
    for row in table.rows(*LteHarq.columns, *sizes):
        log_ns = row.time_ns("log_ms", UNITS_NS["ms"])
        slot = 10 * row.whole("sfn", 0, 1023) + row.whole("subframe", 0, 9)
        attempt = Attempt(
            line=row.place,
            time_ns=clock.time_ns(slot, log_ns),
            size_bytes=row.whole("tb_bytes", 0, MAX_BLOCK_BYTES) if sizes else None,
            version=row.whole("attempt", 1, 255),
            direction="up",
        )
        if attempts and attempt.time_ns <= attempts[-1].time_ns:
            back_ms = (attempts[-1].time_ns - attempt.time_ns) // NS_PER_MS
            reason = f"this attempt is {back_ms} ms before the line before; attempts must follow one another"
            raise row.refused(reason)
        attempts.append(attempt)
    if not attempts:
        raise InputError(path, refusal("no_rows"))
    count_from_first(attempts)
    return attempts


def synchronous(path: str, attempts: Sequence[Attempt]) -> tuple[list[Attempt], Blocks, list[str]]:
    """Return the blocks of numbered attempts in order of time, and notes: repeats come 8 ms after an attempt.

    After an attempt that must not be sent, as in a measurement gap, they come 16 ms after the sent one.
    """
    round_trip_ns = ROUND_TRIP_MS * NS_PER_MS
    last: dict[tuple[object, int], Attempt] = {}
    for attempt in attempts:
        attempt.process = attempt.time_ns // NS_PER_MS % ROUND_TRIP_MS
        before = last.get((attempt.stream, attempt.process))
        if before is not None and attempt.version > before.version:
            later_ns = (attempt.version - before.version) * round_trip_ns
            attempt.repeat = attempt.time_ns - before.time_ns == later_ns
        last[attempt.stream, attempt.process] = attempt
    kept, said = with_data(path, attempts)
    blocks = number_blocks(kept)
    blocks.orphans = sum(attempt.version > 1 and not attempt.repeat for attempt in kept)
    return kept, blocks, said
