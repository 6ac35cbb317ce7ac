"""Forward error correction with interleaving: whole runs of `depth` blocks in, their data rows out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel

Int64Array = npt.NDArray[np.int64]


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

    Slot `s` of a run is position ``s // depth`` of block ``s % depth``, so that the first ``depth * data`` slots of
    the run are its data rows.

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
    arrivals_ns = np.empty(length, np.int64)
    for run in range(len(tx_time_ns) // run_slots):
        first_slot, first_row = run * run_slots, run * run_rows
        erased = 0
        for s in range(run_rows):
            decode_ns = decode_time_ns[first_slot + s]
            out_tx_time_ns[first_row + s] = tx_time_ns[first_slot + s]
            out_delay_ns[first_row + s] = decode_ns
            out_delivered[first_row + s] = decode_ns > 0
            out_transmissions[first_row + s] = 1
            erased += decode_ns == 0
        if erased == 0:
            continue
        for block in range(depth):
            arrived = 0
            for position in range(length):
                slot = first_slot + position * depth + block
                if decode_time_ns[slot] > 0:
                    arrivals_ns[arrived] = tx_time_ns[slot] + decode_time_ns[slot]
                    arrived += 1
            if arrived >= data:
                settled_ns = np.sort(arrivals_ns[:arrived])[data - 1]
            else:
                settled_ns = tx_time_ns[first_slot + run_slots - 1] + detection_delay_ns
            for position in range(data):
                row = first_row + position * depth + block
                if not out_delivered[row]:
                    out_delay_ns[row] = settled_ns - out_tx_time_ns[row]
                    out_delivered[row] = arrived >= data
