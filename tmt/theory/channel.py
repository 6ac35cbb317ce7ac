"""The Gilbert-Elliott erasure channel as a two-state Markov chain (Kuhn 2014, sections 3.3 to 3.5.2).

State 0 is good, state 1 bad. A slot is erased with the error probability of the state it is sent in; the
chain then moves on. All laws start in the stationary distribution unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tmt.core.errors import UsageError

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwoStateChannel:
    """A Gilbert-Elliott channel, one step of the chain per slot.

    Attributes
    ----------
    alpha
        Probability of staying in the good state from one slot to the next.
    beta
        Probability of staying in the bad state.
    error_good, error_bad
        Probability that a slot sent in that state is erased; 0 and 1 make it the simple Gilbert channel.

    Raises
    ------
    UsageError
        When a probability lies outside [0, 1], or alpha and beta are both 0 or both 1: the long-run behaviour
        of such a chain depends on its first state.
    """

    alpha: float
    beta: float
    error_good: float = 0.0
    error_bad: float = 1.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "error_good", "error_bad"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise UsageError(f"{name} is {value}: a probability lies between 0 and 1")
        if self.alpha == self.beta and self.alpha in (0.0, 1.0):
            raise UsageError(
                f"alpha and beta are both {self.alpha:g}: such a channel never forgets its first state"
            )

    @property
    def memory(self) -> float:
        """Correlation of the states of two successive slots, rho = alpha + beta - 1 (eq. 3)."""
        return self.alpha + self.beta - 1.0

    @property
    def stationary(self) -> FloatArray:
        """Long-run probability of each state, [2]; the second is p of eq. 3."""
        leave_good, leave_bad = 1.0 - self.alpha, 1.0 - self.beta
        return np.array([leave_bad, leave_good]) / (leave_good + leave_bad)

    @property
    def errors(self) -> FloatArray:
        """Erasure probability in each state, [2]."""
        return np.array([self.error_good, self.error_bad])

    @property
    def erasure_probability(self) -> float:
        """Long-run fraction of erased slots; equal to p of eq. 3 for the simple Gilbert channel."""
        return float(self.stationary @ self.errors)

    def transition(self, steps: int = 1) -> FloatArray:
        """Return the probability of going from a state (row) to a state (column) in `steps` slots, [2, 2]."""
        return self._with_memory(self.memory**steps)

    def decimated(self, steps: int) -> TwoStateChannel:
        """Return the channel that every `steps`-th slot sees (eq. 4, whose print swaps the two results).

        alpha_I = pi_good + rho^I pi_bad and beta_I = pi_bad + rho^I pi_good. The result holds for any error
        probabilities of the two states.
        """
        transition = self.transition(steps)
        return replace(self, alpha=float(transition[0, 0]), beta=float(transition[1, 1]))

    def interrupted(self, probability: float, memory_left: float) -> TwoStateChannel:
        """Return the channel of a block whose steps skip other blocks' slots with `probability`.

        `memory_left` is E[rho^L], where L is the number of skipped slots. A step with and a step without
        skipped slots are powers of one chain; their mixture has the same stationary law and a smaller memory.
        """
        transition = self._with_memory(self.memory * (1.0 - probability * (1.0 - memory_left)))
        return replace(self, alpha=float(transition[0, 0]), beta=float(transition[1, 1]))

    def _with_memory(self, memory: float) -> FloatArray:
        matrix = (1.0 - memory) * np.tile(self.stationary, (2, 1)) + memory * np.eye(2)
        # Rounding may exceed [0, 1] by one unit in the last place; the constructor would refuse that.
        return np.clip(matrix, 0.0, 1.0)


def stationary_law(chain: FloatArray) -> FloatArray:
    """Return the stationary distribution of a chain with one closed class of states."""
    equations = np.vstack([chain.T - np.eye(len(chain)), np.ones(len(chain))])
    law: FloatArray = np.linalg.lstsq(equations, np.append(np.zeros(len(chain)), 1.0))[0]
    return law
