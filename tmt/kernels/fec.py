"""Forward error correction with interleaving: whole runs of `depth` blocks in, their data rows out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel, part_of_kernel
from tmt.kernels.blocks import (
    arrive_in_order,
    collect_arrivals,
    decode_blocks_in_order,
    nth_arrival_ns,
)

Int64Array = npt.NDArray[np.int64]

SLOTS_TOGETHER = 2048
"""Slots whose decode times are compared at once, to see whether they arrive in order."""


@kernel
def decode_runs(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    depth: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Send and decode whole runs of `depth` blocks of `data` + `repair` LLDUs (design, section 3, `fec`).

    Slot `s` of a run is position ``s // depth`` of block ``s % depth``, so that the first
    ``depth * data`` slots of the run are its data rows.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n_runs * depth * (data + repair)], int64, ns
        The slots.
    detection_delay_ns
        After how long, from the last slot of a run, the receiver knows that a block cannot be recovered.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [n_runs * depth * data], written
        The rows.
    """
    length = data + repair
    run_slots, run_rows = depth * length, depth * data
    runs = len(tx_time_ns) // run_slots
    arrivals_ns = np.empty(length + 1, np.int64)
    lacking = np.empty(depth, np.int64)
    settled_ns = np.empty(depth, np.int64)
    erased_slots = np.empty(run_rows + 1, np.int64)
    block_of = np.arange(run_slots) % depth  # A division per erasure would cost more than all else.
    out_transmissions[:] = 1
    recovered = np.empty(SLOTS_TOGETHER, np.bool_)
    runs_together = max(1, SLOTS_TOGETHER // run_slots)
    for first in range(0, runs, runs_together):
        last = min(first + runs_together, runs)
        tx_ns = tx_time_ns[first * run_slots : last * run_slots]
        decode_ns = decode_time_ns[first * run_slots : last * run_slots]
        rows_tx_ns = out_tx_time_ns[first * run_rows : last * run_rows]
        delay_ns = out_delay_ns[first * run_rows : last * run_rows]
        delivered = out_delivered[first * run_rows : last * run_rows]
        in_order = arrive_in_order(decode_ns)
        if in_order and depth == 1:
            decode_blocks_in_order(
                tx_ns, decode_ns, data, repair, detection_delay_ns, rows_tx_ns, delay_ns, delivered, recovered
            )
            continue
        for run in range(first, last):
            begin, end, row = run * run_slots, (run + 1) * run_slots, run * run_rows
            erased = _copy_run(
                tx_time_ns,
                decode_time_ns,
                begin,
                row,
                run_rows,
                erased_slots,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
            )
            if erased == 0:
                continue
            lost_ns = tx_time_ns[end - 1] + detection_delay_ns
            for block in range(depth):
                lacking[block], settled_ns[block] = 0, lost_ns
            if in_order:
                for i in range(erased):
                    lacking[block_of[erased_slots[i]]] += 1
                _settle_in_order(
                    tx_time_ns, decode_time_ns, begin, run_rows, run_slots, block_of, lacking, settled_ns
                )
            else:
                _settle_in_any_order(
                    tx_time_ns[begin:end], decode_time_ns[begin:end], data, arrivals_ns, lacking, settled_ns
                )
            for i in range(erased):
                slot = erased_slots[i]
                block = block_of[slot]
                out_delay_ns[row + slot] = settled_ns[block] - tx_time_ns[begin + slot]
                out_delivered[row + slot] = lacking[block] <= 0


@part_of_kernel
def _copy_run(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    begin: int,
    row: int,
    run_rows: int,
    erased_slots: Int64Array,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
) -> int:
    """Copy the data slots of the run at slot `begin` as if all were decoded, and note the erased ones.

    Returns how many are erased. Indices are unsigned and arrays few in each loop, so that the compiler
    copies many elements at once; erasures, which cannot be predicted, are noted without branches.
    """
    erased = 0
    for i in range(run_rows):
        out_tx_time_ns[np.uintp(row + i)] = tx_time_ns[np.uintp(begin + i)]
    for i in range(run_rows):
        out_delay_ns[np.uintp(row + i)] = decode_time_ns[np.uintp(begin + i)]
        out_delivered[np.uintp(row + i)] = decode_time_ns[np.uintp(begin + i)] > 0
    for i in range(run_rows):
        erased += int(decode_time_ns[np.uintp(begin + i)] == 0)
    if erased > 0:
        erased = 0
        for i in range(run_rows):
            erased_slots[np.uintp(erased)] = i
            erased += int(decode_time_ns[np.uintp(begin + i)] == 0)
    return erased


@part_of_kernel
def _settle_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    begin: int,
    run_rows: int,
    run_slots: int,
    block_of: Int64Array,
    lacking: Int64Array,
    settled_ns: Int64Array,
) -> None:
    """Find, for each block of a run, the repair LLDU that leaves nothing lacking, and its moment."""
    for slot in range(run_rows, run_slots):
        block, decode_ns = block_of[slot], decode_time_ns[begin + slot]
        lacking[block] -= int(decode_ns > 0)
        completes = (decode_ns > 0) & (lacking[block] == 0)
        settled_ns[block] = tx_time_ns[begin + slot] + decode_ns if completes else settled_ns[block]


@part_of_kernel
def _settle_in_any_order(
    tx_ns: Int64Array,
    decode_ns: Int64Array,
    data: int,
    arrivals_ns: Int64Array,
    lacking: Int64Array,
    settled_ns: Int64Array,
) -> None:
    """Do what `_settle_in_order` does, for LLDUs that may overtake each other."""
    depth = len(lacking)
    for block in range(depth):
        arrived = collect_arrivals(tx_ns[block::depth], decode_ns[block::depth], arrivals_ns, 0)
        lacking[block] = data - arrived
        if arrived >= data:
            settled_ns[block] = nth_arrival_ns(arrivals_ns[:arrived], data)
