"""The two-state channel of Gilbert and Elliott: erasures that come in bursts.

Kuhn 2014, section 3.3, gives the chain; the error probabilities in both states follow Elliott (Bell System
Technical Journal 42, 1963). With 0 in the good state and 1 in the bad one it is the simple Gilbert model.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from tmt.core.channels.base import BoolArray, ErasureStream, FloatArray, SlotChannel
from tmt.core.declaration import Probability, Rules
from tmt.core.seeds import uniform_source


class GilbertElliott(SlotChannel):
    """A chain that is in a good or a bad state in every slot and moves before the next one."""

    name: ClassVar[str] = "gilbert-elliott"

    alpha: Annotated[Probability, "probability that a good slot is followed by a good one"]
    beta: Annotated[Probability, "probability that a bad slot is followed by a bad one"]
    error_good: Annotated[Probability, "probability that a slot is erased in the good state"] = 0
    error_bad: Annotated[Probability, "probability that a slot is erased in the bad state"] = 1

    def rules(self) -> Rules:
        """Refuse a chain that never leaves a state: it has no unique stationary law."""
        if self.alpha == self.beta == 1:
            yield "beta", "at least one of alpha and beta below 1"

    @property
    def bad_probability(self) -> float:
        """Stationary probability of the bad state."""
        return (1.0 - self.alpha) / ((1.0 - self.alpha) + (1.0 - self.beta))

    @property
    def erasure_probability(self) -> float:
        """Mean error probability under the stationary law of the states."""
        bad = self.bad_probability
        return (1.0 - bad) * self.error_good + bad * self.error_bad

    def erasures(self, seed: int) -> ErasureStream:
        """Start the realisation of `seed`, from the stationary law.

        One uniform number decides the first state; each slot then uses two, for its fate and for the next
        state.
        """
        return _Chain(self, seed)


class _Chain:
    def __init__(self, channel: GilbertElliott, seed: int) -> None:
        self._channel = channel
        self._uniform = uniform_source(seed)
        self._bad = bool(self._uniform.random() < channel.bad_probability)

    def next(self, slots: int) -> BoolArray:
        from tmt.core.channels.gilbert_elliott.kernel import gilbert_elliott  # noqa: PLC0415  (numba takes long to import)

        channel = self._channel
        draws: FloatArray = self._uniform.random((slots, 2))
        erased = np.empty(slots, np.bool_)
        self._bad = bool(
            gilbert_elliott(
                draws, channel.alpha, channel.beta, channel.error_good, channel.error_bad, self._bad, erased
            )
        )
        return erased
