"""Schemes for live traffic only, inside the simulator: `go-back-n` and `hybrid` (docs/online.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from tmt.core.errors import UsageError
from tmt.core.schemes.parameters import (
    Data,
    DetectionDelay,
    OnlineScheme,
    Persistency,
    Repair,
    RepeatAfter,
    RoundTrip,
    WindowFrames,
    check_run,
)


@dataclass(frozen=True)
class _Frames(OnlineScheme):
    """Frames of `data` LLDUs of one packet and `repair` repair LLDUs; the sender retransmits failed frames.

    Parameters
    ----------
    rtt_ns
        Round-trip propagation time of the link: a NACK and the retransmission take so long together.
    data, repair
        LLDUs of a frame; the last frame of a packet may have fewer data LLDUs.
    persistency
        Most retransmissions of a frame before the sender gives it up; None: no limit.
    detection_delay_ns
        From the end of a frame until the receiver knows whether it has failed.
    """

    rtt_ns: RoundTrip
    data: Data = 1
    repair: Repair = 0
    persistency: Persistency = None
    detection_delay_ns: DetectionDelay = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_run(self.data, self.repair)

    @property
    def _limit(self) -> str:
        return "" if self.persistency is None else f", persistency {self.persistency}"


@dataclass(frozen=True)
class Hybrid(_Frames):
    """Hybrid FEC/ARQ-SR (Barakat and Al Fawal 2003): failed frames are retransmitted before new ones.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "hybrid"

    @property
    def label(self) -> str:
        """``Hybrid(10/11)``, with the persistency if limited."""
        return f"Hybrid({self.data}/{self.data + self.repair}{self._limit})"


@dataclass(frozen=True)
class GoBackN(_Frames):
    """Go-back-N: the receiver accepts frames in order only; the sender retransmits from a failed one on.

    Parameters
    ----------
    window_frames
        Most unacknowledged frames, N.
    repeat_after_ns
        From the end of a failed frame to its retransmission; 0: the least, which is the feedback delay,
        `rtt_ns` plus `detection_delay_ns`.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "go-back-n"

    window_frames: WindowFrames = field(kw_only=True)
    repeat_after_ns: RepeatAfter = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        feedback_ns = self.rtt_ns + self.detection_delay_ns
        if 0 < self.repeat_after_ns < feedback_ns:
            raise UsageError(
                f"repeat_after_ns is {self.repeat_after_ns}; it must be 0, or at least the feedback delay, "
                f"{feedback_ns}"
            )

    @property
    def label(self) -> str:
        """``GBN(10)`` with the window, and the persistency if limited."""
        return f"GBN({self.window_frames}{self._limit})"
