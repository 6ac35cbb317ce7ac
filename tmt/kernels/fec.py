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
    arrived = np.empty(depth, np.int64)
    settled_ns = np.empty(depth, np.int64)
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
        for run in range(last - first):
            run_tx_ns = tx_ns[run * run_slots : (run + 1) * run_slots]
            run_decode_ns = decode_ns[run * run_slots : (run + 1) * run_slots]
            lost_ns = run_tx_ns[run_slots - 1] + detection_delay_ns
            if in_order:
                _count_in_order(run_tx_ns, run_decode_ns, data, lost_ns, arrived, settled_ns)
            else:
                _count_in_any_order(run_tx_ns, run_decode_ns, data, lost_ns, arrivals_ns, arrived, settled_ns)
            _write_run(
                run_tx_ns,
                run_decode_ns,
                data,
                settled_ns,
                arrived,
                run * run_rows,
                rows_tx_ns,
                delay_ns,
                delivered,
            )


@part_of_kernel
def _count_in_order(
    tx_ns: Int64Array,
    decode_ns: Int64Array,
    data: int,
    lost_ns: int,
    arrived: Int64Array,
    settled_ns: Int64Array,
) -> None:
    """Count the arrivals of all blocks of a run, up to the `data`-th and its moment."""
    depth = len(arrived)
    arrived[:] = 0
    settled_ns[:] = lost_ns
    for first in range(0, depth * data, depth):
        took_ns = decode_ns[first : first + depth]
        for block in range(depth):
            arrived[block] += took_ns[block] > 0
    for first in range(depth * data, len(tx_ns), depth):
        took_ns, sent_ns = decode_ns[first : first + depth], tx_ns[first : first + depth]
        for block in range(depth):
            counts = (arrived[block] < data) & (took_ns[block] > 0)
            moment_ns = sent_ns[block] + took_ns[block]
            settled_ns[block] = moment_ns if counts else settled_ns[block]
            arrived[block] += counts
    for block in range(depth):
        if arrived[block] < data:
            settled_ns[block] = lost_ns


@part_of_kernel
def _count_in_any_order(
    tx_ns: Int64Array,
    decode_ns: Int64Array,
    data: int,
    lost_ns: int,
    arrivals_ns: Int64Array,
    arrived: Int64Array,
    settled_ns: Int64Array,
) -> None:
    """Count the arrivals of all blocks of a run, and find their `data`-th by its moment."""
    depth = len(arrived)
    for block in range(depth):
        arrived[block] = collect_arrivals(tx_ns[block::depth], decode_ns[block::depth], arrivals_ns, 0)
        settled_ns[block] = lost_ns
        if arrived[block] >= data:
            settled_ns[block] = nth_arrival_ns(arrivals_ns[: arrived[block]], data)


@part_of_kernel
def _write_run(
    tx_ns: Int64Array,
    decode_ns: Int64Array,
    data: int,
    settled_ns: Int64Array,
    arrived: Int64Array,
    row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
) -> None:
    """Write the rows of a run from index `row` on: they stand in the order of its slots."""
    depth = len(arrived)
    for first in range(0, depth * data, depth):
        sent_ns, took_ns = tx_ns[first : first + depth], decode_ns[first : first + depth]
        rows_tx_ns = out_tx_time_ns[row + first : row + first + depth]
        delay_ns = out_delay_ns[row + first : row + first + depth]
        delivered = out_delivered[row + first : row + first + depth]
        for block in range(depth):
            decoded = took_ns[block] > 0
            rows_tx_ns[block] = sent_ns[block]
            delay_ns[block] = took_ns[block] if decoded else settled_ns[block] - sent_ns[block]
            delivered[block] = decoded | (arrived[block] >= data)
