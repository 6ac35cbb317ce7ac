"""Hybrid ARQ of type II for any number of rounds (Kuhn 2014, section 3.5.4), on regular slots.

Three laws are exact: the joint law of erasures and recovery within a block, the law of each round of repair
LLDUs given the number that the block still needs, and the channel's memory from the end of one round to the
start of the next. The repair LLDUs of other blocks within a block are an approximation, see `_Interruptions`.
It is good if the channel's correlation over one round trip is small, rho^k << 1, and exact without repair
LLDUs in flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.theory.block import BlockLaw, block_law
from tmt.theory.link import Performance, RegularLink

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

_TOLERANCE = 1e-12
_MAX_ITERATIONS = 100


def harq(
    channel: TwoStateChannel, link: RegularLink, data: int, repair: int, extra: int, rounds: int
) -> Performance:
    """Return the performance of HARQ-II with N_D = `data`, N_R = `repair`, N_S = `extra` and R = `rounds`.

    It is exact for erasures without memory, and approximate otherwise (``docs/models.md``). A block with
    fewer than N_D arrivals after a round requests the missing number plus N_S, at most R times.
    Efficiency is the mean number of data LLDUs delivered per block over the mean number of slots per block,
    repair LLDUs of all rounds included.

    Raises
    ------
    UsageError
        When there is no data LLDU, or `repair`, `extra` or `rounds` is negative.
    """
    for name, value in (("extra", extra), ("rounds", rounds)):
        if value < 0:
            raise UsageError(f"{name} is {value}: it must be 0 or more")
    law = block_law(channel, data, repair)
    tables = [_repair_round(channel, link.feedback_slots, need, extra) for need in range(1, data + 1)]
    # Interruptions change the blocks, and the requests of blocks cause interruptions: find the fixed point.
    none_yet = _Interruptions(0.0, 0.0, 1.0)
    outcome, interruptions = _follow(law, tables, extra, rounds, link.feedback_slots, none_yet), none_yet
    for _ in range(_MAX_ITERATIONS):
        before = interruptions.probability
        interruptions = _Interruptions.of(outcome, data + repair, channel.memory)
        law = block_law(
            channel.interrupted(interruptions.probability, interruptions.memory_left), data, repair
        )
        outcome = _follow(law, tables, extra, rounds, link.feedback_slots, interruptions)
        if abs(interruptions.probability - before) < _TOLERANCE:
            break
    delivered = data - outcome.lost
    mean_slots = outcome.waited_slots / delivered if delivered > 0 else np.nan
    return Performance(
        delivered / (data + repair + outcome.repair_slots),
        link.recovery_delay_s(mean_slots),
        outcome.lost / data,
    )


@dataclass(frozen=True, slots=True)
class _Interruptions:
    """Repair LLDUs of other blocks that lie within a block's first transmission.

    Requests arrive one feedback delay after the erasures that caused them. The model therefore takes them as
    independent of the present block's channel, with equal probability between any two of its LLDUs. It serves
    each request at once and alone: two requests never queue.

    Attributes
    ----------
    probability
        Probability that a request's LLDUs lie between two successive LLDUs of a block.
    mean_slots
        Mean number of LLDUs in a request.
    memory_left
        E[rho^n] over the number n of LLDUs in a request.
    """

    probability: float
    mean_slots: float
    memory_left: float

    @classmethod
    def of(cls, outcome: _Outcome, size: int, memory: float) -> _Interruptions:
        requests = outcome.requests.sum()
        if requests == 0.0:
            return cls(0.0, 0.0, 1.0)
        lengths = np.arange(len(outcome.requests))
        return cls(
            float(requests / size),
            float(outcome.requests @ lengths / requests),
            float(outcome.requests @ memory**lengths / requests),
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Means over blocks.

    Attributes
    ----------
    requests : [N_D + N_S + 1]
        Number of requests for n repair LLDUs.
    waited_slots
        Sum over delivered data LLDUs of the slots from their first transmission to their delivery.
    lost
        Number of data LLDUs given up.
    """

    requests: FloatArray
    waited_slots: float
    lost: float

    @property
    def repair_slots(self) -> float:
        return float(self.requests @ np.arange(len(self.requests)))


@dataclass(frozen=True, slots=True)
class _RepairRound:
    """Laws of a repair round for a block that needs `need` LLDUs, given the last state of the round before.

    Attributes
    ----------
    done_at : [2, n]
        Probability that LLDU j of the round is the last one needed.
    next_need : [2, need + 1, 2]
        Probability that the round does not complete the block, by LLDUs still needed and last state.
    """

    done_at: FloatArray
    next_need: FloatArray


def _repair_round(channel: TwoStateChannel, feedback_slots: int, need: int, extra: int) -> _RepairRound:
    # Axes before LLDU j: last state of the round before, present state, LLDUs still needed.
    law = np.zeros((2, 2, need + 1))
    law[:, :, need] = channel.transition(feedback_slots)
    done_at = np.zeros((2, need + extra))
    for position in range(need + extra):
        if position:
            law = np.einsum("rsm,st->rtm", law, channel.transition())
        decoded = law * (1.0 - channel.errors)[:, None]
        done_at[:, position] = decoded[:, :, 1].sum(axis=1)
        law -= decoded
        law[:, :, 1:-1] += decoded[:, :, 2:]
    return _RepairRound(done_at, law.transpose(0, 2, 1))


def _follow(
    law: BlockLaw,
    tables: list[_RepairRound],
    extra: int,
    rounds: int,
    feedback_slots: int,
    interruptions: _Interruptions,
) -> _Outcome:
    """Compute the rounds of repair of the blocks that their first transmission did not complete.

    Three weights, [need, state] each, are carried along: the number of blocks, the number of their erased
    data LLDUs, and the sum over these LLDUs of the slots since their first transmission.
    """
    data = law.data
    size = law.counts.shape[1] - 1
    repair = size - data
    per_position = 1.0 + interruptions.probability * interruptions.mean_slots
    slots_to_end = (size - 1 - np.arange(data)) * per_position
    weights = np.zeros((3, data + 1, 2))
    weights[0, 1:] = law.counts[:, repair + 1 :].T
    weights[1, 1:] = law.erased[:, :, repair + 1 :].sum(axis=0).T
    weights[2, 1:] = np.einsum("ism,i->ms", law.erased[:, :, repair + 1 :], slots_to_end)

    requests = np.zeros(data + extra + 1)
    waited = law.recovery_positions * per_position
    for _ in range(rounds):
        remaining = np.zeros_like(weights)
        for need, table in enumerate(tables, start=1):
            length = need + extra
            requests[length] += weights[0, need].sum()
            done = weights[:, need] @ table.done_at
            waited += done[2].sum() + done[1] @ (feedback_slots + np.arange(length))
            left = np.einsum("ws,snt->wnt", weights[:, need], table.next_need)
            left[2] += left[1] * (feedback_slots + length - 1)
            remaining[:, : need + 1] += left
        weights = remaining
    return _Outcome(requests, float(waited), float(weights[1].sum()))
