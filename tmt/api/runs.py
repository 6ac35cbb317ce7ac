"""Runs in Python: one replay, a whole scenario, the results of a campaign."""

from __future__ import annotations

import os
import weakref
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.api.frames import AnyTrace, trace_of
from tmt.api.keywords import check_types, domain_values, path_of, plain, processes_of
from tmt.api.notebook_progress import notebook_progress
from tmt.campaign.campaign import open_campaign
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.campaign.stored_runs import default_folder
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import LinkTrace
from tmt.io import write_trace
from tmt.results import reading
from tmt.results.comparison import compare
from tmt.results.dataset import Results
from tmt.run.experiment import Experiment
from tmt.spec.links import PlainLink, TraceLink
from tmt.spec.settings import PARAMETERS, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tmt.results.comparison import PairedCampaigns
    from tmt.run.measure import ExperimentResult
    from tmt.spec.links import Link

AnyLink = AnyTrace | float
"""A link trace, or the constant rate of a link in bit/s."""

_SETTINGS = {one.name: one.is_required and one.name != "tcp" for one in PARAMETERS if not one.group}


def replay_trace(
    forward: AnyLink, *, return_link: AnyLink | None = None, tcp: str = "cubic", **settings: Any
) -> ExperimentResult:
    """Run TCP over a link once, and measure it; see `tmt replay`.

    Parameters
    ----------
    forward
        Link from the senders to the receivers: a link trace (also as a data frame or the name of its file),
        or a constant rate in bit/s.
    return_link
        Link back, likewise; by default a constant rate, that of the forward link.
    tcp
        TCP variant of all flows.
    **settings
        Settings of the run by their names in a result row without the unit; times are seconds. ``rtt`` and
        ``duration`` are needed; others are ``stack``, ``seed``, ``flows``, ``queue_packets``.

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
    """
    values = domain_values("a replay", _SETTINGS, settings | {"tcp": tcp})
    check_types(Settings, values)
    with ExitStack() as files:
        forth = files.enter_context(_link(forward))
        back = None if return_link is None else files.enter_context(_link(return_link))
        result = Experiment(forward_link=forth, return_link=back, **values).run()
        # The timeline of the result reads the rows of the trace.
        weakref.finalize(result, files.pop_all().close)
    return result


def run_scenario(
    scenario: str | PathLike[str], out: str | PathLike[str] | None = None, *, jobs: int | None = None
) -> Results:
    """Execute the runs of a scenario that have no result yet, and return all results; see `tmt run`.

    In a script, call it below ``if __name__ == "__main__":``, because each worker process imports the script.

    Parameters
    ----------
    scenario
        The scenario's file.
    out
        Folder of the results; by default ``out/NAME`` beside the scenario.
    jobs
        Simulations at a time; by default one for each processor.

    Returns
    -------
    Results
        Its `runs` is a data frame with one row per finished run, its `failures` one of the others.

    Raises
    ------
    InputError
        When the scenario, or a trace that it names, cannot be used.
    UsageError
        When `jobs` is no whole number of 1 or more.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the results cannot be written.
    """
    processes = processes_of(jobs)
    path = path_of("scenario", scenario)
    folder = default_folder(path) if out is None else path_of("out", out)
    with open_campaign(path, folder) as campaign:
        todo = campaign.plan()
        with notebook_progress() as watch:
            campaign.execute(todo, lambda _: Pool(LocalWorkers(processes)), watch)
        return reading.results_of(campaign.rows(), campaign.title)


def read_results(folder: str | PathLike[str]) -> Results:
    """Read the results that `tmt run` has written into a folder; see `Results.runs` for the data frame.

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
        When one is no campaign, or no run has a partner in the other.
    """
    campaigns: dict[str, object] = {"first": first, "second": second}
    for name, given in campaigns.items():
        if not isinstance(given, Results):
            reason = "results of run_scenario or read_results are needed"
            raise UsageError(f"{name} is of type {type(given).__name__}; {reason}")
    return compare(first, second, names)


@contextmanager
def _link(given: AnyLink) -> Iterator[Link]:
    """Give the link of a run; a trace in memory is in a file until the context ends."""
    if isinstance(given, int | float | np.number):
        yield PlainLink(plain(given))
    elif isinstance(given, str | os.PathLike):
        yield TraceLink(given)
    else:
        link = trace_of(given)
        if not isinstance(link, LinkTrace):
            raise InputError("trace", "this is a PHY trace; make a link trace of it by convert_trace")
        if len(link) < 2:
            raise InputError("trace", "a link trace of one row has no rate; at least two rows are needed")
        with TemporaryDirectory(prefix="tmt-") as folder:
            path = Path(folder, "link.npy")
            write_trace(path, link)
            yield TraceLink(path)
