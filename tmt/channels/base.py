"""What every channel is: frozen parameters that give a seeded stream of erasures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tmt.errors import UsageError

BoolArray = npt.NDArray[np.bool_]


class ErasureStream(Protocol):
    """The erasures of one realisation, handed out in pieces."""

    def next(self, slots: int) -> BoolArray:
        """Return whether each of the next `slots` slots is erased: [slots], bool.

        The sequence does not depend on the cut: ``next(2)`` and ``next(3)`` give what ``next(5)`` gives.
        """


@dataclass(frozen=True, slots=True)
class Channel(ABC):
    """A channel model with its parameters; equal parameters and seeds give equal erasures."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def erasure_probability(self) -> float:
        """Probability that a slot is erased, in the long run."""

    @abstractmethod
    def erasures(self, seed: int) -> ErasureStream:
        """Start the realisation that belongs to `seed` (0 or more)."""

    def describe(self) -> dict[str, Any]:
        """Return name and parameters, as a trace's metadata holds them."""
        return {"channel": self.name, **asdict(self)}


def check_probability(name: str, value: float) -> None:
    """Refuse a probability outside [0, 1].

    Raises
    ------
    UsageError
        Naming the parameter, its value and the range.
    """
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{name} is {value}, must be within [0, 1]")


def uniform_source(seed: int) -> np.random.Generator:
    """Return the generator that a channel draws from, a fixed number of 64-bit words per slot.

    PCG64 gives one word for every uniform number in [0, 1) and buffers nothing, so that a stream of uniforms
    does not depend on how many are asked for at a time.

    Raises
    ------
    UsageError
        When the seed is negative.
    """
    if seed < 0:
        raise UsageError(f"seed is {seed}, must be 0 or more")
    return np.random.Generator(np.random.PCG64(seed))
