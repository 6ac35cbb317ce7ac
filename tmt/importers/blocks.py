"""Transport blocks of a HARQ log: the block that each attempt belongs to, and failures told by repeats."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tmt.importers.attempts import Attempt

WITHOUT_PROCESS_NS = 20_000_000
"""Longest time from a failure to its repeat where the log does not tell HARQ processes."""


GIVEN_UP_NS = 100_000_000
"""A failed block is given up, not open, if the log goes on for this long after it."""


@dataclass(slots=True)
class _Open:
    """A block that may be repeated."""

    block: int
    time_ns: int
    versions: set[int]
    failed: bool


@dataclass(slots=True)
class Blocks:
    """Result of `number_blocks`.

    Attributes
    ----------
    orphans
        Repeats of blocks whose earlier attempts are not in the log; each begins a block of its own.
    given_up
        Blocks after which their process took a new one.
    """

    orphans: int = 0
    given_up: set[int] = field(default_factory=set)


def number_blocks(attempts: Sequence[Attempt], window_ns: int | None = None) -> Blocks:
    """Set `block` of each attempt, which are in order of time: attempts of one block share a number.

    A repeat belongs to the last block of its process if that was sent at most `window_ns` before. Where the
    log does not tell processes, it belongs to a failed block of its size that has not used its redundancy
    version and was sent at most `WITHOUT_PROCESS_NS` before: one that has just used the version before, else
    the oldest.
    """
    result, count = Blocks(), 0
    waiting: defaultdict[Hashable, list[_Open]] = defaultdict(list)
    for attempt in attempts:
        known = attempt.process is not None
        held = waiting[attempt.stream, attempt.process if known else attempt.size_bytes]
        longest_ns = window_ns if known else WITHOUT_PROCESS_NS
        while held and longest_ns is not None and attempt.time_ns - held[0].time_ns > longest_ns:
            held.pop(0)
        before = _repeated(held, attempt) if attempt.repeat else None
        if before is None:
            if known:
                result.given_up.update(open_block.block for open_block in held)
                held.clear()
            before = _Open(count, attempt.time_ns, set(), failed=False)
            result.orphans += attempt.repeat
            count += 1
        elif before in held:
            held.remove(before)
        attempt.block = before.block
        before.time_ns = attempt.time_ns
        before.versions.add(attempt.version)
        before.failed |= attempt.failed is not False
        if known or before.failed:
            held.append(before)
    return result


def _repeated(held: list[_Open], attempt: Attempt) -> _Open | None:
    if attempt.process is not None:
        return held[-1] if held else None
    fresh = [block for block in held if attempt.version not in block.versions]
    following = [block for block in fresh if attempt.version - 1 in block.versions]
    return next(iter(following or fresh), None)


def mark_repeats_of_failures(attempts: Iterable[Attempt]) -> None:
    """Set `repeat` of attempts, in order of time, that follow a failure in their process with the same block.

    The same new-data indicator tells the same block, or its size where the log has no indicator. After
    `GIVEN_UP_NS` neither does.
    """
    last: dict[Hashable, Attempt] = {}
    for attempt in attempts:
        if attempt.process is None:
            continue
        before = last.get((attempt.stream, attempt.process))
        if before is not None and before.failed and attempt.time_ns - before.time_ns <= GIVEN_UP_NS:
            told = attempt.new_data is not None
            attempt.repeat |= (
                attempt.new_data == before.new_data if told else attempt.size_bytes == before.size_bytes
            )
        last[attempt.stream, attempt.process] = attempt


def infer_failures(attempts: Iterable[Attempt]) -> None:
    """Set `failed` where the log does not tell it: an attempt has failed if its block was sent again."""
    last = {attempt.block: attempt for attempt in attempts}
    for attempt in attempts:
        if attempt.failed is None:
            attempt.failed = last[attempt.block] is not attempt
