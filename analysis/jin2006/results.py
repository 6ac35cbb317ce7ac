"""Results of all figures of Jin and Yang (2006), by figure and by system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.theory.split import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from analysis.jin2006.runs import SplitFigure, SplitPoint, SplitRuns, Windows

LITTLE = 0.1
"""Values that differ by less are "not affected", "a little" apart, or the same "almost completely"."""

END_TO_END, END_TO_END_ARQ, SPLIT, SPLIT_ARQ = SYSTEMS


@dataclass(frozen=True, slots=True)
class FigureResults:
    """All that was simulated."""

    losses: SplitFigure
    delays: SplitFigure
    independent: SplitFigure
    bursty: SplitFigure
    reno: SplitFigure
    measured: Mapping[SplitPoint, SplitRuns]
    windows: Mapping[tuple[bool, bool], Windows]

    def line(self, figure: SplitFigure, system: tuple[bool, bool]) -> list[SplitRuns]:
        """Return the measured values along one line of a figure."""
        return [self.measured[point] for point in figure.lines[system]]

    def latencies(self, figure: SplitFigure, system: tuple[bool, bool]) -> np.ndarray:
        """Return the mean latencies along it."""
        return np.array([m.latency_s.mean for m in self.line(figure, system)])

    def ratio(self, figure: SplitFigure, system: tuple[bool, bool], other: tuple[bool, bool]) -> np.ndarray:
        """Return the mean latencies of a system over those of another, point by point."""
        return self.latencies(figure, system) / self.latencies(figure, other)


def percent(value: float | np.floating) -> str:
    """Return a share in per cent."""
    return f"{100 * value:.1f} %"


def compare(first: list[SplitRuns], second: list[SplitRuns]) -> tuple[int, int, int]:
    """Count pairs: the first is faster beyond both intervals, neither is, the second is."""
    first_faster = sum(a.latency_s.high < b.latency_s.low for a, b in zip(first, second, strict=True))
    second_faster = sum(a.latency_s.low > b.latency_s.high for a, b in zip(first, second, strict=True))
    return first_faster, len(first) - first_faster - second_faster, second_faster
