"""The PHY traces of users who share the slots of a link, from the traces that each would have alone."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from tmt.core import provenance
from tmt.core.convert import kept_slots
from tmt.core.errors import InputError, UsageError
from tmt.core.extent import Extent
from tmt.core.schema import PHY_TRACE, SIZE_BYTES
from tmt.core.units import seconds_text
from tmt.io import create_trace, open_trace
from tmt.io.atomic import check_not_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from tmt.core.sharing import Scheduler
    from tmt.core.trace import PhyTrace
    from tmt.io.base import TraceReader

MOST_FILES = 100
"""Most traces that are shared at once: each needs two open files."""


def share(
    sources: Sequence[str | PathLike[str]],
    targets: Sequence[str | PathLike[str]],
    scheduler: Scheduler,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> list[int]:
    """Write the slots that a scheduler gives to each user, and return their numbers.

    `sources` are PHY traces of the same slots: each user's trace as if all slots were its own; `targets` are
    the files of the users' own slots. Memory does not grow with the traces. `progress` is called with the
    number of slots since its last call.

    InputError when a source is no PHY trace, has other slots than the first one, or lacks the sizes that the
    scheduler needs; UsageError when a target is a source, the scheduler does not allow the number of users,
    or a user gets no slot; OutputError when a file cannot be written.
    """
    users = len(sources)
    check_users(users, scheduler)
    for target in targets:
        check_not_source(target, *sources)
    allocation, slots = scheduler.allocation(users), np.zeros(users, np.int64)
    with ExitStack() as stack:
        readers = [stack.enter_context(open_trace(source, PHY_TRACE)) for source in sources]
        for reader in readers if scheduler.uses_rates else ():
            if not reader.has_sizes:
                reason = f"{scheduler.name} compares what slots carry, and it has no column {SIZE_BYTES.name}"
                raise InputError(reader.path, reason)
        extent = Extent.said(readers[0].metadata) or _extent_of_rows(sources[0])
        writers = [
            stack.enter_context(
                create_trace(
                    target,
                    PHY_TRACE,
                    provenance.record(
                        PHY_TRACE.kind,
                        **provenance.inherited(reader.metadata) | ({} if extent is None else extent.metadata),
                        source=provenance.source(source),
                        sharing={"scheduler": scheduler.describe(), "users": users, "user": user + 1},
                    ),
                )
            )
            for user, (source, target, reader) in enumerate(zip(sources, targets, readers, strict=True))
        ]
        for chunks in in_step(readers):
            rates = (
                np.array([chunk.size_bytes for chunk in chunks], np.float64) if scheduler.uses_rates else None
            )
            owner = allocation.next(len(chunks[0]), rates)
            for user, (writer, chunk) in enumerate(zip(writers, chunks, strict=True)):
                writer.write(kept_slots(chunk, owner == user))
            slots += np.bincount(owner, minlength=users)
            progress(len(owner))
        if not slots.all():
            nothing = sources[int(np.argmin(slots))]
            raise UsageError(f"{nothing}: gets none of the {slots.sum()} slots; nothing is written")
    return [int(number) for number in slots]


def check_users(users: int, scheduler: Scheduler) -> None:
    """Refuse a number of users that cannot share a link under a scheduler (UsageError)."""
    if not 2 <= users <= MOST_FILES:
        raise UsageError(f"USERS: there are {users}; allowed: from 2 to {MOST_FILES} traces")
    if (fault := scheduler.fault(users)) is not None:
        field, allowed, reason = fault
        raise UsageError(f"--{field}: {reason}; allowed: {allowed}")


def in_step(readers: Sequence[TraceReader]) -> Iterator[list[PhyTrace]]:
    """Yield the same slots of each trace, run after run (InputError if the times differ)."""
    incoming = [iter(reader) for reader in readers]
    waiting: list[PhyTrace | None] = [None] * len(readers)
    slots = 0
    while True:
        for user, chunks in enumerate(incoming):
            if waiting[user] is None:
                waiting[user] = next(chunks, None)  # type: ignore[assignment]
        found = [chunk for chunk in waiting if chunk is not None]
        if not found:
            return
        for reader, chunk in zip(readers, waiting, strict=True):
            if chunk is None:
                raise InputError(reader.path, f"ends after {slots} slots, another user's trace does not")
        size = min(map(len, found))
        heads = [kept_slots(chunk, slice(size)) for chunk in found]
        for reader, chunk in zip(readers, heads, strict=True):
            differing = np.flatnonzero(chunk.tx_time_ns != heads[0].tx_time_ns)
            if len(differing):
                at = int(differing[0])
                own, other = (seconds_text(int(one.tx_time_ns[at])) for one in (chunk, heads[0]))
                reason = (
                    f"is sent at {own} s, that of {readers[0].path} at {other} s; users share one line; "
                    "frames of DVB, whose lengths differ, cannot be shared"
                )
                raise InputError(reader.path, reason, reader.place(slots + at))
        yield heads
        waiting = [kept_slots(chunk, slice(size, None)) if len(chunk) > size else None for chunk in found]
        slots += size


def _extent_of_rows(path: str | PathLike[str]) -> Extent | None:
    """Return the extent that a trace's rows give; they are read once."""
    first_ns = last_ns = rows = 0
    with open_trace(os.fspath(path), PHY_TRACE) as reader:
        for chunk in reader:
            first_ns = first_ns if rows else int(chunk.tx_time_ns[0])
            rows, last_ns = rows + len(chunk), int(chunk.tx_time_ns[-1])
    return Extent.of_rows(first_ns, last_ns, rows)
