"""A campaign's folder: results, journals of what has just finished, link traces, and who is at work on what.

    campaign.json      says that the folder is ours
    scenario.toml      copy of the scenario that was run last
    published.csv      copy of the published values that it names
    results.parquet    one row a run, written anew and renamed
    journal/           rows not in the results yet: one file per engine, only appended to
    cache/             link traces by what they hold; they can be made again
    records/           packet records of the runs that asked for them, by run key
    scratch/           one folder per engine; those of dead engines are removed
    lock, claims       empty files that locks stand on

A run that is being executed is claimed by a lock that the system drops when its engine dies, however it dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from tmt.campaign import results
from tmt.campaign.journal import JournalReader, JournalWriter, Row, is_live
from tmt.campaign.strays import kill_strays
from tmt.errors import InputError, OutputError
from tmt.io.atomic import make_folder
from tmt.schema import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

MARK = "campaign.json"
RESULTS = "results.parquet"
SCENARIO = "scenario.toml"
PUBLISHED = "published.csv"
FOLDERS = ("journal", "cache", "records", "scratch")

JOURNAL_ROWS = 5000
"""Rows after which a journal moves into the results, so that no start has more to read from journals."""

Held = dict[str, tuple[str, int]]
"""Status and attempt of every run in the store, by key."""


class Store:
    """An open campaign folder; `close` lets go of it.

    Parameters
    ----------
    folder
        Made if need be; refused when it holds anything but a campaign.

    Attributes
    ----------
    held
        What the store knows of each run: its own engine's results at once, those of others after `refresh`.
    results_file, cache, records
        Where results, link traces and packet records lie.
    scratch
        This engine's own folder for what is being made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.results_file = self.folder / RESULTS
        self.cache, self.records = self.folder / "cache", self.folder / "records"
        self.held: Held = {}
        self._readers: dict[str, JournalReader] = {}
        self._results_version: tuple[int, int] | None = None
        _prepare(self.folder)
        self.scratch = self.folder / "scratch" / f"{os.getpid()}-{secrets.token_hex(4)}"
        with _locked(self.folder):
            self._sweep()
            self._writer = self._new_journal(1)
            self.scratch.mkdir()
        self._claims = os.open(self.folder / "claims", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self.compact()
            self.refresh()
        except BaseException:
            self._writer.close()
            self._writer.path.unlink()
            shutil.rmtree(self.scratch, ignore_errors=True)
            os.close(self._claims)
            raise

    def refresh(self) -> None:
        """Learn what other engines have finished since the last call."""
        # Journals first: one that is gone by now has moved into the results, which are looked at afterwards.
        for path in self._all_journals():
            if path == self._writer.path:
                continue
            reader = self._readers.setdefault(path.name, JournalReader(path))
            with suppress(FileNotFoundError):
                for row in reader.new_rows():
                    self._note(row["key"], row["status"], row["attempt"])
        version = _version(self.results_file)
        if version != self._results_version:
            self._results_version = version
            table = results.read(self.results_file, columns=["key", "status", "attempt"])
            for key, status, attempt in () if table is None else results.ranks(table):
                self._note(key, status, attempt)

    def claim(self, key: str) -> bool:
        """Claim a run for this engine; False when another engine is at work on it."""
        try:
            fcntl.lockf(self._claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except (BlockingIOError, PermissionError):
            return False
        return True

    def release(self, key: str) -> None:
        """Let others have a claimed run."""
        fcntl.lockf(self._claims, fcntl.LOCK_UN, 1, _place(key))

    def append(self, row: Row) -> None:
        """Keep a finished run (OutputError when there is no room for it)."""
        self._writer.append(row)
        self._note(row["key"], row["status"], row["attempt"])
        if self._writer.rows >= JOURNAL_ROWS:
            with _locked(self.folder):
                full, self._writer = self._writer, self._new_journal(self._journals + 1)
                full.close()
            self.compact()

    def compact(self) -> None:
        """Move the rows of the journals that nobody writes to into the results.

        Raises
        ------
        OutputError
            When the results cannot be written; the journals then stay as they are.
        """
        with _locked(self.folder):
            self._compact()

    def table(self) -> pa.Table:
        """Return one row for each run; see `tmt.campaign.columns.COLUMNS`."""
        # Journals first, for the same reason as in `refresh`.
        rows = self._rows_of(self._all_journals())
        return results.merged(results.read(self.results_file), rows)

    def keep(self, path: Path, name: str) -> None:
        """Keep a copy of a file of the scenario beside the results, under `name`."""
        staged = self.scratch / name
        try:
            shutil.copyfile(path, staged)
            staged.replace(self.folder / name)
        except OSError as error:
            raise OutputError(f"{self.folder / name}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Bring the results up to date and let go of the folder (OutputError when there is no room)."""
        try:
            # Under the lock, so that no engine that starts just now takes us for dead.
            with _locked(self.folder):
                self._writer.close()
                self._compact()
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
            os.close(self._claims)

    def _compact(self) -> None:
        settled = [path for path in self._all_journals() if not is_live(path)]
        if any(path.stat().st_size for path in settled):
            final, staged = self.results_file, self.scratch / RESULTS
            table = results.merged(results.read(final), self._rows_of(settled))
            try:
                pq.write_table(table, staged)
                with staged.open("rb") as file:
                    os.fsync(file.fileno())
                staged.replace(final)
            except OSError as error:
                raise OutputError(f"{final}: cannot be written: {os.strerror(error.errno or 0)}") from error
        for path in settled:
            path.unlink()
            self._readers.pop(path.name, None)

    def _rows_of(self, journals: list[Path]) -> list[Row]:
        rows: list[Row] = []
        for path in journals:
            with suppress(FileNotFoundError):
                rows.extend(JournalReader(path).new_rows())
        return rows

    def _new_journal(self, number: int) -> JournalWriter:
        self._journals = number
        return JournalWriter(self.folder / "journal" / f"{self.scratch.name}.{number}.jsonl")

    def _all_journals(self) -> list[Path]:
        return sorted((self.folder / "journal").glob("*.jsonl"))

    def _note(self, key: str, status: str, attempt: int) -> None:
        known = self.held.get(key)
        if known is None or results.rank(status, attempt) > results.rank(*known):
            self.held[key] = (status, attempt)

    def _sweep(self) -> None:
        """Remove what dead engines have left in their scratch folders."""
        for folder in (self.folder / "scratch").iterdir():
            ours = re.fullmatch(r"\d+-[0-9a-f]+", folder.name)
            journals = (self.folder / "journal").glob(f"{folder.name}.*.jsonl")
            if ours and not any(is_live(path) for path in journals):
                kill_strays(folder)
                shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path) -> None:
    """Make the folder, or see that it is a campaign's."""
    mark = folder / MARK
    make_folder(folder)
    try:
        if not mark.exists():
            foreign = [path.name for path in folder.iterdir() if path.name not in ("lock", *FOLDERS)]
            if foreign:
                raise InputError(
                    folder, f"holds {foreign[0]} and no campaign; name a folder that is new or empty"
                )
        for name in FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        if not mark.exists():
            staged = folder / "scratch" / f"{secrets.token_hex(4)}.json"
            staged.write_text(json.dumps({"kind": "campaign", "format_version": FORMAT_VERSION}) + "\n")
            staged.replace(mark)
        about = mark.read_text()
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used: {error.strerror}") from error
    try:
        version = int(json.loads(about)["format_version"])
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(mark, "is damaged: it does not tell its format_version") from error
    if version > FORMAT_VERSION:
        raise InputError(mark, f"is of format {version}; this program knows up to {FORMAT_VERSION}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: engines come, go and rewrite the results one after the other."""
    with (folder / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _version(path: Path) -> tuple[int, int] | None:
    """Tell versions of a file apart that are renamed into place."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def _place(key: str) -> int:
    """Return the byte that the lock of a run stands on."""
    return int(key[:15], 16)
