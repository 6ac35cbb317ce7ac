"""`tmt tune` at work: the stage of the search and its runs, on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.campaign.engine import Progress, Watch


@contextmanager
def live(*, shown: bool) -> Iterator[tuple[Watch, Callable[[str], None]]]:
    """Show progress on stderr where that is a terminal; yields what the search calls with runs and stages."""
    if not shown or not sys.stderr.isatty():
        yield lambda _: None, lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("search", total=None)

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.ended, total=progress.total)

        def tell(stage: str) -> None:
            bar.reset(task, description=stage, total=None)

        yield watch, tell
