"""Checks of a trace that a caller made of arrays: the rules and the words of files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tmt.errors import InputError
from tmt.io.checks import Checker
from tmt.io.fields import ERASABLE
from tmt.io.refusals import refusal
from tmt.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.schema import Column

TraceT = TypeVar("TraceT", bound=PhyTrace | LinkTrace)


def checked(trace: TraceT) -> TraceT:
    """Return the trace with each column in its declared type.

    Raises
    ------
    InputError
        At the first defect: a column of another type or length, or a row that no file may hold.
    """
    name = f"{trace.table.kind} trace"
    arrays: dict[str, Any] = {column.name: _array(trace, column) for column in trace.columns}
    rows = len(arrays["tx_time_ns"])
    for column, values in arrays.items():
        if len(values) != rows:
            raise InputError(name, f"{column} has {len(values)} rows; tx_time_ns has {rows}")
    if not rows:
        raise InputError(name, refusal("no_rows"))
    if trace.size_bytes is not None and trace.metadata.get("lldu_bytes") is not None:
        raise InputError(name, refusal("sizes_twice"))
    violation = Checker(trace.table).check(replace(trace, **arrays))
    if violation is not None:
        raise InputError(name, violation.reason(), f"row {violation.row + 1}")
    for declared in trace.columns:
        arrays[declared.name] = arrays[declared.name].astype(declared.dtype, copy=False)
    return replace(trace, **arrays)


def _array(trace: PhyTrace | LinkTrace, column: Column) -> npt.NDArray[Any]:
    """Return a column as an array of flags or of whole numbers, whichever it is declared to be."""
    name, values = f"{trace.table.kind} trace", np.asarray(getattr(trace, column.name))
    if values.dtype.kind == "f" and np.isnan(values).any():
        row = int(np.argwhere(np.isnan(values))[0, 0]) + 1
        key = "null_erased" if column is ERASABLE else "null"
        raise InputError(name, refusal(key, column=column.name), f"row {row}")
    kinds = "b" if column.dtype == "|b1" else "iu"
    if values.dtype.kind not in kinds or values.ndim != 1:
        found = f"{column.name} {values.dtype.name}{list(values.shape)}"
        columns = f"{trace.table.described}; found: {found}"
        raise InputError(name, refusal("columns", kind=trace.table.kind, columns=columns))
    return values
