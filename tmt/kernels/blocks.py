"""What `fec` and `harq` share: the decoding of blocks, whether their LLDUs arrive in order or not.

Erasures cannot be predicted, so that a branch on one costs more than the work it saves. What stands on both
sides of a choice is therefore computed beforehand, and indices carry no sign, or else the compiler treats
elements one by one. Slices are not taken per block: each counts its references.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import fetch_ahead, kernel, kernel_with_arrays, part_of_kernel
from tmt.kernels.vectors import WIDTH, choose, counted, each, first, how_many, load, store, total
from tmt.kernels.windows import AHEAD_SLOTS, LINE_SLOTS

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

NEVER_NS = np.iinfo(np.int64).max


@kernel
def shortest_and_longest_ns(decode_time_ns: Int64Array, start: int, end: int) -> tuple[int, int]:
    """Return the shortest and the longest time to decode; `NEVER_NS` and 0 when all slots are erased.

    They are those of the slots from `start` up to `end`. Unless the former is below the latter, slots arrive
    in the order of their `tx`.
    """
    shortest_ns, longest_ns = NEVER_NS, 0
    for slot in range(start, end):
        took_ns = decode_time_ns[np.uintp(slot)]
        longest_ns = max(longest_ns, took_ns)
        shortest_ns = min(shortest_ns, took_ns if took_ns > 0 else NEVER_NS)
    return shortest_ns, longest_ns


@part_of_kernel
def nth_arrival_ns(arrivals_ns: Int64Array, place: int | np.uintp, arrived: int, n: int) -> int:
    """Return the n-th smallest of the first `arrived` moments in line `place`, n from 1."""
    out_of_order = 0
    for i in range(arrived - 1):
        earlier_ns = arrivals_ns[np.uintp(place), np.uintp(i)]
        out_of_order += earlier_ns > arrivals_ns[np.uintp(place), np.uintp(i + 1)]
    moment: int = arrivals_ns[np.uintp(place), np.uintp(n - 1)]
    return nth_smallest_ns(arrivals_ns, place, arrived, n) if out_of_order > 0 else moment


@kernel_with_arrays
def nth_smallest_ns(arrivals_ns: Int64Array, place: int | np.uintp, arrived: int, n: int) -> int:
    """Do the same for moments that are out of order."""
    moment: int = np.sort(arrivals_ns[place, :arrived])[n - 1]
    return moment


@part_of_kernel
def receive(
    tx_time_ns: Int64Array, decode_time_ns: Int64Array, start: int, end: int, n: int
) -> tuple[int, int]:
    """Return how many LLDUs of the slots from `start` up to `end` arrive, and when the n-th does, n from 1.

    They arrive in order. Where there is no n-th, its moment is 0. A vector is read from behind the last slot.
    """
    arrived = moment_ns = 0
    slot = start
    while slot < end:
        took_ns = load(decode_time_ns, np.uintp(slot))
        decoded = (took_ns > each(0)) & first(end - slot)
        slot += WIDTH
        if slot - start >= n:
            is_nth = decoded & (counted(decoded) == each(n - arrived))
            arrival_ns = load(tx_time_ns, np.uintp(slot - WIDTH)) + took_ns
            moment_ns += total(choose(is_nth, arrival_ns, each(0)))
        arrived += how_many(decoded)
    return arrived, moment_ns


@part_of_kernel
def decode_block_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    data: int,
    repair: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    row: int,
) -> int:
    """Decode the block from slot `start` on, write its rows from `row` on, and return how many LLDUs arrive.

    Where a data LLDU is erased, the `data`-th arrival is a repair LLDU; where none is, nobody needs the
    moment.
    """
    end = start + data + repair
    arrived, settled_ns = receive(tx_time_ns, decode_time_ns, start, end, data)
    given_up_ns = tx_time_ns[np.uintp(end - 1)] + detection_delay_ns
    recovered = arrived >= data
    settled_ns = settled_ns if recovered else given_up_ns
    i = 0
    while i < data:
        sent_ns = load(tx_time_ns, np.uintp(start + i))
        took_ns = load(decode_time_ns, np.uintp(start + i))
        decoded = took_ns > each(0)
        store(sent_ns, out_tx_time_ns, np.uintp(row + i))
        store(choose(decoded, took_ns, each(settled_ns) - sent_ns), out_delay_ns, np.uintp(row + i))
        store(decoded | each(recovered), out_delivered, np.uintp(row + i))
        i += WIDTH
    return arrived


@kernel
def decode_blocks_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    blocks: int,
    data: int,
    repair: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    row: int,
    out_arrived: Int64Array,
) -> None:
    """Decode so many blocks whose LLDUs arrive in order, one after the other, and write their rows.

    Vectors reach beyond the last slot and the last row.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [start + blocks * (data + repair) + `WIDTH` or more], int64, ns
        The slots, from `start` on.
    detection_delay_ns
        After how long, from its last slot, a block that cannot be recovered is given up.
    out_tx_time_ns, out_delay_ns, out_delivered : [row + blocks * data + `WIDTH` or more], written
        The rows, from `row` on; those of a vector behind them mean nothing then.
    out_arrived : [blocks or more], int64, written
        How many LLDUs of each block arrived; with `data` of them it is recovered.
    """
    for block in range(blocks):
        out_arrived[np.uintp(block)] = decode_block_in_order(
            tx_time_ns,
            decode_time_ns,
            start,
            data,
            repair,
            detection_delay_ns,
            out_tx_time_ns,
            out_delay_ns,
            out_delivered,
            row,
        )
        start += data + repair
        row += data


@kernel
def fetch_and_decode_blocks_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    blocks: int,
    data: int,
    repair: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    row: int,
    out_arrived: Int64Array,
) -> None:
    """Do the same for slots and rows that are not in the cache."""
    for block in range(blocks):
        for line in range(0, data + repair, LINE_SLOTS):
            fetch_ahead(tx_time_ns, np.uintp(start + line + AHEAD_SLOTS))
            fetch_ahead(decode_time_ns, np.uintp(start + line + AHEAD_SLOTS))
            fetch_ahead(out_tx_time_ns, np.uintp(row + line + AHEAD_SLOTS))
            fetch_ahead(out_delay_ns, np.uintp(row + line + AHEAD_SLOTS))
        out_arrived[np.uintp(block)] = decode_block_in_order(
            tx_time_ns,
            decode_time_ns,
            start,
            data,
            repair,
            detection_delay_ns,
            out_tx_time_ns,
            out_delay_ns,
            out_delivered,
            row,
        )
        start += data + repair
        row += data


@kernel_with_arrays
def decode_runs_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    depth: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
) -> None:
    """Decode whole runs of `depth` interleaved blocks whose LLDUs arrive in order, and write their rows.

    The slots of a run are a matrix, a line for each position and a column for each block. All loops go along
    its lines, so that the blocks of a run are decoded side by side. A run that lost no data is copied.
    """
    run_slots, run_rows = depth * (data + repair), depth * data
    arrived = np.empty(depth, np.int64)
    settled_ns = np.empty(depth, np.int64)
    for run in range(len(tx_time_ns) // run_slots):
        slot, row = run * run_slots, run * run_rows
        erased = 0
        for i in range(run_rows):
            erased += decode_time_ns[np.uintp(slot + i)] == 0
        for i in range(run_rows):
            out_tx_time_ns[np.uintp(row + i)] = tx_time_ns[np.uintp(slot + i)]
        if erased == 0:
            for i in range(run_rows):
                out_delay_ns[np.uintp(row + i)] = decode_time_ns[np.uintp(slot + i)]
                out_delivered[np.uintp(row + i)] = True
            continue

        arrived[:] = 0
        settled_ns[:] = tx_time_ns[slot + run_slots - 1] + detection_delay_ns
        for line in range(slot, slot + run_rows, depth):
            for block in range(depth):
                arrived[np.uintp(block)] += decode_time_ns[np.uintp(line + block)] > 0
        for line in range(slot + run_rows, slot + run_slots, depth):
            for block in range(depth):
                took_ns = decode_time_ns[np.uintp(line + block)]
                arrival_ns = tx_time_ns[np.uintp(line + block)] + took_ns
                so_far_ns = settled_ns[np.uintp(block)]
                arrived[np.uintp(block)] += took_ns > 0
                completes = (arrived[np.uintp(block)] == data) & (took_ns > 0)
                settled_ns[np.uintp(block)] = arrival_ns if completes else so_far_ns
        for line in range(0, run_rows, depth):
            for block in range(depth):
                took_ns = decode_time_ns[np.uintp(slot + line + block)]
                late_ns = settled_ns[np.uintp(block)] - tx_time_ns[np.uintp(slot + line + block)]
                out_delay_ns[np.uintp(row + line + block)] = took_ns if took_ns > 0 else late_ns
            for block in range(depth):
                decoded = decode_time_ns[np.uintp(slot + line + block)] > 0
                recovered = arrived[np.uintp(block)] >= data
                out_delivered[np.uintp(row + line + block)] = decoded | recovered


@kernel_with_arrays
def decode_runs_in_any_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    depth: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    out_arrived: Int64Array,
) -> None:
    """Do what `decode_blocks_in_order` does, for runs of `depth` blocks, whose LLDUs may overtake each other.

    `out_arrived` tells of the blocks in the order of their first slots.
    """
    run_slots, run_rows = depth * (data + repair), depth * data
    arrivals_ns = np.empty((1, data + repair + 1), np.int64)
    for block in range(len(tx_time_ns) // (data + repair)):
        run, column = block // depth, block % depth
        slot, row = run * run_slots + column, run * run_rows + column
        arrived = 0
        for i in range(0, run_slots, depth):
            arrivals_ns[0, np.uintp(arrived)] = (
                tx_time_ns[np.uintp(slot + i)] + decode_time_ns[np.uintp(slot + i)]
            )
            arrived += decode_time_ns[np.uintp(slot + i)] > 0
        recovered = arrived >= data
        settled_ns = tx_time_ns[(run + 1) * run_slots - 1] + detection_delay_ns
        if recovered:
            settled_ns = nth_arrival_ns(arrivals_ns, np.uintp(0), arrived, data)
        out_arrived[block] = arrived
        for i in range(0, run_rows, depth):
            sent_ns, took_ns = tx_time_ns[np.uintp(slot + i)], decode_time_ns[np.uintp(slot + i)]
            late_ns = settled_ns - sent_ns
            out_tx_time_ns[np.uintp(row + i)] = sent_ns
            out_delay_ns[np.uintp(row + i)] = took_ns if took_ns > 0 else late_ns
            out_delivered[np.uintp(row + i)] = (took_ns > 0) | recovered
