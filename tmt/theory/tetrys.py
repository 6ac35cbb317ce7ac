"""A code with feedback on a two-state channel: an exact Markov chain, for feedback of a few slots.

Random coefficients make all equations independent. The receiver therefore lacks D equations: the number of
erased source LLDUs minus the number of repair LLDUs received since it last lacked none. It recovers
everything when D is 0. The sender knows D as it was K slots ago, and what it has sent since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csc_array, eye_array
from scipy.sparse.linalg import spsolve

from tmt.core.errors import UsageError
from tmt.theory.channel import Performance, RegularLink, at_least

if TYPE_CHECKING:
    from tmt.theory.channel import FloatArray, TwoStateChannel

SOURCE, REPAIR, IDLE = "source", "repair", "idle"

MOST_STATES = 30_000
"""The largest chain: solving it takes some seconds."""


class SentSlot(NamedTuple):
    """Content of a slot, and whether it arrived."""

    use: str
    arrived: bool


class State(NamedTuple):
    """State of sender and receiver before a slot.

    `missing` is D according to the reports that the sender has. `span` is the number of source LLDUs from the
    first missing one on, by these reports. `since_repair` is the number since the last regular repair LLDU.
    `under_way` are the slots without a report, oldest first.
    """

    missing: int
    span: int
    since_repair: int
    under_way: tuple[SentSlot, ...]

    def next_use(self, window: int, interval: int) -> tuple[str, int]:
        """Return the content of the next slot, and the number of source LLDUs after it since a regular repair
        LLDU.
        """
        uses = [slot.use for slot in self.under_way]
        unknown = self.span + uses.count(SOURCE)
        if self.missing > uses.count(REPAIR):
            return REPAIR, self.since_repair
        if self.since_repair >= interval and unknown:
            return REPAIR, 0
        count = 0 if self.since_repair >= interval else self.since_repair
        return (SOURCE, count + 1) if unknown < window else (IDLE, count)

    def after(self, sent: SentSlot, since_repair: int) -> tuple[State, bool, bool]:
        """Return the next state, and whether its report announces a missing LLDU and a recovery."""
        reported, *under_way = (*self.under_way, sent)
        missing, span = self.missing, self.span
        lacks = reported == SentSlot(SOURCE, arrived=False)
        span += reported.use == SOURCE and (lacks or missing > 0)
        missing += lacks
        recovers = reported == SentSlot(REPAIR, arrived=True) and missing == 1
        missing -= reported == SentSlot(REPAIR, arrived=True) and missing > 0
        return State(missing, 0 if recovers else span, since_repair, tuple(under_way)), lacks, recovers


@dataclass(frozen=True, slots=True)
class Chain:
    """The reachable states with the channel's state, and their transitions, [n, n].

    `lack` are the transitions that report a missing LLDU, `keep` those that report no recovery; `sends`, [n],
    tells whether the slot carries a source LLDU.
    """

    move: csc_array
    lack: csc_array
    keep: csc_array
    sends: FloatArray


def tetrys(
    channel: TwoStateChannel, link: RegularLink, coding_window: int, repair_interval: int
) -> Performance:
    """Return the performance of the code with window W and a regular repair LLDU after k source LLDUs.

    W is `coding_window` and k `repair_interval`, 1 or more each. UsageError when the reports of arrivals and
    of erasures do not take equally many slots, or the chain has more than `MOST_STATES` states.
    """
    at_least(1, coding_window=coding_window, repair_interval=repair_interval)
    slots = link.feedback_slots_of_all()
    erased = channel.erasure_probability
    if erased == 1.0:
        return Performance(0.0, np.nan, np.nan)
    chain = _chain(channel, slots, coding_window, repair_interval)
    n = len(chain.sends)
    # One equation follows from the others; it is replaced by the sum of the probabilities.
    balance = (chain.move.T - eye_array(n)).tolil()
    balance[0, :] = 1.0
    law = spsolve(balance.tocsc(), np.eye(1, n)[0])
    sources = float(law @ chain.sends)
    if erased == 0.0:
        return Performance(sources, link.recovery_delay_s(0.0), 0.0)
    # Little's law: mean wait = mean number of missing LLDUs / source LLDUs per slot.
    lacking = spsolve((eye_array(n) - chain.keep.T).tocsc(), chain.lack.T @ law)
    return Performance(sources, link.recovery_delay_s(float(lacking.sum()) / sources), 0.0)


def _chain(channel: TwoStateChannel, feedback_slots: int, window: int, interval: int) -> Chain:
    """Follow all transitions from the states without a loss."""
    move, errors = channel.transition(), channel.errors
    first = State(0, 0, 0, (SentSlot(IDLE, arrived=True),) * (feedback_slots - 1))
    begin = [(first, int(state)) for state in np.flatnonzero(channel.stationary)]
    numbers = {one: number for number, one in enumerate(begin)}
    found, sends = list(begin), list[bool]()
    rows: list[tuple[int, int, float, bool, bool]] = []
    for number, (state, good_or_bad) in enumerate(found):  # grows
        use, count = state.next_use(window, interval)
        sends.append(use == SOURCE)
        erases = errors[good_or_bad] if use != IDLE else 0.0
        for arrived, share in ((True, 1.0 - erases), (False, erases)):
            if not share:
                continue
            after, lacks, recovers = state.after(SentSlot(use, arrived), count)
            for to in (0, 1):
                if not move[good_or_bad, to]:
                    continue
                target = numbers.setdefault((after, to), len(found))
                if target == len(found):
                    found.append((after, to))
                rows.append((number, target, share * move[good_or_bad, to], lacks, recovers))
        if len(found) > MOST_STATES:
            raise UsageError(
                f"coding_window {window} with feedback after {feedback_slots} slots gives a Markov chain of "
                f"more than {MOST_STATES} states; a smaller window or longer slots give fewer"
            )
    origins, targets, weights, lacking, recovering = map(np.array, zip(*rows, strict=True))
    n = len(found)

    def matrix(kept: FloatArray) -> csc_array:
        return coo_array((weights * kept, (origins, targets)), (n, n)).tocsc()

    move_all = matrix(np.ones(len(rows)))
    return Chain(move_all, matrix(lacking), matrix(~recovering), np.array(sends, np.float64))
