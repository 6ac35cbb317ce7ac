"""Where erasures come from when they are not measured: seeded channel models.

A channel says which slots are erased; `tmt.generate` puts it on a line or over a trace.
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
"""Every channel by the name that users type."""

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
