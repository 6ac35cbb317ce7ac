"""Conversion of a trace that is in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt import provenance
from tmt.convert.share import Share
from tmt.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    from tmt.schemes import Scheme


def convert(phy: PhyTrace, scheme: Scheme, every: int = 1) -> LinkTrace:
    """Send a PHY trace's slots under a scheme.

    Parameters
    ----------
    phy
        Slots in strictly increasing order of `tx_time_ns`.
    scheme
        One of `tmt.schemes.SCHEMES` with its parameters.
    every
        Keep every so-many-th slot, from the first on: the share of one of `every` users.

    Raises
    ------
    UsageError
        When `every` is below 1.
    """
    converter = scheme.converter()
    settled = converter.feed(Share(every).of(phy))
    rest = converter.finish()
    return LinkTrace(
        np.concatenate([settled.tx_time_ns, rest.tx_time_ns]),
        np.concatenate([settled.delay_ns, rest.delay_ns]),
        np.concatenate([settled.delivered, rest.delivered]),
        np.concatenate([settled.transmissions, rest.transmissions]),
        provenance.record(
            rest.table.kind,
            lldu_bytes=phy.metadata.get("lldu_bytes"),
            scheme=scheme.describe(),
            every=every,
        ),
    )
