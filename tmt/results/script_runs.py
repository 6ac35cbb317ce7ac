"""Results of scripts of single papers: the figures of each point, seed by seed, with means and intervals."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE
from tmt.core.errors import InputError
from tmt.results.statistics import t_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from tmt.results.statistics import Interval
    from tmt.run.ns2.script import ScriptFigures


@dataclass(frozen=True, slots=True)
class PointRuns:
    """The figures of one point's runs, in the order of their seeds."""

    figures: tuple[ScriptFigures, ...]

    def values(self, measure: str | Callable[[ScriptFigures], float]) -> list[float]:
        """Return a figure by its name, or a measure of the figures, of each run."""
        take = (lambda figures: figures[measure]) if isinstance(measure, str) else measure
        return [take(figures) for figures in self.figures]

    def interval(self, measure: str | Callable[[ScriptFigures], float]) -> Interval:
        """Return the mean of a measure over the seeds, with its 95 % interval."""
        return t_interval(self.values(measure))

    def mean(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the mean of a measure over the seeds."""
        return self.interval(measure).mean

    def standard_deviation(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the standard deviation of a measure over the seeds; 0 for one seed."""
        values = self.values(measure)
        return statistics.stdev(values) if len(values) > 1 else 0.0


def read_figures(folder: Path, rows: pd.DataFrame) -> list[ScriptFigures]:
    """Return the figures of each row of a campaign of scripts.

    Raises
    ------
    InputError
        When a run has failed.
    """
    for _, row in rows[rows["status"] != DONE].iterrows():
        run = f"{row['script']} {row['script_settings']}, seed {row['seed']}"
        said = ": ".join(str(row["message"]).splitlines())
        raise InputError(folder, f"{run}: {row['status']}: {said}")
    return [json.loads(text) for text in rows["script_figures"]]


def by_point(figures: Sequence[ScriptFigures], seeds: int) -> list[PointRuns]:
    """Return the runs of each point, whose seeds follow each other."""
    return [PointRuns(tuple(figures[i : i + seeds])) for i in range(0, len(figures), seeds)]
