"""`python -m analysis.kuhn2014 [FOLDER]`: the scenarios of Kuhn et al. 2014 beside the paper's numbers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from analysis.kuhn2014 import readings
from analysis.kuhn2014.campaigns import BEYOND, DISTRIBUTION_ES_N0_DB, PAPER
from analysis.kuhn2014.figures import draw
from analysis.kuhn2014.measures import cells, effort, read_cells, write_cells
from analysis.kuhn2014.page import CELLS, PAGE, READINGS, render
from analysis.pages import start, write_csv
from analysis.runs import SCENARIOS, run
from tmt.io.atomic import write_text


def main(folder: Path, *, as_is: bool = False) -> str:
    """Execute the scenarios' missing runs, show the results, and return the page's place."""
    files = {stem: SCENARIOS / f"{stem}.toml" for stem in PAPER | BEYOND}
    files |= {stem: readings.SCENARIOS / f"{stem}.toml" for stem in readings.STEMS}
    runs = {stem: _runs(file, folder, execute=not as_is) for stem, file in files.items()}
    tables = [cells(runs[stem], title) for stem, title in (PAPER | BEYOND).items()]
    write_cells(pd.concat([*tables, *(effort(rows, stem) for stem, rows in runs.items())]), folder / CELLS)
    of_page = pd.concat(runs[stem].assign(scenario=title) for stem, title in PAPER.items())
    of_readings = [readings.rows_of(runs[stem], of_page) for stem in readings.STEMS]
    readings.write_readings([readings.rows_of_page(of_page), *of_readings], folder / READINGS)
    return show(folder)


def _runs(file: Path, folder: Path, *, execute: bool) -> pd.DataFrame:
    """Return the rows of a scenario's runs; its link traces are removed when all runs are there."""
    campaign = folder / "campaigns" / file.stem
    rows = run(file, campaign, execute=execute)
    if execute:
        shutil.rmtree(campaign / "cache", ignore_errors=True)
    return rows.fillna({"es_n0_db": DISTRIBUTION_ES_N0_DB})


def show(folder: Path) -> str:
    """Draw figures and write the page from the files in `folder`; return the page's place."""
    found, others = read_cells(folder / CELLS), readings.read_readings(folder / READINGS)
    draw(found, folder / "images")
    page = render(found, others)
    write_text(folder / PAGE, page.text)
    for name, table in page.tables.items():
        write_csv(folder / f"reproduction-{name}.csv", table)
    false = [f"left out, for it does not hold: {sentence}" for sentence in page.left_out]
    return "\n".join([f"{folder / PAGE}", *false])


if __name__ == "__main__":
    start(
        main,
        PAGE,
        "reproduction*.csv",
        "images/kuhn-*.png",
        as_is="execute nothing: show the runs that there are",
    )
