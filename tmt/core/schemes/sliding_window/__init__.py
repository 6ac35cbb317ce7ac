"""Scheme `sliding-window`: a convolutional erasure code over GF(256)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from tmt.core.declaration import Param
from tmt.core.schemes.scheme import RepairInterval, Scheme


class SlidingWindow(Scheme):
    """RFC 8681: after k source LLDUs, a repair LLDU that is a random combination of the last W of them."""

    name: ClassVar[str] = "sliding-window"
    uses_rtt: ClassVar[bool] = False

    coding_window: Annotated[int, "source LLDUs that a repair LLDU covers, W", Param("", 1, 1024)]
    repair_interval: RepairInterval

    @property
    def label(self) -> str:
        """``Sliding-window(W, 1 per k)``."""
        return f"Sliding-window({self.coding_window}, 1 per {self.repair_interval})"
