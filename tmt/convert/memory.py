"""Conversion of a trace that is in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tmt import provenance
from tmt.convert.share import Share
from tmt.io.arrays import checked
from tmt.schema import LINK_TRACE
from tmt.schemes.converter import joined

if TYPE_CHECKING:
    from tmt.schemes.parameters import Scheme
    from tmt.trace import LinkTrace, PhyTrace


def convert(phy: PhyTrace, scheme: Scheme, every: int = 1) -> LinkTrace:
    """Send a PHY trace's slots under a scheme.

    Parameters
    ----------
    phy
        Slots in strictly increasing order of `tx_time_ns`, checked as those of a file are.
    scheme
        One of `tmt.schemes.registry.SCHEMES` with its parameters.
    every
        Keep every so-many-th slot, from the first on: the share of one of `every` users.

    Raises
    ------
    InputError
        When a column has another type or length or is missing, or a row may not be in a PHY trace.
    UsageError
        When `every` is below 1.
    """
    scheme.check_columns("phy trace", phy.columns)
    converter = scheme.converter()
    settled = converter.feed(Share(every).of(checked(phy)))
    rest = converter.finish()
    sent_bytes = converter.counts.sent_bytes
    metadata = provenance.record(
        LINK_TRACE.kind,
        **provenance.sizes(phy.metadata),
        scheme=scheme.describe(),
        every=every,
        **({} if sent_bytes is None else {"sent_bytes": sent_bytes}),
    )
    return replace(joined(settled, rest), metadata=metadata)
