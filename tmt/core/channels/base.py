"""Interface of every channel: parameters, named sets of them, and seeded realisations that erase slots."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from tmt.core.declaration import Spec, in_nanoseconds

BoolArray = npt.NDArray[np.bool_]
Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

Kind = Literal["published", "assumed", "fitted"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a value: a publication, an assumption, or a fit to published results."""

    kind: Kind
    source: str


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value and its origin."""

    value: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class LineDefaults:
    """The regular slots of a profile: `rate_bps` counts bits of LLDUs; a user gets every `share`-th slot."""

    rate_bps: Sourced
    lldu_bytes: Sourced
    share: Sourced


@dataclass(frozen=True, slots=True)
class Profile:
    """Values for a channel's parameters by field, and the profile's slots; the user gives missing values."""

    summary: str
    values: Mapping[str, Sourced]
    line: LineDefaults


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


UNSET: Any = None
"""Default of a parameter: the profile of the channel gives its value."""


class Channel(Spec):
    """A channel model with its parameters; equal parameters, seeds and slots give equal erasures."""

    has_es_n0: ClassVar[bool] = False
    """Whether the channel's realisations are `FadingRealisation`."""

    is_random: ClassVar[bool] = True
    """Whether different seeds give different realisations."""

    profiles: ClassVar[Mapping[str, Profile]] = {}
    """Named sets of values for a channel with many parameters, which has a field `profile`."""

    @property
    def line(self) -> LineDefaults | None:
        """The regular slots of the channel's profile."""
        profile = self._profile
        return None if profile is None else profile.line

    @property
    def _profile(self) -> Profile | None:
        # An unknown profile is refused by its own field, so the first profile replaces it here.
        return self.profiles.get(getattr(self, "profile", ""), next(iter(self.profiles.values()), None))

    def filled(self, key: str, value: Any) -> Any:
        """Return the profile's value of a parameter that was left out."""
        return self.usual(key) if value is None else value

    def usual(self, key: str) -> Any:
        """Return the profile's value of a parameter, or the default."""
        profile = self._profile
        values = {} if profile is None else profile.values
        return values[key].value if key in values else super().usual(key)

    @property
    def decode_time_ns(self) -> int | None:
        """Decode time of the channel's PHY; None if the line of slots gives it."""
        return None

    def check_fates(self) -> None:
        """Refuse parameters that decide no slot's fate (UsageError): modes do under an adaptation."""

    @abstractmethod
    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed` (0 or more); its first slot may have any time."""

    def describe(self) -> dict[str, Any]:
        """Return name and parameters in the form of a trace's metadata, with times in nanoseconds."""
        return {"channel": self.name} | in_nanoseconds(self, but="profile")


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
