"""A campaign's folder, open for an engine that claims runs and keeps their rows.

An engine holds a lock in its scratch folder. The system drops the lock when the engine dies, for whatever
reason. A claim is valid while the lock of its engine is held.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tmt.campaign import database
from tmt.campaign.columns import DONE, RECORDS
from tmt.campaign.database import DATABASE, NEW, RESULTS, StoredRuns, holds_campaign
from tmt.campaign.opening import PATIENCE_S, connected, make_database, prepare
from tmt.campaign.rows import RECORDS_NAME, as_stored, drop_damaged, runs_table, waiting
from tmt.campaign.system import System, check_locks
from tmt.core.errors import OutputError, TmtError, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.campaign.columns import Row
    from tmt.campaign.database import Result


LEAST_FREE_BYTES = 1 << 20
"""With less free space on the disk no run is stored."""

LATE = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM claims WHERE key = :key AND engine != :engine)
OR EXISTS (SELECT 1 FROM runs WHERE key = :key AND attempt >= :attempt)
"""
REPLACED = f"DELETE FROM runs WHERE key = :key AND (:status = '{DONE}' OR status != '{DONE}')"


class Store(StoredRuns):
    """A campaign's folder that is open for an engine; it is created if missing, and `close` releases it.

    `held` has this engine's runs at once, those of others after `look`. `scratch` is this engine's own folder
    for unfinished files. A simulation passes another `system`.

    InputError when the folder holds other things, a damaged database, or has too long a path. OutputError
    when it cannot be written, its locks do not work, or an engine of another machine is running.
    """

    def __init__(self, folder: str | os.PathLike[str], system: System | None = None) -> None:
        super().__init__(folder)
        self._system = system or System()
        self._path = self.folder / DATABASE
        prepare(self.folder)
        check_locks(self.folder / "scratch")
        self.engine = f"{os.getpid()}-{secrets.token_hex(8)}"
        self.scratch = self.folder / "scratch" / self.engine
        with self._reported():
            if not holds_campaign(self.folder):
                make_database(self.folder, self._system)
            self._connection = connected(self._path, self._system)
        try:
            with self._transaction():
                self._sweep()
                self._sweep_runs()
                self.scratch.mkdir()
                self._life = self._system.hold(_life_file(self.scratch))
                values = self.engine, *self._system.machine()
                self._connection.execute("INSERT INTO engines VALUES (?, ?, ?)", values)
        except BaseException:
            self._connection.close()
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    def claim(self, key: str) -> bool:
        """Claim a run for this engine; False when another living engine is executing it."""
        with self._reported():
            while True:
                insert = "INSERT INTO claims VALUES (?, ?) ON CONFLICT DO NOTHING"
                if self._connection.execute(insert, (key, self.engine)).rowcount:
                    return True
                owner = self._connection.execute("SELECT engine FROM claims WHERE key = ?", (key,)).fetchone()
                if owner is None:
                    continue
                if owner[0] == self.engine or self._is_alive(owner[0]):
                    return bool(owner[0] == self.engine)
                self._connection.execute("DELETE FROM claims WHERE engine = ?", owner)

    def release(self, key: str) -> None:
        """Release a claimed run."""
        with self._reported():
            self._connection.execute("DELETE FROM claims WHERE key = ? AND engine = ?", (key, self.engine))

    def append(self, *rows: Row) -> int:
        """Store finished runs, release their claims, and return how many rows were accepted.

        A row is late, and is dropped, if another engine holds its claim, or the store has a row of the same
        attempt or a later one. Otherwise it replaces the row of an earlier attempt, unless only that one is
        done. Its packet records are moved from the scratch folder together with it. OutputError when they
        cannot be written; earlier rows are safe.
        """
        accepted = 0
        with self._transaction():
            for row in rows:
                values = as_stored(row)
                asked = values | {"engine": self.engine}
                if self._connection.execute(LATE, asked).fetchone():
                    continue
                accepted += 1
                self._connection.execute(REPLACED, asked)
                places = ", ".join(f":{name}" for name in values)
                self._connection.execute(
                    f"INSERT INTO runs ({', '.join(values)}) VALUES ({places}) ON CONFLICT DO NOTHING", values
                )
                if records := row.get(RECORDS):
                    waiting(self.scratch, records).rename(self.folder / str(records))
                self._connection.execute("DELETE FROM claims WHERE key = :key", asked)
        self.look()
        return accepted

    def has_room(self) -> bool:
        """Whether the disk has room for records; otherwise they may be cut short."""
        return self._system.free_bytes(self.folder) >= LEAST_FREE_BYTES

    def remove_scratch(self, key: str) -> None:
        """Remove the unfinished files of a run whose worker has died."""
        for folder in self.scratch.glob(f"{key}-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def keep(self, path: Path, name: str) -> None:
        """Keep a copy of a file of the scenario beside the results, under `name`."""
        staged = self.scratch / name
        try:
            shutil.copyfile(path, staged)
            staged.replace(self.folder / name)
        except OSError as error:
            raise OutputError(f"{self.folder / name}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Update `results.parquet` and release the folder (OutputError when there is no room)."""
        try:
            with self._transaction():
                self._export()
                self._connection.execute("DELETE FROM claims WHERE engine = ?", (self.engine,))
                self._connection.execute("DELETE FROM engines WHERE engine = ?", (self.engine,))
        finally:
            self._life.close()  # some file systems keep a file that is removed while it is open
            shutil.rmtree(self.scratch, ignore_errors=True)
            with suppress(sqlite3.Error):
                self._connection.close()

    def _read(self, query: Callable[[sqlite3.Connection], Result]) -> Result | None:
        with self._reported():
            return query(self._connection)

    def _export(self) -> None:
        """Write `results.parquet`, unless it already holds every row."""
        (last,) = self._connection.execute("SELECT coalesce(max(sequence), 0) FROM runs").fetchone()
        (exported,) = self._connection.execute("SELECT coalesce(max(sequence), 0) FROM exports").fetchone()
        if last == exported and (self.results_file.exists() or not last):
            return
        staged = self.scratch / RESULTS
        try:
            with staged.open("wb") as file:  # buffered: pyarrow writes a few bytes at a time
                pq.write_table(runs_table(self._connection), file)
                file.flush()
                os.fsync(file.fileno())
            staged.replace(self.results_file)
        except OSError as error:
            raise OutputError(f"{self.results_file}: cannot be written: {reason_of(error)}") from error
        self._connection.execute("DELETE FROM exports")
        self._connection.execute("INSERT INTO exports VALUES (?)", (last,))

    def _sweep(self) -> None:
        """Forget dead engines, remove their scratch folders, and refuse to join another machine's engine."""
        boot = self._system.machine()[1]
        for engine, machine, its_boot in self._connection.execute("SELECT * FROM engines").fetchall():
            if self._is_alive(engine):
                if its_boot != boot:
                    raise OutputError(
                        f"{self.folder}: an engine of another machine ({machine}) is at work here; two "
                        "machines cannot share a folder (use --scheduler)"
                    )
                continue
            self._connection.execute("DELETE FROM claims WHERE engine = ?", (engine,))
            self._connection.execute("DELETE FROM engines WHERE engine = ?", (engine,))
        for entry in os.scandir(self.folder / "scratch"):
            # `is_dir` and `rmtree` do not follow symbolic links.
            is_engine = re.fullmatch(r"\d+-[0-9a-f]{16}", entry.name) and entry.is_dir(follow_symlinks=False)
            if is_engine and not self._is_alive(entry.name):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name.startswith(NEW) and entry.is_file(follow_symlinks=False):
                # Left by an engine that was killed while it created a database.
                Path(entry.path).unlink(missing_ok=True)

    def _sweep_runs(self) -> None:
        """Forget rows that have changed on the disk, and packet records without a row.

        Records are moved within the transaction that stores their row, so those of an engine that died in it
        have no row.
        """
        self._note(drop_damaged(self._connection))
        kept = {held.records for held in self.held.values()}
        for entry in os.scandir(self.folder / RECORDS):
            is_ours = RECORDS_NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            if is_ours and f"{RECORDS}/{entry.name}" not in kept:
                shutil.rmtree(entry.path, ignore_errors=True)

    def _is_alive(self, engine: str) -> bool:
        return engine == self.engine or self._system.is_held(_life_file(self.folder / "scratch" / engine))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Execute all or nothing of a block, one engine at a time."""
        with self._reported():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                reason = f"another engine has kept it locked for {PATIENCE_S} s; it is stopped or slow"
                raise OutputError(f"{self._path}: {reason}") from error
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CORRUPT:
                raise database.damaged(self._path, error) from error
            raise OutputError(f"{self._path}: cannot be written: {error}") from error
        except (sqlite3.Error, pa.ArrowException) as error:
            raise database.damaged(self._path, error) from error
        except TmtError:
            raise
        except OSError as error:
            raise OutputError(f"{error.filename or self.folder}: cannot be used: {error.strerror}") from error


def _life_file(scratch: Path) -> Path:
    return scratch / "alive"
