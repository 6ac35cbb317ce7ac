"""A PHY trace in, the link trace of a scheme out, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    from tmt.schemes import Scheme


def convert(phy: PhyTrace, scheme: Scheme, every: int = 1) -> LinkTrace:
    """Send a PHY trace's slots under a scheme.

    Parameters
    ----------
    phy
        Slots in strictly increasing order of `tx_time_ns`.
    every
        Keep every so-many-th slot, the first one first: the share of one of `every` users.
    """
    converter = scheme.converter()
    kept = PhyTrace(phy.tx_time_ns[::every], phy.decode_time_ns[::every])
    settled, rest = converter.feed(kept), converter.finish()
    return LinkTrace(
        np.concatenate([settled.tx_time_ns, rest.tx_time_ns]),
        np.concatenate([settled.delay_ns, rest.delay_ns]),
        np.concatenate([settled.delivered, rest.delivered]),
        np.concatenate([settled.transmissions, rest.transmissions]),
    )
