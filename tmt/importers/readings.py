"""Both readings of a HARQ log as a trace: attempts as slots (PHY), or blocks as rows (link)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.importers.blocks import GIVEN_UP_NS
from tmt.importers.importer import Measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import BoolArray, Int32Array, Int64Array, Uint32Array
    from tmt.importers.attempts import Attempt
    from tmt.importers.blocks import Blocks
    from tmt.importers.options import Reading


def separate(times_ns: Int64Array) -> Int64Array:
    """Return sorted times with equal ones put 1 ns apart, in their order."""
    order = np.arange(len(times_ns))
    separated: Int64Array = np.maximum.accumulate(times_ns - order) + order
    return separated


def whole_signal(es_n0_mdb: Sequence[int | None]) -> tuple[Int32Array | None, list[str]]:
    """Return the Es/N0 of all transmissions, or None where one has none; and a note if only some have it."""
    known = [value for value in es_n0_mdb if value is not None]
    if len(known) == len(es_n0_mdb):
        return np.array(known, np.int32), []
    missing = f"{len(es_n0_mdb) - len(known):,} transmissions have no SINR: Es/N0 is left out"
    return None, [missing] if known else []


def measurement(
    attempts: Sequence[Attempt],
    blocks: Blocks,
    reading: Reading,
    decode_time_ns: int,
    notes: Sequence[str] = (),
) -> Measurement:
    """Return the trace of attempts that are in order of time, have blocks and known failures."""
    said = list(notes)
    times_ns = np.array([attempt.time_ns for attempt in attempts], np.int64)
    tx_time_ns = separate(times_ns)
    if moved := int((tx_time_ns != times_ns).sum()):
        said.append(f"{moved:,} blocks of the same moment as others are put 1 ns apart")
    measured = [attempt.size_bytes for attempt in attempts if attempt.size_bytes is not None]
    sizes = np.array(measured, np.uint32) if len(measured) == len(attempts) else None
    failed = np.array([bool(attempt.failed) for attempt in attempts])
    if reading == "phy":
        decode_ns = np.where(failed, 0, np.int64(decode_time_ns))
        es_n0_mdb, note = whole_signal([attempt.es_n0_mdb for attempt in attempts])
        said.extend(note)
        slots = PhyTrace(tx_time_ns, decode_ns, size_bytes=sizes, es_n0_mdb=es_n0_mdb)
        return Measurement(slots, "packed", None, tuple(said))
    if blocks.orphans:
        said.append(
            f"{blocks.orphans:,} blocks begin with a repeat, their first attempt is not in the log: "
            "their delays and transmissions are lower bounds"
        )
    trace = _link(attempts, tx_time_ns, failed, sizes, blocks, decode_time_ns)
    return Measurement(trace, "packed", None, tuple(said), len(attempts))


def _link(
    attempts: Sequence[Attempt],
    tx_time_ns: Int64Array,
    failed: BoolArray,
    sizes: Uint32Array | None,
    blocks: Blocks,
    decode_time_ns: int,
) -> LinkTrace:
    """Return one row per block: its first decoded attempt settles it, or its last if none was decoded."""
    # Blocks are numbered in the order of their first attempts.
    numbers = [attempt.block for attempt in attempts]
    rows, first, row = np.unique(numbers, return_index=True, return_inverse=True)
    sent = np.bincount(row)
    settling = np.zeros(len(rows), np.int64)
    settling[row] = np.arange(len(row))
    good = np.flatnonzero(~failed)[::-1]
    settling[row[good]] = good
    delivered = ~failed[settling]
    delay_ns = tx_time_ns[settling] + decode_time_ns - tx_time_ns[first]
    given_up = np.isin(rows, np.array(sorted(blocks.given_up), np.int64))
    recent = tx_time_ns[settling] > tx_time_ns[-1] - GIVEN_UP_NS
    delay_ns[~delivered & recent & ~given_up] = UNSETTLED
    transmissions = np.minimum(sent, 255).astype(np.uint8)
    first_sizes = None if sizes is None else sizes[first]
    return LinkTrace(tx_time_ns[first], delay_ns, delivered, transmissions, size_bytes=first_sizes)
