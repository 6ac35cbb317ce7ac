"""A progress bar on stderr; without a terminal nothing is shown."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; one that was closed at the start is None."""
    return stream is not None and stream.isatty()


@contextmanager
def progress_bar(
    what: str, total: int | None, unit: str = "slots", *, compiles: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show progress, rate and time left; yields a function that takes the amount done since its last call.

    Parameters
    ----------
    what
        Text before the bar, such as ``"generate"``.
    total
        Total amount; None if unknown: then only amount and rate are shown.
    unit
        Unit of the amount.
    compiles
        Whether the work may begin with a compilation, which the text then says.
    """
    if not is_terminal(sys.stderr):
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
        task = bar.add_task(f"{what} (compiles at first use)" if compiles else what, total=total)
        yield lambda done: bar.advance(task, done)
