"""Any table of transmissions or packets: CSV, TSV, `;`, blanks or Parquet, columns by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np

from tmt.errors import InputError, UsageError
from tmt.io.refusals import refusal, shown
from tmt.measured.attempts import separate
from tmt.measured.columns import UNITS_NS, TextTable, time_ns, whole
from tmt.measured.importer import Importer, Measurement, Option
from tmt.measured.options import DECODE_TIME, reading
from tmt.trace import LinkTrace, PhyTrace
from tmt.units import NS_PER_S, seconds_to_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tmt.measured.options import Reading
    from tmt.schema import Packing

_EPOCH = datetime(1970, 1, 1)
_FLAGS = {"true": "1", "false": "0"}
_LARGEST_BYTES = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Field:
    """A column with its unit, typed as ``NAME`` or ``NAME:UNIT``."""

    name: str
    unit: str

    @classmethod
    def parse(cls, flag: str, text: str, units: Iterable[str]) -> Field:
        """Parse ``NAME:UNIT``; the first unit is the default. A colon in a name needs a unit behind it."""
        name, _, unit = text.rpartition(":")
        allowed = list(units)
        if name and unit in allowed:
            return cls(name, unit)
        if name and unit not in allowed and unit.isalpha():
            raise UsageError(f"{flag} is {text}; allowed units are {', '.join(allowed)}")
        return cls(text, allowed[0])


@dataclass(frozen=True, slots=True)
class Condition:
    """Columns and the values of each that are meant, typed as ``NAME=VALUE,NAME=VALUE``."""

    values: dict[str, frozenset[str]]

    @classmethod
    def parse(cls, flag: str, text: str | None) -> Condition:
        """Parse conditions; a name may stand several times, with one value each."""
        found: dict[str, set[str]] = {}
        for part in text.split(",") if text else ():
            name, sign, value = part.rpartition("=")
            if not (sign and name.strip()):
                raise UsageError(f"{flag} is {text}; needed is NAME=VALUE, or several with commas between")
            found.setdefault(name.strip(), set()).add(_canonical(value))
        return cls({name: frozenset(values) for name, values in found.items()})

    def holds(self, row: dict[str, str]) -> bool:
        """Whether every column has one of its values."""
        return all(_canonical(row[name]) in values for name, values in self.values.items())


def _canonical(text: str) -> str:
    """Return one spelling for equal values: numbers, flags, words in any case."""
    word = text.strip().lower()
    try:
        value = Decimal(_FLAGS.get(word, word))
    except InvalidOperation:
        return word
    return str(value.normalize()) if value.is_finite() and value else ("0" if value == 0 else word)


@dataclass(slots=True)
class _Rows:
    """Rows of the table that are meant, in its order."""

    times_ns: list[int]
    bad: list[bool]
    sizes: list[int]
    delays_ns: list[int]
    transmissions: list[int]
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
    fields = {"time": Field.parse("--time", time, [*UNITS_NS, "iso"])}
    if size is not None:
        fields["size"] = Field.parse("--bytes", size, ["bytes", "bits"])
    if delay is not None:
        fields["delay"] = Field.parse("--delay", delay, UNITS_NS)
    if transmissions is not None:
        if reading == "phy":
            raise UsageError("--transmissions needs --as link: a slot is sent once")
        fields["transmissions"] = Field(transmissions, "")
    source = _open(path)
    names = {field.name for field in fields.values()} | set(chosen.values) | set(outcome.values)
    rows = _Rows([], [], [], [], [], [])
    first_ns, left_out, seen = None, 0, Counter[str]()
    for line, values in source.rows(*names):
        row = dict(zip(names, values, strict=True))
        moment_ns = _time_ns(path, line, fields["time"], row)
        first_ns = moment_ns if first_ns is None else min(first_ns, moment_ns)
        if not chosen.holds(row):
            left_out += 1
            continue
        seen.update(f"{name}={row[name]}" for name in outcome.values)
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
    if source.cut_line is not None:
        said.append(f"line {source.cut_line}, the last one, is cut short and left out")
    trace = _trace(path, rows, _origin_ns(origin, first_ns), fields, reading, decode_time_ns, said)
    return Measurement(trace, packing, None, tuple(said))


def _is_bad(outcome: Condition, row: dict[str, str], good: str | None) -> bool:
    if not outcome.values:
        return False
    return outcome.holds(row) != (good is not None)


def _time_ns(path: str, line: int | str, field: Field, row: dict[str, str]) -> int:
    text = row[field.name]
    if field.unit != "iso":
        return time_ns(path, line, field.name, text, UNITS_NS[field.unit])
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(path, f"{field.name} is {shown(text)}; a date and time are needed", line) from None
    passed = moment.replace(tzinfo=None) - (moment.utcoffset() or _EPOCH - _EPOCH) - _EPOCH
    return (passed.days * 86_400 + passed.seconds) * NS_PER_S + passed.microseconds * 1_000


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
    if "delay" in fields:
        name, unit = fields["delay"].name, fields["delay"].unit
        text = row[name]
        if is_bad and _canonical(text) in ("", "nan", "-", "na", "null", "none"):
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
    except ValueError:
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
    times_ns = np.array(rows.times_ns, np.int64) - origin_ns
    if (early := np.flatnonzero(times_ns < 0)).size:
        at = int(early[0])
        raise InputError(path, f"this time is {-times_ns[at] / 1e9:g} s before the origin", rows.lines[at])
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
        return PhyTrace(tx_time_ns, np.where(failed, 0, delay_ns), size_bytes=sizes)
    sent = np.ones(len(order), np.uint8)
    if "transmissions" in fields:
        sent = np.array(rows.transmissions, np.uint8)[order]
    return LinkTrace(tx_time_ns, delay_ns, ~failed, sent, size_bytes=sizes)


class _ParquetTable:
    """A Parquet file with the interface of `TextTable`; places are rows."""

    cut_line: int | None = None

    def __init__(self, path: str) -> None:
        import pyarrow as pa  # noqa: PLC0415  (takes long to import)
        from pyarrow import parquet  # noqa: PLC0415

        self.path = path
        try:
            self._table = parquet.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(path, f"cannot be read: {str(error).splitlines()[0]}") from error

    def rows(self, *names: str) -> Iterator[tuple[str, list[str]]]:
        import pyarrow as pa  # noqa: PLC0415

        for name in names:
            if self._table.column_names.count(name) != 1:
                known = shown(", ".join(self._table.column_names), 300)
                raise InputError(self.path, f"there is no column called {name}; the columns are {known}")
        columns = []
        for name in names:
            column = self._table.column(name)
            if pa.types.is_timestamp(column.type):
                column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
                columns.append(["" if value is None else value.isoformat() for value in column.to_pylist()])
                continue
            columns.append(["" if value is None else str(value) for value in column.to_pylist()])
        for number, values in enumerate(zip(*columns, strict=True), 1):
            yield f"row {number}", list(values)


def _open(path: str) -> TextTable | _ParquetTable:
    return _ParquetTable(path) if path.lower().endswith((".parquet", ".pq")) else TextTable(path)


IMPORTER = Importer(
    "table",
    "any CSV, TSV, text or Parquet table, with columns by name",
    read_table,
    lambda head: False,
    (
        reading(),
        Option(
            "time",
            "--time",
            "text",
            "Column of the time, and its unit: s, ms, us, ns, or iso for dates.  [default unit: s]",
            required=True,
            metavar="NAME:UNIT",
        ),
        Option("bad", "--bad", "text", "Rows that were lost: column and value.", metavar="NAME=VALUE"),
        Option(
            "good",
            "--good",
            "text",
            "Instead of --bad: rows that were not lost. Without either, none was.",
            metavar="NAME=VALUE",
        ),
        Option(
            "size",
            "--bytes",
            "text",
            "Column of the size; in bits if :bits follows.",
            metavar="NAME[:bits]",
        ),
        Option(
            "delay",
            "--delay",
            "text",
            "Column of the time until a row is decoded or received, and its unit: s, ms, us or ns. "
            "Lost rows may have none.",
            metavar="NAME:UNIT",
        ),
        Option(
            "transmissions",
            "--transmissions",
            "text",
            "With --as link: column of the number of transmissions.  [default: 1 each]",
            metavar="NAME",
        ),
        Option(
            "where",
            "--where",
            "text",
            "Rows to take: columns and values. A name that stands several times may have any of its values.",
            metavar="NAME=VALUE,...",
        ),
        Option(
            "origin",
            "--origin",
            "text",
            "Time 0 of the trace: first (the earliest row of the file, whatever --where leaves out), zero "
            "(the table's own clock), or a time in seconds on that clock.",
            default="first",
            metavar="TIME",
        ),
        Option(
            "packing",
            "--packing",
            "choice",
            "How packets lie in rows: packed (bytes follow each other over rows) or padded (each packet "
            "begins in a new row).",
            default="packed",
            choices=("packed", "padded"),
        ),
        DECODE_TIME,
    ),
    """\
Fields are separated by tabs, `;`, commas or blanks, whichever the first row has. Lines that begin with # or %
are comments. Without a header the columns are called 1, 2, 3 and so on. Rows are sorted by time.

\b
  tmt import table trace.csv phy.parquet --time Time:s --bad corrupt=1 \\
    --bytes tbSize --where direction=DL,rnti=1
  tmt import table acks.csv phy.parquet --time ms:ms --good ack=1 --bytes bits:bits
  tmt import table probes.csv link.parquet --as link --time sent:iso --delay owd:ms""",
)
