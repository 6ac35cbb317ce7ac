"""`tmt run` at work: the table of goodputs as it fills, and how far the runs are, on a terminal."""

from __future__ import annotations

import math
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TimeRemainingColumn
from rich.text import Text

from tmt.campaign.columns import DONE
from tmt.cli.goodput_tables import goodput_tables
from tmt.cli.progress import is_terminal
from tmt.cli.run_progress import run_progress
from tmt.results.reading import results_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from tmt.campaign.campaign import Campaign
    from tmt.campaign.engine import Plan, Progress, Watch

LEAST_PAUSE_S = 1.0
"""Least time between two tables."""

MOST_SHARE = 0.1
"""Upper bound on the part of the time that goes into tables: the engine starts no run meanwhile."""


@contextmanager
def live(campaign: Campaign, todo: Plan, *, shown: bool) -> Iterator[Watch]:
    """Show progress on stderr; on a terminal as a bar, with the table if stdout is a terminal, too."""
    if not shown or not todo.missing or not is_terminal(sys.stderr):
        with run_progress(campaign.title, shown=shown) as (watch, _):
            yield watch
        return
    console, has_table = Console(stderr=True), is_terminal(sys.stdout)
    counts = MofNCompleteColumn(), "{task.fields[failed]} failed", "{task.fields[rate]}"
    bar = Bar("{task.description}", BarColumn(), *counts, TimeRemainingColumn())
    task = bar.add_task("link traces", total=len(todo.missing), failed=0, rate="")
    due_s, ended = 0.0, -1 if todo.done else 0
    with Live(bar, console=console, transient=True) as screen:

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


def _screen(campaign: Campaign, bar: Bar, console: Console) -> RenderableType:
    """Return the tables of the runs that are done, as many as the terminal has lines for, above the bar."""
    rows = campaign.rows()
    if not (rows["status"] == DONE).any():
        return bar
    summary = results_of(rows, campaign.title).cells
    parts: list[RenderableType] = []
    room = console.size.height - 4
    for number, table in enumerate(goodput_tables(summary)):
        room -= len(console.render_lines(table))
        if room < 0 and parts:
            parts.append(Text(f"and {len(summary.points) - number} more points of the grid", style="dim"))
            break
        parts.append(table)
    caption = Text("Goodput in kbit/s, mean and 95 % interval so far", style="dim")
    return Group(*parts, caption, bar)
