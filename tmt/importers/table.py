"""Any table of transmissions or packets: CSV, TSV, `;`, blanks or Parquet, columns by name."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tmt.core.declaration import Param, ns
from tmt.core.errors import InputError, first_line
from tmt.core.schema import Packing
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.units import MAX_TIME_NS, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.importers.harq_logs import whole_signal
from tmt.importers.importer import As, DecodeTime, Importer, Measurement, separate
from tmt.importers.log_files import UNITS_NS, Row, TextTable, date_of, es_n0_mdb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tmt.core.declaration import Rules
    from tmt.importers.importer import Reading

_LARGEST_BYTES = (1 << 31) - 1
_ROWS_AT_A_TIME = 1 << 16
_MISSING = ("", "nan", "-", "na", "n/a", "null", "none", "inf", "-inf")
"""Words of tables for a value that is not there."""
_FLAGS = {"true": "1", "false": "0"}
_UNITS: dict[str, tuple[str, ...]] = {
    "time": (*UNITS_NS, "iso"),
    "size": ("bytes", "bits"),
    "delay": tuple(UNITS_NS),
    "transmissions": (),
    "es_n0": (),
}
"""Parameters that name a column, and the units that may follow the name; the first one need not."""


class AnyTable(Importer):
    """Any CSV, TSV, text or Parquet table, with columns by name.

    Fields are separated by tabs, `;`, commas or blanks, whichever the first row has. Lines that begin with #
    or % are comments. Without a header the columns are called 1, 2, 3 and so on. Rows are sorted by time.

        tmt import table trace.csv phy.parquet --time Time:s --bad corrupt=1 \\
          --size tbSize --where direction=DL,rnti=1
        tmt import table acks.csv phy.parquet --time ms:ms \\
          --good ack=1 --size bits:bits
        tmt import table probes.csv link.parquet --as link \\
          --time sent:iso --delay owd:ms
    """

    name: ClassVar[str] = "table"

    time: Annotated[
        str, "column of the time, with its unit: NAME:s, NAME:ms, NAME:us, NAME:ns, or NAME:iso for dates"
    ]
    as_: As = "phy"
    bad: Annotated[str | None, "rows that were lost: NAME=VALUE, the column and its value"] = None
    good: Annotated[
        str | None, "instead of --bad: rows that were not lost", Param(absent="no row was lost")
    ] = None
    size: Annotated[str | None, "column of the size in bytes; in bits if :bits follows"] = None
    delay: Annotated[
        str | None,
        "column of the time until a row is decoded or received, with its unit: NAME:s, NAME:ms, NAME:us or "
        "NAME:ns. Lost rows may have none",
    ] = None
    transmissions: Annotated[
        str | None, "with --as link: column of the number of transmissions", Param(absent="1 each")
    ] = None
    es_n0: Annotated[
        str | None, "with --as phy: column of the Es/N0 (or SNR) in dB, which soft combining needs"
    ] = None
    where: Annotated[
        str | None,
        "rows to take: NAME=VALUE,... A name that is given several times may have any of its values",
    ] = None
    origin: Annotated[
        str,
        "time 0 of the trace: first (the earliest row of the file, whatever --where leaves out), zero (the "
        "table's own clock), or a time in seconds on that clock",
    ] = "first"
    packing: Annotated[
        Packing,
        "how packets lie in rows: packed (bytes follow each other over rows), or padded (each packet begins "
        "in a new row)",
    ] = "packed"
    decode_time: DecodeTime = 0.001

    def rules(self) -> Rules:
        """Refuse texts of another form, and what does not go together."""
        for key, units in _UNITS.items():
            text = getattr(self, key)
            if text is not None and not _parses(named_column, text, units):
                yield key, f"NAME, or NAME:UNIT with a unit of {', '.join(units)}", "has another unit"
        for key in ("bad", "good", "where"):
            if not _parses(conditions, getattr(self, key)):
                yield key, "NAME=VALUE, or several with commas between", "is not a condition"
        if not _parses(_origin_ns, self.origin, 0):
            yield "origin", "first, zero, or a time in seconds", "is not a time"
        if self.bad is not None and self.good is not None:
            yield "good", "one of bad and good", "has no meaning beside bad"
        if self.transmissions is not None and self.as_ == "phy":
            yield "transmissions", "none with --as phy: a slot is sent once", "has no meaning for slots"
        if self.es_n0 is not None and self.as_ == "link":
            yield "es_n0", "none with --as link: a link trace has no Es/N0", "has no meaning for blocks"

    def read(self, path: str) -> Measurement:
        """Return the trace of the rows, sorted by time.

        InputError with the line or row, when a value is missing or out of range; when a column is missing, no
        row meets the conditions, or the outcome column has values of one kind that `bad` or `good` never
        meets.
        """
        outcome, chosen = conditions(self.good or self.bad), conditions(self.where)
        texts = {key: getattr(self, key) for key in _UNITS}
        columns = {key: named_column(text, _UNITS[key]) for key, text in texts.items() if text is not None}
        table = None if path.lower().endswith((".parquet", ".pq")) else TextTable(path)
        names = dict.fromkeys([*(one.name for one in columns.values()), *chosen, *outcome])
        decode_time_ns = ns(self.decode_time)
        first_ns, left_out, seen = MAX_TIME_NS, 0, Counter[str]()
        lines: list[_Line] = []
        for row in _parquet_rows(path, *names) if table is None else table.rows(*names):
            time_ns = _time_ns(row, columns["time"])
            first_ns = min(first_ns, time_ns)
            if not _hold(chosen, row.fields):
                left_out += 1
                continue
            is_bad = bool(outcome) and _hold(outcome, row.fields) != (self.good is not None)
            for name in outcome:
                seen[f"{name}={row[name]}"] += 1
            lines.append(_line(row, columns, time_ns, decode_time_ns, is_bad=is_bad))
        if not lines:
            raise InputError(path, f"no row meets --where {self.where}" if left_out else refusal("no_rows"))
        said = [f"{left_out:,} rows do not meet --where and are left out"] if left_out else []
        if outcome and len({line.is_bad for line in lines}) == 1:
            held = ", ".join(f"{value} ({count:,} rows)" for value, count in seen.most_common(4))
            said.append(f"every row is {'erased' if lines[0].is_bad else 'good'}: the table holds {held}")
        said += table.cut_notes if table else []
        trace = _trace(path, lines, self.as_, _origin_ns(self.origin, first_ns), said)
        return Measurement(trace, self.packing, None, tuple(said))


class _Line(NamedTuple):
    """A row of the table that is meant; values without a column are None."""

    place: int | str
    time_ns: int
    is_bad: bool
    delay_ns: int
    size_bytes: int | None
    es_n0_mdb: int | None
    transmissions: int


def _time_ns(row: Row, column: NamedColumn) -> int:
    if column.unit == "iso":
        return row.date_ns(column.name)
    try:
        return row.time_ns(column.name, UNITS_NS[column.unit])
    except InputError:
        if date_of(text := row[column.name]) is None:
            raise
    raise row.refused(f"{column.name} is {shown(text)}, a date and time; write --time {column.name}:iso")


def _line(
    row: Row, columns: Mapping[str, NamedColumn], time_ns: int, decode_time_ns: int, *, is_bad: bool
) -> _Line:
    size_bytes, signal_mdb, transmissions, delay_ns = None, None, 1, decode_time_ns
    if column := columns.get("size"):
        bits = 8 if column.unit == "bits" else 1
        size_bytes = row.whole(column.name, bits, _LARGEST_BYTES * bits) // bits
    if column := columns.get("transmissions"):
        transmissions = min(row.whole(column.name, 1, 1 << 31), 255)
    if column := columns.get("es_n0"):
        signal_mdb = es_n0_mdb(row[column.name])
        if signal_mdb is None and canonical(row[column.name]) not in _MISSING:
            raise row.refused(f"{column.name} is {shown(row[column.name])}; a number of dB is needed")
    if (column := columns.get("delay")) and not (is_bad and canonical(row[column.name]) in _MISSING):
        delay_ns = row.time_ns(column.name, UNITS_NS[column.unit])
        if delay_ns < 0 or (delay_ns == 0 and not is_bad):
            raise row.refused(f"{column.name} is {shown(row[column.name])}; a delay above 0 is needed")
    return _Line(row.place, time_ns, is_bad, delay_ns, size_bytes, signal_mdb, transmissions)


def _trace(
    path: str, lines: list[_Line], reading: Reading, origin_ns: int, said: list[str]
) -> PhyTrace | LinkTrace:
    """Return the rows in order of time; `said` gains notes on their order."""
    for line in lines:
        passed_ns = line.time_ns - origin_ns
        if passed_ns < 0:
            raise InputError(path, f"this time is {-passed_ns / 1e9:g} s before the origin", line.place)
        if passed_ns > MAX_TIME_NS:
            raise InputError(path, "this time is more than 146 years after the origin", line.place)
    if back := sum(after.time_ns < before.time_ns for before, after in pairwise(lines)):
        said.append(f"the time goes back in {back:,} places; rows are sorted by it")
    _, moments_ns, bad, delays_ns, sizes, signals, sent = zip(
        *sorted(lines, key=lambda line: line.time_ns), strict=True
    )
    times_ns = np.array([moment_ns - origin_ns for moment_ns in moments_ns], np.int64)
    tx_time_ns = separate(times_ns)
    if moved := int((tx_time_ns != times_ns).sum()):
        said.append(f"{moved:,} rows of the same moment as others are put 1 ns apart")
    failed, delay_ns = np.array(bad), np.array(delays_ns, np.int64)
    size_bytes = None if None in sizes else np.array(sizes, np.uint32)
    if reading == "phy":
        signal_mdb, note = whole_signal(signals)
        said.extend(note)
        decode_ns = np.where(failed, 0, delay_ns)
        return PhyTrace(tx_time_ns, decode_ns, size_bytes=size_bytes, es_n0_mdb=signal_mdb)
    return LinkTrace(tx_time_ns, delay_ns, ~failed, np.array(sent, np.uint8), size_bytes=size_bytes)


class NamedColumn(NamedTuple):
    """A column with its unit."""

    name: str
    unit: str


def named_column(text: str, units: Sequence[str]) -> NamedColumn:
    """Parse ``NAME:UNIT`` (ValueError); the first unit is the default, but behind a name with a colon."""
    name, _, unit = text.rpartition(":")
    if name and unit in units:
        return NamedColumn(name, unit)
    if name and units and unit.isalpha():
        raise ValueError(text)
    return NamedColumn(text, next(iter(units), ""))


def conditions(text: str | None) -> dict[str, set[str]]:
    """Parse ``NAME=VALUE,NAME=VALUE`` (ValueError): the values of each column that are meant."""
    found: dict[str, set[str]] = {}
    for part in text.split(",") if text else ():
        name, sign, value = part.rpartition("=")
        if not (sign and name.strip()):
            raise ValueError(text)
        found.setdefault(name.strip(), set()).add(canonical(value))
    return found


def _hold(values: Mapping[str, set[str]], fields: Mapping[str, str]) -> bool:
    return all(canonical(fields[name]) in allowed for name, allowed in values.items())


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return one spelling for equal values: numbers, flags, words in any case."""
    word = text.strip().lower()
    try:
        value = Decimal(_FLAGS.get(word, word)).normalize()
    except ArithmeticError:
        return word
    return str(value or 0) if value.is_finite() else word


def _origin_ns(text: str, first_ns: int) -> int:
    known = {"first": first_ns, "zero": 0}
    return known[text] if text in known else seconds_to_ns(text)


def _parses(parse: Callable[..., object], *arguments: object) -> bool:
    try:
        parse(*arguments)
    except (ValueError, ArithmeticError):
        return False
    return True


def _parquet_rows(path: str, *names: str) -> Iterator[Row]:
    """Yield the rows of a Parquet file, with their values as text; their places are called ``row N``."""
    number = 0
    try:
        known = parquet.read_schema(path).names
        for name in names:
            if known.count(name) != 1:
                columns = shown(", ".join(known), 300)
                raise InputError(path, f"there is no column called {name}; the columns are {columns}")
        with Path(path).open("rb") as file, parquet.ParquetFile(file) as source:
            for batch in source.iter_batches(_ROWS_AT_A_TIME, columns=list(names)):
                for values in zip(*(_as_text(batch.column(name)) for name in names), strict=True):
                    number += 1
                    yield Row(path, f"row {number}", dict(zip(names, values, strict=True)))
    except InputError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:  # text may be no UTF-8
        raise InputError(path, f"cannot be read: {first_line(error)}") from error


def _as_text(column: pa.Array) -> list[str]:
    if pa.types.is_timestamp(column.type):
        # Arrow keeps instants in UTC; the names of zones differ from system to system.
        column = column.cast(pa.timestamp("us", column.type.tz and "UTC"), safe=False)
        return ["" if value is None else value.isoformat() for value in column.to_pylist()]
    return ["" if value is None else str(value) for value in column.to_pylist()]
