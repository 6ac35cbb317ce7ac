"""Searches in Python: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as File
from typing import TYPE_CHECKING, cast

from tmt.api.arguments import AnyTrace, also, path_of, processes_of, scenario_of, trace_of
from tmt.api.notebook import progress_shown
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.campaign.store import Store
from tmt.core.declaration import taken
from tmt.core.errors import InputError, UsageError
from tmt.core.problems import Problem, Refused
from tmt.io import write_trace
from tmt.results.tune.task import is_scenario, task_of
from tmt.results.tune.trace_task import DEFAULT_COURSES, trace_task
from tmt.results.tune.tuning import default_folder, plan_tuning, tune
from tmt.spec.goals import Tune
from tmt.spec.path import Path
from tmt.spec.scenario import Scenario
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from tmt.results.tune.task import Task, Value
    from tmt.results.tune.tuning import Tuning
    from tmt.spec.stacks import Variant


@also
def tune_trace(
    trace: AnyTrace,
    path: Path | float | None = None,
    traffic: Traffic | str = "cubic",
    *,
    objective: str | Sequence[str] = "goodput",
    constraint: str | Sequence[str] = (),
    schemes: Sequence[str] = (),
    varied: Mapping[str, Sequence[Value]] | None = None,
    duration: float | None = None,
    courses: int = DEFAULT_COURSES,
    held_out: int = 10,
    level: float = 0.95,
    tolerance: float = 0.01,
    most_candidates: int = 256,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
) -> Tuning:
    """Find the best link-layer scheme and parameters for a trace and a transport; see `tmt tune`.

    In a script, call it below ``if __name__ == "__main__":``, because each worker process imports the script.

    Parameters
    ----------
    trace
        A PHY trace: a trace, a data frame with its columns, or the name of its file.
    path
        The path, or its round-trip propagation time in seconds.
    traffic
        The flows, or the name of their TCP variant. `duration` sets their duration.
    objective
        A measure, a weighted sum, or two of them for a Pareto front.
    constraint
        Bounds such as ``"delay-p95<1"``.
    schemes
        Names of the schemes to search; by default all that convert traces.
    varied
        Values to search by ``KEY`` of the path, ``SCHEME.KEY`` or ``QUEUE.KEY``.
    duration
        Length of a run in seconds; by default 60, or a fiftieth of a shorter trace.
    courses, held_out
        Largest number of courses that the search runs, and number of courses that only judge the winner.
    level, tolerance
        Confidence level of tests and bounds; the search ends when no candidate is better by more than this
        share.
    most_candidates
        Largest space that is searched completely; larger ones are sampled.
    out
        Folder of the search; a repeated call continues there. The default is ``out/NAME-tune`` in the working
        folder; a trace in memory needs one.
    jobs
        Simultaneous simulations; by default one for each processor.

    Returns
    -------
    Tuning
        Its `recommendation` has winner, ties and front; `to_frame()` gives one row per candidate.

    Raises
    ------
    InputError
        When the trace cannot be used.
    UsageError
        When a parameter is missing or not allowed.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the results cannot be written.
    """
    processes = processes_of(jobs)
    file = File(trace) if isinstance(trace, str | os.PathLike) else None
    if file is not None and is_scenario(file):
        warnings.warn("a scenario is searched by tune_scenario", DeprecationWarning, stacklevel=2)
        if path is not None or objective != "goodput" or constraint or schemes or varied:
            raise UsageError("a scenario's tables give its objective, path and traffic")
        return tune_scenario(file, out, jobs)
    if path is None:
        raise Refused([Problem(("path",), None, "missing", "tmt.Path(...), or the RTT in seconds")])
    if file is None:
        if out is None:
            raise Refused([Problem(("out",), None, "missing", "a folder, for a trace in memory")])
        file = _written(trace, path_of("out", out))
    with _keywords():
        tune = Tune(
            cast("tuple[str, ...]", objective),
            cast("tuple[str, ...]", constraint),
            held_out=held_out,
            level=level,
            tolerance=tolerance,
            most_candidates=most_candidates,
        )
        task = trace_task(
            file,
            path if isinstance(path, Path) else Path(rtt=path),
            traffic if isinstance(traffic, Traffic) else Traffic(cast("Variant", traffic)),
            tune,
            schemes=taken("schemes", tuple[str, ...], schemes) if schemes else (),
            varied=varied,
            courses=courses,
            duration=duration,
        )
    return _search(task, default_folder(file) if out is None else path_of("out", out), processes)


def tune_scenario(
    scenario: Scenario | str | PathLike[str], out: str | PathLike[str] | None = None, jobs: int | None = None
) -> Tuning:
    """Search the schemes, paths and adaptations of a scenario that has a goal (`tune`), as `tmt tune` does.

    In a script, call it below ``if __name__ == "__main__":``, because each worker process imports the script.

    Parameters
    ----------
    scenario
        The scenario, or its file.
    out
        Folder of the search; a repeated call continues there. The default is ``out/NAME-tune`` in the working
        folder. Without a file, NAME is made from the title.
    jobs
        Simultaneous simulations; by default one for each processor.

    Returns
    -------
    Tuning
        Its `recommendation` has winner, ties and front; `to_frame()` gives one row per candidate.

    Raises
    ------
    InputError, UsageError
        When the scenario or its trace cannot be used, or states no goal.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the results cannot be written.
    """
    processes = processes_of(jobs)
    asked, file = scenario_of(scenario)
    if isinstance(asked, Scenario):
        task = task_of(asked)
    else:
        with asked.named():
            task = task_of(asked.scenario)
    return _search(task, default_folder(file) if out is None else path_of("out", out), processes)


def _search(task: Task, folder: File, processes: int) -> Tuning:
    """Carry out a search in a folder; a notebook shows its progress."""
    with progress_shown() as watch:
        return tune(plan_tuning(task), folder, lambda _: Pool(LocalWorkers(processes)), processes, watch)


@contextmanager
def _keywords() -> Iterator[None]:
    """Make refusals of a search over a trace name the keywords of `tune_trace`."""
    names: dict[str | int, tuple[str, ...]] = {"tune": (), "seeds": ("courses",)}
    try:
        yield
    except Refused as refused:
        raise Refused(
            replace(one, place=(*names.get(first, (first,)), *rest))
            for one in refused.problems
            for first, *rest in [one.place or ("search",)]
        ) from None


def _written(trace: AnyTrace, folder: File) -> File:
    """Return the file of a trace in memory, in the folder of the search."""
    held = trace_of(trace)
    if held.size_bytes is None and "lldu_bytes" not in held.metadata:
        reason = "it does not say what one LLDU carries; trace_from_frame(frame, lldu_bytes=...) does"
        raise InputError("trace", reason)
    Store(folder).close()  # makes the folder, or refuses one that holds other things
    path = folder / "phy.parquet"
    write_trace(path, held)
    return path
