"""Modes of DVB in a log: names such as ``8PSK 3/4`` or numbers of MODCODs, and the bytes of their frames."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tmt.core.modes import Adaptation

if TYPE_CHECKING:
    from tmt.core.trace import Metadata

TABLES = ("dvb-s2", "dvb-s2x")

MODCODS = 28
"""MODCODs of DVB-S2 are numbered from 1 (EN 302 307-1, table 12), in the order of the first rows of both
tables.
"""

_NAME = re.compile(r"(\d*a?psk|qpsk)[\W_]*(\d+/\d+)[\W_]*(l?)(?![a-z])", re.IGNORECASE)


class _Name(NamedTuple):
    modulation: str
    rate: str
    is_linear: bool


def name_in(text: str) -> _Name | None:
    """Return the modulation and the code rate in a text such as ``16APSK-2/3``; None without them."""
    found = _NAME.search(text)
    return None if found is None else _Name(found[1].lower(), found[2], bool(found[3]))


class DvbModes:
    """A table of normal frames, of 64,800 code bits.

    Attributes
    ----------
    size_bytes : bytes of IP packets, in GSE, in a frame of each mode
    row : the function `_row`, which remembers its answers
    """

    def __init__(self, table: str) -> None:
        self._adaptation = Adaptation(table, symbol_rate=1_000_000)  # sizes do not depend on the rate
        self.size_bytes: list[int] = self._adaptation.size_bytes.tolist()
        names = map(name_in, self._adaptation.table.names)
        self._rows = {name: row for row, name in enumerate(names) if name is not None}
        self.row = lru_cache(4096)(self._row)

    def _row(self, text: str) -> int | None:
        """Return the row of the table for a mode's name or a MODCOD's number; None for others."""
        if text.isascii() and text.isdigit():
            return int(text) - 1 if 1 <= int(text) <= MODCODS else None
        name = name_in(text)
        return None if name is None else self._rows.get(name)

    @cached_property
    def metadata(self) -> Metadata:
        """The table, as a trace's metadata hold it."""
        keys = ("table", "target", "names", "efficiency", "half_db", "width_db", "size_bytes", "symbols")
        said = self._adaptation.describe()
        return {key: said[key] for key in keys}


@lru_cache
def dvb_modes(table: str) -> DvbModes:
    """Return a built-in table."""
    return DvbModes(table)
