"""`tmt tune`: the best scheme and parameters for a trace and a transport."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.notes import print_warnings
from tmt.cli.options import JOBS, JSON, POSITIVE_SECONDS, QUIET, ROUND_TRIP, Number, WholeNumber, is_typed
from tmt.cli.pools import pools
from tmt.core.errors import StoppedError, UsageError
from tmt.core.units import ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.tune.space import Value
    from tmt.results.tune.task import Task

PAGE = "tune.html"

FOR_TRACES = (
    *("objectives", "constraints", "tcp", "stack", "rtt_ns", "duration_ns", "queue_packets"),
    *("schemes", "varied", "courses", "held_out", "level", "tolerance", "most_candidates"),
)
"""Options that a table [tune] replaces."""


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


@click.command()
@click.argument("trace", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    help="goodput, transfer-time:BYTES, delay-median, delay-p95, delay-p99, efficiency, or a weighted sum "
    "such as '1e-6*goodput + 2*delay-p95'; two objectives ask for a Pareto front.  [default: goodput]",
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    help="Bound on the mean of a measure, such as 'delay-p95<1'; may be repeated.",
)
@click.option("--tcp", default="cubic", help="TCP variant.")
@click.option("--stack", help="TCP stack.  [default: modern]")
@click.option("--rtt", "rtt_ns", type=ROUND_TRIP, help="Round-trip propagation time in seconds.")
@click.option(
    "--duration",
    "duration_ns",
    type=POSITIVE_SECONDS,
    help="Length of a run in seconds.  [default: 60, or the fiftieth part of a shorter trace]",
)
@click.option(
    "--queue", "queue_packets", type=WholeNumber(1), help="Limit of the queue before each link, in packets."
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
    "link, such as hold=0.1,0.5; keys as in scenario files; may be repeated.",
)
@click.option("--courses", type=WholeNumber(2), default=20, help="Most courses that the search runs.")
@click.option("--held-out", type=WholeNumber(2), default=10, help="Courses that the search does not see.")
@click.option("--level", type=Number(0.5, 0.9999), default=0.95, help="Confidence level of tests and bounds.")
@click.option(
    "--tolerance",
    type=Number(0, 0.9999),
    default=0.01,
    help="Stop when no candidate can be better than the winner by more than this share.",
)
@click.option(
    "--most-candidates",
    type=WholeNumber(2, 10_000),
    default=256,
    help="Largest space that is searched completely; from a larger space, this number of candidates is "
    "sampled.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the results; a second call goes on there.  [default: out/NAME-tune beside TRACE]",
)
@JOBS
@click.option("--scheduler", metavar="ADDRESS", help="Run the simulations on this dask.distributed cluster.")
@click.option("--dry-run", is_flag=True, help="Print the size of the search; run nothing.")
@QUIET
@JSON
def command(
    trace: Path,
    out: Path | None,
    jobs: int | None,
    scheduler: str | None,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the best link-layer scheme and parameters for TRACE and a transport.

    TRACE is a PHY trace, or a scenario file (.toml) with a table [tune], whose schemes and links are the
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
    from tmt.results.tune.task import is_scenario, read_task  # noqa: PLC0415
    from tmt.results.tune.tuning import default_folder, plan_tuning, tune  # noqa: PLC0415
    from tmt.results.tune.wording import complaints  # noqa: PLC0415
    from tmt.show.page.tune_page import write_page  # noqa: PLC0415

    if is_scenario(trace):
        _refuse_options()
        task = read_task(trace)
    else:
        task = _task_of(trace, options)
    folder = out or default_folder(trace)
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


def _refuse_options() -> None:
    """Refuse options whose values a scenario's table [tune] gives."""
    for param in click.get_current_context().command.params:
        if param.name in FOR_TRACES and is_typed(param.name):
            raise UsageError(f"{param.opts[0]} is given with a scenario, whose table [tune] and grid say it")


def _task_of(trace: Path, options: dict[str, Any]) -> Task:
    """Return the task that the options describe; they have the names of `trace_task`'s parameters.

    Raises
    ------
    UsageError
        When an option is missing or not allowed.
    """
    from tmt.results.tune.trace_task import trace_task  # noqa: PLC0415

    values = dict(options)
    rtt_ns, duration_ns = values.pop("rtt_ns"), values.pop("duration_ns")
    if rtt_ns is None:
        raise UsageError(
            "--rtt is missing: a search over a trace needs the round-trip propagation time in seconds"
        )
    values["varied"] = _joined(values["varied"])
    duration_s = None if duration_ns is None else ns_to_seconds(duration_ns)
    return trace_task(trace, ns_to_seconds(rtt_ns), duration_s=duration_s, **values)


def _joined(varied: Sequence[tuple[str, tuple[Value, ...]]]) -> dict[str, list[Value]]:
    """Return the values of each key, each once."""
    found: dict[str, list[Value]] = {}
    for key, values in varied:
        found.setdefault(key, []).extend(values)
    return {key: list(dict.fromkeys(values)) for key, values in found.items()}
