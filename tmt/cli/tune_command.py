"""`tmt tune`: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.notes import print_notes, print_warnings
from tmt.cli.options import JOBS, JSON, POSITIVE_SECONDS, QUIET, WholeNumber, is_typed, output_option
from tmt.cli.pools import pools
from tmt.cli.values import Values, by_options
from tmt.core.declaration import Refused
from tmt.core.errors import StoppedError, UsageError
from tmt.core.units import ns_to_seconds, seconds_to_ns
from tmt.core.words.values import time_notes
from tmt.spec.experiment import Path as LinkPath
from tmt.spec.options import Part
from tmt.spec.scenario import Tune
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.declaration import Place
    from tmt.results.tune.task import Task, Value

PAGE = "tune.html"

VALUES = {
    "path": Part(("path",), LinkPath, usual=None),
    "traffic": Part(("traffic",), Traffic, usual=None, hidden={"duration": MISSING, "seeds": MISSING}),
    "goal": Part(("goal",), Tune, usual=None),
}

FOR_TRACES = {"duration_ns": "--duration", "schemes": "--scheme", "varied": "--vary", "courses": "--courses"}
"""Options that a scenario replaces, besides those of `VALUES`."""


class Varied(click.ParamType[tuple[str, tuple[Any, ...]]]):
    """``KEY=VALUE,VALUE`` or ``KEY=FIRST:LAST``."""

    name = "key=values"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse; values are numbers, true, false or words."""
        key, sign, text = str(value).partition("=")
        if not sign or not key or not text:
            self.fail(
                f"{value!r} is not KEY=VALUE,VALUE, such as harq.data=10,20 or hold=0.1,0.5.", param, ctx
            )
        first, colon, last = text.partition(":")
        if colon and first.isdecimal() and last.isdecimal() and 0 <= int(last) - int(first) < 10_000:
            return key, tuple(range(int(first), int(last) + 1))
        return key, tuple(_scalar(part.strip()) for part in text.split(","))


def _scalar(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


@click.command(cls=Values, values=VALUES, renamed={"--queue": "--queue-packets", "--out": "--output"})
@click.argument("trace", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--duration",
    "duration_ns",
    type=POSITIVE_SECONDS,
    help="Length of a run in seconds.  [default: 60, or the fiftieth part of a shorter trace]",
)
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    help="Scheme to search; may be repeated.  [default: all that convert traces]",
)
@click.option(
    "--vary",
    "varied",
    type=Varied(),
    multiple=True,
    metavar="KEY=VALUES",
    help="Values to search of a scheme's parameter, such as harq.data=10,20,50 or harq.repair=0:5, or of the "
    "path, such as hold=0.1,0.5; keys as in scenario files; may be repeated.",
)
@click.option("--courses", type=WholeNumber(2), default=20, help="Most courses that the search runs.")
@output_option(
    "Folder of the results; a second call goes on there.  [default: out/NAME-tune beside TRACE]",
    is_folder=True,
)
@JOBS
@click.option("--scheduler", metavar="ADDRESS", help="Run the simulations on this dask.distributed cluster.")
@click.option("--dry-run", is_flag=True, help="Print the size of the search; run nothing.")
@QUIET
@JSON
def command(
    trace: Path,
    output: Path | None,
    jobs: int | None,
    scheduler: str | None,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the best link-layer scheme and parameters for TRACE and a transport.

    TRACE is a PHY trace, or a scenario file (.toml) with a table [tune], whose schemes and paths are the
    search space. A course is a piece of the channel that all candidates see. All candidates run the first
    courses; those that may still be the best run more. The result is a recommendation, its ties, an upper
    bound on the gain of any other candidate, and its value on courses that the search has not seen. The
    folder of the results also gets a page, and a scenario that repeats the winner.

    The exit status is 1 if no candidate could be judged or keeps the constraints.

    \b
    Example:
      tmt tune phy.parquet --tcp cubic --rtt 0.5
      tmt tune phy.parquet --rtt 0.5 \\
          --objective transfer-time:100000 --constraint 'delay-p95<1'
      tmt tune phy.parquet --rtt 0.5 --scheme harq \\
          --vary harq.data=10,20,50 --vary harq.repair=0:5
    """
    from tmt.campaign.local_workers import default_jobs  # noqa: PLC0415
    from tmt.cli import tune_output  # noqa: PLC0415
    from tmt.cli.run_progress import run_progress  # noqa: PLC0415
    from tmt.results.tune.task import is_scenario  # noqa: PLC0415
    from tmt.results.tune.tuning import default_folder, plan_tuning, tune  # noqa: PLC0415
    from tmt.results.tune.wording import complaints  # noqa: PLC0415
    from tmt.show.page.tune_page import write_page  # noqa: PLC0415

    task = _task_of_scenario(trace, options) if is_scenario(trace) else _task_of_trace(trace, options)
    folder = output or default_folder(trace)
    planned = plan_tuning(task)
    processes = jobs or default_jobs()
    if dry_run:
        click.echo(tune_output.forecast(planned, folder, as_json=as_json))
        return 0
    progress = run_progress("search", shown=not (quiet or as_json))
    with pools(scheduler, folder, processes) as new_pool, progress as (watch, tell):
        try:
            found = tune(planned, folder, new_pool, processes, watch, tell)
        except KeyboardInterrupt:
            raise StoppedError(
                f"interrupted: finished runs are kept in {folder}; the same command goes on"
            ) from None
    page = write_page(found, folder / PAGE)
    if as_json:
        click.echo(tune_output.as_json(found, folder, page))
    else:
        print_warnings(complaints(found))
        if not quiet:
            tune_output.summarise(found, page)
    return 0 if found.recommendation.is_useful else 1


def _task_of_scenario(path: Path, options: dict[str, Any]) -> Task:
    """Return the task of a scenario file, which leaves nothing to options (UsageError)."""
    from tmt.results.tune.task import task_of  # noqa: PLC0415
    from tmt.spec import toml  # noqa: PLC0415

    flags = [flag for name, flag in FOR_TRACES.items() if is_typed(name)]
    for name in VALUES:
        said = [] if options[name] is None else options[name].said()
        flags += [f"--{key.replace('_', '-')}" for key in said]
    if flags:
        raise UsageError(f"{flags[0]}: is given with a scenario, whose tables say it")
    asked = toml.read(path)
    print_warnings(asked.notes)
    try:
        return task_of(asked.scenario)
    except Refused as refused:
        raise asked.error(refused) from None


def _task_of_trace(trace: Path, options: dict[str, Any]) -> Task:
    """Return the task that the options describe (UsageError)."""
    from tmt.results.tune.trace_task import trace_task  # noqa: PLC0415

    path, duration_ns = options["path"], options["duration_ns"]
    if path is None:
        raise UsageError("--rtt: is missing; a search over a trace needs the round-trip propagation time")
    print_notes(time_notes("--rtt", seconds_to_ns(path.rtt)))
    places: dict[Place, Place | str] = {
        ("seeds",): "--courses",
        ("schemes",): "--scheme",
        ("varied",): "--vary",
        **{(key, 0): (key,) for key in ("path", "traffic")},
    }
    with by_options(places):
        return trace_task(
            trace,
            path,
            options["traffic"] or Traffic(),
            options["goal"] or Tune(),
            schemes=options["schemes"],
            varied=_joined(options["varied"]),
            courses=options["courses"],
            duration=None if duration_ns is None else ns_to_seconds(duration_ns),
        )


def _joined(varied: Sequence[tuple[str, tuple[Value, ...]]]) -> dict[str, list[Value]]:
    """Return the values of each key, each once."""
    found: dict[str, list[Value]] = {}
    for key, values in varied:
        found.setdefault(key, []).extend(values)
    return {key: list(dict.fromkeys(values)) for key, values in found.items()}
