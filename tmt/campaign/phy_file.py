"""Facts about a PHY trace that take a reading of all its slots, such as their hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.extent import Extent
from tmt.core.provenance import digest
from tmt.core.schema import ES_N0_MDB, PHY_TRACE
from tmt.io import open_trace

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.core.schema import Packing
    from tmt.core.trace import Trace


class SlotsSeen:
    """The slots of a PHY trace that has been read in chunks: number, span, and hash if `is_hashed`.

    `extent` is stated by the trace's file; None if only the rows give it, and for generated slots.
    """

    def __init__(self, extent: Extent | None = None, *, is_hashed: bool = True) -> None:
        self.extent = extent
        self._is_hashed = is_hashed
        self._columns: dict[str, Any] = {}
        self._first_ns = self._last_ns = 0
        self.rows = 0

    def update(self, chunk: Trace) -> None:
        """Take the next slots."""
        if not self.rows:
            self._first_ns = int(chunk.tx_time_ns[0])
        self._last_ns = int(chunk.tx_time_ns[-1])
        self.rows += len(chunk)
        for column in chunk.columns if self._is_hashed else ():
            values = np.ascontiguousarray(getattr(chunk, column.name))
            self._columns.setdefault(column.name, hashlib.sha256()).update(values)

    @property
    def span_ns(self) -> int:
        """The trace's length, or else the time from the first slot to the last."""
        return self._last_ns - self._first_ns if self.extent is None else self.extent.length_ns

    def digest(self) -> str:
        """Return the hash of slots and extent, which does not depend on the format."""
        found: dict[str, object] = {name: column.hexdigest() for name, column in self._columns.items()}
        return digest(found if self.extent is None else found | self.extent.metadata)


@dataclass(frozen=True, slots=True)
class PhyFile:
    """Facts about a PHY trace: size and packing from its metadata, kinds, hash, number and span of slots."""

    lldu_bytes: int | None
    packing: Packing | None
    has_sizes: bool
    is_measured: bool
    has_es_n0: bool
    sha256: str
    rows: int
    span_ns: int
    has_extent: bool

    @property
    def says_sizes(self) -> bool:
        """Whether the trace gives the sizes of its LLDUs, one by one or for all."""
        return self.has_sizes or self.lldu_bytes is not None


@lru_cache
def facts_of(_place: Path, name: str, _version: object) -> PhyFile:
    """Return the facts about the PHY trace `name`, which is read once in each version (InputError)."""
    with open_trace(name, PHY_TRACE) as reader:
        said = reader.metadata
        slots = SlotsSeen(Extent.said(said))
        for chunk in reader:
            slots.update(chunk)
    return PhyFile(
        lldu_bytes=said.get("lldu_bytes"),
        packing=said.get("packing"),
        has_sizes=reader.has_sizes,
        is_measured="importer" in said,
        has_es_n0=ES_N0_MDB in reader.columns,
        sha256=slots.digest(),
        rows=slots.rows,
        span_ns=slots.span_ns,
        has_extent=slots.extent is not None,
    )
