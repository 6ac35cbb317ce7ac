"""Transmission attempts of a HARQ log: which to import, their blocks, and failures shown by repeats."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tmt.core.errors import InputError, UsageError
from tmt.core.units import MAX_TIME_NS
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.notes import left_out

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tmt.importers.importer import Direction


MAX_BLOCK_BYTES = 1 << 24
"""Larger than any transport block."""


@dataclass(slots=True)
class Attempt:
    """One transmission of a transport block."""

    line: int | str
    time_ns: int
    size_bytes: int | None
    failed: bool | None = None
    """Whether the receiver failed to decode it; None if the log does not tell."""
    repeat: bool = False
    """Whether the log says that it repeats a block."""
    process: Hashable = None
    """HARQ process; None if the log does not tell it."""
    stream: Hashable = None
    """Cell, carrier and code word, which have separate HARQ processes."""
    version: int = 0
    """Redundancy version; if `process` is None, no block uses one twice."""
    new_data: int | None = None
    """New-data indicator, if it is a bit that toggles."""
    user: str = ""
    direction: Direction = "down"
    es_n0_mdb: int | None = None
    """SINR per symbol at the receiver, in thousandths of a dB; None if the log does not tell it."""
    mode: int | None = None
    """MCS index; None if the log does not tell it."""
    decode_time_ns: int | None = None
    """Time until it was decoded; None if the log does not tell it."""
    sure: bool = True
    """Whether the log tells `failed`, directly or by a repeat; False for a guess, which may be wrong."""
    inferred: bool = False
    """Whether `failed` follows from repeats, because the log has no outcomes."""


def select(
    path: str, attempts: Sequence[Attempt], direction: Direction | None, user: str | None
) -> tuple[list[Attempt], list[str]]:
    """Return the attempts of one direction and one user in order of time, and notes on those left out.

    `user` may be several, separated by commas: one terminal whose cell or RNTI changes.
    """
    if not attempts:
        raise InputError(path, "there are no transmissions in this log")
    found = Counter(attempt.direction for attempt in attempts)
    chosen = direction or ("down" if "down" in found else "up")
    if chosen not in found:
        raise UsageError(f"--direction is {chosen}, but {path} holds only the other direction")
    kept = [attempt for attempt in attempts if attempt.direction == chosen]
    notes = left_out(len(attempts) - len(kept), "transmission", "of the other direction")
    users = Counter(attempt.user for attempt in kept)
    wanted = {one_user(path, users, name) for name in (user.split(",") if user else [None])}
    mine = [attempt for attempt in kept if attempt.user in wanted]
    notes += left_out(len(kept) - len(mine), "transmission", "of other users")
    return in_order(path, mine), notes


def one_user(path: str, users: Counter[str], user: str | None) -> str:
    """Return the chosen user, or the only one, of users and their rows (InputError, UsageError)."""
    names = most_common(users, "row")
    if user is None and len(users) > 1:
        raise InputError(path, f"there are {len(users)} users; choose one by --user: {names}")
    if user is not None and user not in users:
        raise UsageError(f"--user is {user}; {path} holds {names}")
    return next(iter(users)) if user is None else user


def most_common(found: Counter[str], what: str) -> str:
    """Return the five most frequent names, with their counts."""
    names = ", ".join(f"{shown(name)} ({counted(count, what)})" for name, count in found.most_common(5))
    return names + (", ..." if len(found) > 5 else "")


def count_from_first(attempts: Sequence[Attempt]) -> None:
    """Shift times so that the earliest attempt is at 0."""
    origin_ns = min((attempt.time_ns for attempt in attempts), default=0)
    for attempt in attempts:
        attempt.time_ns -= origin_ns


def in_order(path: str, attempts: Iterable[Attempt], most_back_ns: int = 1_000_000_000) -> list[Attempt]:
    """Return the attempts in order of time; InputError if time goes back by more than `most_back_ns`."""
    latest_ns = -MAX_TIME_NS
    for attempt in attempts:
        if attempt.time_ns < latest_ns - most_back_ns:
            back_s = (latest_ns - attempt.time_ns) / 1e9
            reason = f"the time goes back by {back_s:g} s; a file must hold one log"
            raise InputError(path, reason, attempt.line)
        latest_ns = max(latest_ns, attempt.time_ns)
    return sorted(attempts, key=lambda attempt: attempt.time_ns)


def with_data(path: str, attempts: Sequence[Attempt]) -> tuple[list[Attempt], list[str]]:
    """Return the attempts with data, and a note on those of size 0; InputError when none carries data."""
    kept = [attempt for attempt in attempts if attempt.size_bytes != 0]
    if not kept:
        raise InputError(path, "no transmission carries data: every size is 0")
    return kept, left_out(len(attempts) - len(kept), "transmission", "of size 0")


Pairing = Literal["size", "order"]

WITHOUT_PROCESS_NS = 20_000_000
"""Longest time from a failure to its repeat if the log has no HARQ processes."""

GIVEN_UP_NS = 100_000_000
"""A failed block is given up, not open, if the log continues for this long after it."""


@dataclass(slots=True)
class _Open:
    """A block that may be repeated."""

    block: int
    time_ns: int
    versions: set[int]
    failed: bool = False
    decoded: bool = False


@dataclass(slots=True)
class Blocks:
    """Blocks of attempts."""

    pairing: Pairing = "size"
    numbers: list[int] = field(default_factory=list)
    """For each attempt, the number of its block."""
    orphans: int = 0
    """Blocks that begin with a repeat, because no earlier attempt was found."""
    given_up: set[int] = field(default_factory=set)
    """Blocks after which their process started a new one."""


def number_blocks(
    attempts: Sequence[Attempt], window_ns: int | None = None, pairing: Pairing = "size"
) -> Blocks:
    """Return the blocks of attempts in order of time: a repeat belongs to an earlier block.

    If the log has processes, that is the last block of its process, if sent at most `window_ns` before.
    Otherwise it is a block that failed and was sent at most `WITHOUT_PROCESS_NS` before. By `size` it has the
    size of the repeat and has not used its redundancy version: preferably a block that has just used the
    previous version, else the oldest. By `order` it is the oldest block that has not been decoded, whatever
    its size. No other choice leaves fewer blocks lost, because blocks that expire first are taken first.
    """
    result, count = Blocks(pairing), 0
    waiting: defaultdict[Hashable, list[_Open]] = defaultdict(list)
    for attempt in attempts:
        known = attempt.process is not None
        key = attempt.process if known else attempt.size_bytes if pairing == "size" else None
        held = waiting[attempt.user, attempt.stream, key]
        longest_ns = window_ns if known else WITHOUT_PROCESS_NS
        while held and longest_ns is not None and attempt.time_ns - held[0].time_ns > longest_ns:
            held.pop(0)
        before = _repeated(held, attempt, pairing) if attempt.repeat else None
        if before is None:
            if known:
                result.given_up.update(open_block.block for open_block in held)
                held.clear()
            before = _Open(count, attempt.time_ns, set())
            result.orphans += attempt.repeat
            count += 1
        elif before in held:
            held.remove(before)
        result.numbers.append(before.block)
        before.time_ns = attempt.time_ns
        before.versions.add(attempt.version)
        before.failed |= attempt.failed is not False
        before.decoded |= attempt.failed is False
        if known or before.failed:
            held.append(before)
    return result


def _repeated(held: list[_Open], attempt: Attempt, pairing: Pairing) -> _Open | None:
    if attempt.process is not None:
        return held[-1] if held else None
    if pairing == "order":
        return next((block for block in held if not block.decoded), held[0] if held else None)
    fresh = [block for block in held if attempt.version not in block.versions]
    following = [block for block in fresh if attempt.version - 1 in block.versions]
    return next(iter(following or fresh), None)


def mark_repeats_of_failures(attempts: Iterable[Attempt]) -> None:
    """Set `repeat` of attempts, in order of time, that follow a failure in their process with the same block.

    An equal new-data indicator, or else an equal size, means the same block, but not after `GIVEN_UP_NS`.
    """
    last: dict[Hashable, Attempt] = {}
    for attempt in attempts:
        if attempt.process is None:
            continue
        process = attempt.user, attempt.stream, attempt.process
        before = last.get(process)
        last[process] = attempt
        if before is None or not before.failed or attempt.time_ns - before.time_ns > GIVEN_UP_NS:
            continue
        if attempt.new_data is None:
            attempt.repeat |= attempt.size_bytes == before.size_bytes
        else:
            attempt.repeat |= attempt.new_data == before.new_data


def infer_failures(attempts: Sequence[Attempt], blocks: Blocks) -> None:
    """Set `failed` where the log does not tell it: an attempt has failed if its block was sent again.

    The last attempt of a block counts as decoded. For a block with as many attempts as any other this is a
    guess: it may have been given up.
    """
    last = dict(zip(blocks.numbers, attempts, strict=True))
    counts = Counter(blocks.numbers)
    most = max(counts.values(), default=0)
    for block, attempt in zip(blocks.numbers, attempts, strict=True):
        if attempt.failed is None:
            attempt.failed, attempt.inferred = last[block] is not attempt, True
            attempt.sure &= attempt.failed or counts[block] < most
