"""Searches in Python: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tmt.api.frames import AnyTrace, trace_of
from tmt.api.keywords import domain_values, path_of, processes_of
from tmt.api.notebook_progress import notebook_progress
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.campaign.store import Store
from tmt.core.errors import InputError, UsageError
from tmt.io import write_trace
from tmt.results.tune.space import Value
from tmt.results.tune.task import is_scenario, read_task
from tmt.results.tune.trace_task import trace_task
from tmt.results.tune.tuning import default_folder, plan_tuning, tune

if TYPE_CHECKING:
    from os import PathLike

    from tmt.results.tune.task import Task
    from tmt.results.tune.tuning import Tuning


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
        Other parameters of `tmt.results.tune.trace_task.trace_task`: ``tcp``, ``stack``, ``duration_s``,
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
    processes = processes_of(jobs)
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
            path = _written(trace, path_of("out", out))
        task = _task(path, rtt=rtt, objective=objective, constraint=constraint, **options)
    folder = default_folder(path) if out is None else path_of("out", out)
    with notebook_progress() as watch:
        return tune(plan_tuning(task), folder, lambda _: Pool(LocalWorkers(processes)), processes, watch)


def _task(path: Path, **given: Any) -> Task:
    """Return the task of a search over a file.

    Names and types are checked here. `trace_task` checks values as those of a scenario file.
    """
    known = signature(trace_task).parameters.keys() - {"trace", "rtt_s", "objectives", "constraints"}
    names = {"rtt": False, "objective": False, "constraint": False} | dict.fromkeys(sorted(known), False)
    values = domain_values("a search", names, given)
    for name, value in values.items():
        kind, allowed = _TYPES.get(name, (Value, "a number or a text"))
        try:
            TypeAdapter(kind, config=ConfigDict(strict=True)).validate_python(value)
        except ValidationError:
            raise UsageError(f"{name} is {value!r}; it must be {allowed}") from None
    for name in _TEXTS & values.keys():
        values[name] = (values[name],) if isinstance(values[name], str) else values[name]
    return trace_task(
        path,
        values.pop("rtt"),
        objectives=values.pop("objective"),
        constraints=values.pop("constraint"),
        **values,
    )


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


_TEXTS = {"objective", "constraint", "schemes"}
_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(_TEXTS, (str | Sequence[str], "a text or a list of texts")),
    "varied": (
        Mapping[str, Sequence[Value]] | None,
        "a dictionary that gives lists of numbers or texts",
    ),
    "courses": (int, "a whole number"),
}
"""Types of arguments that are not single values, and their names."""
