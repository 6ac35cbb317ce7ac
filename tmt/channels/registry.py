"""Every channel by its name. `tmt.generate` does not import it: a trace depends on its own channel only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.channels.bernoulli import Bernoulli
from tmt.channels.error_free import ErrorFree
from tmt.channels.gilbert_elliott import GilbertElliott
from tmt.channels.lms import Lms
from tmt.channels.neyman_a import NeymanA
from tmt.channels.shadows import Shadows
from tmt.channels.snr import Snr

if TYPE_CHECKING:
    from tmt.channels.base import Channel

CHANNELS: dict[str, type[Channel]] = {
    channel.name: channel for channel in (ErrorFree, Bernoulli, GilbertElliott, NeymanA, Lms, Shadows, Snr)
}
"""Every channel by its name on the command line and in scenarios."""
