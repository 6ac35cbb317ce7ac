"""Slots per second of every kernel, against `numpy.copyto` and against conversion from Parquet to Parquet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.files import write_phy
from benchmarks.timing import marked, paired_medians
from tmt.core.converter import empty_rows
from tmt.core.schemes.arq import Arq, kernel as arq
from tmt.core.schemes.fec import Fec, kernel as fec
from tmt.core.schemes.harq import Harq, kernel as harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme, kernel as none
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys
from tmt.core.trace import PhyTrace
from tmt.io.conversion import convert_file
from tools.page_tables import markdown_table

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.trace import Int64Array

N_SLOTS = 10_000_000
INTERVAL_NS = 1_004_000
DECODE_NS = 36_000_000
RTT_S = 0.5
RTT_NS = 500_000_000
ERASURES = (0.0, 0.01, 0.10, 0.30)
SLOTS_PER_CALL = 1 << 17
REPEATS = 5

COPY_TARGET = 1 / 3
"""At 1 % erasures: slots per second of a kernel / rows per second of a copy."""

Kernel = Callable[["Int64Array", "Int64Array", "Rows"], None]


def file_target(erased: float) -> float:
    """Least ratio of a kernel's slots per second to those of a conversion from Parquet to Parquet."""
    return 3.0 if erased <= 0.1 else 1.5


def run_none(tx: Int64Array, decode: Int64Array, out: Rows) -> None:
    """Convert under `none`."""
    none.send_once(tx, decode, 0, out)


def run_fec(tx: Int64Array, decode: Int64Array, out: Rows, scheme: Fec) -> None:
    """Convert under `fec`."""
    run = scheme.depth * (scheme.data + scheme.repair)
    whole = len(tx) // run * run
    fec.decode_runs(tx[:whole], decode[:whole], scheme.data, scheme.repair, scheme.depth, 0, out)


def run_arq(tx: Int64Array, decode: Int64Array, out: Rows) -> None:
    """Convert under `arq` with an RTT of 500 slots or so."""
    state, nacks, rows = np.zeros(1, arq.STATE), np.zeros(1 << 16, arq.NACK), 0
    for start in range(0, len(tx), SLOTS_PER_CALL):
        slots = slice(start, start + SLOTS_PER_CALL)
        rows = arq.send_and_repeat(
            tx[slots], decode[slots], RTT_NS, 0, arq.UNLIMITED, state, nacks, rows, out
        )


def run_harq(tx: Int64Array, decode: Int64Array, out: Rows, scheme: Harq) -> None:
    """Convert under `harq` with one extra repair LLDU and two rounds."""
    state, rows = np.zeros(1, harq.STATE), 0
    blocks = np.zeros(1 + (1 << 14), harq.BLOCK)
    arrivals_ns = np.zeros((len(blocks), scheme.data + scheme.repair + 1), np.int64)
    data, repair, extra, rounds = scheme.data, scheme.repair, scheme.extra, scheme.rounds
    for start in range(0, len(tx), SLOTS_PER_CALL):
        slots = slice(start, start + SLOTS_PER_CALL)
        rows = harq.send_and_repair(
            tx[slots],
            decode[slots],
            data,
            repair,
            extra,
            rounds,
            RTT_NS,
            0,
            state,
            blocks,
            arrivals_ns,
            rows,
            out,
        )


def run_converter(tx: Int64Array, decode: Int64Array, scheme: Scheme) -> None:
    """Convert in memory, piece by piece; the rows are allocated on the way."""
    converter = scheme.converter(RTT_S)
    for start in range(0, len(tx), SLOTS_PER_CALL):
        slots = slice(start, start + SLOTS_PER_CALL)
        converter.feed(PhyTrace(tx[slots], decode[slots]))
    converter.finish()


def kernel_of(scheme: Scheme) -> Kernel:
    """Return the function that runs a scheme's kernel over a whole trace."""
    match scheme:
        case Fec():
            return lambda tx, decode, out: run_fec(tx, decode, out, scheme)
        case Harq():
            return lambda tx, decode, out: run_harq(tx, decode, out, scheme)
        case Arq():
            return run_arq
    if isinstance(scheme, IN_MEMORY):
        return lambda tx, decode, out: run_converter(tx, decode, scheme)
    return run_none


SCHEMES: tuple[Scheme, ...] = (
    NoScheme(),
    Fec(10, 2),
    Fec(38, 13),
    Fec(10, 2, depth=8),
    Arq(),
    Harq(10, 2),
    Harq(38, 13),
    HarqProcesses(1024),
    SlidingWindow(10, 5),
    SlidingWindow(100, 8),
    Tetrys(1024, 8),
    Rlc(status_prohibit=RTT_S),
    Rlc(HarqProcesses(1024, max_transmissions=2), status_prohibit=RTT_S),
)

IN_MEMORY = (HarqProcesses, SlidingWindow, Tetrys, Rlc)
"""Schemes whose conversion in memory is measured, with the rows that it allocates; they have no targets."""

MEMORY_SHARE = 10
"""All slots / the slots of these schemes, which take many times as long as the others."""


def kernel_table(n_slots: int = N_SLOTS) -> str:
    """Return the table of all kernels, a row for each scheme, on all channels, a column for each.

    A conversion of files uses more than one core and waits, so that its wall-clock time counts; the shortest
    of three, since other work on the machine can only lengthen it.
    """
    all_tx = np.arange(n_slots, dtype=np.int64) * INTERVAL_NS
    uniform = np.random.default_rng(2014).random(n_slots)
    all_copies = np.ones_like(all_tx), np.ones_like(all_tx)
    rows = empty_rows(n_slots)
    out = (rows.tx_time_ns, rows.delay_ns, rows.delivered, rows.transmissions)
    for column in out:
        column[:] = 1
    rows_of = {scheme: [scheme.label] for scheme in SCHEMES}
    for erased in ERASURES:
        all_decode = np.where(uniform < erased, 0, DECODE_NS)
        with TemporaryDirectory() as folder:
            link = Path(folder, "link.parquet")
            traces = {n: Path(folder, f"{n}.parquet") for n in (n_slots, n_slots // MEMORY_SHARE)}
            for n, phy in traces.items():
                write_phy(phy, n, erased)
            for scheme in SCHEMES:
                kernel = kernel_of(scheme)
                n = n_slots // MEMORY_SHARE if isinstance(scheme, IN_MEMORY) else n_slots
                tx, decode, copies = all_tx[:n], all_decode[:n], [one[:n] for one in all_copies]

                def copy(
                    tx: Int64Array = tx, decode: Int64Array = decode, copies: list[Int64Array] = copies
                ) -> None:
                    np.copyto(copies[0], tx)
                    np.copyto(copies[1], decode)

                copy_s, kernel_s = paired_medians(
                    copy,
                    lambda kernel=kernel, tx=tx, decode=decode: kernel(tx, decode, out),
                    REPEATS,
                    thread_time,
                )
                file_s = []
                for _ in range(3):
                    start = perf_counter()
                    convert_file(traces[n], link, scheme, RTT_S)
                    file_s.append(perf_counter() - start)
                of_copy, of_files = copy_s / kernel_s, min(file_s) / kernel_s
                is_slow = (erased == 0.01 and of_copy < COPY_TARGET) or of_files < file_target(erased)
                speeds = f"{n / kernel_s / 1e6:.0f} M/s, {of_copy:.2f}, {of_files:.1f}"
                rows_of[scheme].append(marked(speeds, isinstance(scheme, IN_MEMORY) or not is_slow))
    return markdown_table(["scheme", *(f"{erased:.0%} erased" for erased in ERASURES)], rows_of.values())
