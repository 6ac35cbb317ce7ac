"""A convolutional erasure code over GF(256), slot by slot and arrival by arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Uint8Array = npt.NDArray[np.uint8]
    Decoder = tuple[Uint8Array, Uint8Array, Uint8Array, Uint8Array]

ARRIVAL = np.dtype([("at_ns", np.int64), ("number", np.int64), ("repair", np.int64)])
"""A decoded slot: when it arrives, the number of its source or repair unit, whether it is a repair unit."""

STATE = np.dtype(
    [(name, np.int64) for name in ("slots", "units", "head", "tail", "newest", "unknown", "first_row")]
)
"""Slots and source units sent; arrivals taken from and put into the queue; newest source unit that the
receiver knows of, and units of its window that it lacks; source unit of the first row."""

UNKNOWN, IN_EQUATION, KNOWN = 0, 1, 2
"""States of a source unit in the receiver's window; IN_EQUATION: it leads an equation of the system."""


@kernel
def send_and_decode(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    states: npt.NDArray[np.void],
    arrivals: npt.NDArray[np.void],
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
    arrivals : [power of two], `ARRIVAL`, updated
        Queue of decoded slots in the order of their arrival, as a ring, with room for n more.
    decoder
        * coefficients : [keys, window]; line ``r % keys`` has the coefficients of repair unit r.
        * product : [256, 256]; the products in GF(256).
        * units : [power of two, at least 2 * window], updated; state of each source unit in the receiver's
          window. Unit u lies at index ``u % len(units)``.
        * system : [len(units) + 1, len(units)], updated; the equations in reduced echelon form, each in the
          line of its first unknown, and in the last line the equation that is being added. Lines without an
          equation are 0.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; erased source units that are not recovered have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    state, mask = states[0], len(arrivals) - 1
    repairs, phase = divmod(state["slots"], interval + 1)
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        is_repair = phase == interval
        number = repairs if is_repair else state["units"]
        if is_repair:
            repairs += 1
            phase = 0
        else:
            new_row = np.uintp(rows)
            out_tx_time_ns[new_row], out_delay_ns[new_row] = now_ns, took_ns if took_ns > 0 else -1
            out_delivered[new_row], out_transmissions[new_row] = took_ns > 0, 1
            state["units"] += 1
            rows += 1
            phase += 1
        if took_ns > 0:
            place = state["tail"]
            while place > state["head"]:
                if arrivals[np.uintp((place - 1) & mask)]["at_ns"] <= now_ns + took_ns:
                    break
                arrivals[place & mask] = arrivals[(place - 1) & mask]
                place -= 1
            arrival = arrivals[np.uintp(place & mask)]
            arrival["at_ns"], arrival["number"], arrival["repair"] = now_ns + took_ns, number, is_repair
            state["tail"] += 1
    state["slots"] += len(tx_time_ns)
    if len(tx_time_ns) > 0:  # later slots arrive later than this
        decode(tx_time_ns[len(tx_time_ns) - 1], window, interval, states, arrivals, decoder, out)
    return rows


@kernel
def decode(
    until_ns: int,
    window: int,
    interval: int,
    states: npt.NDArray[np.void],
    arrivals: npt.NDArray[np.void],
    decoder: Decoder,
    out: Rows,
) -> None:
    """Take arrivals up to and including `until_ns`, and settle the rows that they decide.

    The other parameters are those of `send_and_decode`.
    """
    coefficients, product, units, system = decoder
    state, mask, length = states[0], len(units) - 1, len(units)
    unknowns = np.empty(length, np.int64)
    while state["head"] < state["tail"]:
        arrival = arrivals[np.uintp(state["head"] & (len(arrivals) - 1))]
        at_ns, number, is_repair = arrival["at_ns"], arrival["number"], arrival["repair"]
        if at_ns > until_ns:
            break
        state["head"] += 1
        newest = state["newest"]
        last = (number + 1) * interval - 1 if is_repair else number
        if last > newest:
            leaving = last - 2 * window
            if last == newest + 1 and (leaving < 0 or units[np.uintp(leaving & mask)] == KNOWN):
                state["newest"], state["unknown"] = last, state["unknown"] + 1
                units[np.uintp(last & mask)] = UNKNOWN
            else:
                advance(last, at_ns, 2 * window, state, units, system, out)
        oldest = max(0, state["newest"] - 2 * window + 1)
        if not is_repair:
            if last > newest:
                units[np.uintp(last & mask)] = KNOWN
                state["unknown"] -= 1
            elif last >= oldest and units[last & mask] != KNOWN:
                system[length, last & mask] = 1
                add_equation(oldest, at_ns, product, state, units, system, unknowns, out)
        elif state["unknown"] > 0 and max(0, last - window + 1) >= oldest:
            first = max(0, last - window + 1)
            for unit in range(first, last + 1):
                if units[unit & mask] != KNOWN:
                    system[length, unit & mask] = coefficients[number % len(coefficients), unit - first]
            add_equation(oldest, at_ns, product, state, units, system, unknowns, out)


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
        units[newest & mask] = UNKNOWN
        state["unknown"] += 1
    state["newest"] = last


@kernel
def add_equation(
    oldest: int,
    at_ns: int,
    product: Uint8Array,
    state: np.void,
    units: Uint8Array,
    system: Uint8Array,
    unknowns: Int64Array,
    out: Rows,
) -> None:
    """Add the last line's equation to the system, and recover the units that are determined now.

    `unknowns` : [len(units)] is overwritten by the units of the window that are not known: only their
    coefficients differ from 0.
    """
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
