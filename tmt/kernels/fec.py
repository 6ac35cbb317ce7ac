"""Forward error correction with interleaving: whole runs of `depth` blocks in, their data rows out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel_with_arrays
from tmt.kernels.blocks import (
    decode_runs_in_any_order,
    decode_runs_in_order,
    fetch_and_decode_blocks_in_order,
    shortest_and_longest_ns,
)
from tmt.kernels.vectors import WIDTH

Int64Array = npt.NDArray[np.int64]

SLOTS_TOGETHER = 8192
"""Slots whose decode times are compared at once, to see whether they arrive in order."""


@kernel_with_arrays
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
    run_slots, run_rows = depth * (data + repair), depth * data
    runs = len(tx_time_ns) // run_slots
    runs_together = max(1, SLOTS_TOGETHER // run_slots)
    arrived = np.empty(runs_together * depth, np.int64)
    # The last runs are decoded one by one, since vectors would reach beyond the end of their arrays.
    runs_by_vectors = max(0, runs - WIDTH) if depth == 1 else 0
    first = 0
    while first < runs:
        last = min(first + runs_together, runs_by_vectors if first < runs_by_vectors else runs)
        slots = slice(first * run_slots, last * run_slots)
        rows = slice(first * run_rows, last * run_rows)
        out_transmissions[rows] = 1
        shortest_ns, longest_ns = shortest_and_longest_ns(decode_time_ns, slots.start, slots.stop)
        in_order = shortest_ns >= longest_ns
        if in_order and first < runs_by_vectors:
            fetch_and_decode_blocks_in_order(
                tx_time_ns,
                decode_time_ns,
                slots.start,
                last - first,
                data,
                repair,
                detection_delay_ns,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
                rows.start,
                arrived,
            )
        elif in_order and depth > 1:
            decode_runs_in_order(
                tx_time_ns[slots],
                decode_time_ns[slots],
                data,
                repair,
                depth,
                detection_delay_ns,
                out_tx_time_ns[rows],
                out_delay_ns[rows],
                out_delivered[rows],
            )
        else:
            decode_runs_in_any_order(
                tx_time_ns[slots],
                decode_time_ns[slots],
                data,
                repair,
                depth,
                detection_delay_ns,
                out_tx_time_ns[rows],
                out_delay_ns[rows],
                out_delivered[rows],
                arrived,
            )
        first = last
