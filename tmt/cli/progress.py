"""Notes, warnings and progress on stderr; results are on stdout."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from tmt.cli.lazy import imported_when_used
from tmt.core.words.refusals import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from tmt.campaign.engine import Progress, Watch
    from tmt.core.schema import Table

with imported_when_used():
    from rich import console, progress as bars

    from tmt import io

LINE_EVERY_S = 15.0
"""Time between two lines on simulations where stderr is not a terminal."""


def say(text: str, *, err: bool = False) -> None:
    """Print text on stdout or stderr; a name from outside cannot command the terminal."""
    click.echo(printable(text), err=err)


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once: input that is allowed and probably a slip, which leaves the exit status alone."""
    for note in dict.fromkeys(notes):
        say(f"note: {note}", err=True)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print each warning."""
    for warning in warnings:
        say(f"warning: {warning}", err=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; one that was closed at the start is None."""
    return stream is not None and stream.isatty()


def rows_of(path: str, table: Table | None = None) -> int | None:
    """Return the number of rows of a trace, the total of a bar; None where the file does not tell."""
    with io.open_trace(path, table) as reader:
        return reader.rows


@contextmanager
def progress_bar(
    what: str, total: int | None, unit: str = "slots", *, compiles: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show progress, rate and time left; yields a function that takes the amount done since its last call.

    Without `total` only amount and rate are shown. `compiles` says that the work may begin with compiling.
    """
    if not is_terminal(sys.stderr):
        yield lambda done: None
        return
    columns = (
        "{task.description}",
        bars.BarColumn(),
        bars.TaskProgressColumn(show_speed=True),
        "{task.completed:,.0f} " + unit,
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{what} (compiles at first use)" if compiles else what, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def run_progress(stage: str, *, shown: bool = True) -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """Yield the engine's observer and a function that names a stage: a bar on a terminal, else lines."""
    if not shown or sys.stderr is None:  # closed at the start: `print` would take stdout in its place
        yield lambda _: None, lambda _: None
        return
    if not sys.stderr.isatty():
        lines = ProgressLines(stage)
        yield lines.watch, lines.tell
        return
    columns = "{task.description}", bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn()
    with bars.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(stage, total=None)

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.ended, total=progress.total)

        def tell(stage: str) -> None:
            bar.reset(task, description=stage, total=None)

        yield watch, tell


class ProgressLines:
    """Prints a line on the runs of a stage every `LINE_EVERY_S`."""

    def __init__(self, stage: str) -> None:
        self._said_s = time.monotonic()
        self.tell(stage)

    def tell(self, stage: str) -> None:
        """Begin a stage."""
        self._stage, self._begun_s, self._ended_before = stage, time.monotonic(), 0

    def watch(self, progress: Progress) -> None:
        """Print a line if one is due."""
        now_s = time.monotonic()
        if progress.converted < progress.conversions:  # the time left follows from simulations alone
            self._begun_s, self._ended_before = now_s, progress.ended
        if now_s - self._said_s < LINE_EVERY_S:
            return
        self._said_s = now_s
        ended = progress.ended - self._ended_before
        left_s = (now_s - self._begun_s) * (progress.total - progress.ended) / max(ended, 1)
        left = f", {left_s / 60:.0f} min left" if ended else ""
        failed = f", {progress.failed} failed" if progress.failed else ""
        print(
            f"{self._stage}: {progress.converted} of {progress.conversions} link traces, "
            f"{progress.ended} of {progress.total} runs{failed}{left}",
            file=sys.stderr,
            flush=True,
        )
