"""The recipe: scenarios to runs, runs to cells, cells to figures and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analysis.kuhn2014 import comparison
from analysis.kuhn2014.campaigns import BEYOND, DISTRIBUTION_ES_N0_DB, PAPER
from analysis.kuhn2014.figures import FIGURES, draw
from analysis.kuhn2014.measures import cells, read_cells, write_cells
from analysis.kuhn2014.page import CELLS, PAGE, render
from analysis.pages import copy_to_docs
from analysis.scenario_runs import SCENARIOS, run

if TYPE_CHECKING:
    from pathlib import Path


def main(folder: Path, *, as_is: bool = False) -> str:
    """Run the scenarios, or what is missing of them, show them, and return how far the targets are met."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = []
    for stem, title in (PAPER | BEYOND).items():
        rows = run(SCENARIOS / f"{stem}.toml", folder / "campaigns" / stem, execute=not as_is)
        tables.append(cells(rows.fillna({"es_n0_db": DISTRIBUTION_ES_N0_DB}), title))
    write_cells(pd.concat(tables), folder / CELLS)
    return show(folder)


def show(folder: Path) -> str:
    """Draw figures and write the page from the cells in `folder`; return how far the targets are met."""
    found = read_cells(folder / CELLS)
    (folder / "images").mkdir(exist_ok=True)
    draw(found, folder / "images")
    (folder / PAGE).write_text(render(found), encoding="utf-8")
    return comparison.report(found)


def keep_in_docs(folder: Path) -> None:
    """Copy page, cells and figures to where the documentation has them."""
    copy_to_docs(folder, [CELLS, PAGE], FIGURES)
