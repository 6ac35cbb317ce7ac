"""Transmission attempts of a HARQ log, and the choice of those that a trace is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tmt.importers.options import Direction


LARGEST_BLOCK_BYTES = 1 << 24
"""More than any transport block holds."""


@dataclass(slots=True)
class Attempt:
    """One transmission of a transport block.

    Attributes
    ----------
    failed
        Whether the receiver failed to decode it; None where the log does not tell.
    repeat
        Whether the log says that it repeats a block.
    process
        HARQ process; None where the log does not tell it.
    stream
        Cell, carrier and code word, each of which has HARQ processes of its own.
    version
        Redundancy version; no block uses one twice where `process` is None.
    new_data
        New-data indicator, where it is a bit that toggles.
    es_n0_mdb
        SINR per symbol at the receiver, in thousandths of a dB; None where the log does not tell it.
    block
        Number of its block, from `number_blocks`.
    """

    line: int | str
    time_ns: int
    size_bytes: int | None
    failed: bool | None = None
    repeat: bool = False
    process: int | None = None
    stream: Hashable = None
    version: int = 0
    new_data: int | None = None
    user: str = ""
    direction: Direction = "down"
    es_n0_mdb: int | None = None
    block: int = -1


def select(
    path: str, attempts: Sequence[Attempt], direction: Direction | None, user: str | None
) -> tuple[list[Attempt], list[str]]:
    """Return the attempts of one direction and one user, and notes on those that are left out.

    Raises
    ------
    InputError
        When there is no attempt, or several users and no choice among them.
    UsageError
        When the log has no attempt of the direction or the user that is asked for.
    """
    if not attempts:
        raise InputError(path, "there are no transmissions in this log")
    notes = []
    found = Counter(attempt.direction for attempt in attempts)
    chosen = direction or ("down" if "down" in found else "up")
    if chosen not in found:
        raise UsageError(f"--direction is {chosen}, but {path} holds only the other direction")
    kept = [attempt for attempt in attempts if attempt.direction == chosen]
    if len(kept) < len(attempts):
        notes.append(f"{len(attempts) - len(kept):,} transmissions of the other direction are left out")
    users = Counter(attempt.user for attempt in kept)
    names = ", ".join(f"{name} ({count:,} rows)" for name, count in users.most_common(5))
    names += ", ..." if len(users) > 5 else ""
    if user is None and len(users) > 1:
        raise InputError(path, f"there are {len(users)} users; choose one by --user: {names}")
    if user is not None:
        if user not in users:
            raise UsageError(f"--user is {user}; {path} holds {names}")
        others = len(kept) - users[user]
        kept = [attempt for attempt in kept if attempt.user == user]
        if others:
            notes.append(f"{others:,} transmissions of other users are left out")
    return kept, notes


def count_from_first(attempts: Sequence[Attempt]) -> None:
    """Let times count from the earliest attempt."""
    origin_ns = min((attempt.time_ns for attempt in attempts), default=0)
    for attempt in attempts:
        attempt.time_ns -= origin_ns


def in_order(path: str, attempts: Iterable[Attempt], most_back_ns: int = 1_000_000_000) -> list[Attempt]:
    """Return the attempts in order of time.

    Raises
    ------
    InputError
        With the line, when the time goes back by more than `most_back_ns`: logs are written in the order of
        processing, but such a step means two logs in one file.
    """
    latest_ns = None
    for attempt in attempts:
        if latest_ns is not None and attempt.time_ns < latest_ns - most_back_ns:
            back_s = (latest_ns - attempt.time_ns) / 1e9
            reason = f"the time goes back by {back_s:g} s; a file must hold one log"
            raise InputError(path, reason, attempt.line)
        latest_ns = attempt.time_ns if latest_ns is None else max(latest_ns, attempt.time_ns)
    return sorted(attempts, key=lambda attempt: attempt.time_ns)


def with_data(path: str, attempts: Sequence[Attempt]) -> tuple[list[Attempt], list[str]]:
    """Return the attempts that carry data, and a note on those of size 0: control information, or unknown.

    Raises
    ------
    InputError
        When none carries data.
    """
    kept = [attempt for attempt in attempts if attempt.size_bytes != 0]
    if not kept:
        raise InputError(path, "no transmission carries data: every size is 0")
    left_out = len(attempts) - len(kept)
    return kept, [f"{left_out:,} transmissions of size 0 are left out"] if left_out else []
