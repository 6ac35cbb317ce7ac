"""A campaign's folder: results, journals of what has just finished, link traces, and who is at work on what.

    campaign.json      says that the folder is ours
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
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tmt.campaign.columns import DONE, arrow_schema
from tmt.campaign.journal import JournalReader, JournalWriter, Row, is_live
from tmt.campaign.strays import kill_strays
from tmt.errors import InputError, OutputError
from tmt.schema import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "campaign.json"
RESULTS = "results.parquet"
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
    scratch
        This engine's own folder for what is being made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
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
        self.compact()
        self.refresh()

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
        version = _version(self.folder / RESULTS)
        if version != self._results_version:
            self._results_version = version
            self._load_held()

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
        """Move the rows of the journals that nobody else writes to into the results.

        Raises
        ------
        OutputError
            When the results cannot be written; the journals then stay as they are.
        """
        with _locked(self.folder):
            settled = [path for path in self._all_journals() if not is_live(path)]
            if any(path.stat().st_size for path in settled):
                staged = self.scratch / RESULTS
                try:
                    pq.write_table(self.table(settled), staged)
                    with staged.open("rb") as file:
                        os.fsync(file.fileno())
                    staged.replace(self.folder / RESULTS)
                except OSError as error:
                    raise OutputError(f"{self.folder / RESULTS}: cannot be written: {error}") from error
            for path in settled:
                path.unlink()
                self._readers.pop(path.name, None)

    def table(self, journals: list[Path] | None = None) -> pa.Table:
        """Return one row for each run of the results and the journals (all of them where none are named)."""
        schema = arrow_schema()
        rows: dict[str, Row] = {}
        for path in self._all_journals() if journals is None else journals:
            with suppress(FileNotFoundError):
                for row in JournalReader(path).new_rows():
                    if _supersedes(row, rows.get(row["key"])):
                        rows[row["key"]] = row
        fresh = pa.Table.from_pylist(list(rows.values()), schema=schema)
        kept = self._results(schema)
        if kept is None:
            return fresh
        if rows:
            ranks = {
                key: (status, attempt)
                for key, status, attempt in zip(
                    *(kept.column(name).to_pylist() for name in ("key", "status", "attempt")), strict=True
                )
                if key in rows
            }
            outdated = [
                key
                for key, (status, attempt) in ranks.items()
                if _supersedes(rows[key], {"status": status, "attempt": attempt})
            ]
            drop = set(ranks) - set(outdated)
            fresh = fresh.filter(pc.invert(pc.is_in(fresh["key"], pa.array(sorted(drop), pa.string()))))
            kept = kept.filter(pc.invert(pc.is_in(kept["key"], pa.array(outdated, pa.string()))))
        return pa.concat_tables([kept, fresh]).combine_chunks()

    def close(self) -> None:
        """Bring the results up to date and let go of the folder (OutputError when there is no room)."""
        try:
            self._writer.close()
            self.compact()
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
            os.close(self._claims)

    def _new_journal(self, number: int) -> JournalWriter:
        self._journals = number
        return JournalWriter(self.folder / "journal" / f"{self.scratch.name}.{number}.jsonl")

    def _all_journals(self) -> list[Path]:
        return sorted((self.folder / "journal").glob("*.jsonl"))

    def _note(self, key: str, status: str, attempt: int) -> None:
        known = self.held.get(key)
        if known is None or (status == DONE, attempt) > (known[0] == DONE, known[1]):
            self.held[key] = (status, attempt)

    def _load_held(self) -> None:
        if self._results_version is None:
            return
        table = pq.read_table(self.folder / RESULTS, columns=["key", "status", "attempt"])
        for key, status, attempt in zip(*(column.to_pylist() for column in table.columns), strict=True):
            self._note(key, status, attempt)

    def _results(self, schema: pa.Schema) -> pa.Table | None:
        """Return the results as today's columns; those that were not declared yet have no values."""
        path = self.folder / RESULTS
        if not path.exists():
            return None
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(path, f"is damaged: {str(error).splitlines()[0]}") from error
        columns = [
            table.column(field.name).cast(field.type)
            if field.name in table.column_names
            else pa.nulls(len(table), field.type)
            for field in schema
        ]
        return pa.Table.from_arrays(columns, schema=schema)

    def _sweep(self) -> None:
        """Remove what dead engines have left in their scratch folders."""
        for folder in (self.folder / "scratch").iterdir():
            journals = (self.folder / "journal").glob(f"{folder.name}.*.jsonl")
            if folder.is_dir() and not any(is_live(path) for path in journals):
                kill_strays(folder)
                shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path) -> None:
    """Make the folder, or see that it is a campaign's."""
    mark = folder / MARK
    try:
        folder.mkdir(parents=True, exist_ok=True)
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
        version = json.loads(mark.read_text()).get("format_version", 0)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used: {error.strerror}") from error
    except ValueError as error:
        raise InputError(mark, f"is damaged: {error}") from error
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


def _supersedes(row: dict[str, Any], known: dict[str, Any] | None) -> bool:
    """Whether `row` is the one to keep of two rows of a run: one that is done, then the later attempt."""
    if known is None:
        return True
    return (row["status"] == DONE, row["attempt"]) > (known["status"] == DONE, known["attempt"])
