"""Summary of an imported trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.trace import LinkTrace

if TYPE_CHECKING:
    from tmt.core.trace import Trace


def describe(path: str, trace: Trace) -> str:
    """Return one line with counts, and one line per note of the importer."""
    found = trace.fates
    if isinstance(trace, LinkTrace):
        counts = f"{len(trace):,} rows, {found['lost']:,} of them lost, {found['unsettled']:,} unsettled"
    else:
        counts = f"{len(trace):,} slots, {found['erased']:,} of them erased"
    return "\n".join([f"{path}: {counts}", *(f"note: {note}" for note in trace.metadata["notes"])])


def as_record(path: str, trace: Trace) -> dict[str, Any]:
    """Return the trace's file, kind and format, its counts and the importer's notes, for programs."""
    return {
        "trace": path,
        "kind": trace.table.kind,
        "format": trace.metadata["importer"],
        "rows": len(trace),
        **trace.fates,
        "notes": trace.metadata["notes"],
    }
