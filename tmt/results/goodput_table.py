"""Goodput of a campaign in HTML, the form in which notebooks show `Results`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tmt.html_table import html_table
from tmt.results.cells import point_label, summarise
from tmt.settings.tcp import VARIANTS

if TYPE_CHECKING:
    from tmt.results.cells import Cell
    from tmt.results.dataset import Results

GOODPUT = "goodput_bps"


def goodput_table(results: Results) -> str:
    """Return a table for each point of the grid: schemes by TCP variants, means with 95 % intervals."""
    summary = summarise(results)
    unit = summary.rate_unit[0]
    tables = []
    for point in range(len(summary.points)):
        cells = {(cell.scheme, cell.tcp): cell for cell in summary.cells if cell.point == point}
        tcps, schemes = (sorted({key[place] for key in cells}) for place in (1, 0))
        header = ("", *(VARIANTS[summary.tcps[tcp]].label for tcp in tcps))
        rows = [
            (summary.schemes[scheme], *(_spelled(cells.get((scheme, tcp))) for tcp in tcps))
            for scheme in schemes
        ]
        title = point_label(results.axes, summary, point)
        caption = ", ".join(part for part in (results.title, title, f"goodput in {unit}") if part)
        tables.append(html_table(caption, rows, header))
    ended = f"<p>{len(results.runs)} runs done, {len(results.failures)} failed</p>"
    return "".join([*tables, ended])


def _spelled(cell: Cell | None) -> str:
    if cell is None or GOODPUT not in cell.intervals:
        return ""
    goodput = cell.intervals[GOODPUT]
    return f"{goodput.mean:.4g}" + ("" if math.isnan(goodput.low) else f" ± {goodput.half_width:.2g}")
