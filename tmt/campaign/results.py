"""The results of a campaign as a table: one row a run, of which the best known one is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tmt.campaign.columns import DONE, arrow_schema
from tmt.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tmt.campaign.journal import Row


def rank(status: str, attempt: int) -> tuple[bool, int]:
    """Return what orders the rows of one run: one that is done beats all others, then the later attempt."""
    return status == DONE, attempt


def read(path: Path, columns: list[str] | None = None) -> pa.Table | None:
    """Return the results in a file, in today's types, or None where there is none yet.

    Raises
    ------
    InputError
        When the file is damaged.
    """
    if not path.exists():
        return None
    try:
        table = pq.read_table(path, columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise InputError(path, f"is damaged: {str(error).splitlines()[0]}") from error
    types = {field.name: field.type for field in arrow_schema()}
    for place, field in enumerate(table.schema):
        if field.type == types.get(field.name, field.type):
            continue
        try:
            table = table.set_column(place, field.name, table[field.name].cast(types[field.name]))
        except pa.ArrowException as error:
            reason = f"is damaged: column {field.name} holds {field.type}, not {types[field.name]}"
            raise InputError(path, reason) from error
    return table


def ranks(table: pa.Table) -> Iterator[tuple[str, str, int]]:
    """Give key, status and attempt of each row."""
    names = ("key", "status", "attempt")
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def merged(kept: pa.Table | None, rows: Iterable[Row]) -> pa.Table:
    """Return the rows of a table and others, each run once, with today's columns.

    A column that was not declared yet when `kept` was written has no values there.
    """
    schema = arrow_schema()
    best: dict[str, Row] = {}
    for row in rows:
        known = best.get(row["key"])
        if known is None or _rank(row) > _rank(known):
            best[row["key"]] = row
    if kept is None:
        return pa.Table.from_pylist(list(best.values()), schema=schema)
    outdated = []
    for key, status, attempt in ranks(kept):
        if key in best:
            if _rank(best[key]) > rank(status, attempt):
                outdated.append(key)
            else:
                del best[key]
    if outdated:
        kept = kept.filter(pc.invert(pc.is_in(kept["key"], pa.array(outdated, pa.string()))))
    columns = [
        kept[field.name] if field.name in kept.column_names else pa.nulls(len(kept), field.type)
        for field in schema
    ]
    fresh = pa.Table.from_pylist(list(best.values()), schema=schema)
    return pa.concat_tables([pa.Table.from_arrays(columns, schema=schema), fresh]).combine_chunks()


def _rank(row: dict[str, Any]) -> tuple[bool, int]:
    return rank(row["status"], row["attempt"])
