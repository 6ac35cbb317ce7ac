"""Channels without memory: no slot is erased, or each independently with the same probability."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from tmt.core.channels.base import BoolArray, ErasureStream, SlotChannel
from tmt.core.declaration import Probability
from tmt.core.seeds import uniform_source


class Bernoulli(SlotChannel):
    """Independent erasures."""

    name: ClassVar[str] = "bernoulli"

    probability: Annotated[Probability, "probability that a slot is erased"]

    @property
    def erasure_probability(self) -> float:
        """The parameter itself."""
        return self.probability

    def erasures(self, seed: int) -> ErasureStream:
        """Start the realisation of `seed`: one uniform number per slot."""
        return _Independent(self.probability, seed)


class _Independent:
    def __init__(self, probability: float, seed: int) -> None:
        self._probability = probability
        self._uniform = uniform_source(seed)

    def next(self, slots: int) -> BoolArray:
        return self._uniform.random(slots) < self._probability


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
