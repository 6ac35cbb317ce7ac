"""Likelihood of erasures on a Gilbert-Elliott channel; the simpler models are special cases of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels.erasure_runs import forward, matrix_powers

if TYPE_CHECKING:
    from tmt.core.channels.gilbert_elliott import GilbertElliott
    from tmt.core.trace import FloatArray
    from tmt.theory.fit.observed import ErasureRuns


def steps(channel: GilbertElliott) -> FloatArray:
    """Return the joint probabilities of a transition and a kind of slot (0 decoded, 1 erased): [2, 2, 2].

    Element [kind, i, j] is the probability to go from state i to state j (0 good, 1 bad) and to emit a slot
    of that kind in state j.
    """
    move = np.array([[channel.alpha, 1.0 - channel.alpha], [1.0 - channel.beta, channel.beta]])
    error = np.array([channel.error_good, channel.error_bad])
    return np.stack((move * (1.0 - error), move * error))


class RunLikelihood:
    """The likelihood of one sequence of runs as a function of the channel."""

    def __init__(self, runs: ErasureRuns) -> None:
        self.runs = runs
        self.distinct, index = np.unique(runs.lengths, return_inverse=True)
        self._index = index.astype(np.int64)
        self._powers = np.empty((2, len(self.distinct), 2, 2))
        self._log_scale = np.empty((2, len(self.distinct)))
        self._good = np.empty(len(runs.lengths))

    def __call__(self, channel: GilbertElliott) -> float:
        """Return the natural logarithm of the probability of the runs, from a stationary start."""
        step = steps(channel)
        for kind in range(2):
            matrix_powers(step[kind], self.distinct - 1, self._powers[kind], self._log_scale[kind])
        bad = channel.bad_probability
        start = np.array([1.0 - bad, bad])
        return float(
            forward(
                int(self.runs.first_erased),
                self._index,
                start,
                step,
                self._powers,
                self._log_scale,
                self._good,
            )
        )

    def good_share(self, channel: GilbertElliott) -> FloatArray:
        """Return the probability of the good state in the first slot of each run, given it and its past."""
        self(channel)
        return self._good.copy()
