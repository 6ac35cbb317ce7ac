"""Tables of modes: modulation and code, efficiency, and the Es/N0 at which blocks are decoded."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import InputError, reason_of
from tmt.core.provenance import file_version, opened, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.trace import FloatArray, Int64Array

TABLES = Path(__file__).with_name("tables")
MOST_MODES = 256

USUAL_ERROR_RATE, USUAL_WIDTH_DB = 0.1, 0.2
"""Defaults of a table that does not state the error rate of its Es/N0, or the width of its error curves."""

BOUNDS = {
    "bits_per_symbol": (1.0, 16.0),
    "information_bits": (81.0, 64800.0),
    "efficiency": (1e-3, 16.0),
    "es_n0_db": (-100.0, 100.0),
    "error_rate": (1e-9, 0.5),
    "width_db": (1e-3, 20.0),
}
"""Columns of numbers, and the least and the greatest value of each."""

NEEDED = ("efficiency", "es_n0_db")


@dataclass(frozen=True, eq=False)
class ModeTable:
    """The modes of a table in its order, [n_modes] each.

    Attributes
    ----------
    name : the word that people type, or the path of the file
    names : modulation and code
    efficiency : information bits per symbol
    half_db : Es/N0 at which half of the blocks are decoded
    width_db : standard deviation of the Es/N0 that a block needs; the error rate is
        ``Phi((half_db - Es/N0) / width_db)``
    error_rate : of the Es/N0 that the table states
    bits_per_symbol, information_bits
        Of DVB frames: bits per symbol, and bits of the BCH code's block; None in other tables.
    """

    name: str
    names: tuple[str, ...]
    efficiency: FloatArray
    half_db: FloatArray
    width_db: FloatArray
    error_rate: FloatArray
    bits_per_symbol: Int64Array | None
    information_bits: Int64Array | None

    @property
    def has_frames(self) -> bool:
        """Whether its modes fill frames of a constant number of code bits, as in DVB."""
        return self.information_bits is not None and self.bits_per_symbol is not None

    @property
    def usual_target(self) -> float:
        """The error rate of the first mode's Es/N0."""
        return float(self.error_rate[0])

    def needed_db(self, target: float) -> FloatArray:
        """Return the Es/N0 from which each mode has at most this error rate: [n_modes]."""
        return self.half_db - self.width_db * _normal_quantile(target)

    def choices(self, target: float) -> Int64Array:
        """Return the useful modes, by increasing efficiency and need: no other mode gives more for less."""
        needed_db, found, best = self.needed_db(target), list[int](), -math.inf
        for mode in np.lexsort((-self.efficiency, needed_db)).tolist():
            if self.efficiency[mode] > best:
                best = float(self.efficiency[mode])
                found.append(mode)
        return np.array(found, np.int64)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The table's name, or the hash of its file."""
        return {"table": self.name} if self.name in shipped() else {"table": source(self.name)}


def _normal_quantile(probability: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415  (scipy takes long to import)

    return float(ndtri(probability))


@lru_cache
def shipped() -> tuple[str, ...]:
    """Return the names of the built-in tables."""
    return tuple(sorted(path.stem for path in TABLES.glob("*.csv")))


def read_table(name: str) -> ModeTable:
    """Return a built-in table by its name, or that of a CSV file.

    The file's header names the columns: `efficiency` and `es_n0_db`, perhaps `name`, `mode`, `error_rate`,
    `width_db`, `bits_per_symbol` and `information_bits`. Lines that begin with ``#`` are comments. InputError
    names the line of the fault.
    """
    path = str(TABLES / f"{name}.csv") if name in shipped() else name
    return _table_of(name, path, file_version(path))


@lru_cache(maxsize=64)
def _table_of(name: str, path: str, _version: object) -> ModeTable:
    rows = list(_rows(path))
    if not rows:
        raise InputError(path, "it holds no mode; a table has at least one row below its header")
    if len(rows) > MOST_MODES:
        raise InputError(path, f"it holds {len(rows)} modes; up to {MOST_MODES} are allowed")
    names = tuple(str(row.get("name") or f"mode {number}") for number, row in enumerate(rows))
    columns = {key: np.array([row[key] for row in rows]) for key in BOUNDS if key in rows[0]}
    error_rate = columns.get("error_rate", np.full(len(rows), USUAL_ERROR_RATE))
    width_db = columns.get("width_db", np.full(len(rows), USUAL_WIDTH_DB))
    from scipy.special import ndtri  # noqa: PLC0415  (scipy takes long to import)

    whole = {
        key: columns[key].astype(np.int64)
        for key in ("bits_per_symbol", "information_bits")
        if key in columns
    }
    return ModeTable(
        name,
        names,
        columns["efficiency"],
        columns["es_n0_db"] + width_db * ndtri(error_rate),
        width_db,
        error_rate,
        whole.get("bits_per_symbol"),
        whole.get("information_bits"),
    )


def _rows(path: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, with numbers converted."""
    try:
        with opened(path) as file:
            lines = file.read().decode("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise InputError(
            path, f"cannot be read: {reason_of(error)}; tables that come along: {', '.join(shipped())}"
        ) from error
    kept = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    if not kept:
        raise InputError(path, "the file is empty")
    header = [key.strip() for key in next(csv.reader([kept[0][1]]))]
    missing = [key for key in NEEDED if key not in header]
    if missing:
        known = ", ".join(("name", "mode", *BOUNDS))
        raise InputError(path, f"there is no column {missing[0]}; columns are {known}", kept[0][0])
    for row, (number, line) in enumerate(kept[1:]):
        fields = [field.strip() for field in next(csv.reader([line]))]
        if len(fields) != len(header):
            raise InputError(path, f"there are {len(fields)} fields; the header names {len(header)}", number)
        found: dict[str, Any] = dict(zip(header, fields, strict=True))
        if found.get("mode", str(row)) != str(row):
            reason = f"mode is {found['mode']!r}; modes are numbered from 0 in order, so that this is {row}"
            raise InputError(path, reason, number)
        yield found | {key: _number(path, number, key, found[key]) for key in BOUNDS if key in found}


def _number(path: str, line: int, key: str, text: str) -> float:
    least, most = BOUNDS[key]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise InputError(path, f"{key} is {text!r}; a number from {least:g} to {most:g} is needed", line)
    return value
