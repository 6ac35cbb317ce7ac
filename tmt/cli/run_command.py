"""`tmt run`: execute the missing runs of a comparison, in parallel."""

from __future__ import annotations

import math
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import JOBS, JSON, QUIET, SCHEDULER, FigurePath, WholeNumber, output_option, pools
from tmt.cli.progress import is_terminal, print_notes, print_warnings, progress_bar, run_progress, say
from tmt.cli.values import Values
from tmt.core.declaration import ns
from tmt.core.errors import StoppedError
from tmt.core.words.values import time_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.campaign.engine import Plan, Progress, Watch

with imported_when_used():
    from rich import console as consoles, live, progress as bars, text as texts

    from tmt.campaign import campaign as campaigns, columns, database, local_workers, outlook, pack_reader
    from tmt.cli import run_output
    from tmt.results import pairing, reading
    from tmt.show.charts import files as charts
    from tmt.show.page import print_figures
    from tmt.spec import toml

FIGURES = ("comparison.png", "comparison.svg")

LEAST_PAUSE_S = 1.0
"""Least time between two tables."""

MOST_SHARE = 0.1
"""Upper bound on the part of the time that goes into tables: the engine starts no run meanwhile."""


@click.command(cls=Values, renamed={"--out": "--output"})
@click.argument("scenario", type=click.Path(path_type=Path))
@output_option(
    "Folder of the results; a new one, or one that an earlier call has begun.  [default: out/NAME beside "
    "SCENARIO]",
    is_folder=True,
)
@JOBS
@SCHEDULER
@click.option("--dry-run", is_flag=True, help="Say what would run and how long it may take; run nothing.")
@click.option(
    "--max-runs",
    type=WholeNumber(1),
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
def command(
    scenario: Path,
    output: Path | None,
    jobs: int | None,
    scheduler: str | None,
    dry_run: bool,
    max_runs: int | None,
    retry_failed: bool,
    quiet: bool,
    as_json: bool,
    figures: tuple[Path, ...],
) -> int:
    """Run the comparison that the file SCENARIO describes: TCP variants, schemes, traces, seeds.

    SCENARIO may be a pack, which `tmt pack` has written: the command repeats its campaign and says whether
    the results are equal bit by bit.

    Finished runs are kept, whatever stops the command; a second call executes only the missing runs. Failed
    runs are kept, too, with their command lines and the simulator's last output. The exit status is 1 if runs
    have failed, or results of a pack differ.

    \b
    Example:
      tmt run scenarios/quickstart.toml --dry-run
      tmt run scenarios/quickstart.toml
    """
    processes = jobs or local_workers.default_jobs()
    folder = output or database.default_folder(scenario)
    is_shown = not (quiet or as_json)
    if dry_run:
        has_rows = database.holds_campaign(folder)
        with _scenario_to_count(scenario, max_runs, with_traces=has_rows) as path:
            asked = _asked(path, max_runs)
            if path != scenario and not has_rows:
                found = outlook.of_scenario(asked.scenario, processes)
            else:
                with _planning(asked, shown=is_shown) as watch:
                    planned = campaigns.foresee(asked, folder, watch)
                print_warnings(planned.warnings())
                found = outlook.of_campaign(planned, planned.plan(retry_failed=retry_failed), processes)
        say(run_output.forecast(found, folder, processes, as_json=as_json))
        return 0
    with _scenario_of(scenario, max_runs) as (path, pack):
        asked = _asked(path, max_runs)
        with pools(scheduler, folder, processes) as new_pool, ExitStack() as stack:
            with _planning(asked, shown=is_shown) as watch:
                campaign = stack.enter_context(campaigns.open_campaign(asked, folder, watch))
            print_warnings(campaign.warnings())
            todo = campaign.plan(retry_failed=retry_failed)
            try:
                with _live(campaign, todo, shown=is_shown) as watch:
                    campaign.execute(todo, new_pool, watch)
            except KeyboardInterrupt:
                campaign.store.look()  # a run may have been stored, and not been counted yet
                after, total = campaign.plan(), len(todo.runs)
                kept = after.done + after.failed
                raise StoppedError(
                    f"interrupted: {kept} of {total} runs are kept in {folder}; the same command executes "
                    f"the other {total - kept}"
                ) from None
            rows = campaign.rows()
            results = reading.results_of(rows, campaign.title)
            print_warnings(results.warnings)
            paths = list(figures) or [folder / name for name in FIGURES]
            chart = print_figures.comparison_chart(results, results.cells)
            drawn = [] if chart is None else charts.save_chart(chart, *paths)
            after, repeated = campaign.plan(), None
            if pack is not None:
                repeated = pairing.repetition(str(scenario), pairing.packed_rows(pack, scenario), rows)
            done = run_output.Finished(campaign, after, results, drawn, repeated)
            if as_json:
                say(run_output.as_json(done))
            elif not quiet:
                run_output.print_summary(done)
            else:
                for line in run_output.complaints(done):
                    say(line, err=True)
    return 0 if done.is_good else 1


@contextmanager
def _scenario_of(path: Path, max_runs: int | None) -> Iterator[tuple[Path, pack_reader.Pack | None]]:
    """Yield a scenario file; if `path` is a pack, that in the pack, and the pack."""
    if not pack_reader.is_pack(path):
        yield path, None
        return
    with pack_reader.unpacked(path, max_runs) as pack:
        yield pack.scenario, pack


@contextmanager
def _scenario_to_count(path: Path, max_runs: int | None, *, with_traces: bool) -> Iterator[Path]:
    """Yield a scenario file; if `path` is a pack, that in the pack, and no results or records with it."""
    if not pack_reader.is_pack(path):
        yield path
        return
    with pack_reader.scenario_inside(path, max_runs, with_traces=with_traces) as scenario:
        yield scenario


def _asked(path: Path, max_runs: int | None) -> toml.Document:
    """Read a scenario, and print what is odd about it."""
    asked = toml.read(path, max_runs)
    print_warnings(asked.notes)
    print_notes(_notes(asked))
    return asked


@contextmanager
def _planning(asked: toml.Document, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many runs have been planned."""
    if not shown:
        yield lambda _: None
        return
    with progress_bar("planning", asked.scenario.size, "runs") as watch:
        yield watch


def _notes(document: toml.Document) -> list[str]:
    scenario = document.scenario
    times = [("rtt", path.rtt) for path in scenario.path]
    times += [("decode_time", trace.decode_time or 0) for trace in scenario.trace]
    return [f"{document.path}: {note}" for name, time_s in times for note in time_notes(name, ns(time_s))]


@contextmanager
def _live(campaign: campaigns.Campaign, todo: Plan, *, shown: bool) -> Iterator[Watch]:
    """Show progress on stderr; on a terminal as a bar, with the table if stdout is a terminal, too."""
    if not shown or not todo.missing or not is_terminal(sys.stderr):
        with run_progress(campaign.title, shown=shown) as (watch, _):
            yield watch
        return
    console, has_table = consoles.Console(stderr=True), is_terminal(sys.stdout)
    counts = bars.MofNCompleteColumn(), "{task.fields[failed]} failed", "{task.fields[rate]}"
    bar = bars.Progress("{task.description}", bars.BarColumn(), *counts, bars.TimeRemainingColumn())
    task = bar.add_task("link traces", total=len(todo.missing), failed=0, rate="")
    due_s, ended = 0.0, -1 if todo.done else 0
    with live.Live(bar, console=console, transient=True) as screen:

        def watch(progress: Progress) -> None:
            nonlocal due_s, ended
            making = progress.converted < progress.conversions
            elapsed = bar.tasks[0].elapsed or math.inf
            bar.update(
                task,
                completed=progress.ended,
                failed=progress.failed,
                description="link traces" if making else "runs",
                rate=f"{progress.ended / elapsed:.1f}/s",
            )
            start_s = time.monotonic()
            if has_table and start_s >= due_s and progress.ended != ended:
                screen.update(_screen(campaign, bar, console))
                took_s = time.monotonic() - start_s
                due_s, ended = start_s + max(LEAST_PAUSE_S, took_s / MOST_SHARE), progress.ended

        yield watch


def _screen(
    campaign: campaigns.Campaign, bar: bars.Progress, console: consoles.Console
) -> consoles.RenderableType:
    """Return the tables of the runs that are done, as many as the terminal has lines for, above the bar."""
    rows = campaign.rows()
    if not (rows["status"] == columns.DONE).any():
        return bar
    summary = reading.results_of(rows, campaign.title).cells
    parts: list[consoles.RenderableType] = []
    room = console.size.height - 4
    for number, table in enumerate(run_output.goodput_tables(summary)):
        room -= len(console.render_lines(table))
        if room < 0 and parts:
            parts.append(
                texts.Text(f"and {len(summary.points) - number} more points of the grid", style="dim")
            )
            break
        parts.append(table)
    caption = texts.Text("Goodput in kbit/s, mean and 95 % interval so far", style="dim")
    return consoles.Group(*parts, caption, bar)
