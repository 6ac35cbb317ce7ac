"""What every channel is: frozen parameters that give a seeded realisation, which erases slots in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tmt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.channels.profile import Profile

BoolArray = npt.NDArray[np.bool_]
Int64Array = npt.NDArray[np.int64]


class ErasureStream(Protocol):
    """The erasures of one realisation, handed out in pieces."""

    def next(self, slots: int) -> BoolArray:
        """Return whether each of the next `slots` slots is erased: [slots], bool.

        The sequence does not depend on the cut: ``next(2)`` and ``next(3)`` give what ``next(5)`` gives.
        """


class Realisation(Protocol):
    """One course of a channel, asked about the slots of a trace in order, in pieces of any size."""

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        """Return whether each of the next slots, sent at these times, is erased: [slots], bool.

        Times rise from slot to slot and from piece to piece; the result does not depend on the cut.
        """


@dataclass(frozen=True, slots=True)
class Channel(ABC):
    """A channel model with its parameters; equal parameters, seeds and slots give equal erasures."""

    name: ClassVar[str]
    profiles: ClassVar[Mapping[str, Profile]] = {}
    """Named sets of values for a channel with many parameters; the first is the default."""

    @property
    def decode_time_ns(self) -> int | None:
        """How long the channel's PHY takes to decode a slot; None where the line says it."""
        return None

    @abstractmethod
    def realisation(self, seed: int) -> Realisation:
        """Start the realisation that belongs to `seed` (0 or more); its first slot may have any time."""

    def describe(self) -> dict[str, Any]:
        """Return name and parameters, as a trace's metadata holds them."""
        return {"channel": self.name, **asdict(self)}


@dataclass(frozen=True, slots=True)
class SlotChannel(Channel):
    """A channel that goes from slot to slot, whatever the time between them."""

    @property
    @abstractmethod
    def erasure_probability(self) -> float:
        """Probability that a slot is erased, in the long run."""

    @abstractmethod
    def erasures(self, seed: int) -> ErasureStream:
        """Start the erasures that belong to `seed` (0 or more)."""

    def realisation(self, seed: int) -> Realisation:
        """Start the realisation that belongs to `seed`: its erasures, slot by slot."""
        return _SlotBySlot(self.erasures(seed))


class _SlotBySlot:
    def __init__(self, stream: ErasureStream) -> None:
        self._stream = stream

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        return self._stream.next(len(tx_time_ns))


def with_profile(kind: type[Channel], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a channel: those given, and for the rest those of a profile.

    Raises
    ------
    UsageError
        When there is no such profile or parameter, or one is neither given nor in the profile.
    """
    known = [field.name for field in fields(kind)]
    if name not in kind.profiles:
        raise UsageError(f"profile is {name!r}, must be one of {', '.join(kind.profiles)}")
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


def check_probability(name: str, value: float) -> None:
    """Refuse a probability outside [0, 1].

    Raises
    ------
    UsageError
        Naming the parameter, its value and the range.
    """
    check_within(name, value, 0.0, 1.0)


def check_within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a value outside [low, high].

    Raises
    ------
    UsageError
        Naming the parameter, its value and the range.
    """
    if not low <= value <= high:
        raise UsageError(f"{name} is {value}, must be within [{low:g}, {high:g}]")


def uniform_source(seed: int) -> np.random.Generator:
    """Return the generator that a channel draws from, a fixed number of 64-bit words per slot.

    PCG64 gives one word for every uniform number in [0, 1) and buffers nothing, so that a stream of uniforms
    does not depend on how many are asked for at a time.

    Raises
    ------
    UsageError
        When the seed is negative.
    """
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(seed))


def check_seed(seed: int) -> None:
    """Refuse a negative seed.

    Raises
    ------
    UsageError
        Naming its value.
    """
    if seed < 0:
        raise UsageError(f"seed is {seed}, must be 0 or more")
