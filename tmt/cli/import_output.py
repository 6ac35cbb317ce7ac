"""Summary of an imported trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.schema import UNSETTLED
from tmt.trace import LinkTrace

if TYPE_CHECKING:
    from tmt.trace import Trace


def describe(path: str, trace: Trace) -> str:
    """Return one line with counts, and one line per note of the importer."""
    if isinstance(trace, LinkTrace):
        unsettled = int((trace.delay_ns == UNSETTLED).sum())
        lost = len(trace) - int(trace.delivered.sum()) - unsettled
        counts = f"{len(trace):,} rows, {lost:,} of them lost, {unsettled:,} unsettled"
    else:
        counts = f"{len(trace):,} slots, {int((trace.decode_time_ns == 0).sum()):,} of them erased"
    return "\n".join([f"{path}: {counts}", *(f"note: {note}" for note in trace.metadata["notes"])])
