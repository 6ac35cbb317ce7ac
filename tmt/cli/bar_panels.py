"""Values over time as bars of characters: panels below each other, for terminals."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

LABEL_WIDTH = 9
HEIGHT = 4

BLOCKS, PLAIN = " ▁▂▃▄▅▆▇█", " .:#"
"""The fillings of one character from empty to full; the second where the encoding has no blocks."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One value over time.

    Attributes
    ----------
    title
        The value and its unit.
    values
        One for each column of characters; NaN where there is none.
    top
        Value at the upper border; None takes the greatest value.
    """

    title: str
    values: Sequence[float] | npt.NDArray[np.float64]
    top: float | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """Moments in time: `counts` holds their number in each column of characters."""

    title: str
    counts: Sequence[int]


def columns_in(width: int) -> int:
    """Return the number of values in a panel on a terminal of `width` columns."""
    return max(10, width - LABEL_WIDTH - 2)


def stdout_encoding() -> str:
    """Return the encoding in which stdout takes text."""
    return getattr(sys.stdout, "encoding", None) or "ascii"


def draw(panels: Iterable[Panel | Marks], end_s: float, encoding: str) -> list[str]:
    """Return the lines of panels over one time axis from 0 to `end_s`."""
    fillings = BLOCKS if _can_write(BLOCKS, encoding) else PLAIN
    lines: list[str] = []
    width = 0
    for panel in panels:
        if isinstance(panel, Marks):
            marks = "".join("|" if count else " " for count in panel.counts)
            lines += [panel.title, f"{sum(panel.counts):>{LABEL_WIDTH},} |{marks}".rstrip()]
            width = len(panel.counts)
        else:
            lines += [panel.title, *bars(panel, fillings)]
            width = len(panel.values)
    end = f"{end_s:g} s"
    axis = f"{'':{LABEL_WIDTH}} +{'-' * width}"
    return [*lines, axis, f"{'':{LABEL_WIDTH}}  0{end:>{width - 1}}"]


def bars(panel: Panel, fillings: str) -> list[str]:
    """Return the bars of a panel from top to bottom; any value above 0 has a visible bar."""
    values = np.nan_to_num(panel.values)
    top = float(values.max(initial=0) if panel.top is None else panel.top)
    steps = len(fillings) - 1
    parts = (values / top).clip(0, 1) if top > 0 else np.zeros(len(values))
    heights = np.maximum((parts * HEIGHT * steps).round(), parts > 0).astype(int)
    lines = []
    for row in range(HEIGHT - 1, -1, -1):
        label = _number(top) if row == HEIGHT - 1 else "0" if row == 0 else ""
        body = "".join(fillings[min(max(height - row * steps, 0), steps)] for height in heights)
        lines.append(f"{label:>{LABEL_WIDTH}} |{body}".rstrip())
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _can_write(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
