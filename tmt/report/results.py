"""What a report is made from: the runs of a campaign, what varied, and the records that some runs kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that the campaign varied besides TCP, scheme and seed; `column` holds it in the runs."""

    column: str
    label: str
    unit: str
    levels: tuple[Any, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether the levels are numbers, so that a line may lead from one to the next."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.levels)


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that gave no result: its name, why, its command line and what it said last."""

    name: str
    reason: str
    command: str
    output: str


@dataclass(frozen=True, slots=True)
class RunRecords:
    """Packet and window records of one run.

    Attributes
    ----------
    row
        Index of the run in `Results.runs`.
    packets : [n_events], `schema.PACKET_RECORDS`
    windows : [n_changes], `schema.WINDOW_RECORDS`
    """

    row: int
    packets: npt.NDArray[np.void]
    windows: npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Published:
    """A value that a paper gives for a cell of the grid, in the unit of the result column `column`.

    `levels` names the cell's level on each axis, by column; `error` is the reading error of a value taken
    from a plot, 0 for a printed number; `source` names paper and place.
    """

    column: str
    tcp: str
    scheme: str
    levels: dict[str, Any]
    value: float
    error: float
    source: str


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that one report shows.

    Attributes
    ----------
    runs
        Finished runs, one row each: ``tcp``, ``scheme``, ``seed``, the axes' columns, and those of
        `run_columns.RUN_RESULTS`.
    axes
        What varied besides TCP, scheme and seed.
    notes
        Pairs of label and text about how the results came to be.
    """

    title: str
    description: str
    runs: pd.DataFrame
    axes: tuple[Axis, ...] = ()
    failures: tuple[Failure, ...] = ()
    records: tuple[RunRecords, ...] = ()
    published: tuple[Published, ...] = ()
    scenario_text: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = field(default=())
