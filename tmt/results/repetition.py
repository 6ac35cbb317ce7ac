"""Results of a pack, and whether a repeated campaign has them bit by bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE
from tmt.campaign.database import frame
from tmt.core.errors import UsageError
from tmt.results.comparison import PROGRAMS
from tmt.results.pairing import differing_columns, pair_runs
from tmt.results.reading import check_rows, results_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from tmt.campaign.pack_reader import Pack


@dataclass(frozen=True, slots=True)
class Repetition:
    """Results of a pack and of its repetition.

    Attributes
    ----------
    pack
        The pack, as the user named it.
    packed
        Results in it.
    equal, different, missing
        How many of them the repetition has bit by bit, has with other values, and does not have.
    columns
        Number of results that differ in each column that any differs in.
    programs
        Programs that differ: column, values in the pack, values here.
    """

    pack: str
    packed: int
    equal: int
    different: int
    missing: int
    columns: dict[str, int]
    programs: list[tuple[str, str, str]]

    @property
    def is_equal(self) -> bool:
        """Whether the repetition has every result bit by bit."""
        return self.equal == self.packed


def packed_rows(pack: Pack, file: Path) -> pd.DataFrame:
    """Return the rows of a pack, checked; `file` is the pack's name.

    Raises
    ------
    InputError
        When a row is refused.
    """
    check_rows(pack.results, file)
    return frame(pack.results)


def repetition(pack: str, packed: pd.DataFrame, repeated: pd.DataFrame) -> Repetition:
    """Compare the rows of a pack with those of its repetition, run by run."""
    first, second = (results_of(rows, "") for rows in (packed, repeated))
    count = int((packed["status"] == DONE).sum())
    try:
        pairs = pair_runs(first, second)
    except UsageError:
        return Repetition(pack, count, 0, 0, count, {}, [])
    programs = []
    for column in PROGRAMS:
        there, here = (", ".join(sorted(set(runs[column].dropna()))) for runs in (pairs.first, pairs.second))
        if there != here:
            programs.append((column, there, here))
    equal = int(pairs.equal.sum())
    different = len(pairs.equal) - equal
    return Repetition(
        pack, count, equal, different, count - equal - different, differing_columns(pairs), programs
    )
