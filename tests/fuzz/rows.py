"""Campaigns and packs of copies of one run, each copy with one changed cell.

An input of these readers that is neither a database nor an archive consists of cells, ``column=value``, with
`SEPARATOR` between them. A single cell is stored as it is, whatever its column's type. Each of several cells
gets a run of its own, and a value of its column's type: a row that is refused hides the others.
"""

import hashlib
import io
import json
import random
import sqlite3
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.inputs import changed
from tmt.campaign.columns import DONE, arrow_schema
from tmt.results.reading import REQUIRED

CORPUS = Path(__file__).with_name("corpus")
SEPARATOR = b"\x1e"

UNVARIED = ("key", "script", "records")
"""Columns that a run among others keeps: keys are unique, one script makes all rows those of a script, and
few texts are a folder of records."""

FEW_COLUMNS = ("status", "scheme", "tcp", "trace", "seed", "scheme_parameters", "loop", "goodput_bps")
"""Columns of small files of results: a reader takes the others for null."""

WHOLE_NUMBERS: tuple[float, ...] = (0, -1, 2, 1 << 31, (1 << 63) - 1, -(1 << 63))
NUMBERS = (0.0, -0.0, -1.5, 5e-324, 1e308, float("inf"), float("-inf"))
"""Values of a cell whose text is not a number."""

COLUMNS_TOGETHER = 8
"""Number of columns in which the cells of one input are: few columns are read fast."""

Cell = tuple[str, bytes]


def cells(content: bytes) -> list[Cell]:
    """Return the cells of an input; a name that no column has stands for any column."""
    names, found = list(_run()), []
    for one in content.split(SEPARATOR):
        name, _, value = one.partition(b"=")
        column = name.decode(errors="replace")
        found.append((column if column in names else names[zlib.crc32(name) % len(names)], value))
    return found


def changed_cells(count: int, draw: random.Random) -> bytes:
    """Return an input of `count` cells in some columns, each with a changed value of the corpus's run."""
    known = {name: b"" if value is None else str(value).encode() for name, value in _run().items()}
    values, parts = list(known.values()), []
    columns = draw.sample(list(known), COLUMNS_TOGETHER)
    for column in draw.choices(columns, k=count):
        value = changed(known[column], draw.choice(values), draw)
        parts.append(column.encode() + b"=" + value.replace(SEPARATOR, b""))
    return SEPARATOR.join(parts)


def campaign_of(changes: Sequence[Cell]) -> bytes:
    """Return the database of a campaign whose runs have these cells."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(_database())
        if len(changes) == 1:
            ((column, value),) = changes
            connection.execute(f"UPDATE runs SET {column} = CAST(? AS TEXT)", (value,))
        else:
            rows = _rows(changes)
            connection.execute("DELETE FROM runs")
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(
                f"INSERT INTO runs ({', '.join(rows[0])}) VALUES ({places})",
                [tuple(row.values()) for row in rows],
            )
        connection.commit()
        return connection.serialize()


def results_of(changes: Sequence[Cell]) -> bytes:
    """Return a file of results whose runs have these cells; a single text may be no UTF-8."""
    if len(changes) > 1:
        table = pa.Table.from_pylist(_rows(changes), _schema())
    else:
        ((column, value),) = changes
        table = pa.Table.from_pylist([_run() | {column: _fitting(column, value)}], _schema())
        if (field := _schema().field(column)).type == pa.string():
            text = pa.array([value], pa.binary()).view(pa.string())
            table = table.set_column(table.column_names.index(column), field, text)
    changed_ones = (column for column, _ in changes)
    return _parquet(table.select(list(dict.fromkeys((*FEW_COLUMNS, *changed_ones)))))


def pack_with(name: str, content: bytes) -> bytes:
    """Return the corpus's pack with another `pack.json`, or other results that its `pack.json` lists."""
    files = dict(_pack())
    files[name] = content
    if name != "pack.json":
        manifest = json.loads(files["pack.json"])
        manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        files["pack.json"] = json.dumps(manifest).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for one, held in files.items():
            archive.writestr(one, held)
    return file.getvalue()


def parts_of_the_pack() -> list[bytes]:
    """Return the parts that `pack_with` replaces: `pack.json`, and results with all columns and with few."""
    few = pa.Table.from_pylist([_run()], _schema()).select(list(FEW_COLUMNS))
    return [_pack()["pack.json"], _pack()["results.parquet"], _parquet(few)]


def _parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, write_statistics=False)
    return file.getvalue()


@cache
def _schema() -> pa.Schema:
    return arrow_schema()


@cache
def _pack() -> dict[str, bytes]:
    with zipfile.ZipFile(CORPUS / "pack" / "one-run") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def _database() -> bytes:
    """Return the corpus's database; its header asks for no write-ahead log, which none in memory can have."""
    content = bytearray((CORPUS / "campaign" / "one-run.sqlite").read_bytes())
    content[18:20] = b"\1\1"
    return bytes(content)


@cache
def _run() -> dict[str, Any]:
    schema = _schema()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(_database())
        found = connection.execute("SELECT * FROM runs")
        row = dict(zip((name for name, *_ in found.description), next(found), strict=True))
    # SQLite knows no truth values. A column that the run's format lacked is null in what is read.
    return {
        field.name: bool(row[field.name]) if pa.types.is_boolean(field.type) else row[field.name]
        for field in schema
        if field.name in row
    }


def _rows(changes: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return a run for each cell. Two runs share a seed, so that what differs between them may be an axis."""
    found = []
    for number, (column, value) in enumerate(changes):
        row = _run() | {"key": f"{number:032x}", "seed": number // 2}
        if column not in UNVARIED:
            row[column] = _fitting(column, value)
        found.append(row)
    return found


def _fitting(column: str, content: bytes) -> Any:
    """Return a value of the column's type, which no reader refuses for its own sake."""
    kind, text, any_number = (
        _schema().field(column).type,
        content.decode(errors="replace"),
        zlib.crc32(content),
    )
    if column in {"scheme_parameters", "trace_parameters"}:
        return _json_object(text)
    if not content and column not in REQUIRED:
        return None
    if pa.types.is_string(kind):
        return DONE if column == "status" and any_number % 4 else text
    if pa.types.is_boolean(kind):
        return bool(any_number % 2)
    return _number(text, any_number, is_whole=pa.types.is_integer(kind))


def _number(text: str, any_number: int, *, is_whole: bool) -> float:
    """Return the number that a text holds, or another one of its kind."""
    with suppress(ValueError):
        if not is_whole:
            return float(text)
        if -(1 << 63) <= (whole := int(text)) < 1 << 63:
            return whole
    others = WHOLE_NUMBERS if is_whole else NUMBERS
    return others[any_number % len(others)]


def _json_object(text: str) -> str:
    with suppress(ValueError, RecursionError):
        if isinstance(json.loads(text), dict):
            return text
    return json.dumps({text[:8]: text[8:]})
