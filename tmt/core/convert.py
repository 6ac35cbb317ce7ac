"""A PHY trace in, the link trace of a scheme out; and the share of a link that one of n users gets."""

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
    from the first on: the share of one of `every` users. InputError when a column has another type or length
    or is missing, or a row may not be in a PHY trace; UsageError when `every` is below 1.
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
        """Return the slots of `chunk`, the next of the trace, that are kept."""
        kept = slice(-self._passed % self._every, None, self._every)
        self._passed += len(chunk)
        return kept_slots(chunk, kept)


def kept_slots(chunk: PhyTrace, kept: slice | BoolArray) -> PhyTrace:
    """Return some slots of a run of them, without metadata."""
    return PhyTrace(**{column.name: getattr(chunk, column.name)[kept] for column in chunk.columns})
