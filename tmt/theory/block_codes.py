"""Codes for blocks of N_D data and N_R repair LLDUs: FEC, interleaved or not, and hybrid ARQ of type II.

On a channel with memory an LLDU's erasure and the number of erasures in its block are dependent, and the time
of recovery depends on both. The recursion of Kuhn 2014, section 3.4 therefore runs once for each data LLDU,
with the erasure of that LLDU imposed. FEC (sections 3.5.1 and 3.5.2) is exact.

For hybrid ARQ (section 3.5.4), with any number of rounds, three laws are exact: the joint law of erasures and
recovery within a block, the law of each round of repair LLDUs given the number that the block still needs,
and the channel's memory from the end of one round to the start of the next. Repair LLDUs of other blocks
within a block are approximated, see `_Interruptions`. The approximation is good if the channel's correlation
over one round trip is small, rho^k << 1, and exact without repair LLDUs in flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.theory.channel import Performance, RegularLink, at_least, emit, erase, step

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

_TOLERANCE = 1e-12
_MAX_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class BlockLaw:
    """Joint laws of one block's transmission; i is the position of a data LLDU, from 0.

    `counts`, [2, N + 1]: the state at the last LLDU and m erasures in the block. `erased`, [N_D, 2, N + 1]:
    the same, joint with the erasure of data LLDU i. `recovered_at`, [N_D, N]: the erasure of data LLDU i and
    the N_D-th arrival of the block at position t.
    """

    counts: FloatArray
    erased: FloatArray
    recovered_at: FloatArray

    @property
    def data(self) -> int:
        """N_D, the number of data LLDUs."""
        return len(self.erased)

    @property
    def recovered(self) -> float:
        """Mean number of data LLDUs in a block that are erased and recovered from it."""
        return float(self.recovered_at.sum())

    @property
    def unrecovered(self) -> float:
        """Mean number of erased data LLDUs in a block that are not recovered: more than N_R are erased."""
        repair = self.recovered_at.shape[1] - self.data
        return float(self.erased[:, :, repair + 1 :].sum())

    @property
    def recovery_positions(self) -> float:
        """Mean over blocks of the sum, over recovered LLDUs, of the positions until the N_D-th arrival."""
        data, positions = self.recovered_at.shape
        distance = np.arange(positions) - np.arange(data)[:, None]
        return float((self.recovered_at * distance).sum())


def block_law(channel: TwoStateChannel, data: int, repair: int) -> BlockLaw:
    """Return the laws of a block whose LLDUs see consecutive steps of `channel`, from a stationary start."""
    at_least(1, data=data)
    at_least(0, repair=repair)
    size, errors, transition = data + repair, channel.errors, channel.transition()
    # Row i < data: law of the blocks in which data LLDU i is erased. Last row: law of all blocks.
    law = np.zeros((data + 1, 2, size + 1))
    law[:, :, 0] = channel.stationary
    recovered_at = np.zeros((data, size))
    for position in range(size):
        if position:
            law = step(law, transition)
        if position >= data:
            # `position` is the N_D-th arrival if exactly N_D - 1 earlier LLDUs arrived.
            recovered_at[:, position] = law[:data, :, position - data + 1] @ (1.0 - errors)
        sent = emit(law, errors)
        if position < data:
            sent[position] = erase(law[position], errors)
        law = sent
    return BlockLaw(law[data], law[:data], recovered_at)


def fec(channel: TwoStateChannel, link: RegularLink, data: int, repair: int, depth: int = 1) -> Performance:
    """Return the performance of FEC with N_D = `data`, N_R = `repair` and interleaving depth I = `depth`.

    A data LLDU is delivered when it is decoded or when its block has at least N_D arrivals. Repair LLDUs
    count as slots, never as deliveries. The LLDUs of an interleaved block are I steps of the channel apart
    (eq. 4), so each position is I slots long. A conversion drops an incomplete last run of fewer than I N
    slots.
    """
    at_least(1, depth=depth)
    law = block_law(channel.decimated(depth), data, repair)
    delivered = data - law.unrecovered
    mean_slots = depth * law.recovery_positions / delivered if delivered > 0 else np.nan
    return Performance(delivered / (data + repair), link.recovery_delay_s(mean_slots), law.unrecovered / data)


def harq(
    channel: TwoStateChannel, link: RegularLink, data: int, repair: int, extra: int, rounds: int
) -> Performance:
    """Return the performance of HARQ-II with N_D = `data`, N_R = `repair`, N_S = `extra` and R = `rounds`.

    It is exact for erasures without memory, and approximate otherwise (``docs/models.md``). A block with
    fewer than N_D arrivals after a round requests the missing number plus N_S, at most R times.
    Efficiency is the mean number of data LLDUs delivered per block over the mean number of slots per block,
    repair LLDUs of all rounds included.
    """
    at_least(0, extra=extra, rounds=rounds)
    law = block_law(channel, data, repair)
    tables = [_repair_round(channel, link.feedback_slots, need, extra) for need in range(1, data + 1)]
    # Interruptions change the blocks, and blocks cause interruptions by their requests: find the fixed point.
    none_yet = _Interruptions(0.0, 0.0, 1.0)
    outcome, interruptions = _follow(law, tables, extra, rounds, link.feedback_slots, none_yet), none_yet
    for _ in range(_MAX_ITERATIONS):
        before = interruptions.probability
        interruptions = _Interruptions.of(outcome, data + repair, channel.memory)
        seen = channel.interrupted(interruptions.probability, interruptions.memory_left)
        law = block_law(seen, data, repair)
        outcome = _follow(law, tables, extra, rounds, link.feedback_slots, interruptions)
        if abs(interruptions.probability - before) < _TOLERANCE:
            break
    delivered, sent = data - outcome.lost, data + repair + outcome.repair_slots
    mean_slots = outcome.waited_slots / delivered if delivered > 0 else np.nan
    return Performance(delivered / sent, link.recovery_delay_s(mean_slots), outcome.lost / data)


@dataclass(frozen=True, slots=True)
class _Interruptions:
    """Repair LLDUs of other blocks that lie within a block's first transmission.

    Requests arrive one feedback delay after the erasures that caused them. The model therefore treats them as
    independent of the present block's channel: with equal `probability` a request lies between any two of its
    LLDUs. It serves each request alone and at once: requests never queue. `mean_slots` is the mean number n
    of LLDUs in a request, `memory_left` is E[rho^n].
    """

    probability: float
    mean_slots: float
    memory_left: float

    @classmethod
    def of(cls, outcome: _Outcome, size: int, memory: float) -> _Interruptions:
        requests = outcome.requests.sum()
        if requests == 0.0:
            return cls(0.0, 0.0, 1.0)
        mean_left = outcome.requests @ memory ** np.arange(len(outcome.requests)) / requests
        return cls(float(requests / size), outcome.repair_slots / float(requests), float(mean_left))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Means over blocks: number of requests by their LLDUs, [N_D + N_S + 1], and of data LLDUs given up.

    `waited_slots` is the sum over delivered data LLDUs of the slots from first transmission to delivery.
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

    `done_at`, [2, n]: LLDU j of the round is the last one needed. `next_need`, [2, need + 1, 2]: the
    probability that the block still needs this many LLDUs after the round, by the round's last state.
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
    """Compute the repair rounds of the blocks that need repair.

    Three weights, [need, state] each, are propagated: the number of blocks, the number of their erased data
    LLDUs, and the sum over these LLDUs of the slots since their first transmission.
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
