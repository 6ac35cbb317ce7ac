"""Hybrid ARQ of type II: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel
from tmt.kernels.blocks import nth_arrival_ns

Int64Array = npt.NDArray[np.int64]

WINDOW_SLOTS = 2048
"""Most slots that are sent before the blocks in them are judged; few enough to stay in the cache."""

REQUEST = np.dtype(
    [
        ("due_ns", np.int64),
        ("row", np.int64),
        ("made", np.int64),
        ("left", np.int64),
        ("arrived", np.int64),
    ]
)
"""A block that waits for repair: when its request reaches the sender, its first row, requests made so far,
repair LLDUs still to send in this round, LLDUs arrived over all rounds."""

STATE = np.dtype(
    [
        ("rows", np.int64),
        ("head", np.int64),
        ("tail", np.int64),
        ("requested", np.int64),
        ("on_air", np.int64),
    ]
)
"""Since the start: rows of whole blocks, requests taken from and put into the FIFO, slots that requests took;
and the slots of the block that is on air."""


@kernel
def send_and_repair(  # noqa: PLR0912, PLR0915  (a call inside the loop over blocks costs as much as a block)
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    extra: int,
    rounds: int,
    report_delay_ns: int,
    detection_delay_ns: int,
    state: npt.NDArray[np.void],
    air_tx_ns: Int64Array,
    air_decode_ns: Int64Array,
    requests: npt.NDArray[np.void],
    arrivals_ns: Int64Array,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Send blocks and requested repair LLDUs in the slots given (design, section 3, `harq`).

    The slots that no request takes are gathered, so that blocks lie in one piece; whole blocks are judged at
    once and write their rows.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    data, repair, extra, rounds
        Data and repair LLDUs of a block, repair LLDUs sent on top of those missing, most requests per block.
    report_delay_ns
        From the last slot of a round to the moment at which the sender knows: detection delay plus RTT.
    detection_delay_ns
        From the last slot of the last round to the moment at which erased LLDUs are given up.
    state : [1], `STATE`, updated
    air_tx_ns, air_decode_ns : [data + repair + WINDOW_SLOTS], int64, ns, updated
        Slots of the block that is on air, at the front.
    requests : [power of two], `REQUEST`, updated
        Ring that holds the FIFO; needs room for ``n // (data + repair) + 2`` more.
    arrivals_ns : [len(requests), 2 * (data + repair) + extra + 1], int64, ns, updated
        When the LLDUs of each waiting block arrived.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; erased ones of open blocks have the delay -1.
    """
    row, on_air = state[0]["rows"] - first_row, state[0]["on_air"]
    head, tail, requested = state[0]["head"], state[0]["tail"], state[0]["requested"]
    mask = len(requests) - 1
    length = data + repair
    slot = 0
    while slot < len(tx_time_ns):
        # No request that is made in this window falls due in it.
        end = min(slot + WINDOW_SLOTS, len(tx_time_ns))
        if tx_time_ns[end - 1] >= tx_time_ns[slot] + report_delay_ns:
            end = slot + max(1, np.searchsorted(tx_time_ns[slot:end], tx_time_ns[slot] + report_delay_ns))
        while slot < end:
            free = end
            if head < tail and requests[head & mask]["due_ns"] <= tx_time_ns[end - 1]:
                due_ns = requests[head & mask]["due_ns"]
                free = slot
                while tx_time_ns[free] < due_ns:
                    free += 1
            gathered = free - slot
            air_tx_ns[on_air : on_air + gathered] = tx_time_ns[slot:free]
            air_decode_ns[on_air : on_air + gathered] = decode_time_ns[slot:free]
            on_air += gathered
            slot = free

            blocks = on_air // length
            rows_tx_ns = out_tx_time_ns[row : row + blocks * data]
            delay_ns = out_delay_ns[row : row + blocks * data]
            delivered = out_delivered[row : row + blocks * data]
            out_transmissions[row : row + blocks * data] = 1
            for block in range(blocks):
                first, first_data = block * length, block * data
                tx_ns = air_tx_ns[first : first + length]
                decode_ns = air_decode_ns[first : first + length]
                arrived = 0
                for position in range(data):
                    arrived += decode_ns[position] > 0
                settled_ns = 0
                waits = False
                if arrived < data:
                    came_ns = arrivals_ns[tail & mask]
                    arrived = 0
                    for position in range(length):
                        came_ns[arrived] = tx_ns[position] + decode_ns[position]
                        arrived += decode_ns[position] > 0
                    if arrived >= data:
                        settled_ns = nth_arrival_ns(came_ns[:arrived], data)
                    elif rounds > 0:
                        waits = True
                        request = requests[tail & mask]
                        request["due_ns"] = tx_ns[length - 1] + report_delay_ns
                        request["row"] = row + first_data + first_row
                        request["made"] = 1
                        request["left"] = data - arrived + extra
                        request["arrived"] = arrived
                        tail += 1
                    else:
                        settled_ns = tx_ns[length - 1] + detection_delay_ns
                recovered = arrived >= data
                for position in range(data):
                    sent_ns, took_ns = tx_ns[position], decode_ns[position]
                    rows_tx_ns[first_data + position] = sent_ns
                    delay_ns[first_data + position] = took_ns if took_ns > 0 else settled_ns - sent_ns
                    delivered[first_data + position] = (took_ns > 0) | recovered
                if waits:
                    for i in range(first_data, first_data + data):
                        delay_ns[i] = delay_ns[i] if delivered[i] else -1
                        out_transmissions[row + i] = 2
            row += blocks * data
            if blocks > 0:
                on_air -= blocks * length
                for i in range(on_air):
                    air_tx_ns[i] = air_tx_ns[blocks * length + i]
                    air_decode_ns[i] = air_decode_ns[blocks * length + i]

            if slot == end:
                break
            front = head & mask
            arrived = requests[front]["arrived"]
            taken = min(requests[front]["left"], end - slot)
            for i in range(slot, slot + taken):
                arrivals_ns[front, arrived] = tx_time_ns[i] + decode_time_ns[i]
                arrived += decode_time_ns[i] > 0
            slot += taken
            requested += taken
            requests[front]["arrived"] = arrived
            requests[front]["left"] -= taken
            if requests[front]["left"] > 0:
                continue
            head += 1
            begin = requests[front]["row"] - first_row
            made = requests[front]["made"]
            if arrived < data and made < rounds:
                back = tail & mask
                requests[back]["due_ns"] = tx_time_ns[slot - 1] + report_delay_ns
                requests[back]["row"] = begin + first_row
                requests[back]["made"] = made + 1
                requests[back]["left"] = data - arrived + extra
                requests[back]["arrived"] = arrived
                for i in range(arrived):
                    arrivals_ns[back, i] = arrivals_ns[front, i]
                tail += 1
                for i in range(begin, begin + data):
                    out_transmissions[i] = min(made + 2, 255)
                continue
            recovered = arrived >= data
            settled_ns = tx_time_ns[slot - 1] + detection_delay_ns
            if recovered:
                settled_ns = nth_arrival_ns(arrivals_ns[front, :arrived], data)
            for i in range(begin, begin + data):
                own_ns = out_delay_ns[i]
                out_delay_ns[i] = own_ns if out_delivered[i] else settled_ns - out_tx_time_ns[i]
                out_delivered[i] |= recovered
    state[0]["rows"], state[0]["on_air"] = row + first_row, on_air
    state[0]["head"], state[0]["tail"], state[0]["requested"] = head, tail, requested


@kernel
def oldest_open_row(state: npt.NDArray[np.void], requests: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose block waits for repair; the number of rows when none does."""
    oldest: int = state[0]["rows"]
    mask = len(requests) - 1
    for request in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, requests[request & mask]["row"])
    return oldest
