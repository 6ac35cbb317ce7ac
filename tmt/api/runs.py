"""Runs in Python: one replay, a whole scenario, the results of a campaign."""

from __future__ import annotations

import os
import weakref
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tmt.api.arguments import AnyTrace, also, named, path_of, processes_of, scenario_of, trace_of
from tmt.api.notebook import progress_shown
from tmt.campaign.campaign import open_campaign
from tmt.campaign.database import default_folder
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.core.declaration import PositiveSeconds, taken
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import LinkTrace
from tmt.io import write_trace
from tmt.results import reading
from tmt.results.comparison import compare
from tmt.results.dataset import Results
from tmt.run.experiment import run
from tmt.spec.experiment import Experiment, Link, PlainLink, TraceLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tmt.results.comparison import PairedCampaigns
    from tmt.run.experiment import ExperimentResult
    from tmt.spec.scenario import Scenario

AnyLink = AnyTrace | float | Link
"""A link trace, the constant rate of a link in bit/s, or a link of an experiment."""


@also
def replay_trace(
    forward: AnyLink,
    path: LinkPath | float,
    traffic: Traffic | str = Traffic(),  # noqa: B008  (frozen)
    *,
    back: AnyLink | None = None,
    seed: int = 1,
    directory: str | PathLike[str] | None = None,
    timeout: float | None = None,
) -> ExperimentResult:
    """Run TCP over a link once, and measure it; see `tmt replay`.

    Parameters
    ----------
    forward
        Link from the senders to the receivers: a link trace (also as a data frame or the name of its file), a
        constant rate in bit/s, or a `tmt.TraceLink`, which can have an online scheme.
    path
        The path, or its round-trip propagation time in seconds.
    traffic
        The flows, or their TCP variant.
    back
        Link from the receivers to the senders, given likewise. By default it has a constant rate: the path's
        `return_rate`, or the mean rate of the forward link.
    seed
        Number of the random substream, from 1.
    directory
        New or empty folder for records and printed lines; by default these are not kept.
    timeout
        Seconds of wall time after which the run is killed.

    Returns
    -------
    ExperimentResult
        Its `row` holds settings and figures by the names of result columns (``docs/metrics.md``).

    Raises
    ------
    InputError, UsageError
        When a link or a setting cannot be used.
    SimulatorError
        When the simulator is not built, or fails.

    Examples
    --------
    >>> import tmt
    >>> run = tmt.replay_trace("link.parquet", 0.5, tmt.Traffic("hybla", duration=60))  # doctest: +SKIP
    """
    limit_s = None if timeout is None else taken("timeout", PositiveSeconds, timeout)
    where = path if isinstance(path, LinkPath) else LinkPath(rtt=path)
    flows = traffic if isinstance(traffic, Traffic) else Traffic(traffic)
    with ExitStack() as files:
        forth = files.enter_context(_link("forward", forward))
        if back is None and where.return_rate is not None:
            back = where.return_rate
        behind = None if back is None else files.enter_context(_link("back", back))
        result = run(Experiment(forth, where, flows, behind, seed), directory, limit_s)
        # The timeline of the result reads the rows of the trace.
        weakref.finalize(result, files.pop_all().close)
    return result


def run_scenario(
    scenario: Scenario | str | PathLike[str], out: str | PathLike[str] | None = None, jobs: int | None = None
) -> Results:
    """Execute the runs of a scenario that have no result yet, and return all results; see `tmt run`.

    In a script, call it below ``if __name__ == "__main__":``, because each worker process imports the script.

    Parameters
    ----------
    scenario
        The scenario, or its file.
    out
        Folder of the results; by default ``out/NAME`` beside the file. Without a file, NAME is made from the
        title.
    jobs
        Simultaneous simulations; by default one for each processor.

    Returns
    -------
    Results
        Its `runs` is a data frame with one row per finished run, its `failures` lists the failed runs.

    Raises
    ------
    InputError
        When the scenario, or a trace that it names, cannot be used.
    UsageError
        When `jobs` is not a whole number of 1 or more.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the results cannot be written.
    """
    processes = processes_of(jobs)
    asked, file = scenario_of(scenario)
    with open_campaign(asked, default_folder(file) if out is None else path_of("out", out)) as campaign:
        todo = campaign.plan()
        with progress_shown() as watch:
            campaign.execute(todo, lambda _: Pool(LocalWorkers(processes)), watch)
        return reading.results_so_far(campaign)


def read_results(folder: str | PathLike[str]) -> Results:
    """Read the results that `tmt run` has written into a folder; `Results.runs` is the data frame.

    Raises
    ------
    InputError
        When the folder holds no results.
    """
    return reading.read_results(path_of("folder", folder))


def compare_results(
    first: Results, second: Results, names: tuple[str, str] = ("first", "second")
) -> PairedCampaigns:
    """Compare two campaigns run by run; see `tmt compare`.

    Parameters
    ----------
    first, second
        Campaigns of `run_scenario` or `read_results`.
    names
        Their names in tables.

    Returns
    -------
    PairedCampaigns
        Paired differences, second minus first, by cell and measure.

    Raises
    ------
    UsageError
        When one is not a campaign, or no run has a partner in the other.
    """
    campaigns: dict[str, object] = {"first": first, "second": second}
    for name, given in campaigns.items():
        if not isinstance(given, Results):
            reason = "results of run_scenario or read_results are needed"
            raise UsageError(f"{name} is of type {type(given).__name__}; {reason}")
    return compare(first, second, names)


@contextmanager
def _link(key: str, given: AnyLink) -> Iterator[Link]:
    """Yield the link of a run; a trace in memory is in a file until the context ends."""
    if isinstance(given, Link):
        yield given
    elif isinstance(given, int | float | np.number):
        with named(key):
            link = PlainLink(given)
        yield link
    elif isinstance(given, str | os.PathLike):
        yield TraceLink(os.fspath(given))
    else:
        trace = trace_of(given)
        if not isinstance(trace, LinkTrace):
            raise InputError("trace", "this is a PHY trace; make a link trace of it by convert_trace")
        if len(trace) < 2:
            raise InputError("trace", "a link trace of one row has no rate; at least two rows are needed")
        with TemporaryDirectory(prefix="tmt-") as folder:
            path = Path(folder, "link.npy")
            write_trace(path, trace)
            yield TraceLink(str(path))
