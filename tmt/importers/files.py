"""Measurement files to traces: options, the requested part of the time, metadata, and the output file."""

from __future__ import annotations

from dataclasses import replace
from os import fspath
from typing import TYPE_CHECKING, Any

from tmt.core import provenance
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import make_trace
from tmt.importers.options import CUT, FROM, UNTIL
from tmt.importers.registry import AUTO, importer_named, recognised
from tmt.io import write_trace
from tmt.io.atomic import check_not_source

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.trace import Metadata, Trace
    from tmt.importers.importer import Importer


def import_trace(
    kind: str, source: str | PathLike[str], target: str | PathLike[str] | None = None, **options: Any
) -> Trace:
    """Read the measurement file `source` as a trace, and write the trace to `target` if there is one.

    Parameters
    ----------
    kind
        Name of the format; ``auto`` detects it by the content.
    **options
        Options of the format by their names in Python (`tmt.importers.importer.Option.name`).

    Returns
    -------
    PhyTrace or LinkTrace
        Its metadata hold ``importer``, ``source``, the options, ``packing``, ``lldu_bytes`` where all rows
        carry the same, and ``notes``, a list of sentences.

    Raises
    ------
    InputError
        When the measurement is not of that format, or damaged.
    OutputError
        When `target` cannot be written.
    UsageError
        When there is no such format or option, a value is not allowed, the ending of `target` stands for no
        format, or `target` is `source`.
    """
    path = fspath(source)
    if target is not None:
        check_not_source(target, path)
    importer = recognised(path) if kind == AUTO else importer_named(kind)
    values = _complete(importer, options)
    taken = (*importer.options, UNTIL) if importer.takes_until else importer.options
    try:
        measurement = importer.read(path, **{option.name: values[option.name] for option in taken})
    except OverflowError as error:
        raise InputError(path, "a time or a size in it has more than 64 bits") from error
    trace = _between(path, measurement.trace, values[FROM.name] or 0, values[UNTIL.name])
    how: Metadata = {"importer": importer.name, "source": provenance.source(path)}
    how |= {name: value for name, value in values.items() if value is not None}
    if measurement.lldu_bytes is not None:
        how["lldu_bytes"] = measurement.lldu_bytes
    if measurement.slots is not None and len(trace) == len(measurement.trace):
        how["slots"] = measurement.slots
    how |= {"packing": measurement.packing, "notes": list(measurement.notes)}
    trace = replace(trace, metadata=provenance.record(trace.table.kind, **how))
    if target is not None:
        write_trace(target, trace)
    return trace


def _complete(importer: Importer, given: Metadata) -> Metadata:
    """Return the value of every option, and refuse those that the format does not have."""
    known = {option.name: option for option in (*importer.options, *CUT)}
    for name in given:
        if name not in known:
            raise UsageError(f"{name} is no option of the format {importer.name}; it has {', '.join(known)}")
    values = {name: given.get(name, option.default) for name, option in known.items()}
    for name, option in known.items():
        if option.required and values[name] is None:
            raise UsageError(f"{option.flag} is missing, which the format {importer.name} needs")
        if option.choices and values[name] not in (None, *option.choices):
            raise UsageError(f"{option.flag} is {values[name]}; allowed are {', '.join(option.choices)}")
    return values


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
