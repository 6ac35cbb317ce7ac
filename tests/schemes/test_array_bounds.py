"""Kernels read and write nothing beyond the end of their arrays.

Each array ends at the start of a protected page: an access to that page kills the process.
"""

import ctypes
import math
import mmap
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive import on_link
from naive.on_link import OnLink
from processes import execute

from tmt import Fec, HarqProcesses, NoScheme, SlidingWindow, Tetrys
from tmt.core import code_converter, converter
from tmt.core.schemes.arq import converter as arq_converter
from tmt.core.schemes.harq import converter as harq_converter
from tmt.core.schemes.harq_processes import converter as processes_converter
from tmt.core.schemes.rlc import converter as rlc_converter
from tmt.core.trace import PhyTrace

pytestmark = pytest.mark.jit  # Python checks bounds itself

CASES = 60
"""Random traces, each converted by all schemes in random pieces."""


def guarded(shape: int | tuple[int, ...], kind: Any = np.float64) -> np.ndarray:
    """Return an array, not initialised, that ends where a protected page begins."""
    kind = np.dtype(kind)
    size = math.prod(np.atleast_1d(shape).tolist()) * kind.itemsize
    pages = -(-size // mmap.PAGESIZE) + 1
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    last = ctypes.c_void_p(start + (pages - 1) * mmap.PAGESIZE)
    assert libc.mprotect(last, ctypes.c_size_t(mmap.PAGESIZE), ctypes.c_int(0)) == 0  # PROT_NONE
    offset = (pages - 1) * mmap.PAGESIZE - size
    return np.frombuffer(memory, kind, size // kind.itemsize, offset).reshape(shape)


def guarded_zeros(shape: int | tuple[int, ...], kind: Any = np.float64) -> np.ndarray:
    array = guarded(shape, kind)
    array[...] = np.zeros((), kind)
    return array


def guarded_copy(values: np.ndarray) -> np.ndarray:
    array = guarded(values.shape, values.dtype)
    array[...] = values
    return array


def convert_in_random_pieces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4_000))
    tx = np.cumsum(rng.integers(1, 9, n) if rng.random() < 0.5 else np.full(n, 5))
    in_order = rng.random() < 0.7
    took = np.full(n, 7) if in_order else rng.integers(1, 60, n)
    decode = np.where(rng.random(n) < rng.choice([0.0, 0.05, 0.3, 0.9]), 0, took)
    sizes = rng.integers(1, 2**31, n).astype(np.uint32)
    es_n0_mdb = rng.integers(-9_000, 9_000, n).astype(np.int32)
    rtt_ns = int(rng.choice([0, 40, 500, 3_000, 12_000]))
    data, repair = int(rng.integers(1, 45)), int(rng.integers(0, 20))
    for scheme in (
        OnLink(NoScheme()),
        OnLink(Fec(data, repair)),
        OnLink(Fec(data, repair, depth=int(rng.integers(2, 6)))),
        on_link.arq(rtt_ns),
        on_link.arq(rtt_ns, max_transmissions=2),
        on_link.harq(data, repair, rtt_ns, extra=int(rng.integers(0, 3)), rounds=int(rng.integers(0, 4))),
        on_link.harq_processes(rtt_ns, int(rng.integers(1, 70)), missed_feedback=0.1, detection_delay_ns=9),
        on_link.harq_processes(rtt_ns, int(rng.integers(1, 70)), retransmission="synchronous"),
        on_link.rlc(
            rtt_ns=rtt_ns, window_pdus=int(rng.integers(1, 300)), poll_pdus=1, reassembly_ns=rtt_ns // 7
        ),
        on_link.rlc(rtt_ns=rtt_ns, mode="unacknowledged", reassembly_ns=rtt_ns // 3),
        on_link.rlc_over(HarqProcesses, rtt_ns=rtt_ns, max_transmissions=1, poll_pdus=3, reassembly_ns=9),
        on_link.rlc_over(Tetrys, 30, 3, rtt_ns=rtt_ns, poll_pdus=3, reassembly_ns=9),
        OnLink(SlidingWindow(int(rng.integers(1, 20)), int(rng.integers(1, 10)))),
        on_link.tetrys(int(rng.integers(1, 300)), int(rng.integers(1, 10)), rtt_ns, detection_delay_ns=3),
        on_link.harq_processes(rtt_ns, repetitions=int(rng.integers(1, 5))),
        on_link.harq_processes(rtt_ns, combining="chase", combining_threshold_db=3),
        on_link.harq_processes(rtt_ns, repetitions=4, combining="incremental", combining_threshold_db=3),
    ):
        in_progress = scheme.converter()
        start = 0
        while start < n:
            end = start + int(rng.integers(1, 2_500))
            columns = [guarded_copy(column[start:end]) for column in (tx, decode, sizes, es_n0_mdb)]
            in_progress.feed(PhyTrace(columns[0], columns[1], size_bytes=columns[2], es_n0_mdb=columns[3]))
            start = end
        in_progress.finish()


def test_kernels__touch_nothing_beyond_their_arrays() -> None:
    tests = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = execute(sys.executable, __file__, env=tests)
    assert (done.returncode, done.stdout) == (0, f"{CASES} conversions\n"), done.stderr[-2000:]


def test_guarded_array__kills_a_process_that_writes_beyond_it() -> None:
    wrong = "import test_array_bounds as t; t.ctypes.memset(t.guarded(3, 'i8').ctypes.data + 24, 0, 1)"
    done = subprocess.run(
        [sys.executable, "-c", wrong],
        cwd=Path(__file__).parent,
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.returncode < 0


class GuardedNumpy:
    """numpy, with guarded arrays."""

    empty, zeros = staticmethod(guarded), staticmethod(guarded_zeros)

    def concatenate(self, arrays: list[np.ndarray]) -> np.ndarray:
        return guarded_copy(np.concatenate(arrays))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


if __name__ == "__main__":
    converters = arq_converter, harq_converter, processes_converter, rlc_converter
    for module in (code_converter, converter, *converters):
        assert vars(module)["np"] is np, module
        vars(module)["np"] = GuardedNumpy()
    for case in range(CASES):
        convert_in_random_pieces(case)
    print(f"{CASES} conversions")
