"""Slots per second of every kernel, against `numpy.copyto` of the same two input columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time

import numpy as np

from benchmarks.timing import paired_medians
from tmt.kernels import arq, fec, harq, none
from tmt.kernels.vectors import WIDTH
from tmt.schemes.converter import empty_rows
from tmt.trace import Int64Array, LinkTrace

N_SLOTS = 10_000_000
INTERVAL_NS = 1_004_000
DECODE_NS = 36_000_000
RTT_NS = 500_000_000
ERASURES = (0.0, 0.01, 0.10, 0.30)
SLOTS_PER_CALL = 16_384
REPEATS = 5

Kernel = Callable[[Int64Array, Int64Array, LinkTrace], None]


@dataclass(frozen=True)
class Measurement:
    """Speed of one kernel on one channel: kernel's slots per second / copy's rows per second."""

    kernel: str
    erased: float
    ratio: float
    slots_per_s: float
    target: float


def run_none(tx: Int64Array, decode: Int64Array, rows: LinkTrace) -> None:
    """Convert under `none`."""
    none.send_once(tx, decode, 0, rows.tx_time_ns, rows.delay_ns, rows.delivered, rows.transmissions)


def run_fec(tx: Int64Array, decode: Int64Array, rows: LinkTrace, data: int, repair: int, depth: int) -> None:
    """Convert under `fec`."""
    whole = len(tx) // (depth * (data + repair)) * depth * (data + repair)
    fec.decode_runs(
        tx[:whole],
        decode[:whole],
        data,
        repair,
        depth,
        0,
        rows.tx_time_ns,
        rows.delay_ns,
        rows.delivered,
        rows.transmissions,
    )


def run_arq(tx: Int64Array, decode: Int64Array, rows: LinkTrace) -> None:
    """Convert under `arq` with an RTT of 500 slots or so."""
    state = np.zeros(1, arq.STATE)
    reports = np.zeros(4 * arq.WINDOW_SLOTS, arq.REPORT)
    arq.send_and_repeat(
        tx,
        decode,
        RTT_NS,
        0,
        arq.UNLIMITED,
        state,
        reports,
        0,
        rows.tx_time_ns,
        rows.delay_ns,
        rows.delivered,
        rows.transmissions,
    )


def run_harq(tx: Int64Array, decode: Int64Array, rows: LinkTrace, data: int, repair: int) -> None:
    """Convert under `harq` with one extra repair LLDU and two rounds."""
    state = np.zeros(1, harq.STATE)
    requests = np.zeros(SLOTS_PER_CALL // 8, harq.REQUEST)
    arrivals_ns = np.zeros((len(requests), 2 * (data + repair) + 2), np.int64)
    air_tx_ns = np.zeros(data + repair + harq.WINDOW_SLOTS + WIDTH, np.int64)
    air_decode_ns = np.zeros_like(air_tx_ns)
    for start in range(0, len(tx), SLOTS_PER_CALL):
        stop = start + SLOTS_PER_CALL
        harq.send_and_repair(
            tx[start:stop],
            decode[start:stop],
            data,
            repair,
            1,
            2,
            RTT_NS,
            0,
            state,
            air_tx_ns,
            air_decode_ns,
            requests,
            arrivals_ns,
            0,
            rows.tx_time_ns,
            rows.delay_ns,
            rows.delivered,
            rows.transmissions,
        )


KERNELS: dict[str, Kernel] = {
    "none": run_none,
    "FEC(10/12)": lambda tx, decode, rows: run_fec(tx, decode, rows, 10, 2, 1),
    "FEC(38/51)": lambda tx, decode, rows: run_fec(tx, decode, rows, 38, 13, 1),
    "FEC(10/12) x 8": lambda tx, decode, rows: run_fec(tx, decode, rows, 10, 2, 8),
    "ARQ": run_arq,
    "HARQ(10/12)": lambda tx, decode, rows: run_harq(tx, decode, rows, 10, 2),
    "HARQ(38/51)": lambda tx, decode, rows: run_harq(tx, decode, rows, 38, 13),
}


def measure_kernels(n_slots: int = N_SLOTS) -> list[Measurement]:
    """Measure all kernels on all channels."""
    tx = np.arange(n_slots, dtype=np.int64) * INTERVAL_NS
    rng = np.random.default_rng(2014)
    uniform = rng.random(n_slots)
    copies = np.ones_like(tx), np.ones_like(tx)
    rows = empty_rows(n_slots)
    for column in (rows.tx_time_ns, rows.delay_ns, rows.delivered, rows.transmissions):
        column[:] = 1
    measurements = []
    for erased in ERASURES:
        decode = np.where(uniform < erased, 0, DECODE_NS)

        def copy(decode: Int64Array = decode) -> None:
            np.copyto(copies[0], tx)
            np.copyto(copies[1], decode)

        for name, kernel in KERNELS.items():
            copy_s, kernel_s = paired_medians(
                copy, lambda kernel=kernel, decode=decode: kernel(tx, decode, rows), REPEATS, thread_time
            )
            half = not name.startswith("HARQ") and erased <= 0.1
            measurements.append(
                Measurement(name, erased, copy_s / kernel_s, n_slots / kernel_s, 1 / 2 if half else 1 / 3)
            )
    return measurements
