"""Two things timed in turn, so that both meet the same machine; figures beside their targets."""

from __future__ import annotations

import resource
from collections.abc import Callable
from statistics import median
from time import perf_counter


def paired_medians(
    reference: Callable[[], object],
    subject: Callable[[], object],
    repeats: int,
    clock: Callable[[], float] = perf_counter,
) -> tuple[float, float]:
    """Return the median times of `reference` and `subject` in seconds, measured in turn after a warm-up.

    What runs in one thread and never waits is measured with `time.thread_time`, so that other work on the
    machine does not count.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for repeat in range(repeats + 1):
        for column, call in zip(times, (reference, subject), strict=True):
            start = clock()
            call()
            if repeat:
                column.append(clock() - start)
    return median(times[0]), median(times[1])


def children_cpu_s() -> float:
    """Return the CPU time of all programs that this process has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def marked(figure: str, is_reached: bool, target: float | None = None) -> str:
    """Mark a figure that misses its target."""
    return figure if is_reached else f"{figure} (misses)" if target is None else f"{figure} (misses {target})"
