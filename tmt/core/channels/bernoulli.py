"""The channel without memory: every slot is erased independently with the same probability."""

from __future__ import annotations

from typing import Annotated, ClassVar

from tmt.core.channels.base import (
    BoolArray,
    ErasureStream,
    SlotChannel,
)
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
