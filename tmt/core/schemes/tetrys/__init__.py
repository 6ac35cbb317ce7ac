"""Scheme `tetrys`: a convolutional erasure code over GF(256) with feedback."""

from __future__ import annotations

from typing import Annotated, ClassVar

from tmt.core.declaration import Param
from tmt.core.schemes.scheme import DetectionDelay, RepairInterval, Scheme


class Tetrys(Scheme):
    """The code of `sliding-window` with feedback, as in RFC 9407.

    The receiver's reports advance the window's start, and request repair LLDUs for missing source LLDUs. A
    full window blocks new source LLDUs.
    """

    name: ClassVar[str] = "tetrys"

    coding_window: Annotated[
        int, "most source LLDUs from the first one that the receiver misses, W", Param("", 1, 1024)
    ]
    repair_interval: RepairInterval
    detection_delay: DetectionDelay = 0

    @property
    def label(self) -> str:
        """``Tetrys(W, 1 per k)``."""
        return f"Tetrys({self.coding_window}, 1 per {self.repair_interval})"
