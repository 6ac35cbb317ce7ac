"""Fates of the blocks of a HARQ log, and bounds on erasures and losses that a log leaves uncertain.

A log can be uncertain in three ways. Without HARQ processes, a repeat can belong to several blocks; its size
and its order choose different ones. An outcome may be a guess (`Attempt.sure` is False). The log may have
gaps: they show as repeats whose first attempt is missing, and as many repeats are assumed to be missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.units import NS_PER_MS
from tmt.core.words.values import counted
from tmt.importers.attempts import GIVEN_UP_NS, WITHOUT_PROCESS_NS, number_blocks
from tmt.importers.notes import agreed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import BoolArray, Int64Array
    from tmt.importers.attempts import Attempt, Blocks, Pairing


@dataclass(frozen=True, slots=True)
class Fates:
    """The fate of each block, in order of the first attempts."""

    first: Int64Array
    """[n_blocks], int64: index of its first attempt."""
    settling: Int64Array
    """[n_blocks], int64: index of its first decoded attempt, else of its last one."""
    delivered: BoolArray
    unsettled: BoolArray
    """[n_blocks], bool: neither decoded nor given up when the log ends."""
    transmissions: Int64Array

    @property
    def lost(self) -> int:
        """Number of blocks that were given up."""
        return int((~self.delivered & ~self.unsettled).sum())


def fates(tx_time_ns: Int64Array, decoded: BoolArray, blocks: Blocks) -> Fates:
    """Return the fates of blocks from the times and outcomes of attempts, [n_attempts] in order of time.

    A block without a decoded attempt is lost if its process started a new one, or if the log continues for
    `GIVEN_UP_NS` after its last attempt.
    """
    numbers, first, row = np.unique(blocks.numbers, return_index=True, return_inverse=True)
    settling = np.zeros(len(numbers), np.int64)
    settling[row] = np.arange(len(row))
    good = np.flatnonzero(decoded)[::-1]
    settling[row[good]] = good
    delivered = decoded[settling]
    recent = tx_time_ns[settling] > tx_time_ns[-1] - GIVEN_UP_NS
    unsettled = ~delivered & recent & ~np.isin(numbers, list(blocks.given_up))
    return Fates(first, settling, delivered, unsettled, np.bincount(row))


def erasure_notes(attempts: Sequence[Attempt], blocks: Blocks) -> list[str]:
    """Return a sentence with the least and greatest number of erased attempts; empty if they are equal."""
    failed, sure = _outcomes(attempts)
    least, most = int((failed & sure).sum()), int((failed | ~sure).sum())
    if attempts[0].inferred:
        most = min(most + blocks.orphans, len(attempts))
    if least == most:
        return []
    return [
        f"the log cannot tell how many of {counted(len(attempts), 'attempt')} are erased: "
        f"at least {least:,}, at most {most:,}; erased here: {failed.sum():,}{_rule(attempts, blocks)}"
    ]


def loss_notes(tx_time_ns: Int64Array, attempts: Sequence[Attempt], blocks: Blocks) -> list[str]:
    """Return sentences on the pairing of repeats, repeats without a block, and the bounds of the losses."""
    failed, sure = _outcomes(attempts)

    def lost(decoded: BoolArray, found: Blocks) -> int:
        return fates(tx_time_ns, decoded, found).lost

    said, rows, rule = list[str](), len(set(blocks.numbers)), _rule(attempts, blocks)
    by_size = by_order = blocks
    if attempts[0].process is None:
        by_size, by_order = number_blocks(attempts), number_blocks(attempts, pairing="order")
        if any(attempt.repeat for attempt in attempts):
            said.append(_PAIRING[blocks.pairing].format(WITHOUT_PROCESS_NS // NS_PER_MS))
    least, most = lost(~failed | ~sure, by_order), lost(~failed & sure, by_size)
    if attempts[0].inferred:
        most = min(most + blocks.orphans, rows)
    elif attempts[0].process is not None and least and blocks.orphans:
        least = max(least - blocks.orphans, 0)
        rule += f"; {_missing(blocks)}"
    if least < most:
        ways = ("", "") if by_size is by_order else (" (--pairing order)", " (--pairing size)")
        said.append(
            f"the log cannot tell how many of {counted(rows, 'block')} are lost: "
            f"at least {least:,}{ways[0]}, at most {most:,}{ways[1]}; "
            f"lost here: {lost(~failed, blocks):,}{rule}"
        )
    followed = min(lost(~failed, by_size) - lost(~failed, by_order), by_size.orphans - by_order.orphans)
    if blocks.pairing == "size" and followed > 0:
        said.append(
            f"{agreed(followed, 'block', 'are')} counted as lost although an orphan repeat follows: compare "
            "with --pairing order, and with --as phy"
        )
    if blocks.orphans:
        said.append(
            f"{agreed(blocks.orphans, 'block', 'begin')} with a repeat (orphan), the first attempt is not "
            "known: delay and transmissions are lower bounds"
        )
    return said


_PAIRING: dict[Pairing, str] = {
    "size": "the log tells no HARQ processes: a repeat is taken for one of a failed block of its size in the "
    "{} ms before (--pairing size)",
    "order": "the log tells no HARQ processes: a repeat is taken for one of the oldest failed block in the "
    "{} ms before, whatever its size (--pairing order)",
}


def _outcomes(attempts: Sequence[Attempt]) -> tuple[BoolArray, BoolArray]:
    """Return whether each attempt counts as failed, and whether that is certain: [n_attempts] each."""
    return np.array([bool(one.failed) for one in attempts]), np.array([one.sure for one in attempts])


def _rule(attempts: Sequence[Attempt], blocks: Blocks) -> str:
    """Return clauses on the basis of inferred outcomes; empty if the log has outcomes."""
    if not attempts[0].inferred:
        return ""
    most = max(Counter(blocks.numbers).values())
    rule = f"; a block of {counted(most, 'attempt')}, as many as any has, may have been given up"
    return f"{rule}; {_missing(blocks)}" if blocks.orphans else rule


def _missing(blocks: Blocks) -> str:
    first = agreed(blocks.orphans, "first attempt", "are")
    return f"{first} missing from the log, and as many repeats may be"
