"""The table of a campaign's database with one row for each run: its columns, values and checksums."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
import sqlite3
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from tmt.campaign.columns import COLUMNS, RECORDS, arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tmt.campaign.columns import Row
    from tmt.spec.settings import Value

RUNS = "runs"
PLAIN_RUNS = re.compile(
    r"CREATE TABLE runs \(sequence INTEGER PRIMARY KEY AUTOINCREMENT"
    r"(,\s+(\w+ (TEXT|INTEGER|REAL|BOOLEAN)|UNIQUE \(key\)))+\)"
)
"""Statement that makes the table of runs: plain columns in any order, to allow those of other versions."""

CHECKSUM = "checksum"
"""Column of the hash of a row, because SQLite does not notice a changed number."""

SQL_TYPES = {"text": "TEXT", "integer": "INTEGER", "number": "REAL", "flag": "BOOLEAN"}
NUMBERS = {column.name for column in COLUMNS if column.kind == "number"}

CREATE = f"""
CREATE TABLE runs (sequence INTEGER PRIMARY KEY AUTOINCREMENT,
{", ".join(f"{column.name} {SQL_TYPES[column.kind]}" for column in COLUMNS)},
{CHECKSUM} TEXT, UNIQUE (key));
"""

ROWS_PER_BATCH = 1000

RECORDS_NAME = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}")
"""Names of folders of packet records: a run's key, and a number of the attempt."""


def new_records(key: str) -> str:
    """Return a place for the packet records of a run, as its row names it; each attempt has another."""
    return f"{RECORDS}/{key}-{secrets.token_hex(8)}"


def waiting(scratch: Path, records: Value) -> Path:
    """Return the place in a scratch folder where packet records wait until their row is stored."""
    return scratch / PurePath(str(records)).name


class Held(NamedTuple):
    """What the store holds of a run: how it ended, in which attempt, and its folder of packet records."""

    status: str
    attempt: int
    records: str | None


NOTHING_HELD = Held("", 0, None)


def runs_table(connection: sqlite3.Connection) -> pa.Table:
    """Return the rows of all runs; see `read_runs`."""
    schema = arrow_schema()
    batches = []
    for names, rows in _rows_in_batches(connection):
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        absent = (None,) * len(rows)
        arrays = [_array(columns.get(field.name, absent), field.type) for field in schema]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema=schema).combine_chunks()


def held_runs(connection: sqlite3.Connection, after: int) -> list[tuple[int, str, Held]]:
    """Return sequence number, key and stored state of the runs after a sequence number."""
    return [of for names, rows in _rows_in_batches(connection, after) for of in _held(names, rows)]


def _held(names: list[str], rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, str, Held]]:
    places = [names.index(name) for name in ("sequence", "key", "status", "attempt", RECORDS)]
    for sequence, key, *held in map(itemgetter(*places), rows):
        yield sequence, key, Held(*held)


def drop_damaged(connection: sqlite3.Connection) -> list[tuple[int, str, Held]]:
    """Delete the rows whose checksums are wrong; return the state of the others."""
    names, rows = _all_rows(connection)
    damaged = {row[0] for row in _damaged(names, rows)}
    connection.executemany("DELETE FROM runs WHERE sequence = ?", ((number,) for number in damaged))
    return [held for held in _held(names, rows) if held[0] not in damaged]


def _all_rows(connection: sqlite3.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of all columns, and all rows, including damaged ones."""
    cursor = connection.execute("SELECT * FROM runs ORDER BY sequence")
    return [name for name, *_ in cursor.description], cursor.fetchall()


def _rows_in_batches(
    connection: sqlite3.Connection, after: int = 0
) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """Yield names of columns and rows in the order of their numbers (DatabaseError at a damaged one)."""
    cursor = connection.execute("SELECT * FROM runs WHERE sequence > ? ORDER BY sequence", (after,))
    names = [name for name, *_ in cursor.description]
    while rows := cursor.fetchmany(ROWS_PER_BATCH):
        for row in _damaged(names, rows):
            key = row[names.index("key")]
            raise sqlite3.DatabaseError(f"the row of run {key} has changed; `tmt run` does it again")
        yield names, rows


def _damaged(names: list[str], rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows whose checksums are wrong; none in a file without that column."""
    if CHECKSUM in names:
        own, heads = names.index(CHECKSUM), heads_of(names)
        yield from (row for row in rows if row[own] != checksum(heads, row))


def heads_of(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return the columns, sorted by name, each with its index, as `checksum` writes them."""
    places = sorted((name, place) for place, name in enumerate(names) if name not in ("sequence", CHECKSUM))
    return [(f"({name!r}, ", place) for name, place in places]


def checksum(heads: Sequence[tuple[str, int]], row: Sequence[object]) -> str:
    """Return a hash of a row's values, which does not change when columns without a value are added.

    The text is that of a sorted list of names and values: ``[('attempt', 1), ...]``.
    """
    pairs = [f"{head}{row[place]!r})" for head, place in heads if row[place] is not None]
    return hashlib.sha256(f"[{', '.join(pairs)}]".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _array(values: tuple[object, ...], kind: pa.DataType) -> pa.Array:
    if values[0] is None and values.count(None) == len(values):
        return pa.nulls(len(values), kind)  # half of the columns: an array of values takes longer
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        found = pa.array(values)  # the inferred type: `kind` would cut fractions
        if found.type != pa.int64():
            raise ValueError("a column of whole numbers or flags holds others")
        return found.cast(kind)  # SQLite has no truth values
    return pa.array(values, kind)


def as_stored(row: Row) -> Row:
    """Return a run's values in the form of the table, with their checksum."""
    values = {name: _as_stored(name, value) for name, value in row.items()}
    return values | {CHECKSUM: checksum(heads_of(list(values)), list(values.values()))}


def _as_stored(name: str, value: Value) -> Value:
    """Return a value as SQLite returns it: NaN becomes no value, a number is a float, and text is UTF-8."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if value is None:
        return None
    return float(value) + 0.0 if name in NUMBERS else int(value)  # SQLite knows no -0.0


def add_columns(connection: sqlite3.Connection) -> None:
    """Add the columns that the table of an older campaign lacks."""
    known = {name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")}
    for column in COLUMNS:
        if column.name not in known:
            connection.execute(f"ALTER TABLE runs ADD COLUMN {column.name} {SQL_TYPES[column.kind]}")
    if CHECKSUM not in known:
        connection.execute(f"ALTER TABLE runs ADD COLUMN {CHECKSUM} TEXT")
        names, rows = _all_rows(connection)
        heads = heads_of(names)
        sums = [(checksum(heads, row), row[0]) for row in rows]
        connection.executemany(f"UPDATE runs SET {CHECKSUM} = ? WHERE sequence = ?", sums)
