"""Columns of any table: names with units, conditions on rows, and the rows that an import uses."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeVar

import pyarrow as pa
from pyarrow import parquet

from tmt.core.errors import InputError, first_line
from tmt.core.units import MAX_TIME_NS
from tmt.core.words.refusals import refusal
from tmt.importers.clocks import SLOT_UNITS, CounterRangeError
from tmt.importers.log_files import UNITS_NS, Row, TextTable, column_number
from tmt.importers.notes import agreed, left_out
from tmt.io.files import open_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tmt.importers.clocks import Clock

_Parsed = TypeVar("_Parsed")

Invalid = Annotated[
    Literal["refuse", "drop"],
    "what to do with a row whose value cannot be, such as a rate of -1: refuse the file, or drop the row and "
    "count it",
]

TIME_UNITS = (*UNITS_NS, "iso", "date", "clock", *SLOT_UNITS)
_JOINING = ("iso", "date", *SLOT_UNITS)
"""Units of times that may be split over columns."""
RATE_UNITS = {
    "bit/s": 1.0,
    "kbit/s": 1e3,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
    "byte/s": 8.0,
    "kbyte/s": 8e3,
    "Mbyte/s": 8e6,
}
"""Units of rates, in bit/s."""
AMOUNT_UNITS = {"bytes": 8.0}
"""Units of amounts in bit; an amount divided by its interval is a rate."""
SHARE_UNITS = {"share": 1.0, "percent": 0.01}
"""Units of shares."""

_ROWS_AT_A_TIME = 1 << 16
_MISSING = ("", "nan", "-", "na", "n/a", "null", "none", "inf", "-inf")
"""Words of tables for a missing value."""
_FLAGS = {"true": "1", "false": "0"}


class NamedColumn(NamedTuple):
    """A column with its unit."""

    name: str
    unit: str

    @property
    def names(self) -> list[str]:
        """The columns of the file that it combines: parts of a date, or frame and slot, with + between."""
        return self.name.split("+") if self.unit in _JOINING else [self.name]


def named_column(text: str, units: Iterable[str]) -> NamedColumn:
    """Parse ``NAME:UNIT`` (ValueError); the first unit is the default, except after a name with a colon."""
    known = tuple(units)
    name, _, unit = text.rpartition(":")
    if name and unit in known:
        if unit in SLOT_UNITS and name.count("+") != 1:
            raise ValueError(text)
        return NamedColumn(name, unit)
    if name and known and unit.replace("/", "").isalpha():
        raise ValueError(text)
    return NamedColumn(text, next(iter(known), ""))


Conditions = list[dict[str, set[str]]]
"""Alternatives, each with the required values of its columns."""


def conditions(text: str | None) -> Conditions:
    """Parse ``NAME=VALUE,NAME=VALUE;NAME=VALUE`` (ValueError); an empty text is no condition."""
    alternatives: Conditions = []
    for alternative in text.split(";") if text else ():
        found: dict[str, set[str]] = {}
        for part in alternative.split(","):
            name, sign, value = part.rpartition("=")
            if not (sign and name.strip()):
                raise ValueError(text)
            found.setdefault(name.strip(), set()).add(canonical(value))
        alternatives.append(found)
    return alternatives


def columns_of(alternatives: Conditions) -> dict[str, None]:
    """Return the names of the columns that conditions use, each once."""
    return {name: None for alternative in alternatives for name in alternative}


def holds(alternatives: Conditions, fields: Mapping[str, str]) -> bool:
    """Whether a row meets one of the alternatives; without conditions, every row does."""
    return not alternatives or any(
        all(canonical(fields[name]) in allowed for name, allowed in one.items()) for one in alternatives
    )


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return one spelling for equal values: numbers, flags, words in any case."""
    word = text.strip().lower()
    try:
        value = Decimal(_FLAGS.get(word, word)).normalize()
    except ArithmeticError:
        return word
    return str(value or 0) if value.is_finite() else word


def is_missing(text: str) -> bool:
    """Whether a field means a missing value."""
    return canonical(text) in _MISSING


class TableRows:
    """The rows of a text or Parquet file that an import uses, with their times.

    `first_ns` is the earliest time of the table, including rows that `where` excludes; `notes` count the
    excluded or dropped rows.
    """

    def __init__(
        self,
        path: str,
        names: Iterable[str],
        clock: Clock,
        where: str | None = None,
        *,
        decimal_comma: bool = False,
        drops_invalid: bool = False,
    ) -> None:
        self.path, self.clock, self.first_ns = path, clock, MAX_TIME_NS
        self._where, self._chosen = where, conditions(where)
        self._drops_invalid, self._dropped, self._left_out = drops_invalid, list[InputError](), 0
        needed = dict.fromkeys([*names, *columns_of(self._chosen)])
        self._cut_notes: list[str] = []
        if path.lower().endswith((".parquet", ".pq")):
            self._rows = _parquet_rows(path, *needed)
        else:
            table = TextTable(path, decimal_comma=decimal_comma)
            self._rows, self._cut_notes = table.rows(*needed), table.cut_notes

    def parsed(self, parse: Callable[[Row, int], _Parsed | None]) -> list[_Parsed]:
        """Return the results of `parse` for each row and its time in nanoseconds, not None (InputError)."""
        found: list[_Parsed] = []
        for row in self._rows:
            try:
                time_ns = self.clock.time_ns(row)
                self.first_ns = min(self.first_ns, time_ns)
                if not holds(self._chosen, row.fields):
                    self._left_out += 1
                    continue
                made = parse(row, time_ns)
            except InputError as error:
                if isinstance(error, CounterRangeError) or not self._drops_invalid:
                    raise
                self._dropped.append(error)
                continue
            if made is not None:
                found.append(made)
        return found

    @property
    def notes(self) -> list[str]:
        """Sentences on the rows that are not in the trace, and on the clock."""
        said = left_out(self._left_out, "row", "that --where does not choose")
        if self._dropped:
            first = self._dropped[0]
            place = f"line {first.line}" if isinstance(first.line, int) else first.line
            dropped = agreed(len(self._dropped), "row", "are")
            said.append(f"{dropped} dropped, the first being {place}: {first.reason}")
        return [*said, *self._cut_notes, *self.clock.notes]

    def none_left(self) -> InputError:
        """Return the refusal of a table without any row left."""
        if self._dropped:
            return self._dropped[0]
        return InputError(
            self.path, f"no row meets --where {self._where}" if self._left_out else refusal("no_rows")
        )


def _parquet_rows(path: str, *names: str) -> Iterator[Row]:
    """Yield the rows of a Parquet file, with their values as text; their places are ``row N``."""
    number = 0
    try:
        with open_input(path) as file, parquet.ParquetFile(file) as source:
            for name in names:
                column_number(path, source.schema_arrow.names, name)
            for batch in source.iter_batches(_ROWS_AT_A_TIME, columns=list(names)):
                for values in zip(*(_as_text(batch.column(name)) for name in names), strict=True):
                    number += 1
                    yield Row(path, f"row {number}", dict(zip(names, values, strict=True)))
    except InputError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:  # text may be invalid UTF-8
        raise InputError(path, f"cannot be read: {first_line(error)}") from error


def _as_text(column: pa.Array) -> list[str]:
    if pa.types.is_timestamp(column.type):
        # Arrow keeps instants in UTC; the names of zones differ from system to system.
        column = column.cast(pa.timestamp("us", column.type.tz and "UTC"), safe=False)
        return ["" if value is None else value.isoformat() for value in column.to_pylist()]
    return ["" if value is None else str(value) for value in column.to_pylist()]
