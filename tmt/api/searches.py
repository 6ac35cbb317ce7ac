"""Searches in Python: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.api.frames import AnyTrace, trace_of
from tmt.api.notebook_progress import notebook_progress
from tmt.campaign.engine import default_jobs
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.campaign.store import Store
from tmt.errors import InputError, UsageError
from tmt.io import write_trace
from tmt.tune.task import is_scenario, read_task
from tmt.tune.trace_task import trace_task
from tmt.tune.tuning import default_folder, plan_tuning, tune

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tmt.tune.task import Task
    from tmt.tune.tuning import Tuning


def tune_trace(
    trace: AnyTrace,
    out: str | PathLike[str] | None = None,
    *,
    rtt: float | None = None,
    objective: str | Sequence[str] = "goodput",
    constraint: str | Sequence[str] = (),
    jobs: int | None = None,
    **options: Any,
) -> Tuning:
    """Find the best link-layer scheme and parameters for a trace and a transport; see `tmt tune`.

    In a script, call it below ``if __name__ == "__main__":``, because each worker process imports the script.

    Parameters
    ----------
    trace
        A PHY trace, or the name of a scenario file with a table ``[tune]``, which describes the whole search.
    out
        Folder of the search; a second call goes on there. The default is ``out/NAME-tune`` beside a file; a
        trace in memory needs one.
    rtt
        Round-trip propagation time in seconds, which a search over a trace needs.
    objective
        A measure, a weighted sum, or two of them for a Pareto front.
    constraint
        Bounds such as ``"delay-p95<1"``.
    jobs
        Simulations at a time; by default one for each processor.
    **options
        Other parameters of `tmt.tune.trace_task.trace_task`: ``tcp``, ``stack``, ``duration_s``,
        ``queue_packets``, ``schemes``, ``varied``, ``courses``, ``held_out``, ``level``, ``tolerance``,
        ``most_candidates``.

    Returns
    -------
    Tuning
        Its `recommendation` has winner, ties and front; `to_frame()` gives one row per candidate.

    Raises
    ------
    InputError
        When trace or scenario cannot be used.
    UsageError
        When a parameter is missing or not allowed.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the results cannot be written.
    """
    path = Path(trace) if isinstance(trace, str | os.PathLike) else None
    if path is not None and is_scenario(path):
        if rtt is not None or objective != "goodput" or constraint or options:
            raise UsageError("a scenario's table [tune] and its grid give objective, link and transport")
        task = read_task(path)
    else:
        if rtt is None:
            raise UsageError("rtt is missing: a search over a trace needs it")
        if path is None:
            if out is None:
                raise UsageError("out is missing: a search over a trace in memory needs a folder")
            path = _written(trace, Path(out))
        task = _task(path, rtt, objectives=_listed(objective), constraints=_listed(constraint), **options)
    folder = default_folder(path) if out is None else Path(out)
    processes = jobs or default_jobs()
    with notebook_progress() as watch:
        return tune(plan_tuning(task), folder, lambda _: Pool(LocalWorkers(processes)), processes, watch)


def _task(path: Path, rtt_s: float, **options: Any) -> Task:
    try:
        return trace_task(path, rtt_s, **options)
    except TypeError as error:
        raise UsageError(str(error).replace("trace_task()", "a search")) from None


def _written(trace: AnyTrace, folder: Path) -> Path:
    """Return the file of a trace in memory, in the folder of the search."""
    held = trace_of(trace)
    if held.size_bytes is None and "lldu_bytes" not in held.metadata:
        reason = "it does not say what one LLDU carries; trace_from_frame(frame, lldu_bytes=...) does"
        raise InputError("trace", reason)
    Store(folder).close()  # makes the folder, or refuses one that holds other things
    path = folder / "phy.parquet"
    write_trace(path, held)
    return path


def _listed(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given
