"""A campaign's folder made ready for an engine: its folders and its database, created, checked and opened."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from tmt.campaign.columns import RECORDS
from tmt.campaign.database import (
    APPLICATION_ID,
    DATABASE,
    NEW,
    NEW_BYTES,
    PARTS,
    check_log,
    check_schema,
    holds_campaign,
)
from tmt.campaign.rows import CREATE, add_columns
from tmt.campaign.system import publish
from tmt.core.errors import InputError, OutputError, TmtError
from tmt.core.schema import FORMAT_VERSION
from tmt.io.atomic import make_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.system import System

FOLDERS = ("cache", RECORDS, "scratch")

PATIENCE_S = 60
"""Longest wait for another engine that is writing; a write takes milliseconds."""
LOG_PAGES = 8192
"""Length of the write-ahead log, in pages of 4 KiB, at which SQLite copies it into the database."""

JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")

SCHEMA = f"""{CREATE}
CREATE TABLE claims (key TEXT PRIMARY KEY, engine TEXT NOT NULL);
CREATE TABLE engines (engine TEXT PRIMARY KEY, machine TEXT NOT NULL, boot TEXT NOT NULL);
CREATE TABLE exports (sequence INTEGER NOT NULL);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT_VERSION};
"""


def prepare(folder: Path) -> None:
    """Create the folder, or check that it is a campaign's."""
    make_folder(folder)
    try:
        if not holds_campaign(folder):
            foreign = [path.name for path in folder.iterdir() if path.name not in (*FOLDERS, PARTS)]
            # Another engine may have just created the database.
            if foreign and not holds_campaign(folder):
                raise InputError(
                    folder, f"holds {foreign[0]} and no campaign; name a folder that is new or empty"
                )
        for name in FOLDERS:
            with suppress(FileExistsError):
                (folder / name).mkdir()
            if not stat.S_ISDIR((folder / name).lstat().st_mode):
                raise InputError(folder / name, "is a link or a file where a folder belongs")
    except OSError as error:
        if isinstance(error, TmtError):
            raise
        raise OutputError(f"{folder}: cannot be used: {error.strerror}") from error


def make_database(folder: Path, system: System) -> None:
    """Create the campaign's database, which appears whole, unless another engine has just created it.

    That engine removes unfinished databases, including this one, so an error here is ignored.
    """
    staged = folder / "scratch" / f"{NEW}{secrets.token_hex(NEW_BYTES)}"
    try:
        with closing(system.connect(staged)) as connection:
            connection.executescript(SCHEMA)
        publish(staged, folder / DATABASE)
    except (sqlite3.Error, FileExistsError, FileNotFoundError):
        if not holds_campaign(folder):
            raise
    finally:
        staged.unlink(missing_ok=True)


def connected(path: Path, system: System) -> sqlite3.Connection:
    """Open the campaign's database for writing, and add columns that it lacks."""
    check_log(path)
    _check_journal(path)
    connection = system.connect(path)
    connection.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE_S}")
    check_schema(connection, path)
    if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
        raise OutputError(f"{path}: this file system cannot hold a database that two engines write")
    # A kill loses nothing. A power cut may lose the last rows, but never harms earlier ones.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    connection.execute("BEGIN IMMEDIATE")
    add_columns(connection)
    connection.execute("COMMIT")
    return connection


def _check_journal(path: Path) -> None:
    """Refuse a database whose journal names a file that SQLite would remove with it (InputError).

    Only a transaction over several databases writes such a name, with `JOURNAL_MAGIC` after it: not TMT.
    """
    journal = path.with_name(f"{path.name}-journal")
    if not journal.is_file():
        return
    with suppress(FileNotFoundError), journal.open("rb") as file:  # another engine may have removed it
        file.seek(-min(file.seek(0, os.SEEK_END), len(JOURNAL_MAGIC)), os.SEEK_END)
        if file.read() == JOURNAL_MAGIC:
            raise InputError(journal, "names another file, which SQLite would remove; it is not ours")
