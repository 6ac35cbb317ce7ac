"""Lines of fields to columns of numbers, and back; a whole block at once, or line by line to find a defect.

Times in seconds become integer nanoseconds without floating point. Arrow parses decimal numbers into 128-bit
integers counting 10**-scale seconds; with scale 9 those are nanoseconds, and their lower halves are the
column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from tmt.core.errors import InputError
from tmt.core.schema import ERASABLE, row_dtype
from tmt.core.units import NS_PER_S, seconds_text, seconds_to_ns
from tmt.core.words.refusals import refusal, shown

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.schema import Column, Table
    from tmt.core.trace import Columns

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]{1,3})?")
_LONG_EXPONENT = re.compile(rb"[eE][+-]?[0-9]{4}")
_FLAGS = {"1": 1, "true": 1, "0": 0, "false": 0}

SCALES = (9, 24)
"""Decimal places that are tried: first whole nanoseconds, then those of printed floats, to round half to
even.
"""

_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Dialect:
    """Division of lines into fields, and the field that means "no value"."""

    delimiter: str
    null: str

    def split(self, line: str) -> list[str]:
        """Return the fields of a line without their surrounding blanks."""
        fields = line.split(self.delimiter) if self.delimiter == "," else line.split()
        return [field.strip() for field in fields]


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of a table's columns in a line."""

    table: Table
    columns: tuple[Column, ...]
    """Columns of `table` that the file has."""
    positions: tuple[int, ...]
    """For each of them, its index in the line, from 0."""
    width: int
    """Fields of a line."""
    seconds: bool
    """Whether times are in seconds instead of nanoseconds."""


def parse_block(block: bytes, dialect: Dialect, layout: Layout) -> Columns | None:
    """Parse a block at once; None if it must be parsed line by line.

    Arrow's decimal parser crashes the process at an exponent such as ``e-40000000``.
    """
    if layout.seconds and _LONG_EXPONENT.search(block):
        return None
    if dialect.delimiter == " " and (b"\t" in block or b"  " in block or b"\n " in block or b" \n" in block):
        block = re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb"[ \t]+", b" ", block))
    for scale in SCALES if layout.seconds else (0,):
        types = {
            str(position): field_type(column, scale)
            for column, position in zip(layout.columns, layout.positions, strict=True)
        }
        try:
            parsed = csv.read_csv(
                pa.BufferReader(block),
                csv.ReadOptions(
                    use_threads=False,
                    column_names=[str(n) for n in range(layout.width)],
                    block_size=len(block) + 1,
                ),
                csv.ParseOptions(delimiter=dialect.delimiter, quote_char=False, ignore_empty_lines=False),
                csv.ConvertOptions(
                    column_types=types, include_columns=list(types), null_values=[dialect.null]
                ),
            )
            arrays = [parsed.column(name).combine_chunks() for name in types]
            return {
                column.name: column_values(column, array)
                for column, array in zip(layout.columns, arrays, strict=True)
            }
        except (pa.ArrowInvalid, NotRepresentableError):
            continue
    return None


def parse_lines(
    block: bytes, path: str, first_line: int, dialect: Dialect, layout: Layout
) -> tuple[Columns, InputError | None]:
    """Parse a block line by line: slow, but with the exact place and reason of a defect.

    Returns the columns of the lines before the first with a wrong field or number of fields, and its refusal.
    """
    rows: list[tuple[int, ...]] = []
    error = None
    for line, text in enumerate(block.decode("utf-8", "replace").removesuffix("\n").split("\n"), first_line):
        fields = dialect.split(text.strip()) if text.strip() else []
        if len(fields) != layout.width:
            error = InputError(path, refusal("fields", found=len(fields), needed=layout.width), line)
            break
        try:
            rows.append(
                tuple(
                    field_value(column, fields[position], dialect.null, seconds=layout.seconds)
                    for column, position in zip(layout.columns, layout.positions, strict=True)
                )
            )
        except ValueError as reason:
            error = InputError(path, str(reason), line)
            break
    table = np.array(rows, row_dtype(layout.columns))
    return {column.name: np.ascontiguousarray(table[column.name]) for column in layout.columns}, error


def field_value(column: Column, text: str, null: str = "", *, seconds: bool) -> int:
    """Return the number for `text`; ValueError with the reason without one."""
    seconds = seconds and column.name.endswith("_ns")
    name = column.name.removesuffix("_ns") if seconds else column.name
    if column is ERASABLE and text.lower() in ("", null, "nan"):
        raise ValueError(refusal("null_erased", column=name))
    if text in ("", null):
        if column.null is None:
            raise ValueError(refusal("null", column=name))
        return column.null
    if column.dtype == "|b1":
        if text.lower() not in _FLAGS:
            raise ValueError(refusal("not_flag", column=name, value=shown(text)))
        return _FLAGS[text.lower()]
    if not (_DECIMAL if seconds else _INTEGER).fullmatch(text):
        key = "not_seconds" if seconds else "not_integer"
        raise ValueError(refusal(key, column=name, value=shown(text)))
    return _in_range(column, name, text, seconds=seconds)


def _in_range(column: Column, name: str, text: str, *, seconds: bool) -> int:
    """Return the number, or refuse one outside its dtype; stricter limits are checked for all formats
    together.
    """
    limits = np.iinfo(column.dtype)
    most = limits.max if column.maximum is None else column.maximum
    least = limits.min if column.minimum is None else column.minimum
    try:
        number = seconds_to_ns(text) if seconds else int(text[:40])
    except ValueError:
        number = -most - 1 if text.startswith("-") else most + 1
    if number > most:
        maximum = seconds_text(most) if seconds else most
        raise ValueError(refusal("above_maximum", column=name, value=shown(text), maximum=maximum))
    if number < limits.min or (number < least and column.null is None):
        minimum = seconds_text(least) if seconds else least
        raise ValueError(refusal("below_minimum", column=name, value=shown(text), minimum=minimum))
    return number


class NotRepresentableError(ValueError):
    """A required value is missing, or a value does not fit its column."""


def field_type(column: Column, scale: int) -> pa.DataType:
    """Arrow type for parsing a field of `column`; `scale` 0 means that times are integers."""
    if scale and column.name.endswith("_ns"):
        return pa.decimal128(38, scale)
    return pa.from_numpy_dtype(np.dtype(column.dtype))


def column_values(column: Column, parsed: pa.Array) -> npt.NDArray[Any]:
    """Return fields in the column's dtype; NotRepresentableError at a missing value, or one beyond int64."""
    missing = parsed.is_null().to_numpy(zero_copy_only=False) if parsed.null_count else None
    if missing is not None and column.null is None:
        raise NotRepresentableError
    if pa.types.is_decimal(parsed.type):
        values = _nanoseconds(parsed, missing)
    else:
        filled = parsed if missing is None else parsed.fill_null(column.null)
        values = filled.to_numpy(zero_copy_only=False).astype(column.dtype)
    if missing is not None and column.null is not None:
        values[missing] = column.null
    return values


def _nanoseconds(parsed: pa.Array, missing: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
    if parsed.type.scale != _DIGITS:
        import pyarrow.compute as pc  # noqa: PLC0415  (takes long to import, and binary formats do without)

        parsed = pc.round(parsed, _DIGITS, "half_to_even").cast(pa.decimal128(38, _DIGITS))
    halves = np.frombuffer(parsed.buffers()[1], "<i8")[2 * parsed.offset :][: 2 * len(parsed)].reshape(-1, 2)
    low, high = halves[:, 0], halves[:, 1]
    fits = high == low >> 63
    if not (fits if missing is None else fits | missing).all():
        raise NotRepresentableError
    return low.copy()


def spelled_column(column: Column, values: npt.NDArray[Any], null: str, *, seconds: bool) -> pa.Array:
    """Return the column as fields; on request, times are in seconds with no more digits than needed."""
    import pyarrow.compute as pc  # noqa: PLC0415

    if seconds and column.name.endswith("_ns"):
        spelled = _seconds(values)
    else:
        spelled = pa.array(values)
        if column.dtype != "|b1":
            spelled = spelled.cast(pa.string())
    if column.null is None:
        return spelled
    return pc.if_else(pa.array(values == column.null), pa.scalar(null), spelled)


def _seconds(values_ns: npt.NDArray[np.int64]) -> pa.Array:
    import pyarrow.compute as pc  # noqa: PLC0415

    whole = pa.array(values_ns // NS_PER_S).cast(pa.string())
    part = pc.utf8_lpad(pa.array(values_ns % NS_PER_S).cast(pa.string()), _DIGITS, "0")
    return pc.utf8_rtrim(pc.utf8_rtrim(pc.binary_join_element_wise(whole, part, "."), "0"), ".")
