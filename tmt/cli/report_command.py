"""`tmt report`: write a campaign's results as one HTML page, and as figures for print."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import CampaignPath, output_option
from tmt.cli.progress import print_warnings, progress_bar, say

with imported_when_used():
    from tmt.results import reading
    from tmt.show.page import report_page


@click.command()
@click.argument("results", type=CampaignPath())
@output_option(
    "Folder for the report.  [default: `report` inside RESULTS, or here if RESULTS cannot be written]",
    is_folder=True,
)
@click.option(
    "--published",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV file of published values to show beside ours (docs/report.md)  [default: the scenario's]",
)
@click.option("--figures/--no-figures", default=True, help="Also draw the figures for print.")
@click.option(
    "--latex",
    is_flag=True,
    help="Also write the tables as LaTeX (booktabs, siunitx) and CSV, into `tables`.",
)
def command(results: Path, output: Path | None, published: Path | None, figures: bool, latex: bool) -> None:
    """Write the report of a campaign: one HTML page that works offline, and figures as PDF and SVG.

    RESULTS is the folder that `tmt run` has written. The page has charts with a choice of TCP variants,
    schemes and grid points, tables that sort and filter, and the numbers of each chart as a download. The
    page holds its data, loads nothing from a network, and can be sent as one file.

    \b
    Example:
      tmt run scenarios/quickstart.toml
      tmt report scenarios/out/quickstart
      tmt report scenarios/out/quickstart --latex
    """
    folder = output or (results if os.access(results, os.W_OK) else Path()) / "report"
    found = reading.read_results(results, published)
    print_warnings(found.warnings)
    paths = []
    with progress_bar("report", None, "files") as advance:
        for path in report_page.write_report(found, folder, figures=figures, latex=latex):
            paths.append(path)
            advance(1)
    say(str(paths[0]))
    tables = [path for path in paths if path.parent != folder]
    if len(paths) - len(tables) > 1:
        say(f"{len(paths) - len(tables) - 1} figures for print beside it")
    if tables:
        say(f"{len(tables)} files of tables in {tables[0].parent}")
