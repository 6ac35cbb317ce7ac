"""A progress bar in a notebook, which vanishes at its end; elsewhere nothing is shown."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.campaign.engine import Progress, Watch

LEAST_PAUSE_S = 0.2
"""Least time between two pictures of the bar."""


@contextmanager
def notebook_progress() -> Iterator[Watch]:
    """Give the engine's observer: a bar of the runs that have ended, where a notebook's kernel runs this."""
    display = _display()
    if display is None:
        yield lambda progress: None
        return
    handle = display.display(display.HTML(""), display_id=True)
    due_s = 0.0

    def watch(progress: Progress) -> None:
        nonlocal due_s
        if time.monotonic() >= due_s:
            handle.update(display.HTML(bar_of(progress)))
            due_s = time.monotonic() + LEAST_PAUSE_S

    try:
        yield watch
    finally:
        handle.update(display.HTML(""))


def bar_of(progress: Progress) -> str:
    """Return the bar as HTML."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    said = f"{progress.ended} of {progress.total} runs{failed}"
    return f'<progress value="{progress.ended}" max="{progress.total}"></progress> {said}'


def _display() -> Any:
    """Return IPython's module of displays if a kernel runs this process, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython import display  # noqa: PLC0415  (only a notebook has it)

    return display
