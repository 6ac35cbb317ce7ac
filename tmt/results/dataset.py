"""The results of a campaign in memory: runs, axes, failures, published values, records of single runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.core.words.html_table import Charted, ShownInNotebooks
from tmt.results.values import texts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Axis:
    """A column of the runs that the campaign varied besides TCP variant, scheme and seed."""

    column: str
    label: str
    unit: str
    levels: tuple[Any, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether all levels are numbers, so that a line may connect them."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.levels)

    def named(self, values: Iterable[Any]) -> list[str]:
        """Return values of this axis as text with its label and unit, such as ``Es/N0 5 dB``."""
        return [" ".join(filter(None, [self.label, text, self.unit])) for text in texts(values)]

    def places(self, runs: pd.DataFrame) -> list[int]:
        """Return the place of each run's value among the levels."""
        return [self.levels.index(value) for value in runs[self.column]]


@dataclass(frozen=True, slots=True)
class Failure:
    """A run without a result: its name, the reason, its command line and its last output."""

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
    link_trace
        The link trace that the run used, while the campaign's cache holds it.
    """

    row: int
    packets: npt.NDArray[np.void]
    windows: npt.NDArray[np.void]
    link_trace: Path | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A published value for a cell of the grid, in the unit of the result column `column`.

    `levels` holds the cell's level on each axis, by column. `error` is the reading error of a value from a
    plot, 0 for a printed number. `source` names paper and place.
    """

    column: str
    tcp: str
    scheme: str
    levels: dict[str, Any]
    value: float
    error: float
    source: str


@dataclass(frozen=True, slots=True)
class Results(Charted, ShownInNotebooks):
    """The results of one campaign.

    Attributes
    ----------
    runs
        Finished runs, one row each: the columns of `tmt.campaign.columns.COLUMNS` and those of the axes. All
        runs of a cell have the same version.
    older
        Finished runs of cells that have runs of a later version.
    notes
        Pairs of label and text about how the results were made.
    """

    title: str
    description: str
    runs: pd.DataFrame
    axes: tuple[Axis, ...] = ()
    older: pd.DataFrame | None = None
    failures: tuple[Failure, ...] = ()
    records: tuple[RunRecords, ...] = ()
    published: tuple[Published, ...] = ()
    scenario_text: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
