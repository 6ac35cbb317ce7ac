"""`tmt run`: execute the missing runs of a comparison, in parallel."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.live_table import live_table
from tmt.cli.options import (
    COUNT,
    JOBS,
    JSON,
    QUIET,
    SCHEDULER,
    FigurePath,
    ReportPath,
    output_option,
    pools,
    typed_flags,
)
from tmt.cli.progress import print_notes, print_warnings, progress_bar, say, working
from tmt.cli.values import Values
from tmt.core.declaration import ns
from tmt.core.errors import StoppedError, UsageError
from tmt.core.words.values import counted, time_notes
from tmt.spec.option_types import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tmt.campaign.engine import Plan
    from tmt.campaign.pool import Pool
    from tmt.campaign.runs import Run
    from tmt.results.dataset import Results

with imported_when_used():
    from tmt import io
    from tmt.campaign import (
        campaign as campaigns,
        database,
        local_workers,
        pack_reader,
        parts,
    )
    from tmt.cli import run_output
    from tmt.results import pairing, reading
    from tmt.show.charts import files as charts
    from tmt.show.page import print_figures
    from tmt.spec import toml

MOST_PARTS = 10_000

FIGURES = ("comparison.png", "comparison.svg")


def _part_of(text: str) -> parts.Part:
    """Return the part that ``NUMBER/PARTS`` names."""
    found = whole_numbers(text, "/")
    if len(found) != 2 or not 1 <= found[0] <= found[1] <= MOST_PARTS:
        allowed = f"NUMBER/PARTS, such as 3/50: 1 <= NUMBER <= PARTS <= {MOST_PARTS}"
        raise click.BadParameter(f"{text} is not allowed; it must be {allowed}.")
    return parts.Part(*found)


@click.command(cls=Values, renamed={"--out": "--output"})
@click.argument("scenario", type=click.Path(path_type=Path))
@output_option(
    "Folder of the results; a new one, or one that an earlier call has begun.  [default: out/NAME beside "
    "SCENARIO]",
    is_folder=True,
)
@JOBS
@SCHEDULER
@click.option(
    "--part",
    type=_part_of,
    metavar="NUMBER/PARTS",
    help="Do only this share of the runs, such as 3/50, in a folder of its own; when all parts have ended, a "
    "call without --part joins them (docs/clusters.md).",
)
@click.option("--dry-run", is_flag=True, help="Say what would run and how long it may take; run nothing.")
@click.option(
    "--max-runs",
    type=COUNT,
    help="Most runs of SCENARIO, in place of its own limit.  [default: its max_runs, up to 100000]",
)
@click.option("--retry-failed", is_flag=True, help="Execute again the runs that failed.")
@QUIET
@JSON
@click.option(
    "--plot",
    "figures",
    type=FigurePath(Path),
    multiple=True,
    help="Draw the figure into this file (.png, .svg, .pdf, .html, .json); may be repeated.  "
    "[default: comparison.png and .svg in the results' folder]",
)
@click.option(
    "--junit",
    type=ReportPath(Path),
    help="Write failed runs, and whether results are as `[[expect]]` says, as JUnit XML.",
)
def command(
    scenario: Path,
    output: Path | None,
    jobs: int | None,
    scheduler: str | None,
    part: parts.Part | None,
    dry_run: bool,
    max_runs: int | None,
    retry_failed: bool,
    quiet: bool,
    as_json: bool,
    figures: tuple[Path, ...],
    junit: Path | None,
) -> int:
    """Run the comparison that the file SCENARIO describes: TCP variants, schemes, traces, seeds.

    SCENARIO may also be a pack of `tmt pack`: the command repeats its campaign and says whether the results
    are equal bit by bit.

    Finished runs are kept, whatever stops the command; a second call executes only the missing runs. Failed
    runs are kept, too, with their command lines and the simulator's last output. The exit status is 1 if runs
    have failed, results of a pack differ, or a result lies outside the bounds of `[[expect]]`.

    \b
    Example:
      tmt run scenarios/quickstart.toml --dry-run
      tmt run scenarios/quickstart.toml
    """
    processes = jobs or local_workers.default_jobs()
    folder = output or database.default_folder(scenario)
    is_shown = not (quiet or as_json)
    if part is not None and pack_reader.is_pack(scenario):
        raise UsageError("--part: has no meaning for a pack, which is repeated as a whole")
    if part is not None and (flags := typed_flags("figures", "junit")):
        raise UsageError(f"{flags[0]}: has no meaning with --part; the call without --part writes the file")
    place = folder if part is None else part.folder(folder)
    if dry_run:
        found = _foreseen(scenario, folder, part, max_runs, processes, retry=retry_failed, shown=is_shown)
        say(run_output.forecast(found, place, processes, as_json=as_json))
        return 0
    with ExitStack() as stack:
        pack = path_of = None
        if pack_reader.is_pack(scenario):
            pack = stack.enter_context(pack_reader.unpacked(scenario, max_runs))
            path_of = _in_pack(pack.folder, scenario, folder)
        asked = _asked(scenario if pack is None else pack.scenario, max_runs, scenario)
        for file in filter(None, (*figures, junit)):
            io.atomic.check_not_source(file, *toml.files_of(asked.scenario))
        with pools(scheduler, place, processes) as new_pool:
            with progress_bar("planning", asked.scenario.size, "runs", shown=is_shown) as watch:
                opened = campaigns.open_campaign(asked, folder, watch, part, path_of)
                campaign = stack.enter_context(opened)
            after = _execute(campaign, new_pool, retry=retry_failed, shown=is_shown)
            if part is not None:
                if not quiet or after.failed:
                    say(run_output.part(campaign, after, as_json=as_json), err=quiet)
                return 1 if after.failed else 0
            results = reading.results_so_far(campaign)
            print_warnings(results.warnings)
            drawn = _draw(results, figures or [folder / name for name in FIGURES], shown=is_shown)
            repeated = None
            if pack is not None:
                packed = pairing.packed_rows(pack, scenario)
                repeated = pairing.repetition(str(scenario), packed, campaign.rows())
            verdicts = run_output.judged(results, asked.scenario, junit)
            done = run_output.Finished(campaign, after, results, drawn, repeated, verdicts)
            if as_json:
                say(run_output.as_json(done))
            elif not quiet:
                run_output.print_summary(done)
            else:
                for line in run_output.complaints(done):
                    say(line, err=True)
    return 0 if done.is_good else 1


def _draw(results: Results, paths: Sequence[Path], *, shown: bool) -> list[Path]:
    """Draw the figure into files, and return those; none if no run has a result."""
    with working("draws the figures", shown=shown):
        chart = print_figures.comparison_chart(results, results.cells)
        return [] if chart is None else charts.save_chart(chart, *paths)


def _foreseen(
    scenario: Path,
    folder: Path,
    part: parts.Part | None,
    max_runs: int | None,
    processes: int,
    *,
    retry: bool,
    shown: bool,
) -> campaigns.Outlook:
    """Return the size of a campaign, or of a part of it."""
    has_rows = database.holds_campaign(folder)
    is_pack, file = pack_reader.is_pack(scenario), scenario
    with ExitStack() as stack:
        if is_pack:
            inside = pack_reader.scenario_inside(scenario, max_runs, with_traces=has_rows)
            file = stack.enter_context(inside)
        asked = _asked(file, max_runs, scenario)
        if is_pack and not has_rows:
            return campaigns.outlook_of(asked.scenario, processes)
        with progress_bar("planning", asked.scenario.size, "runs", shown=shown) as watch:
            planned = campaigns.foresee(asked, folder, watch, part)
        print_warnings(planned.warnings())
        return planned.outlook(planned.plan(retry_failed=retry), processes)


def _execute(
    campaign: campaigns.OpenCampaign,
    new_pool: Callable[[Sequence[Run]], Pool],
    *,
    retry: bool,
    shown: bool,
) -> Plan:
    """Execute the missing runs; return the content of the store afterwards (StoppedError after Ctrl-C)."""
    print_warnings(campaign.warnings())
    if campaign.joined:
        print_notes([f"{counted(campaign.joined, 'result')} of parts joined"])
    todo = campaign.plan(retry_failed=retry)
    try:
        with live_table(campaign, todo, shown=shown) as watch:
            campaign.execute(todo, new_pool, watch)
    except KeyboardInterrupt:
        campaign.store.look()  # a run may have been stored but not yet counted
        after, total = campaign.plan(), len(todo.runs)
        kept = after.done + after.failed
        raise StoppedError(
            f"interrupted: {kept} of {total} runs are kept in {campaign.store.folder}; the same command "
            f"executes the other {total - kept}"
        ) from None
    return campaign.plan()


def _in_pack(unpacked: Path, pack: Path, folder: Path) -> Callable[[str], str]:
    """Return a function that names a file of a pack, unpacked into a folder, by its place in the pack."""
    return lambda name: os.path.relpath(pack / os.path.relpath(name, unpacked), folder)


def _asked(path: Path, max_runs: int | None, given: Path) -> toml.Document:
    """Read a scenario, and print notes on it; `given` is the file that the user has named."""
    asked = toml.read(path, max_runs)
    print_warnings(asked.notes)
    times = [("rtt", one.rtt) for one in asked.scenario.path]
    times += [("decode_time", one.decode_time or 0) for one in asked.scenario.trace]
    print_notes(f"{given}: {note}" for name, time_s in times for note in time_notes(name, ns(time_s)))
    return asked
