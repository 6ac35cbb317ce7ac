"""A check that the system lets this process start threads."""

from __future__ import annotations

import _thread
import os
import threading
import time
from contextlib import suppress

from tmt.core.errors import TmtError

FIXED_THREADS = 12
"""Threads of libraries besides those for each processor: pyarrow has eight for input and output."""

PATIENCE_S = 10.0
"""Time within which the threads have to start."""


def check_threads() -> None:
    """Refuse to work where threads cannot start: libraries would wait for theirs for ever.

    Raises
    ------
    TmtError
        When fewer threads can start than the libraries use.
    """
    needed = FIXED_THREADS + 2 * len(os.sched_getaffinity(0))
    started, done = threading.Semaphore(0), threading.Event()

    def run() -> None:
        started.release()
        done.wait()

    asked = there = 0
    # `threading.Thread.start` would wait for ever for a thread that finds no memory at its beginning.
    with suppress(RuntimeError, MemoryError):
        for _ in range(needed):
            _thread.start_new_thread(run, ())
            asked += 1
    deadline = time.monotonic() + PATIENCE_S
    while there < asked and started.acquire(timeout=max(deadline - time.monotonic(), 0)):
        there += 1
    done.set()
    if there < needed:
        raise TmtError(
            f"tmt: only {there} of {needed} threads can be started; raise the limit of processes "
            "(`ulimit -u`, or `pids.max` of a container) or of memory (`ulimit -v`)"
        )
