"""A convolutional erasure code over GF(256), slot by slot: without feedback and with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Records = npt.NDArray[np.void]

EVENT = np.dtype([(name, np.int64) for name in ("at_ns", "kind", "repair", "first", "last")])
"""A slot at the receiver: when it is decoded or detected as erased, what it is, number of the repair unit,
first and last source unit that it covers."""

SOURCE, REPAIR, ERASED_SOURCE, ERASED_REPAIR = 0, 1, 2, 3
"""Kinds of events. Without feedback, erased slots make none."""

REPAIR_KEYS, LONGEST_WINDOW = 1024, 1024
"""Repair unit r has the coefficients of repair key ``r % REPAIR_KEYS``; most source units that it covers."""

UNITS, COLUMNS = 2 * LONGEST_WINDOW, 2 * LONGEST_WINDOW + 64
"""Source units in the receiver's window at most, a power of two. Symbols from one line of the system to the
next, no power of two: such lines displace each other from the processor's cache."""

_FIELDS = {
    **dict.fromkeys(("slots", "units", "repairs", "head", "tail", "first_row", "count", "reported"), "i8"),
    **dict.fromkeys(("erased", "newest", "oldest", "n_free", "n_equations"), "i8"),
    "coefficients": f"({REPAIR_KEYS}, {LONGEST_WINDOW})u1",
    "product": "(256, 256)u1",
    "marks": f"{UNITS}u1",
    "free": f"{UNITS}i8",
    "leads": f"{UNITS}i8",
    "system": f"({UNITS}, {COLUMNS})u1",
}
_OFFSETS = [sum(np.dtype(f).itemsize for f in list(_FIELDS.values())[:i]) for i in range(len(_FIELDS))]
STATE = np.dtype(
    {
        "names": [*_FIELDS, "words"],
        "formats": [*_FIELDS.values(), f"({UNITS}, {COLUMNS // 8})u8"],
        "offsets": [*_OFFSETS, _OFFSETS[-1]],
    }
)
"""State of a conversion. Kernels pass each other one record faster than many arrays.

* slots, units, repairs: slots given; source and repair units sent.
* head, tail: events taken from the queue and put into it.
* first_row: source unit of the first row.
* count, reported, erased: with feedback; source units since the last regular repair unit, repair units that
  have arrived or are known to be erased, lacking source units that are known to be erased.
* newest, oldest: newest source unit that the receiver knows of; oldest one that it lacks, `newest` + 1 if it
  lacks none.
* coefficients: a line for each repair key. product: of two elements of GF(256).
* marks: `LACKING` and `ERASED` of the source units in the receiver's window; unit u at index ``u % UNITS``.
* n_equations, leads, system: the equations in reduced echelon form. Equation i determines the unit
  ``leads[i]`` from free units; their coefficients are line i. A lead is older than its free units.
* n_free, free: the free units, in any order: lacking units that no equation leads.
* words: the memory of `system`, eight symbols a word. Beyond its equations and free units it is 0.
"""

LACKING, ERASED = 1, 2
"""Bits of a mark: the receiver lacks the unit; it is known to be erased."""

LOWEST_BITS = np.uint64(0x0101010101010101)
"""The lowest bits of the eight symbols in a word."""


@kernel
def send_and_decode(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    states: Records,
    events: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send source and repair units, and decode, until the queue is full; return how many rows have begun.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    window, interval
        Source units that a repair unit covers, W; source units between repair units, k.
    states : [1], `STATE`, updated
    events : [power of two], `EVENT`, updated
        Queue of slots at the receiver in the order of their times, as a ring.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; erased source units that are not recovered have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    state, mask = states[0], len(events) - 1
    phase = state["slots"] % (interval + 1)
    for slot in range(len(tx_time_ns)):
        if state["tail"] - state["head"] > mask:
            break
        state["slots"] += 1
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        while state["head"] < state["tail"]:
            event = events[np.uintp(state["head"] & mask)]
            if event["at_ns"] > now_ns:
                break
            state["head"] += 1
            kind, last = event["kind"], event["last"]
            if kind == SOURCE and last == state["newest"] + 1 and last - state["oldest"] < 2 * window:
                state["newest"] = last
                state["oldest"] += state["oldest"] == last
            elif kind == SOURCE or state["oldest"] <= state["newest"] or last > state["newest"]:
                take_arrival(event, window, state, out)

        if phase == interval:
            phase = 0
            kind, last = REPAIR, state["units"] - 1
            first = max(0, last - window + 1)
        else:
            phase += 1
            kind, first, last = SOURCE, state["units"], state["units"]
            new_row = np.uintp(rows)
            out_tx_time_ns[new_row], out_delay_ns[new_row] = now_ns, took_ns if took_ns > 0 else -1
            out_delivered[new_row], out_transmissions[new_row] = took_ns > 0, 1
            rows += 1
            state["units"] += 1
        state["repairs"] += kind == REPAIR
        if took_ns > 0:
            put_event(now_ns + took_ns, kind, first, last, state, events)
    return rows


@kernel
def send_on_feedback(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    rtt_ns: int,
    detection_delay_ns: int,
    states: Records,
    events: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send as `send_and_decode`, but by the receiver's reports; return how many rows have begun.

    The receiver runs as far as the reports that have reached the sender.

    Parameters
    ----------
    window
        Most source units from the first one that the receiver lacks, W.
    rtt_ns
        From an event at the receiver until the sender knows of it.
    detection_delay_ns
        From the `tx` of an erased slot until the receiver knows of it.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    state, mask = states[0], len(events) - 1
    for slot in range(len(tx_time_ns)):
        if state["tail"] - state["head"] > mask:
            break
        state["slots"] += 1
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        while state["head"] < state["tail"]:
            event = events[np.uintp(state["head"] & mask)]
            if event["at_ns"] > now_ns - rtt_ns:
                break
            state["head"] += 1
            kind, last = event["kind"], event["last"]
            state["reported"] += kind in (REPAIR, ERASED_REPAIR)
            if kind == SOURCE and last == state["newest"] + 1:
                state["newest"] = last
                state["oldest"] += state["oldest"] == last
            elif kind == ERASED_SOURCE:
                detect_erasure(last, state)
            elif kind == SOURCE or (
                kind == REPAIR and (state["oldest"] <= state["newest"] or last > state["newest"])
            ):
                take_arrival(event, window, state, out)

        is_repair = state["erased"] - state["n_equations"] > state["repairs"] - state["reported"]
        if not is_repair and state["count"] >= interval:
            state["count"] = 0
            is_repair = state["oldest"] < state["units"]
        if is_repair:
            kind = REPAIR if took_ns > 0 else ERASED_REPAIR
            first, last = state["oldest"], state["units"] - 1
            state["repairs"] += 1
        elif state["units"] - state["oldest"] < window:
            kind = SOURCE if took_ns > 0 else ERASED_SOURCE
            first, last = state["units"], state["units"]
            new_row = np.uintp(rows)
            out_tx_time_ns[new_row], out_delay_ns[new_row] = now_ns, took_ns if took_ns > 0 else -1
            out_delivered[new_row], out_transmissions[new_row] = took_ns > 0, 1
            rows += 1
            state["units"] += 1
            state["count"] += 1
        else:
            continue
        put_event(now_ns + (took_ns if took_ns > 0 else detection_delay_ns), kind, first, last, state, events)
    return rows


@kernel
def take_last_arrivals(window: int, states: Records, events: Records, out: Rows) -> None:
    """Take the arrivals after the last slot. The parameters are those of `send_and_decode`."""
    state = states[0]
    while state["head"] < state["tail"]:
        event = events[state["head"] & (len(events) - 1)]
        state["head"] += 1
        if event["kind"] in (SOURCE, REPAIR):
            take_arrival(event, window, state, out)


@kernel
def put_event(at_ns: int, kind: int, first: int, last: int, state: np.void, events: Records) -> None:
    """Put a slot into the queue, before the events that are later."""
    mask, place = len(events) - 1, state["tail"]
    if place > state["head"] and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        place = make_place(at_ns, state["head"], place, events)
    event = events[np.uintp(place & mask)]
    event["at_ns"], event["kind"], event["repair"] = at_ns, kind, state["repairs"] - 1
    event["first"], event["last"] = first, last
    state["tail"] += 1


@kernel
def make_place(at_ns: int, head: int, tail: int, events: Records) -> int:
    """Move later events of the queue back by one, and return the number of the place before them."""
    mask, place = len(events) - 1, tail
    while place > head and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        events[np.uintp(place & mask)] = events[np.uintp((place - 1) & mask)]
        place -= 1
    return place


@kernel
def detect_erasure(unit: int, state: np.void) -> None:
    """Mark a source unit as erased, unless it has been recovered."""
    place = np.uintp(unit & (UNITS - 1))
    if unit > state["newest"] or (unit >= state["oldest"] and state["marks"][place] == LACKING):
        state["marks"][place] |= ERASED
        state["erased"] += 1


@kernel
def take_arrival(event: np.void, window: int, state: np.void, out: Rows) -> None:
    """Take a source or repair unit that arrives: move the receiver's window, and add its equation."""
    first, last, is_source = event["first"], event["last"], event["kind"] == SOURCE
    is_new = last > state["newest"]
    if is_new:
        move_window(last, last + 1 - is_source, 2 * window, event["at_ns"], state, out)
    if first <= state["newest"] - 2 * window or state["n_free"] == 0:
        return
    if is_source and (is_new or state["marks"][np.uintp(last & (UNITS - 1))] == 0):
        return
    line = event["repair"] % REPAIR_KEYS
    new, n_free = state["n_equations"], state["n_free"]
    for i in range(n_free):
        unit = state["free"][i]
        if first <= unit <= last:
            state["system"][new, i] = 1 if is_source else state["coefficients"][line, unit - first]
    for i in range(state["n_equations"]):
        unit = state["leads"][i]
        if first <= unit <= last:
            factor = 1 if is_source else state["coefficients"][line, unit - first]
            add_multiple(new, i, factor, n_free, state)
    add_equation(event["at_ns"], state, out)


@kernel
def move_window(last: int, end: int, length: int, at_ns: int, state: np.void, out: Rows) -> None:
    """Move the receiver's window of `length` units to `last`; units that leave it unknown are lost.

    The receiver lacks the new units before `end`.
    """
    newest, oldest = state["newest"], last - length + 1
    while state["oldest"] <= newest and state["oldest"] < oldest:
        lose(state["oldest"], at_ns, state, out)
        forget(state["oldest"], state)
        state["oldest"] = oldest_lacking(newest, state)
    state["newest"] = last
    if state["oldest"] > newest:
        state["oldest"] = last + 1
    for unit in range(newest + 1, end):
        if unit < oldest:
            lose(unit, at_ns, state, out)
        else:
            state["free"][state["n_free"]] = unit
            state["n_free"] += 1
            state["marks"][np.uintp(unit & (UNITS - 1))] |= LACKING
            state["oldest"] = min(state["oldest"], unit)


@kernel
def add_equation(at_ns: int, state: np.void, out: Rows) -> None:
    """Add the equation in the line behind the last one, and recover the units that are determined now."""
    system, product, free, leads = state["system"], state["product"], state["free"], state["leads"]
    n_free, new, lead = state["n_free"], state["n_equations"], -1
    for i in range(n_free):
        if system[new, i] > 0 and (lead < 0 or free[i] < free[lead]):
            lead = i
    if lead < 0:
        return
    inverse = 1
    while product[system[new, lead], inverse] != 1:
        inverse += 1
    for i in range(n_free):
        system[new, i] = product[inverse, system[new, i]]
    for i in range(new):
        if system[i, lead] > 0:
            add_multiple(i, new, system[i, lead], n_free, state)
    leads[new] = free[lead]
    state["n_equations"] += 1
    remove_free(lead, state)

    for i in range(new, -1, -1):
        if is_determined(i, state):
            place = np.uintp(leads[i] & (UNITS - 1))
            state["erased"] -= state["marks"][place] // ERASED
            state["marks"][place] = 0
            recover(leads[i], at_ns, state, out)
            remove_equation(i, state)
    state["oldest"] = oldest_lacking(state["newest"], state)


@kernel
def add_multiple(line: int, other: int, factor: int, n_free: int, state: np.void) -> None:
    """Add `factor` times line `other` of the system to `line`.

    The product of a symbol is the sum of the products of its bits. Each operation serves the eight symbols of
    a word; lines are taken in pieces of eight words, which the compiler turns into vectors.
    """
    words, product = state["words"], state["product"]
    bit_0, bit_1 = np.uint64(product[factor, 1]), np.uint64(product[factor, 2])
    bit_2, bit_3 = np.uint64(product[factor, 4]), np.uint64(product[factor, 8])
    bit_4, bit_5 = np.uint64(product[factor, 16]), np.uint64(product[factor, 32])
    bit_6, bit_7 = np.uint64(product[factor, 64]), np.uint64(product[factor, 128])
    for i in range((n_free + 63) // 64 * 8):
        word = words[other, i]
        sum_ = (word & LOWEST_BITS) * bit_0
        sum_ ^= (word >> np.uint64(1) & LOWEST_BITS) * bit_1
        sum_ ^= (word >> np.uint64(2) & LOWEST_BITS) * bit_2
        sum_ ^= (word >> np.uint64(3) & LOWEST_BITS) * bit_3
        sum_ ^= (word >> np.uint64(4) & LOWEST_BITS) * bit_4
        sum_ ^= (word >> np.uint64(5) & LOWEST_BITS) * bit_5
        sum_ ^= (word >> np.uint64(6) & LOWEST_BITS) * bit_6
        sum_ ^= (word >> np.uint64(7) & LOWEST_BITS) * bit_7
        words[line, i] ^= sum_


@kernel
def is_determined(line: int, state: np.void) -> bool:
    """Tell whether an equation has no free unit."""
    for i in range((state["n_free"] + 7) // 8):  # noqa: SIM110  (kernels have no generators)
        if state["words"][line, i] != 0:
            return False
    return True


@kernel
def oldest_lacking(newest: int, state: np.void) -> int:
    """Return the oldest unit up to `newest` that the receiver lacks, `newest` + 1 if it lacks none."""
    oldest = newest + 1
    for i in range(state["n_free"]):
        oldest = min(oldest, state["free"][i])
    for i in range(state["n_equations"]):
        oldest = min(oldest, state["leads"][i])
    return oldest


@kernel
def forget(unit: int, state: np.void) -> None:
    """Remove the oldest unit that the receiver lacks: no equation but its own has it."""
    state["marks"][np.uintp(unit & (UNITS - 1))] = 0
    for i in range(state["n_free"]):
        if state["free"][i] == unit:
            remove_free(i, state)
            return
    for i in range(state["n_equations"]):
        if state["leads"][i] == unit:
            remove_equation(i, state)
            return


@kernel
def remove_free(column: int, state: np.void) -> None:
    """Remove a free unit; the last one takes its place."""
    system, last = state["system"], np.uintp(state["n_free"] - 1)
    state["free"][column] = state["free"][last]
    for i in range(state["n_equations"]):
        system[i, np.uintp(column)] = system[i, last]
        system[i, last] = 0
    state["n_free"] -= 1


@kernel
def remove_equation(line: int, state: np.void) -> None:
    """Remove an equation; the last one takes its place."""
    system, last = state["system"], np.uintp(state["n_equations"] - 1)
    state["leads"][line] = state["leads"][last]
    for i in range(state["n_free"]):
        system[np.uintp(line), i] = system[last, i]
        system[last, i] = 0
    state["n_equations"] -= 1


@kernel
def recover(unit: int, at_ns: int, state: np.void, out: Rows) -> None:
    """Deliver a unit's row at a time, unless it has been delivered before."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(unit - state["first_row"])
    delay_ns = at_ns - out_tx_time_ns[row]
    out_delay_ns[row] = min(delay_ns, out_delay_ns[row]) if out_delivered[row] else delay_ns
    out_delivered[row] = True


@kernel
def lose(unit: int, at_ns: int, state: np.void, out: Rows) -> None:
    """Lose a unit's row at a time, unless it has been delivered."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(unit - state["first_row"])
    if not out_delivered[row]:
        out_delay_ns[row] = at_ns - out_tx_time_ns[row]
