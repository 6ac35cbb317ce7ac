"""Go-back-N on a channel with two states (Jin and Yang 2006, eqs. 1 and 10).

A packet crosses the link as n frames, one in each slot. A lost frame is retransmitted N slots later, with all
frames sent in between, which the receiver has discarded.
"""

from __future__ import annotations

import math
from typing import Annotated

from scipy.optimize import brentq

from tmt.core.declaration import Count, Param, Probability, Spec, taken
from tmt.core.errors import UsageError
from tmt.theory.link import MOST, Loss, Quantity


class GoBackNLink(Spec):
    """The channel, with a frame as its step, and the protocol; errors are independent if q = s."""

    error_after_success: Annotated[Probability, "q of eq. 1; c = 1 - q"]
    error_after_error: Annotated[Loss, "s of eq. 1; r = 1 - s"]
    frames: Annotated[Count, "n, frames of a packet"] = 10
    window: Annotated[Count, "N, slots from a lost frame to its retransmission"] = 10
    frame_processing_s: Annotated[Quantity, "D_ARQ, time that each frame takes beyond its transmission"] = 0.0

    @classmethod
    def losing(
        cls,
        packet_loss: float,
        burst_frames: float | None = None,
        frames: int = 10,
        window: int = 10,
        frame_processing_s: float = 0.0,
    ) -> GoBackNLink:
        """Return the channel that loses this share of packets without retransmissions.

        `packet_loss` is p_2, the share of packets that lose a frame. Error bursts have a mean length of
        `burst_frames`, 1 or more; None makes errors independent. UsageError when such bursts cannot lose that
        many packets.
        """
        taken("wireless_loss", Loss, packet_loss)
        if burst_frames is None:
            error = -math.expm1(math.log1p(-packet_loss) / frames)
            return cls(error, error, frames, window, frame_processing_s)
        taken("burst_frames", Annotated[float, Param(least=1, most=MOST)], burst_frames)

        def channel(error: float) -> GoBackNLink:
            return cls(error, 1.0 - 1.0 / burst_frames, frames, window, frame_processing_s)

        if channel(1.0).packet_loss < packet_loss:
            raise UsageError(
                f"wireless loss is {packet_loss:g}: bursts of {burst_frames:g} frames lose at most "
                f"{channel(1.0).packet_loss:.4g}"
            )
        found = brentq(lambda q: channel(q).packet_loss - packet_loss, 0.0, 1.0, xtol=1e-15, rtol=1e-14)
        return channel(float(found))

    @property
    def frame_error(self) -> float:
        """Share of slots in which a frame is lost, q / (q + r)."""
        return self.error_after_success / (self.error_after_success + 1.0 - self.error_after_error)

    @property
    def packet_loss(self) -> float:
        """p_2, share of packets that lose a frame, without retransmissions."""
        return 1.0 - (1.0 - self.frame_error) * (1.0 - self.error_after_success) ** (self.frames - 1)

    @property
    def error_a_window_later(self) -> float:
        """Probability of an error N slots after one: the chain's N-step transition, not s^N."""
        memory = self.error_after_error - self.error_after_success
        return self.frame_error + (1.0 - self.frame_error) * memory**self.window

    @property
    def slots_per_frame(self) -> float:
        """Mean number of slots that one frame takes on a link that is never idle, 1 + N q / (1 - s_N).

        An attempt in the slot after a success fails with q; an attempt N slots after an error fails with s_N.
        So a success costs q / (1 - s_N) errors of N slots each. Independent errors give the classical
        1 + N q / (1 - q); the general form is that of Leung, Kikumoto and Sorensen (1988).
        """
        return 1.0 + self.window * self.error_after_success / (1.0 - self.error_a_window_later)

    def packet_s(self, transmission_s: float) -> float:
        """Return mu_p', the mean time per packet, if one transmission takes mu_p, `transmission_s`."""
        return (transmission_s + self.frames * self.frame_processing_s) * self.slots_per_frame
