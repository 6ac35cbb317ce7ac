"""Seconds in text to integer nanoseconds and back, column by column, without floating point.

Arrow parses decimal numbers into 128-bit integers counting 10**-scale seconds; where the scale is 9 those are
nanoseconds, and their lower halves are the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.schema import Column

SCALES = (9, 24)
"""Decimal places that are tried: whole nanoseconds first; then more, as floating-point numbers are printed,
to be rounded half to even."""

_DIGITS = 9


class NotRepresentableError(ValueError):
    """A parsed value is missing where it may not be, or does not fit its column."""


def field_type(column: Column, scale: int) -> pa.DataType:
    """Arrow type that a field of `column` is parsed as; `scale` 0 means that times are integers."""
    if scale and column.name.endswith("_ns"):
        return pa.decimal128(38, scale)
    return pa.from_numpy_dtype(np.dtype(column.dtype))


def column_values(column: Column, parsed: pa.Array) -> npt.NDArray[Any]:
    """Return parsed fields as an array of the column's dtype.

    Raises
    ------
    NotRepresentableError
        When a value is missing in a column that has no null, or lies outside the int64 range.
    """
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
    """Return the column as its fields: times in seconds with no more digits than they need, if asked."""
    import pyarrow.compute as pc  # noqa: PLC0415

    missing = pa.array(values == column.null) if column.null is not None else None
    spelled = pa.array(values)
    if column.dtype != "|b1":
        spelled = spelled.cast(pa.string())
    if seconds and column.name.endswith("_ns"):
        spelled = _seconds(values)
    if missing is None:
        return spelled
    return pc.if_else(missing, pa.scalar(null), spelled)


def _seconds(values_ns: npt.NDArray[np.int64]) -> pa.Array:
    import pyarrow.compute as pc  # noqa: PLC0415

    whole = pa.array(values_ns // NS_PER_S).cast(pa.string())
    part = pc.utf8_lpad(pa.array(values_ns % NS_PER_S).cast(pa.string()), _DIGITS, "0")
    return pc.utf8_rtrim(pc.utf8_rtrim(pc.binary_join_element_wise(whole, part, "."), "0"), ".")
