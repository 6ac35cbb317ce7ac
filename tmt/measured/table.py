"""Any table of transmissions or packets: CSV, TSV, `;`, blanks or Parquet, columns by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.errors import InputError, UsageError
from tmt.io.refusals import refusal, shown
from tmt.measured.columns import UNITS_NS, TextTable, date_ns, es_n0_mdb, is_date, time_ns, whole
from tmt.measured.conditions import Condition, Field, canonical
from tmt.measured.importer import Importer, Measurement
from tmt.measured.parquet_columns import ParquetTable
from tmt.measured.readings import separate, whole_signal
from tmt.measured.table_options import OPTIONS
from tmt.trace import LinkTrace, PhyTrace
from tmt.units import MAX_TIME_NS, seconds_to_ns

if TYPE_CHECKING:
    from tmt.measured.options import Reading
    from tmt.schema import Packing

_LARGEST_BYTES = (1 << 31) - 1
_MISSING = ("", "nan", "-", "na", "n/a", "null", "none", "inf", "-inf")
"""Words of tables for a value that is not there."""


@dataclass(slots=True)
class _Rows:
    """Rows of the table that are meant, in its order."""

    times_ns: list[int]
    bad: list[bool]
    sizes: list[int]
    delays_ns: list[int]
    transmissions: list[int]
    es_n0_mdb: list[int | None]
    lines: list[int | str]


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
    names = dict.fromkeys([*(field.name for field in fields.values()), *chosen.values, *outcome.values])
    rows = _Rows([], [], [], [], [], [], [])
    first_ns, left_out, seen = None, 0, Counter[str]()
    for line, values in source.rows(*names):
        row = dict(zip(names, values, strict=True))
        moment_ns = _time_ns(path, line, fields["time"], row)
        first_ns = moment_ns if first_ns is None else min(first_ns, moment_ns)
        if not chosen.holds(row):
            left_out += 1
            continue
        for name in outcome.values:
            seen[f"{name}={row[name]}"] += 1
        _add(
            path,
            line,
            rows,
            fields,
            row,
            moment_ns,
            is_bad=_is_bad(outcome, row, good),
            decode_ns=decode_time_ns,
        )
    if first_ns is None:
        raise InputError(path, refusal("no_rows"))
    if not rows.lines:
        raise InputError(path, f"no row meets --where {where}")
    said = [f"{left_out:,} rows do not meet --where and are left out"] if left_out else []
    if outcome.values and (all(rows.bad) or not any(rows.bad)):
        held = ", ".join(f"{value} ({count:,} rows)" for value, count in seen.most_common(4))
        said.append(f"every row is {'erased' if rows.bad[0] else 'good'}: the table holds {held}")
    said += source.cut_notes
    trace = _trace(path, rows, _origin_ns(origin, first_ns), fields, reading, decode_time_ns, said)
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


def _is_bad(outcome: Condition, row: dict[str, str], good: str | None) -> bool:
    if not outcome.values:
        return False
    return outcome.holds(row) != (good is not None)


def _time_ns(path: str, line: int | str, field: Field, row: dict[str, str]) -> int:
    if field.unit == "iso":
        return date_ns(path, line, field.name, row[field.name])
    text = row[field.name]
    try:
        return time_ns(path, line, field.name, text, UNITS_NS[field.unit])
    except InputError:
        if not is_date(text):
            raise
    reason = f"{field.name} is {shown(text)}, a date and time; write --time {field.name}:iso"
    raise InputError(path, reason, line)


def _add(
    path: str,
    line: int | str,
    rows: _Rows,
    fields: dict[str, Field],
    row: dict[str, str],
    moment_ns: int,
    *,
    is_bad: bool,
    decode_ns: int,
) -> None:
    rows.lines.append(line)
    rows.times_ns.append(moment_ns)
    rows.bad.append(is_bad)
    if "size" in fields:
        name, unit = fields["size"].name, fields["size"].unit
        bits = 8 if unit == "bits" else 1
        rows.sizes.append(whole(path, line, name, row[name], bits, _LARGEST_BYTES * bits) // bits)
    if "transmissions" in fields:
        name = fields["transmissions"].name
        rows.transmissions.append(min(whole(path, line, name, row[name], 1, 1 << 31), 255))
    if "es_n0" in fields:
        name = fields["es_n0"].name
        signal_mdb = es_n0_mdb(row[name])
        if signal_mdb is None and canonical(row[name]) not in _MISSING:
            raise InputError(path, f"{name} is {shown(row[name])}; a number of dB is needed", line)
        rows.es_n0_mdb.append(signal_mdb)
    if "delay" in fields:
        name, unit = fields["delay"].name, fields["delay"].unit
        text = row[name]
        if is_bad and canonical(text) in _MISSING:
            rows.delays_ns.append(decode_ns)
            return
        delay_ns = time_ns(path, line, name, text, UNITS_NS[unit])
        if delay_ns < 0 or (delay_ns == 0 and not is_bad):
            raise InputError(path, f"{name} is {shown(text)}; a delay above 0 is needed", line)
        rows.delays_ns.append(delay_ns)


def _origin_ns(text: str, first_ns: int) -> int:
    if text in ("first", "zero"):
        return first_ns if text == "first" else 0
    try:
        return seconds_to_ns(text)
    except (ValueError, ArithmeticError):
        raise UsageError(f"--origin is {text}; allowed are first, zero, or a time in seconds") from None


def _trace(
    path: str,
    rows: _Rows,
    origin_ns: int,
    fields: dict[str, Field],
    reading: Reading,
    decode_time_ns: int,
    said: list[str],
) -> PhyTrace | LinkTrace:
    """Return the rows in order of time; `said` gains notes on their order."""
    since_ns = [moment_ns - origin_ns for moment_ns in rows.times_ns]
    for passed_ns, line in zip(since_ns, rows.lines, strict=True):
        if passed_ns < 0:
            raise InputError(path, f"this time is {-passed_ns / 1e9:g} s before the origin", line)
        if passed_ns > MAX_TIME_NS:
            raise InputError(path, "this time is more than 146 years after the origin", line)
    times_ns = np.array(since_ns, np.int64)
    if back := int((np.diff(times_ns) < 0).sum()):
        said.append(f"the time goes back in {back:,} places; rows are sorted by it")
    order = np.argsort(times_ns, kind="stable")
    tx_time_ns = separate(times_ns[order])
    if moved := int((tx_time_ns != times_ns[order]).sum()):
        said.append(f"{moved:,} rows of the same moment as others are put 1 ns apart")
    failed = np.array(rows.bad)[order]
    sizes = np.array(rows.sizes, np.uint32)[order] if "size" in fields else None
    delay_ns = np.full(len(order), decode_time_ns, np.int64)
    if "delay" in fields:
        delay_ns = np.array(rows.delays_ns, np.int64)[order]
    if reading == "phy":
        signal_mdb = None
        if "es_n0" in fields:
            signal_mdb, note = whole_signal([rows.es_n0_mdb[row] for row in order])
            said.extend(note)
        return PhyTrace(tx_time_ns, np.where(failed, 0, delay_ns), size_bytes=sizes, es_n0_mdb=signal_mdb)
    sent = np.ones(len(order), np.uint8)
    if "transmissions" in fields:
        sent = np.array(rows.transmissions, np.uint8)[order]
    return LinkTrace(tx_time_ns, delay_ns, ~failed, sent, size_bytes=sizes)


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
