"""Equal shadows at random distances in time, and the code words that they erase.

A shadow stands for a tree beside the road. Code words in the shadow of the crown are erased independently;
those in the shadow of the trunk are all erased. The interleaver only adds to the decode time: the parameters
include its effect on erasures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.channels.base import (
    BoolArray,
    Channel,
    FloatArray,
    Int64Array,
    Realisation,
    check_within,
)
from tmt.core.channels.shadows.profiles import PROFILES
from tmt.core.errors import UsageError
from tmt.core.seeds import uniform_sources
from tmt.core.units import MAX_TIME_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.core.profile import Profile


@dataclass(frozen=True, slots=True)
class Shadows(Channel):
    """Shadows as a renewal process whose distances are uniform around their mean.

    `Shadows.of` takes missing values from a profile.

    Attributes
    ----------
    spacing_ns
        Mean time from the middle of a shadow to the middle of the next one.
    spacing_spread
        The spacing is uniform within this share of its mean on both sides; 0 is periodic.
    crown_ns
        Duration of a shadow.
    crown_error
        Probability that a code word sent in the crown's shadow is erased, independently of the others.
    trunk_ns
        Time in the middle of the crown in which every code word is erased.
    interleaver_depth_ns, processing_time_ns
        The two parts of the decode time.

    Raises
    ------
    UsageError
        When a parameter is out of its range, or shadows could overlap.
    """

    name: ClassVar[str] = "shadows"
    profiles: ClassVar[Mapping[str, Profile]] = PROFILES

    spacing_ns: int
    spacing_spread: float
    crown_ns: int
    crown_error: float
    trunk_ns: int
    interleaver_depth_ns: int
    processing_time_ns: int

    def __post_init__(self) -> None:
        check_within("spacing_ns", self.spacing_ns, 1, MAX_TIME_NS)
        check_within("spacing_spread", self.spacing_spread, 0.0, 1.0)
        check_within("crown_error", self.crown_error, 0.0, 1.0)
        least_ns = self.spacing_ns * (1.0 - self.spacing_spread)
        if not 0 <= self.crown_ns <= least_ns:
            raise UsageError(
                f"crown_ns is {self.crown_ns}; it must be within [0, {math.floor(least_ns)}], "
                "the least spacing"
            )
        check_within("trunk_ns", self.trunk_ns, 0, self.crown_ns)
        check_within("interleaver_depth_ns", self.interleaver_depth_ns, 0, MAX_TIME_NS)
        check_within("processing_time_ns", self.processing_time_ns, 0, MAX_TIME_NS)
        if self.decode_time_ns <= 0:
            raise UsageError(
                "processing_time_ns is 0 without an interleaver; it must be positive (0 means erased)"
            )

    @property
    def decode_time_ns(self) -> int:
        """Depth of the interleaver plus processing time."""
        return self.interleaver_depth_ns + self.processing_time_ns

    @property
    def erasure_probability(self) -> float:
        """Probability that a code word is erased, in the long run."""
        crown_ns = self.crown_ns - self.trunk_ns
        return (self.trunk_ns + self.crown_error * crown_ns) / self.spacing_ns

    def realisation(self, seed: int) -> Realisation:
        """Start the realisation of `seed` at the first slot that it is given.

        The first slot has a random position in the process. One uniform number per slot, from a separate
        source, decides its fate, so that the shadows do not depend on the rate of slots.
        """
        return _Crossings(self, seed)


class _Crossings:
    def __init__(self, channel: Shadows, seed: int) -> None:
        self._channel = channel
        self._spacings, self._fates = uniform_sources(seed, 2)
        self._middles_ns = self._first_middles_ns()
        self._start_ns: int | None = None

    def _first_middles_ns(self) -> FloatArray:
        """Return the middles around time 0; a spacing contains time 0 in proportion to its length."""
        low, high = (self._channel.spacing_ns * (1.0 + s * self._channel.spacing_spread) for s in (-1, 1))
        length, part = self._spacings.random(2)
        spacing_ns = math.sqrt(low**2 + length * (high**2 - low**2))
        return np.array([(part - 1.0) * spacing_ns, part * spacing_ns])

    def erased(self, tx_time_ns: Int64Array) -> BoolArray:
        if not len(tx_time_ns):
            return np.empty(0, np.bool_)
        if self._start_ns is None:
            self._start_ns = int(tx_time_ns[0])
        time_ns = tx_time_ns - self._start_ns
        while self._middles_ns[-1] <= time_ns[-1]:
            self._extend()
        after = np.searchsorted(self._middles_ns, time_ns, side="right")
        off_ns = np.minimum(self._middles_ns[after] - time_ns, time_ns - self._middles_ns[after - 1])
        probability = np.where(2 * off_ns < self._channel.crown_ns, self._channel.crown_error, 0.0)
        probability[2 * off_ns < self._channel.trunk_ns] = 1.0
        self._middles_ns = self._middles_ns[after[-1] - 1 :]
        erased: BoolArray = self._fates.random(len(time_ns)) < probability
        return erased

    def _extend(self) -> None:
        spread = self._channel.spacing_spread * (2.0 * self._spacings.random() - 1.0)
        following_ns = self._middles_ns[-1] + self._channel.spacing_ns * (1.0 + spread)
        self._middles_ns = np.append(self._middles_ns, following_ns)
