"""The receiver of a sliding-window code: its window of source units, and the decoding of erased units."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Records, Rows, kernel
from tmt.core.kernels.gf256 import (
    SYSTEM,
    UNITS,
    add_multiple,
    add_unknown,
    is_determined,
    oldest_unknown,
    reduce_new_equation,
    remove_equation,
    remove_oldest,
)

EVENT = np.dtype([(name, np.int64) for name in ("at_ns", "kind", "repair", "first", "last")])
"""An event: time of decoding or of detected erasure, content of the slot, number of the repair unit, first
and last source unit that it covers.
"""

SOURCE, REPAIR, ERASED_SOURCE, ERASED_REPAIR = 0, 1, 2, 3
"""Kinds of events: a unit arrives, or its erasure is detected."""


@kernel
def put_event(
    at_ns: int, kind: int, repair: int, first: int, last: int, receiver: np.void, events: Records
) -> None:
    """Insert an event into the ring `events`, of 2^k places and not full, after those of the same time."""
    mask, place = len(events) - 1, receiver["tail"]
    if place > receiver["head"] and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        place = make_place(at_ns, receiver["head"], place, events)
    event = events[np.uintp(place & mask)]
    event["at_ns"], event["kind"], event["repair"] = at_ns, kind, repair
    event["first"], event["last"] = first, last
    receiver["tail"] += 1


@kernel
def make_place(at_ns: int, head: int, tail: int, events: Records) -> int:
    """Move later events of the queue back by one, and return the place that becomes free."""
    mask, place = len(events) - 1, tail
    while place > head and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        events[np.uintp(place & mask)] = events[np.uintp((place - 1) & mask)]
        place -= 1
    return place


REPAIR_KEYS, LONGEST_WINDOW = 1024, UNITS // 2
"""Repair unit r has the coefficients of repair key ``r % REPAIR_KEYS``.

The second is the greatest number of source units that it covers.
"""

RECEIVER = np.dtype(
    [
        *(
            (name, np.int64)
            for name in ("head", "tail", "first_row", "newest", "oldest", "erased", "repairs")
        ),
        ("coefficients", np.uint8, (REPAIR_KEYS, LONGEST_WINDOW)),
        ("marks", np.uint8, UNITS),
        ("system", SYSTEM),
    ]
)
"""State of the receiver.

* head, tail: events taken from the queue and put into it.
* first_row: source unit of the first row.
* newest, oldest: newest source unit that the receiver knows of; oldest unknown one, `newest` + 1 without any.
* erased: unknown source units that are detected as erased.
* repairs: repair units that have arrived or are detected as erased.
* coefficients: a line for each repair key.
* marks: `UNKNOWN` and `ERASED` of the source units in the window; unit u at index ``u % UNITS``.
* system: equations of the received units, in the unknown units of the window. Known units are constants.
"""

UNKNOWN, ERASED = 1, 2
"""Bits of a mark: the unit is neither received nor recovered; its erasure is detected."""


@kernel
def take_without_decoding(event: np.void, window: int, receiver: np.void) -> bool:
    """Process an event that needs no decoding; return whether it was one.

    Most events need none. This kernel receives only records: passing arrays counts references, which takes
    longer than the rest of the slot.
    """
    kind, last = event["kind"], event["last"]
    receiver["repairs"] += kind in (REPAIR, ERASED_REPAIR)
    if kind == SOURCE and last == receiver["newest"] + 1 and last - receiver["oldest"] < 2 * window:
        receiver["newest"] = last
        receiver["oldest"] += receiver["oldest"] == last
        return True
    if kind == ERASED_SOURCE:
        detect_erasure(last, receiver)
    is_needless: bool = kind == REPAIR and last <= receiver["newest"] < receiver["oldest"]
    return is_needless or kind in (ERASED_SOURCE, ERASED_REPAIR)


@kernel
def decode(event: np.void, window: int, receiver: np.void, out: Rows) -> None:
    """Process an arrived unit: move the window to the newest unit that it covers, and add its equation.

    A repair unit covers up to `window` source units, W; the receiver's window has 2 W. In `out`, the rows
    from `first_row` on, recovered units are delivered; unknown units that leave the window are lost.
    """
    first, last, is_source = event["first"], event["last"], event["kind"] == SOURCE
    is_new = last > receiver["newest"]
    if is_new:
        move_window(last, last + 1 - is_source, 2 * window, event["at_ns"], receiver, out)
    is_outside = first <= receiver["newest"] - 2 * window
    is_known = is_source and (is_new or receiver["marks"][np.uintp(last & (UNITS - 1))] == 0)
    if not is_outside and not is_known and receiver["system"]["n_free"] > 0:
        add_equation(event, receiver, out)


@kernel
def detect_erasure(unit: int, receiver: np.void) -> None:
    """Mark a source unit as erased, unless it has been recovered."""
    place = np.uintp(unit & (UNITS - 1))
    if unit > receiver["newest"] or (unit >= receiver["oldest"] and receiver["marks"][place] == UNKNOWN):
        receiver["marks"][place] |= ERASED
        receiver["erased"] += 1


@kernel
def move_window(last: int, end: int, length: int, at_ns: int, receiver: np.void, out: Rows) -> None:
    """Move the window of `length` units to `last`; units that leave it unknown are lost.

    The new units before `end` are unknown.
    """
    newest, oldest = receiver["newest"], last - length + 1
    while receiver["oldest"] <= newest and receiver["oldest"] < oldest:
        lose(receiver["oldest"], at_ns, receiver, out)
        receiver["marks"][np.uintp(receiver["oldest"] & (UNITS - 1))] = 0
        remove_oldest(receiver["oldest"], receiver["system"])
        receiver["oldest"] = oldest_unknown(newest + 1, receiver["system"])
    receiver["newest"] = last
    if receiver["oldest"] > newest:
        receiver["oldest"] = last + 1
    for unit in range(newest + 1, end):
        if unit < oldest:
            lose(unit, at_ns, receiver, out)
        else:
            add_unknown(unit, receiver["system"])
            receiver["marks"][np.uintp(unit & (UNITS - 1))] |= UNKNOWN
            receiver["oldest"] = min(receiver["oldest"], unit)


@kernel
def add_equation(event: np.void, receiver: np.void, out: Rows) -> None:
    """Add the equation of an arrived unit, and recover the units that are now determined."""
    system = receiver["system"]
    new, first, last = system["n_equations"], event["first"], event["last"]
    for i in range(system["n_free"]):
        unit = system["free"][i]
        if first <= unit <= last:
            system["coefficients"][new, i] = coefficient(unit, event, receiver)
    for i in range(new):
        unit = system["leads"][i]
        if first <= unit <= last:
            add_multiple(new, i, coefficient(unit, event, receiver), system)
    if not reduce_new_equation(system):
        return
    for i in range(new, -1, -1):
        if is_determined(i, system):
            unit = system["leads"][i]
            place = np.uintp(unit & (UNITS - 1))
            receiver["erased"] -= receiver["marks"][place] // ERASED
            receiver["marks"][place] = 0
            recover(unit, event["at_ns"], receiver, out)
            remove_equation(i, system)
    receiver["oldest"] = oldest_unknown(receiver["newest"] + 1, system)


@kernel
def coefficient(unit: int, event: np.void, receiver: np.void) -> int:
    """Return the coefficient of a covered unit in an arrived unit; 1 in the source unit itself."""
    if event["kind"] == SOURCE:
        return 1
    found: int = receiver["coefficients"][event["repair"] % REPAIR_KEYS, unit - event["first"]]
    return found


@kernel
def recover(unit: int, at_ns: int, receiver: np.void, out: Rows) -> None:
    """Deliver a unit's row at a time, unless it was delivered before."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(unit - receiver["first_row"])
    delay_ns = at_ns - out_tx_time_ns[row]
    out_delay_ns[row] = min(delay_ns, out_delay_ns[row]) if out_delivered[row] else delay_ns
    out_delivered[row] = True


@kernel
def lose(unit: int, at_ns: int, receiver: np.void, out: Rows) -> None:
    """Lose a unit's row at a time, unless it has been delivered."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(unit - receiver["first_row"])
    if not out_delivered[row]:
        out_delay_ns[row] = at_ns - out_tx_time_ns[row]


@kernel
def take_last_events(window: int, receivers: Records, events: Records, out: Rows) -> None:
    """Process the events after the last slot. The parameters are those of the senders."""
    receiver = receivers[0]
    while receiver["head"] < receiver["tail"]:
        event = events[receiver["head"] & (len(events) - 1)]
        receiver["head"] += 1
        if not take_without_decoding(event, window, receiver):
            decode(event, window, receiver, out)
