"""Parts of a campaign: jobs without a common database do disjoint shares of its runs, and their rows are
merged.

A part works in its own folder below the campaign's, so that no two machines write one database.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE, RECORDS
from tmt.campaign.database import PARTS, StoredRuns, holds_campaign
from tmt.campaign.rows import NOTHING_HELD, waiting
from tmt.core.errors import OutputError, reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tmt.campaign.columns import Row
    from tmt.campaign.runs import ReplayRun
    from tmt.campaign.store import Store

NAME = re.compile(r"\d+-of-\d+")
ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Part:
    """Share `number`, from 1, of a campaign that is divided into `of` shares."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"part {self.number} of {self.of}"

    def folder(self, campaign: Path) -> Path:
        """Return the folder in which the part works."""
        return campaign / PARTS / f"{self.number}-of-{self.of}"

    def share(self, runs: Sequence[ReplayRun]) -> list[ReplayRun]:
        """Return the runs of the part; the sizes of shares differ by one run at most.

        Runs over one link trace stay together, so that few parts make the same trace.
        """
        ordered = sorted(runs, key=lambda run: (run.recipe.identity, run.key))
        first, last = (len(runs) * number // self.of for number in (self.number - 1, self.number))
        chosen = {run.key for run in ordered[first:last]}
        return [run for run in runs if run.key in chosen]


def stored_parts(folder: Path) -> list[StoredRuns]:
    """Return the parts of a campaign's folder that hold runs, as they are now."""
    if not (folder / PARTS).is_dir():
        return []
    names = sorted((folder / PARTS).iterdir())
    found = [StoredRuns(path) for path in names if NAME.fullmatch(path.name) and holds_campaign(path)]
    for part in found:
        part.look()
    return found


def see_parts(store: StoredRuns) -> None:
    """Add the runs of the parts to a store that is only read."""
    for part in stored_parts(store.folder):
        for key in _newer(part, store):
            held = part.held[key]
            if held.records is not None:
                place = (part.folder / held.records).relative_to(store.folder)
                held = held._replace(records=str(place))
            store.held[key] = held


def join_parts(store: Store) -> int:
    """Copy rows and packet records of the parts into the campaign's store; return the number of new rows.

    OutputError when records cannot be copied; earlier rows are safe.
    """
    joined = 0
    for part in stored_parts(store.folder):
        wanted = _newer(part, store)
        rows = [row for row in part.table().to_pylist() if row["key"] in wanted] if wanted else []
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[first : first + ROWS_AT_ONCE]
            for row in some:
                _copy_records(row, part, store)
            joined += store.append(*some)
    return joined


def _newer(part: StoredRuns, store: StoredRuns) -> set[str]:
    """Return the keys of the intact runs that a part has in a later attempt than the store."""
    found = set()
    for key, held in part.held.items():
        ours = store.held.get(key, NOTHING_HELD)
        is_whole = held.records is None or part.has_records(held)
        if ours.status != DONE and held.attempt > ours.attempt and is_whole:
            found.add(key)
    return found


def _copy_records(row: Row, part: StoredRuns, store: Store) -> None:
    """Put the packet records of a part's row where the store expects them."""
    if not row[RECORDS]:
        return
    try:
        shutil.copytree(part.folder / str(row[RECORDS]), waiting(store.scratch, row[RECORDS]))
    except (OSError, shutil.Error) as error:
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise OutputError(f"{store.folder}: records of a part cannot be copied: {reason}") from error
