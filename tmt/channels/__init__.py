"""Channel models, seeded sources of erasures.

A channel decides which slots are erased; `tmt.generate` applies it to a line of slots or to a trace.
"""

from __future__ import annotations

from tmt.channels.base import Channel, ErasureStream, Realisation, SlotChannel
from tmt.channels.bernoulli import Bernoulli
from tmt.channels.error_free import ErrorFree
from tmt.channels.gilbert_elliott import GilbertElliott
from tmt.channels.lms import Lms
from tmt.channels.neyman_a import NeymanA
from tmt.channels.shadows import Shadows
from tmt.channels.snr import Snr

CHANNELS: dict[str, type[Channel]] = {
    channel.name: channel for channel in (ErrorFree, Bernoulli, GilbertElliott, NeymanA, Lms, Shadows, Snr)
}
"""Every channel by its name on the command line and in scenarios."""

__all__ = [
    "CHANNELS",
    "Bernoulli",
    "Channel",
    "ErasureStream",
    "ErrorFree",
    "GilbertElliott",
    "Lms",
    "NeymanA",
    "Realisation",
    "Shadows",
    "SlotChannel",
    "Snr",
]
