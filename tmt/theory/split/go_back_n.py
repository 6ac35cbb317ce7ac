"""Go-back-N on a channel with two states (Jin and Yang 2006, eqs. 1 and 10).

A packet crosses the link as n frames, one in each slot. A lost frame is retransmitted N slots later, with all
frames sent in between, which the receiver has discarded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq

from tmt.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class GoBackNLink:
    """The channel, with a frame as its step, and the protocol.

    Attributes
    ----------
    error_after_success, error_after_error
        q and s of eq. 1; c = 1 - q and r = 1 - s. Errors are independent if q = s.
    frames
        n, frames of a packet.
    window
        N, slots from a lost frame to its retransmission.
    frame_processing_s
        D_ARQ, time that each frame takes beyond its transmission.

    Raises
    ------
    UsageError
        When a value is out of its range.
    """

    error_after_success: float
    error_after_error: float
    frames: int = 10
    window: int = 10
    frame_processing_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.error_after_success <= 1.0:
            raise UsageError(
                f"error after success is {self.error_after_success:g}: a probability lies within [0, 1]"
            )
        if not 0.0 <= self.error_after_error < 1.0:
            raise UsageError(
                f"error after error is {self.error_after_error:g}: a probability of at least 0 and below 1 "
                "is allowed"
            )
        if self.frames < 1:
            raise UsageError(f"frames are {self.frames}: a packet has 1 or more")
        if self.window < 1:
            raise UsageError(f"window is {self.window}: 1 frame or more is needed")
        if not 0.0 <= self.frame_processing_s < math.inf:
            raise UsageError(f"frame processing is {self.frame_processing_s:g} s: it must not be negative")

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

        Parameters
        ----------
        packet_loss
            p_2, share of packets that lose a frame.
        burst_frames
            Mean length of an error burst in frames, 1 or more; None makes errors independent.
        frames, window, frame_processing_s
            As for the class.

        Raises
        ------
        UsageError
            When a value is out of its range, or such bursts cannot lose that many packets.
        """
        if not 0.0 <= packet_loss < 1.0:
            raise UsageError(
                f"wireless loss is {packet_loss:g}: a probability of at least 0 and below 1 is allowed"
            )
        if burst_frames is None:
            error = -math.expm1(math.log1p(-packet_loss) / frames)
            return cls(error, error, frames, window, frame_processing_s)
        if not 1.0 <= burst_frames < math.inf:
            raise UsageError(f"burst is {burst_frames:g} frames: it lasts 1 or more")

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
