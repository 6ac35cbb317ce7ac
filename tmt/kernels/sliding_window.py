"""A convolutional erasure code over GF(256), slot by slot: without feedback and with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Uint8Array = npt.NDArray[np.uint8]
    Decoder = tuple[Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Int64Array]

EVENT = np.dtype([(name, np.int64) for name in ("at_ns", "kind", "repair", "first", "last")])
"""A slot at the receiver: when it is decoded or detected as erased, what it is, number of the repair unit,
first and last source unit that it covers."""

SOURCE, REPAIR, ERASED_SOURCE, ERASED_REPAIR = 0, 1, 2, 3
"""Kinds of events. Without feedback, erased slots make none."""

STATE = np.dtype(
    [
        *((name, np.int64) for name in ("slots", "units", "repairs", "head", "tail", "newest", "unknown")),
        *((name, np.int64) for name in ("first_row", "count", "first", "reported", "erased", "equations")),
    ]
)
"""Slots given, source and repair units sent; events taken from and put into the queue; newest source unit
that the receiver knows of, and units of its window that it lacks; source unit of the first row.

For feedback: source units since the last regular repair unit; first source unit that the receiver lacks;
repair units that have arrived or are known to be erased; lacking source units that are known to be erased;
equations of the system.
"""

UNKNOWN, IN_EQUATION, KNOWN = 0, 1, 2
"""States of a source unit in the receiver's window; IN_EQUATION: it leads an equation of the system."""


@kernel
def send_and_decode(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    states: npt.NDArray[np.void],
    events: npt.NDArray[np.void],
    decoder: Decoder,
    rows: int,
    out: Rows,
) -> int:
    """Send source and repair units in the slots given, and decode; return how many rows have begun.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    window, interval
        Source units that a repair unit covers, W; source units between repair units, k.
    states : [1], `STATE`, updated
    events : [power of two], `EVENT`, updated
        Queue of slots at the receiver in the order of their times, as a ring, with room for n more.
    decoder
        * coefficients : [keys, window]; line ``r % keys`` has the coefficients of repair unit r.
        * product : [256, 256]; the products in GF(256).
        * units : [power of two, at least 2 * window], updated; state of each source unit in the receiver's
          window. Unit u lies at index ``u % len(units)``.
        * is_erased : [len(units)], updated; 1 for lacking units that are known to be erased.
        * system : [len(units) + 1, len(units)], updated; the equations in reduced echelon form, each in the
          line of its first unknown, and in the last line the equation that is being added. Lines without an
          equation are 0.
        * unknowns : [len(units)], int64; overwritten.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; erased source units that are not recovered have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    state, mask = states[0], len(events) - 1
    phase = state["slots"] % (interval + 1)
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        at_ns = now_ns + took_ns
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
        if took_ns == 0:
            continue
        place = state["tail"]
        if place > state["head"] and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
            place = make_place(at_ns, state["head"], place, events)
        event = events[np.uintp(place & mask)]
        event["at_ns"], event["kind"], event["repair"] = at_ns, kind, state["repairs"] - 1
        event["first"], event["last"] = first, last
        state["tail"] += 1
    state["slots"] += len(tx_time_ns)
    if len(tx_time_ns) > 0:  # later slots arrive later than this
        decode(tx_time_ns[len(tx_time_ns) - 1], window, states, events, decoder, out)
    return rows


@kernel
def send_on_feedback(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    rtt_ns: int,
    detection_delay_ns: int,
    states: npt.NDArray[np.void],
    events: npt.NDArray[np.void],
    decoder: Decoder,
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
    state, units, mask = states[0], decoder[2], len(events) - 1
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        known_ns, due_ns = now_ns - rtt_ns, events[np.uintp(state["head"] & mask)]["at_ns"]
        if state["head"] < state["tail"] and due_ns <= known_ns:
            decode(known_ns, window, states, events, decoder, out)
        while state["first"] <= state["newest"]:
            if units[np.uintp(state["first"] & (len(units) - 1))] != KNOWN:
                break
            state["first"] += 1

        under_way = state["repairs"] - state["reported"]
        is_repair = state["erased"] - state["equations"] > under_way
        if not is_repair and state["count"] >= interval:
            state["count"] = 0
            is_repair = state["first"] < state["units"]
        if is_repair:
            kind = REPAIR if took_ns > 0 else ERASED_REPAIR
            first, last = state["first"], state["units"] - 1
            state["repairs"] += 1
        elif state["units"] - state["first"] < window:
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
        at_ns = now_ns + (took_ns if took_ns > 0 else detection_delay_ns)
        place = state["tail"]
        if place > state["head"] and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
            place = make_place(at_ns, state["head"], place, events)
        event = events[np.uintp(place & mask)]
        event["at_ns"], event["kind"], event["repair"] = at_ns, kind, state["repairs"] - 1
        event["first"], event["last"] = first, last
        state["tail"] += 1
    state["slots"] += len(tx_time_ns)
    return rows


@kernel
def make_place(at_ns: int, head: int, tail: int, events: npt.NDArray[np.void]) -> int:
    """Move later events of the queue back by one, and return the number of the place before them."""
    mask, place = len(events) - 1, tail
    while place > head and events[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        events[place & mask] = events[(place - 1) & mask]
        place -= 1
    return place


@kernel
def decode(
    until_ns: int,
    window: int,
    states: npt.NDArray[np.void],
    events: npt.NDArray[np.void],
    decoder: Decoder,
    out: Rows,
) -> None:
    """Take events up to and including `until_ns`, and settle the rows that they decide.

    The other parameters are those of `send_and_decode`.
    """
    state, units, is_erased, mask = states[0], decoder[2], decoder[3], len(decoder[2]) - 1
    while state["head"] < state["tail"]:
        event = events[np.uintp(state["head"] & (len(events) - 1))]
        if event["at_ns"] > until_ns:
            break
        state["head"] += 1
        kind, last = event["kind"], event["last"]
        place, leaving = np.uintp(last & mask), last - 2 * window
        if kind in (REPAIR, ERASED_REPAIR):
            state["reported"] += 1
        leaves_known = leaving < 0 or units[np.uintp(leaving & mask)] == KNOWN
        if kind == SOURCE and last == state["newest"] + 1 and leaves_known:
            # What `take_arrival` would do: a call takes longer, and nearly all arrivals are of this kind.
            state["newest"] = last
            units[place] = KNOWN
            continue
        if kind == SOURCE or (kind == REPAIR and (state["unknown"] > 0 or last > state["newest"])):
            take_arrival(event, window, state, decoder, out)
        elif kind == ERASED_SOURCE and (last > state["newest"] or units[place] != KNOWN):
            is_erased[place] = 1
            state["erased"] += 1


@kernel
def take_arrival(event: np.void, window: int, state: np.void, decoder: Decoder, out: Rows) -> None:
    """Take a source or repair unit that arrives; move the receiver's window if it is the newest."""
    coefficients, _, units, _, system, _ = decoder
    mask, length, newest = len(units) - 1, len(units), state["newest"]
    at_ns, first, last = event["at_ns"], event["first"], event["last"]
    if last > newest:
        advance(last, at_ns, 2 * window, state, units, system, out)
    oldest = max(0, state["newest"] - 2 * window + 1)
    if event["kind"] == SOURCE:
        if last > newest:
            units[np.uintp(last & mask)] = KNOWN
            state["unknown"] -= 1
        elif last >= oldest and units[last & mask] != KNOWN:
            system[length, last & mask] = 1
            add_equation(oldest, at_ns, state, decoder, out)
    elif state["unknown"] > 0 and first >= oldest:
        line = event["repair"] % len(coefficients)
        for unit in range(first, last + 1):
            if units[unit & mask] != KNOWN:
                system[length, unit & mask] = coefficients[line, unit - first]
        add_equation(oldest, at_ns, state, decoder, out)


@kernel
def advance(
    last: int, at_ns: int, length: int, state: np.void, units: Uint8Array, system: Uint8Array, out: Rows
) -> None:
    """Move the receiver's window of `length` units to `last`; erased units that leave it unknown are lost."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    mask = len(units) - 1
    for newest in range(state["newest"] + 1, last + 1):
        leaving = newest - length
        if leaving >= 0 and units[leaving & mask] != KNOWN:
            row = leaving - state["first_row"]
            if not out_delivered[row]:
                out_delay_ns[row] = at_ns - out_tx_time_ns[row]
            system[leaving & mask, :] = 0
            state["unknown"] -= 1
            state["equations"] -= units[leaving & mask] == IN_EQUATION
        units[newest & mask] = UNKNOWN
        state["unknown"] += 1
    state["newest"] = last


@kernel
def add_equation(oldest: int, at_ns: int, state: np.void, decoder: Decoder, out: Rows) -> None:
    """Add the last line's equation to the system, and recover the units that are determined now.

    `unknowns` of the decoder become the units of the window that are not known: only their coefficients
    differ from 0.
    """
    _, product, units, is_erased, system, unknowns = decoder
    mask, equation, n = len(units) - 1, system[len(units)], 0
    for unit in range(oldest, state["newest"] + 1):
        if units[unit & mask] != KNOWN:
            unknowns[n] = unit
            n += 1
    lead = -1
    for i in range(n):
        place = unknowns[i] & mask
        factor = equation[place]
        if factor > 0 and units[place] == IN_EQUATION:
            add_multiple(system, len(units), place, factor, unknowns[i:n], product)
        elif factor > 0 and lead < 0:
            lead = i
    if lead < 0:
        return

    lead_place = unknowns[lead] & mask
    inverse = int(np.argmax(product[equation[lead_place]] == 1))
    add_multiple(system, lead_place, len(units), inverse, unknowns[lead:n], product)
    equation[:] = 0
    units[lead_place] = IN_EQUATION
    state["equations"] += 1
    for i in range(lead + 1):
        place = unknowns[i] & mask
        factor = system[place, lead_place]
        if units[place] != IN_EQUATION or factor == 0:
            continue
        if i < lead:
            add_multiple(system, place, lead_place, factor, unknowns[lead:n], product)
        if is_determined(system, place, unknowns[i + 1 : n]):
            system[place, place] = 0
            units[place] = KNOWN
            state["unknown"] -= 1
            state["equations"] -= 1
            state["erased"] -= is_erased[place]
            is_erased[place] = 0
            recover(unknowns[i] - state["first_row"], at_ns, out)


@kernel
def add_multiple(
    system: Uint8Array, line: int, other: int, factor: int, unknowns: Int64Array, product: Uint8Array
) -> None:
    """Add `factor` times the line `other` to `line`, at the unknowns given."""
    mask = system.shape[1] - 1
    for i in range(len(unknowns)):
        place = np.uintp(unknowns[i] & mask)
        system[line, place] ^= product[factor, system[other, place]]


@kernel
def is_determined(system: Uint8Array, line: int, unknowns: Int64Array) -> bool:
    """Tell whether an equation has none of the unknowns given, those beside its first."""
    mask = system.shape[1] - 1
    for i in range(len(unknowns)):  # noqa: SIM110  (kernels have no generators)
        if system[line, np.uintp(unknowns[i] & mask)] > 0:
            return False
    return True


@kernel
def recover(row: int, at_ns: int, out: Rows) -> None:
    """Deliver a row at a time, unless it has been delivered before."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    delay_ns = at_ns - out_tx_time_ns[row]
    if not out_delivered[row] or delay_ns < out_delay_ns[row]:
        out_delay_ns[row], out_delivered[row] = delay_ns, True
