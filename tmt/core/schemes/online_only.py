"""Schemes that run only inside the simulator: `go-back-n` and `hybrid` (docs/online.md)."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, ClassVar

from tmt.core.declaration import Count, Param, Rules
from tmt.core.schemes.scheme import MAX_BLOCK, Data, Delay, DetectionDelay, Persistency, Repair, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterator


class Frames(Scheme):
    """Frames of `data` LLDUs of one packet and `repair` repair LLDUs; the sender retransmits failed frames.

    The last frame of a packet may have fewer data LLDUs. `detection_delay` starts at the end of a frame.
    """

    converts: ClassVar[bool] = False
    takes_packed: ClassVar[bool] = False

    data: Data = 1
    repair: Repair = 0
    persistency: Persistency = None
    detection_delay: DetectionDelay = 0

    def rules(self) -> Rules:
        """Bound a frame."""
        yield from super().rules()
        if self.data + self.repair > MAX_BLOCK:
            yield "repair", f"data + repair of at most {MAX_BLOCK} slots", "makes too long a frame"

    @property
    def _limit(self) -> str:
        return "" if self.persistency is None else f", persistency {self.persistency}"


class Hybrid(Frames):
    """Hybrid FEC/ARQ-SR (Barakat and Al Fawal 2003): failed frames are retransmitted before new ones."""

    name: ClassVar[str] = "hybrid"

    @property
    def label(self) -> str:
        """``Hybrid(10/11)``, with the persistency if limited."""
        return f"Hybrid({self.data}/{self.data + self.repair}{self._limit})"


class GoBackN(Frames):
    """Go-back-N: the receiver accepts frames only in order; the sender goes back to a failed frame."""

    name: ClassVar[str] = "go-back-n"

    window_frames: Annotated[Count, "most unacknowledged frames, N"] = field(kw_only=True)
    repeat_after: Annotated[
        Delay | None,
        "time from a failed frame's end to its retransmission",
        Param(least=1e-9, absent="the least, which is the feedback delay: RTT plus detection_delay"),
    ] = None

    def on_link(self, rtt: float) -> Iterator[tuple[str, str]]:
        """Refuse a feedback delay that is too long."""
        feedback_s = rtt + self.detection_delay
        if self.repeat_after is not None and self.repeat_after < feedback_s:
            yield "repeat_after", f"at least the feedback delay, {feedback_s:g} s"

    @property
    def label(self) -> str:
        """``GBN(10)`` with the window, and the persistency if limited."""
        return f"GBN({self.window_frames}{self._limit})"
