"""Channel models, seeded sources of erasures.

A channel decides which slots are erased; `tmt.core.generate` applies it to a line of slots or to a trace.
"""

from __future__ import annotations

from tmt.core.channels.base import Channel
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.channels.handover import Handover
from tmt.core.channels.lms import Lms
from tmt.core.channels.memoryless import Bernoulli, ErrorFree
from tmt.core.channels.neyman_a import NeymanA
from tmt.core.channels.shadows import Shadows
from tmt.core.channels.snr import Snr

CHANNELS: dict[str, type[Channel]] = Channel.choose_from(
    *(ErrorFree, Bernoulli, GilbertElliott, NeymanA, Lms, Shadows, Snr, Handover)
)
"""Every channel by its name on the command line and in scenarios."""
