"""A check that the system lets this process start threads."""

from __future__ import annotations

import os
import threading

from tmt.errors import TmtError

FIXED_THREADS = 12
"""Threads of libraries besides those for each processor: pyarrow has eight for input and output."""


def check_threads() -> None:
    """Refuse to work where threads cannot start: libraries would wait for theirs for ever.

    Raises
    ------
    TmtError
        When fewer threads can start than the libraries use.
    """
    needed = FIXED_THREADS + 2 * len(os.sched_getaffinity(0))
    done = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(needed):
            thread = threading.Thread(target=done.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError as error:
        raise TmtError(
            f"tmt: only {len(started)} of {needed} threads can be started; raise the limit of processes "
            "(`ulimit -u`, or `pids.max` of a container)"
        ) from error
    finally:
        done.set()
        for thread in started:
            thread.join()
