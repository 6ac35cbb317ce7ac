"""A campaign's folder: the names in it, and its rows and link traces for a reader.

    campaign.sqlite    rows of all runs, engines at work, and their claims
    results.parquet    the same rows, written when an engine ends
    scenario.toml      copy of the scenario that was run last
    published.csv      copy of the published values that it names
    cache/             link traces and their facts; they can be made again
    records/           packet records of the runs that asked for them, by run key
    scratch/           one folder per engine for unfinished files

Nothing here changes the folder; `tmt.campaign.store` opens it for an engine.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.campaign import database
from tmt.campaign.columns import arrow_schema
from tmt.campaign.database import holds_campaign, runs_table

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Callable

    import pyarrow as pa

    from tmt.campaign.database import Result

RESULTS = "results.parquet"
SCENARIO = "scenario.toml"
PUBLISHED = "published.csv"

Held = dict[str, tuple[str, int]]
"""Status and attempt of every run in the store, by key."""


def default_folder(scenario: Path) -> Path:
    """Return the folder of a scenario's results where the user names none."""
    return scenario.parent / "out" / scenario.stem


class StoredRuns:
    """The contents of a campaign's folder, read without a change; the folder need not exist.

    Attributes
    ----------
    held
        Status and attempt of each run when the folder was looked at.
    results_file, cache, records
        Paths of the results, the link traces and the packet records.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.results_file = self.folder / RESULTS
        self.cache, self.records = self.folder / "cache", self.folder / "records"
        self.held: Held = {}
        self.last_sequence = 0

    def look(self) -> None:
        """Bring `held` up to date."""
        sql = "SELECT sequence, key, status, attempt FROM runs WHERE sequence > ? ORDER BY sequence"
        for sequence, key, status, attempt in self.query(sql, self.last_sequence):
            self.held[key] = status, attempt
            self.last_sequence = sequence

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; the database's tables are those of `SCHEMA`."""
        return self._read(lambda connection: connection.execute(sql, values).fetchall()) or []

    def table(self) -> pa.Table:
        """Return one row for each run; see `tmt.campaign.columns.COLUMNS`."""
        found = self._read(runs_table)
        return arrow_schema().empty_table() if found is None else found

    def _read(self, query: Callable[[sqlite3.Connection], Result]) -> Result | None:
        return database.read(self.folder, query) if holds_campaign(self.folder) else None
