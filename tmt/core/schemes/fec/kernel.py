"""Forward error correction with interleaving, run by run."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Rows, kernel
from tmt.core.kernels.rows import nth_arrival_ns


@kernel
def decode_runs(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    depth: int,
    detection_delay_ns: int,
    out: Rows,
) -> None:
    """Send and decode whole runs of `depth` interleaved blocks, in n_runs * depth * (data + repair) slots.

    Slot `s` of a run is position ``s // depth`` of block ``s % depth``; any `data` LLDUs recover a block. The
    receiver gives up a block that it cannot recover `detection_delay_ns` after the last slot of its run.
    Written: `out`, [n_runs * depth * data].
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    run_slots, run_rows = depth * (data + repair), depth * data
    arrivals_ns = np.empty(data + repair, np.int64)
    for run in range(len(tx_time_ns) // run_slots):
        end_slot, end_row = (run + 1) * run_slots, (run + 1) * run_rows
        for block in range(depth):
            arrived, rows = 0, run * run_rows + block
            for slot in range(run * run_slots + block, end_slot, depth):
                now_ns, took_ns = tx_time_ns[np.uintp(slot)], decode_time_ns[np.uintp(slot)]
                if rows < end_row:
                    row = np.uintp(rows)
                    out_tx_time_ns[row] = now_ns
                    out_delay_ns[row] = took_ns
                    out_delivered[row] = took_ns > 0
                    out_transmissions[row] = 1
                    rows += depth
                # Without a branch, which would be mispredicted: the next arrival overwrites the entry of an
                # erased slot.
                arrivals_ns[np.uintp(arrived)] = now_ns + took_ns
                arrived += took_ns > 0
            if arrived == data + repair:
                continue

            recovered = arrived >= data
            settled_ns = tx_time_ns[end_slot - 1] + detection_delay_ns
            if recovered:
                settled_ns = nth_arrival_ns(arrivals_ns, arrived, data)
            for rows in range(run * run_rows + block, end_row, depth):
                row = np.uintp(rows)
                if not out_delivered[row]:
                    out_delay_ns[row], out_delivered[row] = settled_ns - out_tx_time_ns[row], recovered
