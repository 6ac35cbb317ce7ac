"""A convolutional erasure code over GF(256), slot by slot and arrival by arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Uint8Array = npt.NDArray[np.uint8]

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
    coefficients: Uint8Array,
    product: Uint8Array,
    state: npt.NDArray[np.void],
    arrivals: npt.NDArray[np.void],
    units: Uint8Array,
    system: Uint8Array,
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
    coefficients : [keys, window], uint8
        Line ``r % keys`` has the coefficients of repair unit r.
    product : [256, 256], uint8
        The products in GF(256).
    state : [1], `STATE`, updated
    arrivals : [power of two], `ARRIVAL`, updated
        Queue of decoded slots in the order of their arrival, as a ring, with room for n more.
    units : [power of two, at least 2 * window], uint8, updated
        State of each source unit in the receiver's window; unit u lies at index ``u % len(units)``.
    system : [len(units) + 1, len(units)], uint8, updated
        The equations in reduced echelon form, each in the line of its first unknown; in the last line the
        equation that is being added. Lines without an equation are 0.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; erased source units that are not recovered have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    mask = len(arrivals) - 1
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        is_repair = state[0]["slots"] % (interval + 1) == interval
        number = state[0]["slots"] // (interval + 1) if is_repair else state[0]["units"]
        state[0]["slots"] += 1
        if not is_repair:
            out_tx_time_ns[rows], out_delay_ns[rows] = now_ns, took_ns if took_ns > 0 else -1
            out_delivered[rows], out_transmissions[rows] = took_ns > 0, 1
            state[0]["units"] += 1
            rows += 1
        if took_ns > 0:
            place = state[0]["tail"]
            while place > state[0]["head"] and arrivals[(place - 1) & mask]["at_ns"] > now_ns + took_ns:
                arrivals[place & mask] = arrivals[(place - 1) & mask]
                place -= 1
            arrival = arrivals[place & mask]
            arrival["at_ns"], arrival["number"], arrival["repair"] = now_ns + took_ns, number, is_repair
            state[0]["tail"] += 1
    if len(tx_time_ns) > 0:  # later slots arrive later than this
        last_ns = tx_time_ns[len(tx_time_ns) - 1]
        decode(last_ns, window, interval, coefficients, product, state, arrivals, units, system, out)
    return rows


@kernel
def decode(
    until_ns: int,
    window: int,
    interval: int,
    coefficients: Uint8Array,
    product: Uint8Array,
    state: npt.NDArray[np.void],
    arrivals: npt.NDArray[np.void],
    units: Uint8Array,
    system: Uint8Array,
    out: Rows,
) -> None:
    """Take arrivals up to and including `until_ns`, and settle the rows that they decide.

    The other parameters are those of `send_and_decode`.
    """
    mask, length = len(units) - 1, len(units)
    while state[0]["head"] < state[0]["tail"]:
        arrival = arrivals[state[0]["head"] & (len(arrivals) - 1)]
        at_ns, number = arrival["at_ns"], arrival["number"]
        if at_ns > until_ns:
            break
        state[0]["head"] += 1
        newest = state[0]["newest"]
        last = (number + 1) * interval - 1 if arrival["repair"] else number
        if last > newest:
            advance(last, at_ns, 2 * window, state, units, system, out)
        oldest = max(0, state[0]["newest"] - 2 * window + 1)
        if not arrival["repair"]:
            if last > newest:
                units[last & mask] = KNOWN
                state[0]["unknown"] -= 1
            elif last >= oldest and units[last & mask] != KNOWN:
                system[length, last & mask] = 1
                add_equation(oldest, at_ns, product, state, units, system, out)
        elif state[0]["unknown"] > 0 and max(0, last - window + 1) >= oldest:
            first = max(0, last - window + 1)
            for unit in range(first, last + 1):
                if units[unit & mask] != KNOWN:
                    system[length, unit & mask] = coefficients[number % len(coefficients), unit - first]
            add_equation(oldest, at_ns, product, state, units, system, out)


@kernel
def advance(
    last: int,
    at_ns: int,
    length: int,
    state: npt.NDArray[np.void],
    units: Uint8Array,
    system: Uint8Array,
    out: Rows,
) -> None:
    """Move the receiver's window of `length` units to `last`; erased units that leave it unknown are lost."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    mask = len(units) - 1
    for newest in range(state[0]["newest"] + 1, last + 1):
        leaving = newest - length
        if leaving >= 0 and units[leaving & mask] != KNOWN:
            row = leaving - state[0]["first_row"]
            if not out_delivered[row]:
                out_delay_ns[row] = at_ns - out_tx_time_ns[row]
            system[leaving & mask, :] = 0
            state[0]["unknown"] -= 1
        units[newest & mask] = UNKNOWN
        state[0]["unknown"] += 1
    state[0]["newest"] = last


@kernel
def add_equation(
    oldest: int,
    at_ns: int,
    product: Uint8Array,
    state: npt.NDArray[np.void],
    units: Uint8Array,
    system: Uint8Array,
    out: Rows,
) -> None:
    """Add the last line's equation to the system, and recover the units that are determined now."""
    newest, mask, equation = state[0]["newest"], len(units) - 1, system[len(units)]
    lead = -1
    for unit in range(oldest, newest + 1):
        factor = equation[unit & mask]
        if factor > 0 and units[unit & mask] == IN_EQUATION:
            add_multiple(system, len(units), unit & mask, factor, unit, newest, product)
        elif factor > 0 and lead < 0:
            lead = unit
    if lead < 0:
        return

    inverse = int(np.argmax(product[equation[lead & mask]] == 1))
    add_multiple(system, lead & mask, len(units), inverse, lead, newest, product)
    equation[:] = 0
    units[lead & mask] = IN_EQUATION
    for unit in range(oldest, lead + 1):
        if units[unit & mask] != IN_EQUATION:
            continue
        factor = system[unit & mask, lead & mask]
        if unit < lead and factor > 0:
            add_multiple(system, unit & mask, lead & mask, factor, lead, newest, product)
        if np.count_nonzero(system[unit & mask]) == 1:
            system[unit & mask, unit & mask] = 0
            units[unit & mask] = KNOWN
            state[0]["unknown"] -= 1
            recover(unit - state[0]["first_row"], at_ns, out)


@kernel
def add_multiple(
    system: Uint8Array, line: int, other: int, factor: int, first: int, last: int, product: Uint8Array
) -> None:
    """Add `factor` times the line `other` to `line`, for the source units `first` to `last`."""
    mask = system.shape[1] - 1
    for unit in range(first, last + 1):
        system[line, unit & mask] ^= product[factor, system[other, unit & mask]]


@kernel
def recover(row: int, at_ns: int, out: Rows) -> None:
    """Deliver a row at a time, unless it has been delivered before."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    delay_ns = at_ns - out_tx_time_ns[row]
    if not out_delivered[row] or delay_ns < out_delay_ns[row]:
        out_delay_ns[row], out_delivered[row] = delay_ns, True
