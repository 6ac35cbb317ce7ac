"""Forward error correction, interleaved or not (Kuhn 2014, sections 3.5.1 and 3.5.2): exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.block import block_law
from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import TwoStateChannel


def fec(channel: TwoStateChannel, link: RegularLink, data: int, repair: int, depth: int = 1) -> Performance:
    """Return the performance of FEC with N_D = `data`, N_R = `repair` and interleaving depth I = `depth`.

    A data LLDU is delivered when it is decoded or when its block has at least N_D arrivals. Repair LLDUs
    count as slots, never as deliveries. The LLDUs of an interleaved block are I steps of the channel apart
    (eq. 4), so each position is I slots long. A conversion drops an incomplete last run of fewer than I N
    slots.

    Raises
    ------
    UsageError
        When `data` or `depth` is less than 1, or `repair` is negative.
    """
    if depth < 1:
        raise UsageError(f"depth is {depth}: an interleaver is at least 1 deep")
    law = block_law(channel.decimated(depth), data, repair)
    delivered = data - law.unrecovered
    mean_slots = depth * law.recovery_positions / delivered if delivered > 0 else np.nan
    return Performance(delivered / (data + repair), link.recovery_delay_s(mean_slots), law.unrecovered / data)
