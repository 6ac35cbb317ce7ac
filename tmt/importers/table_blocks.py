"""Rows of a table that are transmissions of HARQ processes: which of them repeat the previous block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.importers.attempts import number_blocks, with_data
from tmt.importers.columns import canonical, columns_of, conditions, holds, is_missing, named_column
from tmt.importers.harq_logs import measurement
from tmt.importers.notes import NO_OUTCOMES, agreed

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tmt.importers.attempts import Attempt, Blocks
    from tmt.importers.importer import Measurement, Reading
    from tmt.importers.log_files import Row

NEW_DATA_UNITS = ("toggle", "count")
"""How a column without a condition marks new blocks: a bit that toggles, or a number of the transmission."""

_TWICE = (
    "its HARQ process has another transmission at this time: --where chooses a user or a direction, "
    "--process {0}+COLUMN takes a carrier or code word into account"
)


class HarqColumns:
    """The columns of the HARQ process, joined by +, and of what marks new blocks."""

    def __init__(self, process: str, new_data: str) -> None:
        self._processes, self._new_data = process.split("+"), new_data
        self._condition = conditions(new_data) if "=" in new_data else []
        self._name, unit = named_column(new_data, NEW_DATA_UNITS)
        self._unit = "" if self._condition else unit
        self.columns = (*self._processes, *(columns_of(self._condition) or [self._name]))

    def read(self, row: Row) -> tuple[tuple[str, ...], int]:
        """Return the process, and the bit or number; with a condition, 0 if it holds (InputError)."""
        for name in self._processes:
            if is_missing(row[name]):
                raise row.refused(f"{name} is {shown(row[name]) or 'empty'}; a HARQ process is needed")
        process = tuple(canonical(row[name]) for name in self._processes)
        if self._condition:
            return process, not holds(self._condition, row.fields)
        if self._unit == "count":
            return process, row.whole(self._name, 0, 255)
        if (bit := canonical(row[self._name])) not in ("0", "1"):
            reason = f"{self._name} is {shown(row[self._name]) or 'empty'}; a bit that toggles is 0 or 1"
            raise row.refused(f"{reason}: --new-data {self._name}:count reads numbers of transmissions")
        return process, int(bit)

    def measurement(
        self, path: str, lines: Sequence[Attempt], reading: Reading, *, has_outcomes: bool
    ) -> Measurement:
        """Return the trace of lines in order of time; without outcomes, outcomes follow from repeats."""
        if self._condition and all(line.version for line in lines):
            raise InputError(path, f"no row meets --new-data {self._new_data}")
        strays = self._mark_repeats(lines)
        attempts, said = with_data(path, lines)
        blocks = number_blocks(attempts)
        if self._unit != "toggle":
            blocks.orphans = strays
        elif strays:
            said.append(
                f"{agreed(strays, 'transmission', 'have')} the {self._name} of the one before in its "
                "process, but another size: those between are missing"
            )
        if has_outcomes:
            said += _after_decoded(attempts, blocks)
        else:
            said.append(NO_OUTCOMES)
            for attempt in attempts:
                attempt.failed = None
        return measurement(attempts, blocks, reading, 1, said)

    def check_times(self, path: str, lines: Iterable[Attempt]) -> None:
        """Refuse lines, with the log's own times, of which two belong to one process at one time
        (InputError).
        """
        sent: set[tuple[Hashable, int]] = set()
        for line in lines:
            if (one := (line.process, line.time_ns)) in sent:
                raise InputError(path, _TWICE.format(self._processes[-1]), line.line)
            sent.add(one)

    def _mark_repeats(self, attempts: Sequence[Attempt]) -> int:
        """Set `repeat` of attempts, and return the number of other repeats whose block the log lacks.

        A repeat has the size of its block, or none, and a larger number than the previous transmission.
        """
        strays, first = 0, 0
        if self._unit == "count":
            first = min(attempt.version for attempt in attempts)
        last: dict[Hashable, Attempt] = {}
        for attempt in attempts:
            before = last.get(attempt.process)
            last[attempt.process] = attempt
            is_said = attempt.version > first
            if self._unit == "toggle":
                is_said = before is not None and attempt.version == before.version
            if before is not None and is_said and attempt.size_bytes in (0, before.size_bytes):
                attempt.repeat = self._unit != "count" or attempt.version > before.version
            if before is not None and attempt.repeat:
                attempt.size_bytes = before.size_bytes
            strays += is_said and not attempt.repeat
        return strays


def _after_decoded(attempts: Sequence[Attempt], blocks: Blocks) -> list[str]:
    """Return a note on attempts of blocks that were already decoded."""
    decoded, after = set[int](), 0
    for block, attempt in zip(blocks.numbers, attempts, strict=True):
        after += block in decoded
        if not attempt.failed:
            decoded.add(block)
    said = f"{agreed(after, 'transmission', 'follow')} a decoded one of the same block"
    return [f"{said}: its acknowledgement was lost, or --new-data needs another form"] if after else []
