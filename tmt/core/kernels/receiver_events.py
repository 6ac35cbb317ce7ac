"""The queue of events at the receiver of an erasure code, in the order of their times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Records = npt.NDArray[np.void]

EVENT = np.dtype([(name, np.int64) for name in ("at_ns", "kind", "repair", "first", "last")])
"""An event: when the slot is decoded or detected as erased, what it carried, number of the repair unit, first
and last source unit that it covers."""

SOURCE, REPAIR, ERASED_SOURCE, ERASED_REPAIR = 0, 1, 2, 3
"""Kinds of events: a unit arrives, or its erasure is detected."""


@kernel
def put_event(
    at_ns: int, kind: int, repair: int, first: int, last: int, receiver: np.void, events: Records
) -> None:
    """Put an event into the queue, behind those of the same time.

    Parameters
    ----------
    receiver
        It counts the events taken from the queue, `head`, and put into it, `tail`.
    events : [power of two], `EVENT`
        The queue as a ring, with room for one more.
    """
    mask, place = len(events) - 1, receiver["tail"]
    if place > receiver["head"] and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        place = make_place(at_ns, receiver["head"], place, events)
    event = events[np.uintp(place & mask)]
    event["at_ns"], event["kind"], event["repair"] = at_ns, kind, repair
    event["first"], event["last"] = first, last
    receiver["tail"] += 1


@kernel
def make_place(at_ns: int, head: int, tail: int, events: Records) -> int:
    """Move later events of the queue back by one, and return the number of the place before them."""
    mask, place = len(events) - 1, tail
    while place > head and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        events[np.uintp(place & mask)] = events[np.uintp((place - 1) & mask)]
        place -= 1
    return place
