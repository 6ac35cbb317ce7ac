"""The channel without memory: every slot is erased independently with the same probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tmt.core.channels.base import (
    BoolArray,
    ErasureStream,
    SlotChannel,
    check_within,
)
from tmt.core.seeds import uniform_source


@dataclass(frozen=True, slots=True)
class Bernoulli(SlotChannel):
    """Independent erasures.

    Attributes
    ----------
    probability
        Probability that a slot is erased, in [0, 1].

    Raises
    ------
    UsageError
        When it is outside that range.
    """

    name: ClassVar[str] = "bernoulli"

    probability: float

    def __post_init__(self) -> None:
        check_within("probability", self.probability, 0.0, 1.0)

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
