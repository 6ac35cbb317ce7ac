"""`tmt run`: execute the missing runs of a comparison, in parallel."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.notes import print_notes, print_warnings, scenario_notes
from tmt.cli.options import JOBS, JSON, QUIET, FigurePath, output_option
from tmt.cli.pools import pools
from tmt.cli.values import Values
from tmt.core.errors import StoppedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from tmt.campaign.pack_reader import Pack
    from tmt.results.pairing import Repetition

FIGURES = ("comparison.png", "comparison.svg")


@click.command(cls=Values, renamed={"--out": "--output"})
@click.argument("scenario", type=click.Path(path_type=Path))
@output_option(
    "Folder of the results; a new one, or one that an earlier call has begun.  [default: out/NAME beside "
    "SCENARIO]",
    is_folder=True,
)
@JOBS
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run the simulations on the dask.distributed cluster of this scheduler, such as tcp://node1:8786.",
)
@click.option("--dry-run", is_flag=True, help="Say what would run and how long it may take; run nothing.")
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
    from tmt.campaign.campaign import foresee, open_campaign  # noqa: PLC0415
    from tmt.campaign.database import default_folder  # noqa: PLC0415
    from tmt.campaign.local_workers import default_jobs  # noqa: PLC0415
    from tmt.cli import run_output  # noqa: PLC0415
    from tmt.cli.run_live import live  # noqa: PLC0415
    from tmt.results.reading import results_of  # noqa: PLC0415
    from tmt.show.charts.files import save_chart  # noqa: PLC0415
    from tmt.show.page.print_figures import comparison_chart  # noqa: PLC0415
    from tmt.spec import toml  # noqa: PLC0415

    processes = jobs or default_jobs()
    folder = output or default_folder(scenario)
    with _scenario_of(scenario) as (path, pack):
        asked = toml.read(path)
        print_warnings(asked.notes)
        print_notes(scenario_notes(asked))
        if dry_run:
            planned = foresee(asked, folder)
            print_warnings(planned.warnings())
            todo = planned.plan(retry_failed=retry_failed)
            click.echo(run_output.forecast(planned, todo, folder, processes, as_json=as_json))
            return 0
        with pools(scheduler, folder, processes) as new_pool, open_campaign(asked, folder) as campaign:
            print_warnings(campaign.warnings())
            todo = campaign.plan(retry_failed=retry_failed)
            try:
                with live(campaign, todo, shown=not (quiet or as_json)) as watch:
                    campaign.execute(todo, new_pool, watch)
            except KeyboardInterrupt:
                raise StoppedError(run_output.interruption(campaign.plan(), folder)) from None
            rows = campaign.rows()
            results = results_of(rows, campaign.title)
            print_warnings(results.warnings)
            summary = results.cells
            paths = list(figures) or [folder / name for name in FIGURES]
            chart = comparison_chart(results, summary)
            drawn = [] if chart is None else save_chart(chart, *paths)
            after = campaign.plan()
            repeated = None if pack is None else _compared(scenario, pack, rows)
            done = run_output.Finished(campaign, after, results, summary, drawn, repeated)
            if as_json:
                click.echo(run_output.as_json(done))
            elif not quiet:
                run_output.print_summary(done)
            else:
                for line in run_output.complaints(done):
                    click.echo(line, err=True)
    return 0 if done.is_good else 1


@contextmanager
def _scenario_of(path: Path) -> Iterator[tuple[Path, Pack | None]]:
    """Yield a scenario file; if `path` is a pack, that in the pack, and the pack."""
    from tmt.campaign.pack_reader import is_pack, unpacked  # noqa: PLC0415

    if not is_pack(path):
        yield path, None
        return
    with unpacked(path) as pack:
        yield pack.scenario, pack


def _compared(path: Path, pack: Pack, rows: pd.DataFrame) -> Repetition:
    from tmt.results.pairing import packed_rows, repetition  # noqa: PLC0415

    return repetition(str(path), packed_rows(pack, path), rows)
