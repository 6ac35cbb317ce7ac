"""Equal shadows at random distances in time, and the code words that they erase.

A shadow represents a tree beside the road. Code words in the shadow of the crown are erased independently;
those in the shadow of the trunk are all erased. The interleaver only adds to the decode time: the parameters
include its effect on erasures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from tmt.core.channels.base import (
    UNSET,
    BoolArray,
    Channel,
    FloatArray,
    Int64Array,
    LineDefaults,
    Origin,
    Profile,
    Realisation,
    Sourced,
)
from tmt.core.declaration import PositiveSeconds, Probability, Rules, Seconds, ns
from tmt.core.seeds import uniform_sources

_KUHN = Origin("published", "Kuhn et al. 2014, section 4.1")
_ASSUMED = Origin("assumed", "not stated in Kuhn et al. 2014")
_FIT = Origin("fitted", "to tables 1 and 2 and figure 8 of Kuhn et al. 2014")

PROFILES = {
    "distribution": Profile(
        "the up-link of the papers' Distribution scenario, all of it for one user",
        {
            "spacing": Sourced(10.3, _FIT),
            "spacing_spread": Sourced(0.6, _FIT),
            "crown": Sourced(0.23, _FIT),
            "crown_error": Sourced(0.083, _FIT),
            "trunk": Sourced(0.0025, _FIT),
            "interleaver_depth": Sourced(0.036, _KUHN),
            "processing_time": Sourced(0.0001, _ASSUMED),
        },
        LineDefaults(
            rate_bps=Sourced(2_340_000, _KUHN), lldu_bytes=Sourced(33, _KUHN), share=Sourced(1, _KUHN)
        ),
    )
}
"""Profiles by name; the first is the default."""


class Shadows(Channel):
    """Shadows as a renewal process whose spacings are uniform around their mean.

    The decode time is the interleaver's depth plus the processing time.
    """

    name: ClassVar[str] = "shadows"
    profiles: ClassVar[Mapping[str, Profile]] = PROFILES

    profile: Annotated[Literal["distribution"], "set of values for the other parameters"] = "distribution"
    spacing: Annotated[PositiveSeconds, "mean time from the middle of a shadow to that of the next one"] = (
        UNSET
    )
    spacing_spread: Annotated[
        Probability, "share of the mean spacing within which it is uniform on both sides; 0 is periodic"
    ] = UNSET
    crown: Annotated[Seconds, "duration of a shadow"] = UNSET
    crown_error: Annotated[
        Probability, "probability that a code word in the crown's shadow is erased, independently of others"
    ] = UNSET
    trunk: Annotated[Seconds, "time in the middle of the crown in which every code word is erased"] = UNSET
    interleaver_depth: Annotated[Seconds, "time over which a code word is sent; 0: no interleaver"] = UNSET
    processing_time: Annotated[Seconds, "decoding time beyond the interleaver's depth"] = UNSET

    def rules(self) -> Rules:
        """Refuse shadows that could overlap, and a decode time of 0, which would mean erased."""
        least = self.spacing * (1.0 - self.spacing_spread)
        if self.crown > least:
            yield "crown", f"at most the least spacing, {least:g} s"
        if self.trunk > self.crown:
            yield "trunk", f"at most crown, {self.crown:g} s"
        if self.decode_time_ns <= 0:
            yield "processing_time", "more than 0 s without an interleaver (0 would mean erased)"

    @cached_property
    def spacing_ns(self) -> int:
        """Mean spacing in nanoseconds."""
        return ns(self.spacing)

    @cached_property
    def crown_ns(self) -> int:
        """Duration of a shadow in nanoseconds."""
        return ns(self.crown)

    @cached_property
    def trunk_ns(self) -> int:
        """Time in which every code word is erased, in nanoseconds."""
        return ns(self.trunk)

    @property
    def decode_time_ns(self) -> int:
        """Depth of the interleaver plus processing time."""
        return ns(self.interleaver_depth) + ns(self.processing_time)

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
        """Return the centres of the shadows around time 0; a spacing contains time 0 in proportion to its
        length.
        """
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
