"""The channel without erasures."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tmt.core.channels.base import BoolArray, ErasureStream, SlotChannel


class ErrorFree(SlotChannel):
    """No slot is erased."""

    name: ClassVar[str] = "error-free"

    @property
    def erasure_probability(self) -> float:
        """Zero."""
        return 0.0

    def erasures(self, seed: int) -> ErasureStream:
        """Start a stream without erasures; the seed has no effect."""
        return _Nothing()


class _Nothing:
    def next(self, slots: int) -> BoolArray:
        return np.zeros(slots, np.bool_)
