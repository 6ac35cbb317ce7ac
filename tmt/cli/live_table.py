"""Progress of a campaign on a terminal: a bar, and the table of goodputs as it fills."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import RunBar, is_terminal, run_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.campaign.campaign import Campaign
    from tmt.campaign.engine import Plan, Progress, Watch

with imported_when_used():
    from rich import console as consoles, live, progress as bars, text as texts

    from tmt.cli import run_tables
    from tmt.results import reading

LEAST_PAUSE_S = 1.0
"""Least time between two tables."""

MOST_SHARE = 0.1
"""Upper bound on the share of time spent on tables, because the engine starts no run meanwhile."""


@contextmanager
def live_table(campaign: Campaign, todo: Plan, *, shown: bool) -> Iterator[Watch]:
    """Show progress on stderr; on a terminal as a bar, with the table if stdout is a terminal, too."""
    if not shown or not todo.missing or not is_terminal(sys.stderr):
        with run_progress(campaign.title, shown=shown) as (watch, _):
            yield watch
        return
    console, has_table = consoles.Console(stderr=True), is_terminal(sys.stdout)
    runs, due_s, ended = RunBar("runs"), 0.0, -1 if todo.done else 0
    with live.Live(runs.bar, console=console, transient=True) as screen:

        def watch(progress: Progress) -> None:
            nonlocal due_s, ended
            runs.watch(progress)
            start_s = time.monotonic()
            if has_table and start_s >= due_s and progress.ended != ended:
                screen.update(_screen(campaign, runs.bar, console))
                took_s = time.monotonic() - start_s
                due_s, ended = start_s + max(LEAST_PAUSE_S, took_s / MOST_SHARE), progress.ended

        yield watch


def _screen(campaign: Campaign, bar: bars.Progress, console: consoles.Console) -> consoles.RenderableType:
    """Return the tables of the finished runs, as many as fit on the terminal above the bar."""
    results = reading.results_so_far(campaign)
    if not len(results.runs):
        return bar
    summary = results.cells
    parts: list[consoles.RenderableType] = []
    room = console.size.height - 4
    for number, table in enumerate(run_tables.goodput_tables(summary)):
        room -= len(console.render_lines(table))
        if room < 0 and parts:
            parts.append(
                texts.Text(f"and {len(summary.points) - number} more points of the grid", style="dim")
            )
            break
        parts.append(table)
    caption = texts.Text("Goodput in kbit/s, mean and 95 % interval so far", style="dim")
    return consoles.Group(*parts, caption, bar)
