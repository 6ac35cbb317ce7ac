"""A progress bar for what can last: on stderr, and only where that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress_bar(what: str, total: int | None, unit: str = "slots") -> Iterator[Callable[[int], None]]:
    """Show how far `what` is, with rate and time left; gives the function to call with the amount done since.

    Parameters
    ----------
    what
        Said before the bar, such as ``"generate"``.
    total
        Amount in all; None where nobody knows: then only amount and rate are shown.
    unit
        What is counted.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console  # noqa: PLC0415  (takes long to import)
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TextColumn("{task.completed:,.0f} " + unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
