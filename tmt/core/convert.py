"""Converts a PHY trace to the link trace of a scheme, and takes one user's share of a link."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tmt.core import provenance
from tmt.core.checks import checked
from tmt.core.converter import joined
from tmt.core.errors import UsageError
from tmt.core.schema import LINK_TRACE
from tmt.core.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.trace import BoolArray


def convert(phy: PhyTrace, scheme: Scheme, rtt: float = 0.0, every: int = 1) -> LinkTrace:
    """Send a PHY trace's slots under a scheme that converts traces.

    `rtt` is the link's round-trip time in seconds, for schemes with feedback. Every `every`-th slot is kept,
    starting with the first: the share of one of `every` users. InputError when a column is missing or has
    another type or length, or a row is not allowed in a PHY trace; UsageError when `every` is below 1.
    """
    scheme.check_columns("phy trace", phy.columns)
    converter = scheme.converter(rtt).knowing(phy.metadata)
    settled = converter.feed(Share(every).of(checked(phy)))
    rest = converter.finish()
    sent_bytes = converter.counts.sent_bytes
    metadata = provenance.record(
        LINK_TRACE.kind,
        **provenance.inherited(phy.metadata),
        scheme=scheme.describe(rtt),
        every=every,
        **({} if sent_bytes is None else {"sent_bytes": sent_bytes}),
    )
    return replace(joined(settled, rest), metadata=metadata)


class Share:
    """Keeps the slots 0, n, 2 n, ... of a trace that arrives in chunks; n is `every` (UsageError below 1)."""

    def __init__(self, every: int) -> None:
        if every < 1:
            raise UsageError(f"every is {every}; it must be a whole number of at least 1")
        self._every, self._passed = every, 0

    def of(self, chunk: PhyTrace) -> PhyTrace:
        """Return the kept slots of `chunk`, the next piece of the trace."""
        kept = slice(-self._passed % self._every, None, self._every)
        self._passed += len(chunk)
        return kept_slots(chunk, kept)


def kept_slots(chunk: PhyTrace, kept: slice | BoolArray) -> PhyTrace:
    """Return some slots of a piece, without metadata."""
    return PhyTrace(**{column.name: getattr(chunk, column.name)[kept] for column in chunk.columns})
