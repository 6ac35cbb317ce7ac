"""A report's files: the page, and the figures for print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.io.atomic import make_folder, staged
from tmt.report.page import render
from tmt.report.print_figures import print_figures
from tmt.results.cells import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.results.dataset import Results

PAGE = "report.html"


def write_report(results: Results, folder: Path, *, figures: bool = True) -> Iterator[Path]:
    """Write the page, and the figures for print if wanted, into `folder`; give each path once it is there.

    Raises
    ------
    UsageError
        When a file is in the folder's place.
    OutputError
        When a file cannot be written; nothing half-written stays behind.
    """
    make_folder(folder)
    summary = summarise(results)
    with staged(folder / PAGE) as part:
        part.write_text(render(results, summary), encoding="utf-8")
    yield folder / PAGE
    if figures:
        yield from print_figures(results, summary, folder)
