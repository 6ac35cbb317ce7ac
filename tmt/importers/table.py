"""Any table of transmissions or packets: CSV, TSV, `;`, blanks or Parquet, columns by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import InputError, UsageError
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.units import MAX_TIME_NS, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.importers.columns import UNITS_NS, Row, TextTable, es_n0_mdb, is_date
from tmt.importers.conditions import Condition, Field, canonical
from tmt.importers.importer import Importer, Measurement
from tmt.importers.parquet_columns import ParquetTable
from tmt.importers.readings import separate, whole_signal
from tmt.importers.table_options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.schema import Packing
    from tmt.importers.options import Reading

_LARGEST_BYTES = (1 << 31) - 1
_MISSING = ("", "nan", "-", "na", "n/a", "null", "none", "inf", "-inf")
"""Words of tables for a value that is not there."""


@dataclass(slots=True)
class _Rows:
    """Rows of the table that are meant, in its order, and the columns to read by their meaning."""

    path: str
    fields: dict[str, Field]
    decode_time_ns: int
    times_ns: list[int] = field(default_factory=list)
    bad: list[bool] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    delays_ns: list[int] = field(default_factory=list)
    transmissions: list[int] = field(default_factory=list)
    es_n0_mdb: list[int | None] = field(default_factory=list)
    places: list[int | str] = field(default_factory=list)

    def time_ns(self, row: Row) -> int:
        """Return the time of a row on the table's clock."""
        column = self.fields["time"]
        if column.unit == "iso":
            return row.date_ns(column.name)
        try:
            return row.time_ns(column.name, UNITS_NS[column.unit])
        except InputError:
            if not is_date(text := row[column.name]):
                raise
        raise row.refused(f"{column.name} is {shown(text)}, a date and time; write --time {column.name}:iso")

    def add(self, row: Row, moment_ns: int, *, is_bad: bool) -> None:
        """Add a row."""
        self.places.append(row.place)
        self.times_ns.append(moment_ns)
        self.bad.append(is_bad)
        if column := self.fields.get("size"):
            bits = 8 if column.unit == "bits" else 1
            self.sizes.append(row.whole(column.name, bits, _LARGEST_BYTES * bits) // bits)
        if column := self.fields.get("transmissions"):
            self.transmissions.append(min(row.whole(column.name, 1, 1 << 31), 255))
        if column := self.fields.get("es_n0"):
            signal_mdb = es_n0_mdb(row[column.name])
            if signal_mdb is None and canonical(row[column.name]) not in _MISSING:
                raise row.refused(f"{column.name} is {shown(row[column.name])}; a number of dB is needed")
            self.es_n0_mdb.append(signal_mdb)
        if column := self.fields.get("delay"):
            self.delays_ns.append(self._delay_ns(row, column, is_bad=is_bad))

    def _delay_ns(self, row: Row, column: Field, *, is_bad: bool) -> int:
        if is_bad and canonical(row[column.name]) in _MISSING:
            return self.decode_time_ns
        delay_ns = row.time_ns(column.name, UNITS_NS[column.unit])
        if delay_ns < 0 or (delay_ns == 0 and not is_bad):
            raise row.refused(f"{column.name} is {shown(row[column.name])}; a delay above 0 is needed")
        return delay_ns

    def trace(self, reading: Reading, origin_ns: int, said: list[str]) -> PhyTrace | LinkTrace:
        """Return the rows in order of time; `said` gains notes on their order."""
        since_ns = [moment_ns - origin_ns for moment_ns in self.times_ns]
        for passed_ns, place in zip(since_ns, self.places, strict=True):
            if passed_ns < 0:
                raise InputError(self.path, f"this time is {-passed_ns / 1e9:g} s before the origin", place)
            if passed_ns > MAX_TIME_NS:
                raise InputError(self.path, "this time is more than 146 years after the origin", place)
        times_ns = np.array(since_ns, np.int64)
        if back := int((np.diff(times_ns) < 0).sum()):
            said.append(f"the time goes back in {back:,} places; rows are sorted by it")
        order = np.argsort(times_ns, kind="stable")
        tx_time_ns = separate(times_ns[order])
        if moved := int((tx_time_ns != times_ns[order]).sum()):
            said.append(f"{moved:,} rows of the same moment as others are put 1 ns apart")
        failed = np.array(self.bad)[order]
        sizes = np.array(self.sizes, np.uint32)[order] if self.sizes else None
        delay_ns = np.full(len(order), self.decode_time_ns, np.int64)
        if self.delays_ns:
            delay_ns = np.array(self.delays_ns, np.int64)[order]
        if reading == "phy":
            signal_mdb = None
            if self.es_n0_mdb:
                signal_mdb, note = whole_signal([self.es_n0_mdb[row] for row in order])
                said.extend(note)
            decode_ns = np.where(failed, 0, delay_ns)
            return PhyTrace(tx_time_ns, decode_ns, size_bytes=sizes, es_n0_mdb=signal_mdb)
        sent = np.ones(len(order), np.uint8)
        if self.transmissions:
            sent = np.array(self.transmissions, np.uint8)[order]
        return LinkTrace(tx_time_ns, delay_ns, ~failed, sent, size_bytes=sizes)


def read_table(
    path: str,
    reading: Reading,
    time: str,
    bad: str | None,
    good: str | None,
    size: str | None,
    delay: str | None,
    transmissions: str | None,
    es_n0: str | None,
    where: str | None,
    origin: str,
    packing: Packing,
    decode_time_ns: int,
) -> Measurement:
    """Return the trace of a table's rows, sorted by time.

    Raises
    ------
    InputError
        With the line or row, when a value is missing or out of range; when a column is missing, no row meets
        the conditions, or the outcome column has values of one kind that `bad` or `good` never meets.
    UsageError
        When an option has no such form.
    """
    if bad is not None and good is not None:
        raise UsageError("--bad and --good exclude each other")
    outcome = Condition.parse("--good" if good else "--bad", good or bad)
    chosen = Condition.parse("--where", where)
    fields = _fields(reading, time, size, delay, transmissions, es_n0)
    source = _open(path)
    names = dict.fromkeys([*(column.name for column in fields.values()), *chosen.values, *outcome.values])
    rows = _Rows(path, fields, decode_time_ns)
    first_ns, left_out, seen = None, 0, Counter[str]()
    for row in source.rows(*names):
        moment_ns = rows.time_ns(row)
        first_ns = moment_ns if first_ns is None else min(first_ns, moment_ns)
        if not chosen.holds(row.fields):
            left_out += 1
            continue
        for name in outcome.values:
            seen[f"{name}={row[name]}"] += 1
        rows.add(row, moment_ns, is_bad=_is_bad(outcome, row.fields, good))
    if first_ns is None:
        raise InputError(path, refusal("no_rows"))
    if not rows.places:
        raise InputError(path, f"no row meets --where {where}")
    said = [f"{left_out:,} rows do not meet --where and are left out"] if left_out else []
    if outcome.values and (all(rows.bad) or not any(rows.bad)):
        held = ", ".join(f"{value} ({count:,} rows)" for value, count in seen.most_common(4))
        said.append(f"every row is {'erased' if rows.bad[0] else 'good'}: the table holds {held}")
    said += source.cut_notes
    trace = rows.trace(reading, _origin_ns(origin, first_ns), said)
    return Measurement(trace, packing, None, tuple(said))


def _fields(
    reading: Reading,
    time: str,
    size: str | None,
    delay: str | None,
    transmissions: str | None,
    es_n0: str | None,
) -> dict[str, Field]:
    """Return the columns to read, by their meaning."""
    fields = {"time": Field.parse("--time", time, [*UNITS_NS, "iso"])}
    if size is not None:
        fields["size"] = Field.parse("--bytes", size, ["bytes", "bits"])
    if delay is not None:
        fields["delay"] = Field.parse("--delay", delay, UNITS_NS)
    if transmissions is not None:
        if reading == "phy":
            raise UsageError("--transmissions needs --as link: a slot is sent once")
        fields["transmissions"] = Field(transmissions, "")
    if es_n0 is not None:
        if reading == "link":
            raise UsageError("--es-n0 needs --as phy: a link trace has no Es/N0")
        fields["es_n0"] = Field(es_n0, "")
    return fields


def _is_bad(outcome: Condition, row: Mapping[str, str], good: str | None) -> bool:
    return bool(outcome.values) and outcome.holds(row) != (good is not None)


def _origin_ns(text: str, first_ns: int) -> int:
    if text in ("first", "zero"):
        return first_ns if text == "first" else 0
    try:
        return seconds_to_ns(text)
    except (ValueError, ArithmeticError):
        raise UsageError(f"--origin is {text}; allowed are first, zero, or a time in seconds") from None


def _open(path: str) -> TextTable | ParquetTable:
    return ParquetTable(path) if path.lower().endswith((".parquet", ".pq")) else TextTable(path)


IMPORTER = Importer(
    "table",
    "any CSV, TSV, text or Parquet table, with columns by name",
    read_table,
    lambda head: False,
    OPTIONS,
    """\
Fields are separated by tabs, `;`, commas or blanks, whichever the first row has. Lines that begin with # or %
are comments. Without a header the columns are called 1, 2, 3 and so on. Rows are sorted by time.

\b
  tmt import table trace.csv phy.parquet --time Time:s --bad corrupt=1 \\
    --bytes tbSize --where direction=DL,rnti=1
  tmt import table acks.csv phy.parquet --time ms:ms \\
    --good ack=1 --bytes bits:bits
  tmt import table probes.csv link.parquet --as link \\
    --time sent:iso --delay owd:ms""",
)
