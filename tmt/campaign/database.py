"""A campaign's folder and its database, one SQLite file with a row for each run, for readers.

    campaign.sqlite    rows of all runs, engines at work, and their claims
    results.parquet    the same rows, written when an engine ends
    scenario.toml      copy of the scenario that was run last
    published.csv      copy of the published values that it names
    cache/             link traces and their facts; they can be made again
    records/           packet records of the runs that asked for them, by run key
    scratch/           one folder per engine for unfinished files

`tmt.campaign.store` opens the folder for an engine; nothing here changes it. Reading (`read`, `read_runs`)
writes nothing into the folder, takes no lock there, and works on a folder that cannot be written, whether or
not an engine is at work. SQLite's own read-only mode does not: a reader of a database with a write-ahead log
(WAL) makes a file of shared memory beside it, and its locks can hold up the engine. Therefore:

* Without a log nobody writes. The file is read in place as immutable, and read again if it has changed.
* With a log an engine is at work, or was killed. Database and log are copied to a temporary folder. SQLite
  opens the copy as after a crash. The two copies fit together if the log's header has not changed meanwhile.
  Until that header changes, engines only append to the log, and only copy pages of the log into the database.
  So a later log completes an earlier copy of the database, even one made during such copying.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import pyarrow as pa

from tmt.campaign.columns import arrow_schema
from tmt.core.errors import InputError, OutputError, first_line
from tmt.core.schema import FORMAT_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import pandas as pd

DATABASE = "campaign.sqlite"
APPLICATION_ID = 0x746D7463
"""SQLite application ID of a campaign, "tmtc", in the file's header."""

RESULTS = "results.parquet"
SCENARIO = "scenario.toml"
PUBLISHED = "published.csv"

ROWS_PER_BATCH = 1000
MOST_TEXT_BYTES = 1 << 24
"""Upper bound on one text of a row, so that a damaged file cannot claim all memory."""
TRIES, PAUSE_S = 100, 0.05
"""Attempts at reading a database that changes meanwhile."""

LOG_HEADER_BYTES = 32

Result = TypeVar("Result")

Held = dict[str, tuple[str, int]]
"""Status and attempt of every run in the store, by key."""


def holds_campaign(folder: Path) -> bool:
    """Whether a folder holds a campaign."""
    return (folder / DATABASE).is_file()


def read_runs(folder: Path) -> pa.Table:
    """Return one row for each run of a campaign, in the order in which runs finished.

    The rows are those of one moment. The columns are those of `tmt.campaign.columns.arrow_schema`; one that
    an older campaign lacks is null. InputError when the folder holds no campaign, or its database is damaged
    or of a later version; OutputError when there is no room for a copy in the folder of temporary files.
    """
    return read(folder, runs_table)


def read(folder: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    """Return the result of `query` on a campaign's database at one moment; see `read_runs`."""
    path = folder / DATABASE
    if not holds_campaign(folder):
        raise InputError(
            folder, f"holds no campaign (no {DATABASE}); name a folder that `tmt run` has written"
        )
    for _ in range(TRIES):
        before = _version(path)
        try:
            found = _read_copy(path, query) if before[-1] else _read_in_place(path, query)
        except InputError:
            if _version(path) == before:
                raise
        except (sqlite3.Error, pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            if _version(path) == before:
                raise damaged(path, error) from error
        else:
            if _version(path) == before:
                return found
        time.sleep(PAUSE_S)
    raise InputError(path, "changes too often to be read while engines are at work")


def runs_table(connection: sqlite3.Connection) -> pa.Table:
    """Return the rows of all runs; see `read_runs`."""
    schema = arrow_schema()
    known = {name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")}
    chosen = ", ".join(name if name in known else f"NULL AS {name}" for name in schema.names)
    cursor = connection.execute(f"SELECT {chosen} FROM runs ORDER BY sequence")
    batches = []
    while rows := cursor.fetchmany(ROWS_PER_BATCH):
        arrays = [
            _array(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema=schema).combine_chunks()


def _array(values: tuple[object, ...], kind: pa.DataType) -> pa.Array:
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        found = pa.array(values)  # of a type that it finds: it would cut numbers that are not whole
        if found.type not in (pa.int64(), pa.null()):
            raise ValueError("a column of whole numbers or flags holds others")
        return found.cast(kind)  # SQLite knows no truth values
    return pa.array(values, kind)


def frame(rows: pa.Table) -> pd.DataFrame:
    """Return rows of runs as a data frame, without Arrow's threads: Arrow aborts where one is refused."""
    found: pd.DataFrame = rows.to_pandas(use_threads=False)
    return found


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database that is not a campaign's, or of a later version (InputError)."""
    (identity,) = connection.execute("PRAGMA application_id").fetchone()
    if identity != APPLICATION_ID:
        raise InputError(path, "is not the database of a campaign")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT_VERSION:
        raise InputError(path, f"is of format {version}; this program knows up to {FORMAT_VERSION}")
    found = connection.execute("SELECT type, sql FROM sqlite_master WHERE name = 'runs'").fetchone()
    columns = connection.execute("PRAGMA table_xinfo(runs)").fetchall()
    # A view, a virtual table or a computed column of a stranger's file could run for ever.
    is_plain = found and found[0] == "table" and found[1].startswith("CREATE TABLE")
    if not is_plain or any(hidden for *_, hidden in columns):
        raise InputError(path, "is damaged: it holds no plain table of runs")


def damaged(path: Path, error: Exception) -> InputError:
    """Return the refusal of a database that cannot be read."""
    return InputError(path, f"is damaged: {first_line(error)}")


def connect(
    path: Path, options: str = "", factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    """Open a database; `options` are those of SQLite's file names."""
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}{options}", uri=True, isolation_level=None, factory=factory
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_TEXT_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _read_in_place(path: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    with closing(connect(path, "?mode=ro&immutable=1")) as connection:
        check_schema(connection, path)
        return query(connection)


def _read_copy(path: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    try:
        with tempfile.TemporaryDirectory(prefix="tmt-read-") as folder:
            copy = Path(folder) / DATABASE
            # The database first: see this module's text.
            shutil.copyfile(path, copy)
            shutil.copyfile(_log(path), _log(copy))
            with closing(connect(copy)) as connection:
                check_schema(connection, path)
                return query(connection)
    except FileNotFoundError as error:
        raise sqlite3.OperationalError("the log has gone") from error  # the last engine has just ended
    except OSError as error:
        raise OutputError(f"{path}: cannot be copied to {tempfile.gettempdir()}: {error.strerror}") from error


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _version(path: Path) -> tuple[object, ...]:
    """Tell versions of a database apart; the last part is the header of its log, or empty."""
    try:
        status = path.stat()
        with suppress(FileNotFoundError), _log(path).open("rb") as log:
            if header := log.read(LOG_HEADER_BYTES):
                return status.st_ino, header
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return status.st_ino, status.st_size, status.st_mtime_ns, b""


def default_folder(scenario: Path) -> Path:
    """Return the folder of a scenario's results where the user names none."""
    return scenario.parent / "out" / scenario.stem


class StoredRuns:
    """A campaign's folder, if there is one, as it was read: `held` has status and attempt of each run."""

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
        return read(self.folder, query) if holds_campaign(self.folder) else None
