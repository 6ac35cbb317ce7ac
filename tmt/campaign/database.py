"""A campaign's folder and its database, one SQLite file with a row for each run, for readers.

    campaign.sqlite    rows of all runs, engines at work, and their claims
    results.parquet    the same rows, written when an engine ends
    scenario.toml      copy of the scenario that was run last
    published.csv      copy of the published values that it names
    cache/             link traces and their facts; they can be made again
    records/           packet records of the runs that asked for them, by run key
    scratch/           one folder per engine for unfinished files
    parts/             folders of the campaign's parts, which are such folders themselves

`tmt.campaign.store` opens the folder for an engine; nothing here changes it. Reading (`read`, `read_runs`)
writes nothing into the folder and takes no lock there. It also works on a read-only folder and beside a
running engine. SQLite's own read-only mode does not: a reader of a database with a write-ahead log (WAL)
creates a file of shared memory beside it, and its locks can delay the engine. Therefore:

* Without a log nobody writes. The file is read in place as immutable, and read again if it has changed.
* With a log an engine is running, or was killed. Database and log are copied to a temporary folder. SQLite
  opens the copy as after a crash. The two copies are consistent if the log's header has not changed since.
  Until that header changes, engines only append to the log, and only copy pages of the log into the database.
  Therefore a later log completes an earlier copy of the database, even one made during such copying.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import pyarrow as pa

from tmt.campaign.columns import arrow_schema
from tmt.campaign.rows import PLAIN_RUNS, RUNS, Held, held_runs, runs_table
from tmt.core.errors import InputError, OutputError, first_line
from tmt.core.schema import FORMAT_VERSION
from tmt.core.words.refusals import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

DATABASE = "campaign.sqlite"
APPLICATION_ID = 0x746D7463
"""SQLite application ID of a campaign, "tmtc", in the file's header."""

RESULTS = "results.parquet"
SCENARIO = "scenario.toml"
PUBLISHED = "published.csv"
PARTS = "parts"

TABLES = {RUNS, "claims", "engines", "exports", "sqlite_sequence"}

MOST_TEXT_BYTES = 1 << 24
"""Upper bound on one text of a row, so that a damaged file cannot use up all memory."""
TRIES, PAUSE_S = 100, 0.05
"""Attempts at reading a database that changes meanwhile."""

LOG_HEADER_BYTES = 32

MOST_PATH_BYTES = 504
"""Longest path of a database, without links, that SQLite opens: 512 bytes with the ending of its journal."""

NEW = "new-"
"""Prefix of the names of unfinished databases; `NEW_BYTES` random bytes in hexadecimal follow."""
NEW_BYTES = 8

Result = TypeVar("Result")


def holds_campaign(folder: Path) -> bool:
    """Whether a folder holds a campaign."""
    return (folder / DATABASE).is_file()


def read_runs(folder: Path) -> pa.Table:
    """Return one row for each run of a campaign, in the order in which runs finished.

    The rows are a consistent snapshot. The columns are those of `tmt.campaign.columns.arrow_schema`; one that
    an older campaign lacks is null. InputError when the folder holds no campaign, or its database is damaged
    or of a later version; OutputError when there is no room for a copy in the folder of temporary files.
    """
    return read(folder, runs_table)


def read(folder: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    """Return the result of `query` on a snapshot of a campaign's database; see `read_runs`."""
    path = folder / DATABASE
    if not holds_campaign(folder):
        written = "a folder that `tmt run` has written, for a pack with `tmt run PACK`"
        raise InputError(folder, f"holds no campaign (no {DATABASE}); name {written}")
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


def frame(rows: pa.Table) -> pd.DataFrame:
    """Return rows of runs as a data frame, without Arrow's threads: Arrow aborts if one is refused."""
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
    # A trigger, a view, a computed column or a check in a stranger's file could change rows, or run for ever.
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        is_ours = name in TABLES if kind == "table" else kind == "index" and sql is None
        if not is_ours or (name == RUNS and not PLAIN_RUNS.fullmatch(sql)):
            raise InputError(path, f"is damaged: it holds the {shown(kind)} {shown(name)}, which is not ours")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (RUNS,)).fetchone():
        raise InputError(path, f"is damaged: it holds no table {RUNS}")


def check_log(path: Path) -> None:
    """Refuse a database whose log is not a file, so that nobody waits for a pipe (InputError)."""
    log = _log(path)
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(log.lstat().st_mode):
            raise InputError(log, "is a link or a device where a file belongs")


def damaged(path: Path, error: Exception) -> InputError:
    """Return the error for a database that cannot be read."""
    return InputError(path, f"is damaged: {first_line(error)}")


def check_depth(folder: Path, name: str) -> None:
    """Refuse a folder in which the path of the database `name` is too long for SQLite (InputError)."""
    length, most = len(os.fsencode(os.path.realpath(folder))), MOST_PATH_BYTES - len(f"/{name}")
    if length > most:
        raise InputError(
            folder, f"its path has {length} bytes; SQLite, which keeps the results, allows up to {most}"
        )


def connect(
    path: Path, options: str = "", factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    """Open a database (InputError: `check_depth`); `options` are those of SQLite's file names."""
    check_depth(path.parent, path.name)
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}{options}", uri=True, isolation_level=None, factory=factory
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_TEXT_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = _decoded
    return connection


def _decoded(text: bytes) -> str:
    """Return a text; damaged bytes then fail the row's checksum."""
    return text.decode("utf-8", "surrogateescape")


def _read_in_place(path: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    with closing(connect(path, "?mode=ro&immutable=1")) as connection:
        check_schema(connection, path)
        return query(connection)


def _read_copy(path: Path, query: Callable[[sqlite3.Connection], Result]) -> Result:
    try:
        with tempfile.TemporaryDirectory(prefix="tmt-read-") as folder:
            copy = Path(folder) / DATABASE
            # The database first: see the module's docstring.
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
    """Identify a version of a database; the last part is the header of its log, or empty."""
    try:
        status = path.stat()
        check_log(path)
        with suppress(FileNotFoundError), _log(path).open("rb") as log:
            if header := log.read(LOG_HEADER_BYTES):
                return status.st_ino, header
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return status.st_ino, status.st_size, status.st_mtime_ns, b""


def default_folder(scenario: Path) -> Path:
    """Return the default folder of a scenario's results."""
    return scenario.parent / "out" / scenario.stem


class StoredRuns:
    """A campaign's folder, if it exists, as last read: `held` has status and attempt of each run.

    InputError when an engine could not work in the folder, because its path is too long.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        check_depth(self.folder, f"scratch/{NEW}{'0' * 2 * NEW_BYTES}")
        self.results_file = self.folder / RESULTS
        self.cache = self.folder / "cache"
        self.held: dict[str, Held] = {}
        self.last_sequence = 0

    def look(self) -> None:
        """Bring `held` up to date."""
        after = self.last_sequence
        self._note(self._read(lambda connection: held_runs(connection, after)) or [])

    def _note(self, runs: list[tuple[int, str, Held]]) -> None:
        for sequence, key, held in runs:
            self.held[key] = held
            self.last_sequence = sequence

    def has_records(self, held: Held) -> bool:
        """Whether the packet records of a run exist."""
        return held.records is not None and (self.folder / held.records).is_dir()

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; the database's tables are those of `SCHEMA`."""
        return self._read(lambda connection: connection.execute(sql, values).fetchall()) or []

    def table(self) -> pa.Table:
        """Return one row for each run; see `tmt.campaign.columns.COLUMNS`."""
        found = self._read(runs_table)
        return arrow_schema().empty_table() if found is None else found

    def _read(self, query: Callable[[sqlite3.Connection], Result]) -> Result | None:
        return read(self.folder, query) if holds_campaign(self.folder) else None
