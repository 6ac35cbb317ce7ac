"""Measurement files to traces: recognition, the requested part of the time, metadata, and the output file."""

from __future__ import annotations

from dataclasses import replace
from os import fspath
from typing import TYPE_CHECKING

from tmt.core import provenance
from tmt.core.declaration import ns
from tmt.core.errors import InputError
from tmt.core.trace import make_trace
from tmt.importers import all_importers
from tmt.io import write_trace
from tmt.io.atomic import check_not_source
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.trace import Metadata, Trace
    from tmt.importers.importer import Importer

_HEAD_BYTES = 1 << 16


def recognise(path: str) -> type[Importer] | None:
    """Return the importer that detects its format in `path`, or None.

    Raises
    ------
    InputError
        When the file is missing, empty or damaged.
    """
    with open_input(path) as file, input_errors(path):
        head = file.read(_HEAD_BYTES)
    return next((importer for importer in all_importers().values() if importer.sniff(head)), None)


def recognised(path: str) -> type[Importer]:
    """Return the importer that detects its format in `path` (InputError when none does)."""
    importer = recognise(path)
    if importer is None:
        raise InputError(
            path,
            "its content tells no format of measurements; name the format, or its columns: "
            "tmt import table --help",
        )
    return importer


def import_hint(path: str) -> str:
    """Return the import that makes a trace of `path`, in words; empty when no importer detects its format."""
    try:
        importer = recognise(path)
    except InputError:
        return ""
    return f"it holds a measurement: tmt import {importer.name} {path} OUT.parquet" if importer else ""


def import_trace(
    importer: Importer, source: str | PathLike[str], target: str | PathLike[str] | None = None
) -> Trace:
    """Read the measurement file `source` as a trace, and write the trace to `target` if there is one.

    Returns
    -------
    PhyTrace or LinkTrace
        Its metadata hold ``importer``, its parameters, ``source``, ``packing``, ``lldu_bytes`` where all rows
        carry the same, and ``notes``, a list of sentences.

    Raises
    ------
    InputError
        When the measurement is not of that format, or damaged.
    OutputError
        When `target` cannot be written.
    UsageError
        When the file does not hold what is asked for, the ending of `target` stands for no format, or
        `target` is `source`.
    """
    path = fspath(source)
    if target is not None:
        check_not_source(target, path)
    try:
        measurement = importer.read(path)
    except OverflowError as error:
        raise InputError(path, "a time or a size in it has more than 64 bits") from error
    from_ns = 0 if importer.from_ is None else ns(importer.from_)
    trace = _between(path, measurement.trace, from_ns, importer.until_ns)
    how: Metadata = importer.describe() | {"source": provenance.source(path)}
    if measurement.lldu_bytes is not None:
        how["lldu_bytes"] = measurement.lldu_bytes
    if measurement.slots is not None and len(trace) == len(measurement.trace):
        how["slots"] = measurement.slots
    how |= {"packing": measurement.packing, "notes": list(measurement.notes)}
    trace = replace(trace, metadata=provenance.record(trace.table.kind, **how))
    if target is not None:
        write_trace(target, trace)
    return trace


def _between(path: str, trace: Trace, from_ns: int, until_ns: int | None) -> Trace:
    """Return the rows of a part of the time, which counts from the beginning of that part."""
    if from_ns == 0 and until_ns is None:
        return trace
    kept = trace.tx_time_ns >= from_ns
    if until_ns is not None:
        kept &= trace.tx_time_ns < until_ns
    if not kept.any():
        first_s, last_s = trace.tx_time_ns[0] / 1e9, trace.tx_time_ns[-1] / 1e9
        raise InputError(
            path, f"no row lies between --from and --until; rows lie from {first_s:g} s to {last_s:g} s"
        )
    columns = {column.name: getattr(trace, column.name)[kept] for column in trace.columns}
    columns["tx_time_ns"] -= from_ns
    return make_trace(trace.table, columns)
