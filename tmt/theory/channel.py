"""Input of the models: a Gilbert-Elliott channel and a regular link. Output: the performance.

The channel is a Markov chain: state 0 is good, state 1 bad. A slot is erased with the error probability of
its state; then the chain moves on (Kuhn 2014, sections 3.3 to 3.5.2). All laws start in the stationary
distribution unless stated otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
import numpy.typing as npt

from tmt.core.declaration import Param, Probability, Spec, taken
from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

LEAST, MOST = 1e-12, 1e12
"""Smallest and largest number that a formula accepts for a positive quantity."""

Positive = Annotated[float, Param(least=LEAST, most=MOST)]
Quantity = Annotated[float, Param(least=0, most=MOST)]
"""Also the bounds of times in seconds, which are not rounded to nanoseconds here."""
Loss = Annotated[float, Param(least=0, most=1 - LEAST)]
"""A probability below 1."""


def at_least(least: int, **values: int) -> None:
    """Refuse whole numbers below `least`, by their names (Refused)."""
    for name, value in values.items():
        taken(name, Annotated[int, Param(least=least)], value)


class RegularLink(Spec):
    """A link with a constant slot interval and a constant decode time."""

    rtt_ns: Annotated[int, "round-trip propagation time", Param("ns", 0)]
    slot_interval_ns: Annotated[int, "time from one slot's `tx_time` to the next one's", Param("ns", 1)]
    decode_time_ns: Annotated[
        int, "time from a slot's `tx_time` until it is decoded, without propagation", Param("ns", 0)
    ] = 0
    detection_delay_ns: Annotated[
        int,
        "time from an erased slot's `tx_time` until the receiver sends its NACK, without propagation",
        Param("ns", 0),
    ] = 0

    @property
    def feedback_slots(self) -> int:
        """Slots from an erased slot to the first that may carry its retransmission, k, at least one."""
        report_ns = self.rtt_ns + self.detection_delay_ns
        return max(1, -(-report_ns // self.slot_interval_ns))

    def feedback_slots_of_all(self) -> int:
        """K, slots until the sender knows a slot's fate, at least 1; UsageError if it depends on the fate."""
        slots = max(1, -(-(self.rtt_ns + self.decode_time_ns) // self.slot_interval_ns))
        if slots != self.feedback_slots:
            raise UsageError(
                f"an ACK takes {slots} slots and a NACK {self.feedback_slots}: the formula needs a detection "
                f"delay equal to the decode time, {self.decode_time_ns / 1e9:g} s"
            )
        return slots

    def recovery_delay_s(self, mean_slots: float) -> float:
        """Return RTT/2 + the decoding time + `mean_slots` slot intervals, in seconds."""
        fixed_ns = self.rtt_ns / 2 + self.decode_time_ns
        return (fixed_ns + mean_slots * self.slot_interval_ns) / 1e9


@dataclass(frozen=True, slots=True)
class Performance:
    """Long-run performance of a scheme.

    `efficiency` is delivered data LLDUs / slots used, `residual_loss` data LLDUs given up / data LLDUs, and
    `recovery_delay_s` the mean over delivered LLDUs of RTT/2 + delay; NaN when nothing is delivered.
    """

    efficiency: float
    recovery_delay_s: float
    residual_loss: float


FloatArray = npt.NDArray[np.float64]


class TwoStateChannel(Spec):
    """A Gilbert-Elliott channel, one step of the chain per slot; by default the simple Gilbert channel."""

    alpha: Annotated[Probability, "probability of staying in the good state from one slot to the next"]
    beta: Annotated[Probability, "probability of staying in the bad state"]
    error_good: Annotated[Probability, "probability that a slot sent in the good state is erased"] = 0.0
    error_bad: Annotated[Probability, "probability that a slot sent in the bad state is erased"] = 1.0

    def rules(self) -> Rules:
        """Refuse a chain whose long-run behaviour depends on its first state."""
        if self.alpha == self.beta and self.alpha in (0.0, 1.0):
            yield "beta", "another value than alpha", "is alpha, too: the first state is never forgotten"

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
        skipped slots are powers of one chain; their mixture has the same stationary law and less memory.
        """
        transition = self._with_memory(self.memory * (1.0 - probability * (1.0 - memory_left)))
        return replace(self, alpha=float(transition[0, 0]), beta=float(transition[1, 1]))

    def _with_memory(self, memory: float) -> FloatArray:
        matrix = (1.0 - memory) * np.tile(self.stationary, (2, 1)) + memory * np.eye(2)
        # Rounding may exceed [0, 1] by one unit in the last place, which the constructor would refuse.
        return np.clip(matrix, 0.0, 1.0)


def stationary_law(chain: FloatArray) -> FloatArray:
    """Return the stationary distribution of a chain with one closed class of states."""
    equations = np.vstack([chain.T - np.eye(len(chain)), np.ones(len(chain))])
    law: FloatArray = np.linalg.lstsq(equations, np.append(np.zeros(len(chain)), 1.0))[0]
    return law


def erasure_count_law(channel: TwoStateChannel, n: int) -> FloatArray:
    """Return P(m, n), the probability of m erasures in n consecutive LLDUs, for m = 0..n: [n + 1], float64.

    Kuhn 2014, section 3.4, after Yee and Weldon (1995). UsageError when `n` is negative.
    """
    law: FloatArray = np.einsum("s,stm->m", channel.stationary, conditional_count_laws(channel, n))
    return law


def conditional_count_laws(channel: TwoStateChannel, n: int) -> FloatArray:
    """Return the joint law of the erasures in n LLDUs and the next state, given the state of the first LLDU.

    The recursion runs over both states at once. With f(t, m) the probability of m erasures so far and of
    being in state t, one LLDU turns f(t, m) into (1 - e_t) f(t, m) + e_t f(t, m - 1), and one step of the
    chain mixes the states. The axes, [2, 2, n + 1], are the state at the first LLDU, that at the slot after
    the last, and the number of erasures.
    """
    at_least(0, n=n)
    law = np.zeros((2, 2, n + 1))
    law[[0, 1], [0, 1], 0] = 1.0
    for _ in range(n):
        law = step(emit(law, channel.errors), channel.transition())
    return law


def emit(law: FloatArray, errors: FloatArray) -> FloatArray:
    """Send one LLDU: add one erasure to `law`, [..., state, erasures], with the state's error probability."""
    sent = law * (1.0 - errors)[:, None]
    sent[..., 1:] += erase(law, errors)[..., 1:]
    return sent


def erase(law: FloatArray, errors: FloatArray) -> FloatArray:
    """Send one erased LLDU, as in `emit`; the last entry of `law` must be 0, because the array ends there."""
    erased = np.zeros_like(law)
    erased[..., 1:] = (law * errors[:, None])[..., :-1]
    return erased


def step(law: FloatArray, transition: FloatArray) -> FloatArray:
    """Move the chain by `transition`, [2, 2]; the states are the last axis but one of `law`."""
    moved: FloatArray = np.einsum("...sm,st->...tm", law, transition)
    return moved


def burst_length_law(channel: TwoStateChannel, longest: int) -> FloatArray:
    """Return the probability that a burst of erased slots has length 1..`longest`: [longest], float64.

    On the simple Gilbert channel the law is geometric, (1 - beta) beta^(l-1), with the mean 1 / (1 - beta)
    that Kuhn 2014, section 3.6 calls t_b. With error probabilities in both states it is of phase type: a
    burst ends by a change of state or by a decoded slot in the same state. UsageError on a channel without
    bursts.
    """
    return _run_length_law(channel, channel.errors, longest)


def gap_length_law(channel: TwoStateChannel, longest: int) -> FloatArray:
    """Return the law of gaps, the decoded slots between two bursts; see `burst_length_law`."""
    return _run_length_law(channel, 1.0 - channel.errors, longest)


def mean_burst_length(channel: TwoStateChannel) -> float:
    """Return the mean number of slots in a burst, or NaN where no burst ever begins."""
    rate = _burst_rate(channel)
    return channel.erasure_probability / rate if rate else math.nan


def burst_length_moments(channel: TwoStateChannel) -> tuple[float, float]:
    """Return the means of the length of a burst in slots and of its square (UsageError without bursts)."""
    first = _first_states(channel, channel.errors)
    # The mean of l is first (I - Q)^-1 1, that of l (l + 1) / 2 is first (I - Q)^-2 1.
    remaining = np.linalg.inv(np.eye(2) - channel.transition() * channel.errors)
    mean = float((first @ remaining).sum())
    return mean, 2.0 * float((first @ remaining @ remaining).sum()) - mean


def _burst_rate(channel: TwoStateChannel) -> float:
    """Bursts per slot: the probability that a slot is decoded and the next one erased."""
    decoded = channel.stationary * (1.0 - channel.errors)
    return float(decoded @ channel.transition() @ channel.errors)


def _run_length_law(channel: TwoStateChannel, inside: FloatArray, longest: int) -> FloatArray:
    """Return the length law of runs of slots whose kind has the probability `inside`, [2], in each state."""
    transition, alive = channel.transition(), _first_states(channel, inside)
    law = np.empty(longest)
    for index in range(longest):
        law[index] = alive @ transition @ (1.0 - inside)
        alive = alive @ transition * inside
    return law


def _first_states(channel: TwoStateChannel, inside: FloatArray) -> FloatArray:
    """Return the law of the first state of a run, [2]: the state of a slot of this kind that follows one of
    the other kind.
    """
    if _burst_rate(channel) == 0.0:
        raise UsageError("on this channel no decoded slot is followed by an erased one: it has no bursts")
    before = (channel.stationary * (1.0 - inside)) @ channel.transition() * inside
    first: FloatArray = before / before.sum()
    return first
