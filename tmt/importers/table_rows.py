"""Rows of a table as slots, blocks or probes: outcomes, sizes, delays, losses between numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError
from tmt.core.trace import LinkTrace
from tmt.core.units import MAX_TIME_NS, NS_PER_S
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.attempts import Attempt, Blocks, most_common
from tmt.importers.columns import canonical, columns_of, conditions, holds, is_missing
from tmt.importers.dvb_modes import MODCODS, TABLES, dvb_modes, name_in
from tmt.importers.harq_logs import measurement
from tmt.importers.importer import Measurement, separate
from tmt.importers.log_files import UNITS_NS, es_n0_mdb
from tmt.importers.notes import agreed
from tmt.importers.probes import Probes, all_lost, numbers_between
from tmt.importers.sequences import received, sequence_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tmt.core.trace import Int64Array
    from tmt.importers.columns import Conditions, NamedColumn, TableRows
    from tmt.importers.importer import Reading
    from tmt.importers.log_files import Row
    from tmt.importers.table_blocks import HarqColumns

_LARGEST_BYTES = (1 << 31) - 1


@dataclass(slots=True)
class Line(Attempt):
    """A row of the table that is used; its time is relative to the origin once `in_time` has ordered it."""

    transmissions: int = 1
    sequence: int = 0


class Outcome:
    """Which rows were lost: those that meet a condition or do not; without a condition, those without a
    delay.
    """

    def __init__(self, bad: str | None, good: str | None) -> None:
        self._conditions: Conditions = conditions(good or bad)
        self._is_good = good is not None
        self.columns = tuple(columns_of(self._conditions))
        self._seen = Counter[str]()

    def is_bad(self, row: Row, delay: NamedColumn | None) -> bool:
        """Whether a row was lost; `delay` is the column that an erased row may lack."""
        for name in self.columns:
            self._seen[f"{name}={row[name]}"] += 1
        if self._conditions:
            return holds(self._conditions, row.fields) != self._is_good
        return delay is not None and _lacks(row, delay)

    def notes(self, lines: Sequence[Line]) -> list[str]:
        """Return a sentence if all rows have the same outcome, because the condition may be wrong."""
        if not self.columns or len({line.failed for line in lines}) != 1:
            return []
        held = most_common(self._seen, "row")
        return [f"every row is {'erased' if lines[0].failed else 'good'}: the table holds {held}"]


def read_lines(
    rows: TableRows,
    columns: Mapping[str, NamedColumn],
    outcome: Outcome,
    decode_time_ns: int,
    sequence_wrap: int | None,
    harq: HarqColumns | None,
    *,
    propagation_ns: int,
) -> tuple[list[Line], list[str]]:
    """Return the rows in the order of the file, or of their sequence numbers, and notes on them (InputError).

    `columns` are the given ones of `size`, `delay`, `received`, `transmissions`, `es_n0`, `mode` and
    `sequence`; `propagation_ns` is subtracted from delays.
    """
    is_receipt = "received" in columns
    delay = columns["received"] if is_receipt else columns.get("delay")

    def line(row: Row, time_ns: int) -> Line:
        is_bad = outcome.is_bad(row, delay)
        delay_ns = decode_time_ns
        if delay is not None and not (is_bad and (is_receipt or _lacks(row, delay))):
            if is_receipt:
                delay_ns = rows.clock.end_ns(row, delay, time_ns) - time_ns - propagation_ns
            else:
                delay_ns = row.time_ns(delay.name, UNITS_NS[delay.unit]) - propagation_ns
            if delay_ns < 0 or (delay_ns == 0 and not is_bad):
                raise _no_delay(row, delay, delay_ns, propagation_ns, is_receipt=is_receipt)
        return _line(row, columns, harq, time_ns, delay_ns, is_bad=is_bad)

    lines = rows.parsed(line)
    if not lines:
        raise rows.none_left()
    said = rows.notes + outcome.notes(lines)
    if column := columns.get("sequence"):
        numbers = [one.sequence for one in lines]
        found = received(rows.path, column.name, numbers, [one.line for one in lines], sequence_wrap)
        every = numbers_between(rows.path, int(found.number[0]), int(found.number[-1]), len(found.number))
        lost = len(every) - len(found.number)
        lines = list(_with_losses(lines, found.number, found.row, decode_time_ns))
        missing = agreed(lost, "number", "are", f"of {column.name}")
        said += [f"{missing} missing: lost, sent evenly between the neighbours"]
        said += found.notes
    return lines, said


def _line(
    row: Row,
    columns: Mapping[str, NamedColumn],
    harq: HarqColumns | None,
    time_ns: int,
    delay_ns: int,
    *,
    is_bad: bool,
) -> Line:
    line = Line(row.place, time_ns, None, is_bad, decode_time_ns=delay_ns)
    if column := columns.get("size"):
        bits = 8 if column.unit == "bits" else 1
        least = bits if harq is None else 0
        is_empty = harq is not None and is_missing(row[column.name])
        line.size_bytes = 0 if is_empty else row.whole(column.name, least, _LARGEST_BYTES * bits) // bits
    if column := columns.get("transmissions"):
        line.transmissions = min(row.whole(column.name, 1, 1 << 31), 255)
    if column := columns.get("es_n0"):
        line.es_n0_mdb = es_n0_mdb(row[column.name])
        if line.es_n0_mdb is None and not is_missing(row[column.name]):
            raise row.refused(f"{column.name} is {shown(row[column.name])}; a number of dB is needed")
    if (column := columns.get("mode")) and not is_missing(row[column.name]):
        line.mode = _mode(row, column)
        if column.unit and "size" not in columns:
            line.size_bytes = dvb_modes(column.unit).size_bytes[line.mode]
    if column := columns.get("sequence"):
        line.sequence = sequence_number(row, column)
    if harq is not None:
        line.process, line.version = harq.read(row)
    return line


def _mode(row: Row, column: NamedColumn) -> int:
    """Return the number of a mode, or the row of the column's table for its name (InputError)."""
    text = row[column.name]
    if not column.unit:
        if name_in(text):
            names = " or ".join(f"--mode '{column.name}:{table}'" for table in TABLES)
            raise row.refused(f"{column.name} is {shown(text)}; {names} reads names of DVB's modes")
        return row.whole(column.name, 0, 255)
    found = dvb_modes(column.unit).row(text)
    if found is None:
        allowed = f"a mode of {column.unit}, such as 8PSK 3/4, or a MODCOD from 1 to {MODCODS}"
        raise row.refused(f"{column.name} is {shown(text)}; {allowed} is needed")
    return found


def _lacks(row: Row, column: NamedColumn) -> bool:
    """Whether a row has no value in a column, which may combine several."""
    return any(is_missing(row[name]) for name in column.names)


def _no_delay(
    row: Row, column: NamedColumn, delay_ns: int, propagation_ns: int, *, is_receipt: bool
) -> InputError:
    """Return the refusal of a delay that is not above 0; `propagation_ns` was subtracted from it."""
    name = column.name
    value = shown(" ".join(row[one] for one in column.names))
    whole_s = (delay_ns + propagation_ns) / NS_PER_S
    if propagation_ns and whole_s > 0:
        after = f", {whole_s:g} s after the sending" if is_receipt else ""
        return row.refused(f"{name} is {value}{after}, not above --propagation {propagation_ns / NS_PER_S:g}")
    if is_receipt and not (value.startswith("-") or canonical(value) == "0"):
        early = f"{name} is {value}, {abs(whole_s):g} s before the sending"
        return row.refused(f"{early}: if the clocks differ, add the difference to one of the columns first")
    erased = ", as 0 does in a PHY trace" if canonical(value) == "0" else ""
    meaning = f"if {value} means erased{erased}, --bad {name}={value} says so"
    return row.refused(f"{name} is {value}; a delay above 0 is needed: {meaning}")


def _with_losses(
    lines: Sequence[Line], numbers: Int64Array, rows: Int64Array, decode_time_ns: int
) -> Iterator[Line]:
    """Yield the lines in order of their numbers, and one for each missing number between two of them."""
    for at, (number, row) in enumerate(zip(numbers.tolist(), rows.tolist(), strict=True)):
        line = lines[row]
        missing = number - int(numbers[at - 1]) - 1 if at else 0
        before = lines[int(rows[at - 1])]
        step_ns = line.time_ns - before.time_ns
        for index in range(1, missing + 1):
            time_ns = before.time_ns + step_ns * index // (missing + 1)
            yield Line(before.line, time_ns, before.size_bytes, True, decode_time_ns=decode_time_ns)
        yield line


def in_time(path: str, lines: Sequence[Line], origin_ns: int) -> tuple[list[Line], list[str]]:
    """Return the lines in order of time, with times since the origin, 1 ns apart if equal, and notes."""
    for line in lines:
        passed_ns = line.time_ns - origin_ns
        if passed_ns < 0:
            raise InputError(path, f"this time is {-passed_ns / 1e9:g} s before the origin", line.line)
        if passed_ns > MAX_TIME_NS:
            raise InputError(path, "this time is more than 146 years after the origin", line.line)
    said = []
    if back := sum(after.time_ns < before.time_ns for before, after in pairwise(lines)):
        said.append(f"the time goes back in {counted(back, 'place')}; rows are sorted by it")
    ordered = sorted(lines, key=lambda line: line.time_ns)
    times_ns = np.array([line.time_ns - origin_ns for line in ordered], np.int64)
    tx_time_ns = separate(times_ns)
    if moved := int((tx_time_ns != times_ns).sum()):
        said.append(f"{agreed(moved, 'row', 'are', 'of the same moment as others')} put 1 ns apart")
    for line, time_ns in zip(ordered, tx_time_ns.tolist(), strict=True):
        line.time_ns = time_ns
    return ordered, said


def repeated(lines: Sequence[Line]) -> list[str]:
    """Return a note on lines in order of time that equal the one before, but for 1 ns; none for 0."""
    copies = sum(
        after.time_ns - before.time_ns == 1
        and (after.decode_time_ns, after.failed) == (before.decode_time_ns, before.failed)
        and after.size_bytes == before.size_bytes
        for before, after in pairwise(lines)
    )
    what = agreed(copies, "row", "equal")
    return [f"{what} the row before: --sequence takes each number of a packet once"] if copies else []


def measured(lines: Sequence[Line], reading: Reading) -> Measurement:
    """Return the trace of lines in order of time, each of which is a separate slot or block."""
    found = measurement(lines, Blocks(numbers=[*range(len(lines))]), "phy", 1)
    if reading == "phy":
        missing = [line.mode for line in lines].count(None)
        some = f"{agreed(missing, 'row', 'have')} no mode: modes are left out"
        return replace(found, notes=(*found.notes, some)) if 0 < missing < len(lines) else found
    delivered = np.array([not line.failed for line in lines])
    sent = np.array([line.transmissions for line in lines], np.uint8)
    slots = found.trace
    link = LinkTrace(
        slots.tx_time_ns,
        np.array([line.decode_time_ns for line in lines], np.int64),
        delivered,
        sent,
        size_bytes=slots.size_bytes,
    )
    return Measurement(link, "packed")


def probes_of(path: str, lines: Sequence[Line]) -> Probes:
    """Return lines in order of time as probes (InputError if all are lost)."""
    delivered = np.array([not line.failed for line in lines])
    if not delivered.any():
        raise all_lost(path, len(lines), "row")
    tx_time_ns = np.array([line.time_ns for line in lines], np.int64)
    delay_ns = np.array([line.decode_time_ns for line in lines if not line.failed], np.int64)
    return Probes.of(tx_time_ns, delay_ns, delivered, 0)
