"""Logs of other programs: lines of text, JSON documents, and tables with named columns."""

from __future__ import annotations

import csv
import json
import math
import re
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tmt.core.errors import InputError
from tmt.core.schema import MAX_ES_N0_MDB
from tmt.core.units import MAX_TIME_NS, NS_PER_MS, NS_PER_S
from tmt.core.words.refusals import refusal, shown
from tmt.importers.notes import CUT_LINE
from tmt.io.files import MAX_JSON_LINE_BYTES, head_of, text_lines, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

UNITS_NS = {"s": NS_PER_S, "ms": NS_PER_MS, "us": 1_000, "ns": 1}
"""Units of times, in nanoseconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COMMENT = ("#", "%")
_NUMBER = re.compile(r"[+-]?([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]{1,3})?|nan|inf", re.IGNORECASE)
_TIME = re.compile(r"[0-9]{1,4}[-/.:][0-9]{1,2}[-/.:][0-9]")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]{1,3})?")


def member(document: Any, *names: str) -> Any:
    """Return the value under `names`, each within the one before; None if it is missing."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def first_letter(path: str) -> bytes:
    """Return the first byte of a text that is not blank; JSON begins with a brace or a bracket."""
    return head_of(path).removeprefix(BOM_UTF8).lstrip()[:1]


def read_json(path: str) -> Any:
    """Return the document in a file, which may be gzipped; InputError, with its line, if it is not JSON."""
    text = whole(path)
    try:
        return json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        reason = f"this is not a whole JSON document: {error.msg} (column {error.colno})"
        raise InputError(path, reason, error.lineno) from None
    except (ValueError, RecursionError):  # no UTF-8, a number of thousands of digits, deep nesting
        raise InputError(path, "this is not a JSON document") from None


def json_lines(path: str) -> Iterator[tuple[int, Any]]:
    """Yield the number and the document of each line; None for a truncated last line (InputError)."""
    for line in text_lines(path, comments=False, max_line_bytes=MAX_JSON_LINE_BYTES):
        try:
            document = json.loads(line.text)
        except (ValueError, RecursionError):
            if line.ended:
                reason = f"{shown(line.text)} is not a whole JSON document"
                raise InputError(path, reason, line.number) from None
            document = None
        yield line.number, document


@dataclass(slots=True)
class Row:
    """A row of a log: its fields as text by name, and its place for refusals."""

    path: str
    place: int | str
    fields: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.fields[name]

    def refused(self, reason: str) -> InputError:
        """Return the refusal of this row."""
        return InputError(self.path, reason, self.place)

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number within bounds, spelled as a decimal or not; refuse anything else."""
        value: Any = self[name]
        number = least - 1
        if type(value) is int or (type(value) is str and value.isdecimal() and len(value) < 19):
            number = int(value)  # most are integers, and Decimal takes several times as long
        elif not isinstance(value, bool):
            with suppress(ArithmeticError):  # not a number, or NaN, which does not compare
                exact = Decimal(str(value))
                if least <= exact <= most and exact == exact.to_integral_value():
                    number = int(exact)
        if not least <= number <= most:
            raise self.refused(f"{name} is {_told(value)}; allowed are whole numbers from {least} to {most}")
        return number

    def number(self, name: str, least: float, most: float) -> float:
        """Return a number within bounds; refuse anything else."""
        value: Any = self[name]
        number = value if type(value) in (int, float) else math.nan
        if type(value) is str and _NUMBER.fullmatch(value):
            number = float(value)
        if not least <= number <= most:
            raise self.refused(f"{name} is {_told(value)}; a number from {least:g} to {most:g} is needed")
        return float(number)

    def time_ns(self, name: str, unit_ns: int, least_ns: int = -MAX_TIME_NS) -> int:
        """Return a time as integer nanoseconds, rounded half to even; refuse anything else."""
        text = self[name]
        try:
            value = Decimal(text) * unit_ns
        except ArithmeticError:
            value = Decimal("nan")
        if not value.is_finite():
            raise self.refused(f"{name} is {_told(text)}; a number is needed")
        if abs(value) > MAX_TIME_NS:
            raise self.refused(f"{name} is {shown(text)}, which is beyond 146 years")
        if value < least_ns:
            raise self.refused(f"{name} is {shown(text)}; the least allowed is {least_ns // unit_ns}")
        return int(value.to_integral_value())

    def date_ns(self, name: str) -> int:
        """Return a date and time in ISO form as nanoseconds since 1970; without a zone it is UTC."""
        try:
            return since_epoch_ns(datetime.fromisoformat(self[name]))
        except ValueError:
            raise self.refused(f"{name} is {shown(self[name])}; a date and time are needed") from None


class Record(Row):
    """An object of a JSON document; a name with points is that of a nested member."""

    fields: Mapping[str, Any]

    @classmethod
    def of(cls, path: str, place: int | str, fields: Any) -> Record:
        """Return a member of a document, or refuse one that is no object."""
        if not isinstance(fields, dict):
            raise InputError(path, "it is missing" if fields is None else "it is no JSON object", place)
        return cls(path, place, fields)

    def __getitem__(self, name: str) -> Any:
        value = member(self.fields, *name.split("."))
        if value is None:
            raise self.refused(f"{name} is missing")
        return value


class TextTable:
    """A text table whose columns are found by name.

    Lines that begin with `#` or `%` are comments. The header is the first line without a number or a time.
    Without such a line it is the last comment before the first row that has as many fields (np.savetxt,
    ns-3); otherwise the columns are called 1, 2, 3 and so on. If the first row has one blank-separated field
    more than the header, the first column has no name (older ns-3, `DataFrame.to_string`). With
    `decimal_comma`, 1,5 is a number; commas then separate fields only if these are quoted. After reading,
    `cut_notes` has a sentence on a truncated last line.
    """

    def __init__(self, path: str, *, decimal_comma: bool = False) -> None:
        self.path, self._decimal_comma = path, decimal_comma
        self.cut_notes: list[str] = []
        comments: list[str] = []
        header: list[str] | None = None
        for line, text, _ in text_lines(path, comments=False):
            if text.startswith(_COMMENT):
                comments.append(text.lstrip("#% \t"))
                continue
            if header is None:
                fraction = decimal_comma and '"' not in text and re.search("[0-9],[0-9]", text)
                letters = "\t;" if fraction else "\t;,"
                self._delimiter = next((letter for letter in letters if letter in text), None)
            fields = self._split(text)
            if header is None and not any(map(_is_value, fields)):
                header = fields
                continue
            self._first_line = line
            if header is None:
                headers = [names for text in comments if len(names := self._split(text)) == len(fields)]
                header = (headers or [[str(number + 1) for number in range(len(fields))]])[-1]
            # Leading blanks are stripped from the line: the first column has no name.
            nameless = self._delimiter in (None, "\t") and len(fields) == len(header) + 1
            self.names = tuple(["", *header] if nameless else header)
            return
        raise InputError(path, refusal("no_rows"))

    def has(self, *names: str) -> bool:
        """Whether there are columns of all these names."""
        return set(names) <= set(self.names)

    def rows(self, *names: str) -> Iterator[Row]:
        """Yield the rows with their fields in the columns called `names` (InputError).

        A last line that is too short is left out: its program was stopped.
        """
        positions = {name: column_number(self.path, self.names, name) for name in names}
        width, short = len(self.names), None
        for line, text, ended in text_lines(self.path, comments=False):
            if line < self._first_line or text.startswith(_COMMENT):
                continue
            if short is not None:
                raise short
            fields = self._split(text)
            while len(fields) > width and not fields[-1]:
                fields.pop()
            if len(fields) != width or not (ended or fields[-1] or line == self._first_line):
                short = InputError(self.path, refusal("fields", found=len(fields), needed=width), line)
                if len(fields) > width:
                    raise short
                self.cut_notes.append(CUT_LINE)
                continue
            yield Row(self.path, line, {name: fields[at] for name, at in positions.items()})
        if short is not None and short.line == self._first_line:
            raise short

    def _split(self, text: str) -> list[str]:
        fields = text.split(self._delimiter)
        if self._delimiter is not None and '"' in text:
            with suppress(csv.Error):  # a carriage return in the line; its fields are refused one by one
                fields = next(csv.reader([text], delimiter=self._delimiter, skipinitialspace=True))
        fields = [field.strip() for field in fields]
        if self._decimal_comma:
            fields = [
                field.replace(",", ".") if _DECIMAL_COMMA.fullmatch(field) else field for field in fields
            ]
        return fields


def column_number(path: str, names: Sequence[str], name: str) -> int:
    """Return the index, from 0, of the only column of a table that has a name (InputError)."""
    if (found := names.count(name)) != 1:
        reason = "there is no column" if found == 0 else f"there are {found} columns"
        joined = "; DAY+TIME:date and FRAME+SLOT:30kHz join columns" if "+" in name else ""
        columns = shown(", ".join(names), 300)
        raise InputError(path, f"{reason} called {name}{joined}; the columns are {columns}")
    return names.index(name)


def _is_value(field: str) -> bool:
    return bool(_NUMBER.fullmatch(field) or _TIME.match(field) or _DECIMAL_COMMA.fullmatch(field))


def _told(value: Any) -> str:
    """Return a value that is no number, with the option that would make it one."""
    text = value if isinstance(value, str) else repr(value)
    hint = " (numbers with a comma need --decimal comma)" if _DECIMAL_COMMA.fullmatch(text) else ""
    return (shown(text) or "empty") + hint


def since_epoch_ns(moment: datetime) -> int:
    """Return nanoseconds since 1970; a time without a zone is UTC."""
    passed = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return passed // timedelta(microseconds=1) * 1_000


def first_names(head: bytes) -> Sequence[str]:
    """Return the fields of the first line of a file, for recognition."""
    text = head.split(b"\n", 1)[0].decode("utf-8", "replace").removeprefix("\ufeff").lstrip("#% ").rstrip()
    delimiter = next((letter for letter in "\t;," if letter in text), None)
    return [name.strip() for name in text.split(delimiter)]


def mcs_index(text: str) -> int | None:
    """Return an MCS index in the form of the column `mode`; None for other text."""
    return int(text) if text.isascii() and text.isdigit() and int(text) < 256 else None


def es_n0_mdb(text: str) -> int | None:
    """Return an SINR in dB, with or without its unit, as `es_n0_mdb`; None for n/a, nan or inf."""
    number = text.strip().removesuffix("dB").rstrip()
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        return None
    return round(min(max(1000.0 * float(number), -MAX_ES_N0_MDB), MAX_ES_N0_MDB))
