"""Interface of every channel: frozen parameters, and seeded realisations that erase slots in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from tmt.core.profile import Profile

BoolArray = npt.NDArray[np.bool_]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class ErasureStream(Protocol):
    """The erasures of one realisation, returned in pieces."""

    def next(self, slots: int) -> BoolArray:
        """Return whether each of the next `slots` slots is erased: [slots], bool.

        The sequence does not depend on the pieces: ``next(2)`` and ``next(3)`` together equal ``next(5)``.
        """


class Realisation(Protocol):
    """One realisation of a channel; it takes the slots of a trace in order, in pieces of any size."""

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        """Return whether each of the next slots, sent at these times, is erased: [slots], bool.

        Times increase from slot to slot and from piece to piece; the result does not depend on the pieces.
        """


class FadingRealisation(Realisation, Protocol):
    """One realisation of a channel that knows the Es/N0 of each slot."""

    def faded(self, tx_time_ns: Int64Array) -> tuple[BoolArray, FloatArray]:
        """Return the result of `erased`, and the Es/N0 of these slots in dB: [slots], float64."""


@dataclass(frozen=True, slots=True)
class Channel(ABC):
    """A channel model with its parameters; equal parameters, seeds and slots give equal erasures."""

    name: ClassVar[str]
    profiles: ClassVar[Mapping[str, Profile]] = {}
    """Named sets of values for a channel with many parameters; the first is the default."""
    has_es_n0: ClassVar[bool] = False
    """Whether the channel's realisations are `FadingRealisation`."""

    @classmethod
    def of(cls, profile: str | None = None, /, **values: float) -> Self:
        """Return the channel of a profile, by default the first; given values replace its own.

        Raises
        ------
        UsageError
            When a profile or parameter is unknown, or neither the profile nor the caller gives a value.
        """
        return cls(**with_profile(cls, profile or next(iter(cls.profiles)), values))

    @property
    def decode_time_ns(self) -> int | None:
        """Decode time of the channel's PHY; None if the line of slots gives it."""
        return None

    @abstractmethod
    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed` (0 or more); its first slot may have any time."""

    def describe(self) -> dict[str, Any]:
        """Return name and parameters in the form of a trace's metadata."""
        return {"channel": self.name, **asdict(self)}


@dataclass(frozen=True, slots=True)
class SlotChannel(Channel):
    """A channel that advances once per slot, independently of the time between slots."""

    @property
    @abstractmethod
    def erasure_probability(self) -> float:
        """Probability that a slot is erased, in the long run."""

    @abstractmethod
    def erasures(self, seed: int) -> ErasureStream:
        """Start the erasures of `seed` (0 or more)."""

    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed`: its erasures, slot by slot."""
        return _SlotBySlot(self.erasures(seed))


class _SlotBySlot:
    def __init__(self, stream: ErasureStream) -> None:
        self._stream = stream

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        return self._stream.next(len(tx_time_ns))


def with_profile(kind: type[Channel], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a channel: the given ones, and a profile's values for the others.

    Parameters
    ----------
    kind
        Class of the channel.
    name
        Name of a profile in `Channel.profiles` of that class.
    given
        Values by parameter, which replace the profile's.

    Raises
    ------
    UsageError
        When there is no such profile or parameter, or one is neither given nor in the profile.
    """
    known = [field.name for field in fields(kind)]
    if name not in kind.profiles:
        raise UsageError(f"profile is {name!r}; it must be one of {', '.join(kind.profiles)}")
    values = kind.profiles[name].parameters() | dict(given)
    for parameter in given:
        if parameter not in known:
            raise UsageError(
                f"{parameter} is no parameter of {kind.name}, whose parameters are: {', '.join(known)}"
            )
    for parameter in known:
        if parameter not in values:
            raise UsageError(
                f"{parameter} is missing: {kind.name} needs it, the profile {name} does not say it"
            )
    return values


def check_within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a value outside [low, high].

    Raises
    ------
    UsageError
        Naming the parameter, its value and the range.
    """
    if not low <= value <= high:
        raise UsageError(f"{name} is {value}; it must be within [{low:g}, {high:g}]")
