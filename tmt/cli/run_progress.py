"""Progress of simulations on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.campaign.engine import Progress, Watch

LINE_EVERY_S = 15.0
"""Time between two lines where stderr is no terminal."""


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


@contextmanager
def run_progress(stage: str, *, shown: bool = True) -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """Yield the engine's observer, and a function that takes the name of each further stage."""
    if not shown or sys.stderr is None:  # closed at the start: `print` would take stdout in its place
        yield lambda _: None, lambda _: None
        return
    if not sys.stderr.isatty():
        lines = ProgressLines(stage)
        yield lines.watch, lines.tell
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress as Bar,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(stage, total=None)

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.ended, total=progress.total)

        def tell(stage: str) -> None:
            bar.reset(task, description=stage, total=None)

        yield watch, tell
