"""Means with their 95 % intervals in a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from tmt.results.statistics import Interval


def draw_intervals(
    panel: Axes, x: Iterable[float], values: Sequence[Interval], scale: float = 1.0, **style: Any
) -> None:
    """Draw a point with an error bar for each interval, times `scale`; `style` is that of `Axes.errorbar`."""
    means, halves = [scale * one.mean for one in values], [scale * one.half_width for one in values]
    panel.errorbar(list(x), means, yerr=halves, **{"capsize": 2, **style})
