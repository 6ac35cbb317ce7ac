"""Notes, warnings and progress on stderr; results are on stdout."""

from __future__ import annotations

import math
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
"""Time between two lines about simulations if stderr is not a terminal."""

SETTLED_S, SETTLED_RUNS, PATIENCE_S = 5.0, 4, 60.0
"""Least time and number of runs before the remaining time is shown, and the time that suffices for fewer
runs.
"""

COMPILES = "compiles at first use"
"""Shown beside the work until its first part is done."""


def say(text: str, *, err: bool = False) -> None:
    """Print text on stdout or stderr; control characters in names are removed."""
    click.echo(printable(text), err=err)


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once: input that is allowed but probably a mistake, which does not change the exit
    status.
    """
    for note in dict.fromkeys(notes):
        say(f"note: {note}", err=True)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print each warning."""
    for warning in warnings:
        say(f"warning: {warning}", err=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; a stream that was closed at the start is None."""
    return stream is not None and stream.isatty()


def rows_of(path: str, table: Table | None = None) -> int | None:
    """Return the number of rows of a trace, the total of a bar; None if the file does not tell."""
    with io.open_trace(path, table) as reader:
        return reader.rows


def duration_words(seconds: float) -> str:
    """Return a duration, rounded up: seconds, minutes or hours."""
    if seconds < 100:
        return f"{math.ceil(seconds)} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


@contextmanager
def working(what: str, *, shown: bool = True) -> Iterator[None]:
    """Show on a terminal what is being done, and for how long."""
    if not shown or not is_terminal(sys.stderr):
        yield
        return
    columns = bars.SpinnerColumn(), "{task.description}", bars.TimeElapsedColumn()
    with _bar(*columns) as bar:
        bar.add_task(printable(what), total=None)
        yield


@contextmanager
def progress_bar(
    what: str, total: int | None, unit: str = "slots", *, compiles: bool = False, shown: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show progress, rate and time left; yields a function that takes the amount done since its last call.

    Without `total` only amount and rate are shown. `compiles` says that the work may begin with compiling.
    """
    if not shown or not is_terminal(sys.stderr):
        yield lambda done: None
        return
    columns = (
        "{task.description}",
        bars.BarColumn(),
        bars.TaskProgressColumn(show_speed=True),
        "{task.completed:,.0f} " + unit,
        bars.TimeRemainingColumn(),
    )
    with _bar(*columns) as bar:
        task = bar.add_task(f"{what} ({COMPILES})" if compiles else what, total=total)
        yield lambda done: bar.update(task, advance=done, description=what)


@contextmanager
def run_progress(stage: str, *, shown: bool = True) -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """Yield the engine's observer and a function that names a stage: a bar on a terminal, else lines."""
    if not shown or sys.stderr is None:  # closed at the start: `print` would use stdout instead
        yield lambda _: None, lambda _: None
    elif sys.stderr.isatty():
        runs = RunBar(stage)
        with runs.bar:
            yield runs.watch, runs.tell
    else:
        lines = ProgressLines(stage)
        yield lines.watch, lines.tell


class RunBar:
    """A bar of the runs of a stage, and of link traces until all are made."""

    def __init__(self, stage: str) -> None:
        counts = bars.MofNCompleteColumn(), "{task.fields[failed]}", "{task.fields[left]}"
        self.bar = _bar("{task.description}", bars.BarColumn(), *counts)
        self._task = self.bar.add_task(stage, total=None)
        self.tell(stage)

    def tell(self, stage: str) -> None:
        """Begin a stage."""
        self._stage, self._left = stage, TimeLeft()
        self.bar.reset(self._task, description=stage, failed="", left="")

    def watch(self, progress: Progress) -> None:
        """Show the progress of the stage."""
        words, done, total = self._stage, progress.ended, progress.total
        if progress.converted < progress.conversions:
            words = "link traces" if progress.converted else f"link traces ({COMPILES})"
            done, total = progress.converted, progress.conversions
        failed = f"{progress.failed} failed" if progress.failed else ""
        left = self._left.words(progress)
        self.bar.update(self._task, description=words, completed=done, total=total, failed=failed, left=left)


def _bar(*columns: str | bars.ProgressColumn) -> bars.Progress:
    """Return a bar whose texts are shown literally, because a file's name may have brackets."""
    parts = (bars.TextColumn(one, markup=False) if isinstance(one, str) else one for one in columns)
    return bars.Progress(*parts, console=console.Console(stderr=True), transient=True)


class TimeLeft:
    """Estimates the remaining time from the rate at which runs end.

    The first runs end late, because workers start and compile. The rate therefore counts from the first end
    on, and nothing is shown until some runs have ended for some time. Runs that end beside conversions do not
    count.
    """

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def words(self, progress: Progress) -> str:
        """Return the remaining time, such as "3 min left"; empty while too little is known."""
        now_s = time.monotonic()
        if progress.converted < progress.conversions:
            self._first = None
            return ""
        if self._first is None:
            if progress.ended:
                self._first = now_s, progress.ended
            return ""
        since_s, before = self._first
        elapsed_s, ended = now_s - since_s, progress.ended - before
        is_settled = elapsed_s >= SETTLED_S and ended >= SETTLED_RUNS
        if not ended or not (is_settled or elapsed_s >= PATIENCE_S):
            return ""
        return f"{duration_words(elapsed_s * (progress.total - progress.ended) / ended)} left"


class ProgressLines:
    """Prints a line on the runs of a stage every `LINE_EVERY_S`."""

    def __init__(self, stage: str) -> None:
        self._said_s = time.monotonic()
        self.tell(stage)

    def tell(self, stage: str) -> None:
        """Begin a stage."""
        self._stage, self._left = stage, TimeLeft()

    def watch(self, progress: Progress) -> None:
        """Print a line if one is due."""
        left = self._left.words(progress)
        if (now_s := time.monotonic()) - self._said_s < LINE_EVERY_S:
            return
        self._said_s = now_s
        parts = [
            f"{progress.converted} of {progress.conversions} link traces" if progress.conversions else "",
            f"{progress.ended} of {progress.total} runs",
            f"{progress.failed} failed" if progress.failed else "",
            left,
        ]
        say(f"{self._stage}: {', '.join(filter(None, parts))}", err=True)
