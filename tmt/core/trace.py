"""PHY and link traces in memory: columns of equal length, and metadata on how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from tmt.core.extent import Extent
from tmt.core.schema import LINK_TRACE, PHY_TRACE, UNSETTLED, Column, Table
from tmt.core.units import NS_PER_S
from tmt.core.words.html_table import Charted, html_table

if TYPE_CHECKING:
    import pandas as pd

Int64Array = npt.NDArray[np.int64]
Uint32Array = npt.NDArray[np.uint32]
Int32Array = npt.NDArray[np.int32]
Uint8Array = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Metadata = dict[str, Any]
Columns = dict[str, Any]
"""Arrays by column name, each with its column's dtype."""


class _Rows(Charted):
    """Operations on the columns of both kinds of trace."""

    __slots__ = ()
    table: ClassVar[Table]
    """Declaration of the columns."""
    tx_time_ns: Int64Array

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that this trace has, optional ones included, in file order."""
        more = self.table.optional + self.table.named
        return (*self.table.columns, *(one for one in more if getattr(self, one.name) is not None))

    def to_frame(self) -> pd.DataFrame:
        """Return the trace as a data frame, a row per slot or data LLDU; unsettled ones have no delay."""
        import pandas as pd  # noqa: PLC0415  (takes long to import)

        frame = pd.DataFrame({column.name: getattr(self, column.name) for column in self.columns})
        for column in self.columns:
            if column.null is not None:
                values = frame[column.name].astype("Int64")
                frame[column.name] = values.mask(values == column.null)
        return frame

    def __len__(self) -> int:
        return len(self.tx_time_ns)


@dataclass(frozen=True, slots=True)
class PhyTrace(_Rows):
    """Slots of a PHY trace, or a piece of them.

    Attributes
    ----------
    tx_time_ns : [n_slots], int64, strictly increasing
    decode_time_ns : [n_slots], int64, 0 where erased
    metadata : the file's `tmt` key; empty for a trace that somebody else's program wrote
    size_bytes : [n_slots], uint32; None where all slots carry the metadata's `lldu_bytes`
    es_n0_mdb : [n_slots], int32, Es/N0 in thousandths of a dB; None where it is not known
    mode : [n_slots], uint8, row of the table of modes that the metadata's `modes` describe; None without one
    """

    table: ClassVar[Table] = PHY_TRACE

    tx_time_ns: Int64Array
    decode_time_ns: Int64Array
    metadata: Metadata = field(default_factory=dict)
    size_bytes: Uint32Array | None = None
    es_n0_mdb: Int32Array | None = None
    mode: Uint8Array | None = None

    @property
    def fates(self) -> dict[str, int]:
        """Number of the slots that are erased."""
        return {"erased": int((self.decode_time_ns == 0).sum())}

    def _repr_html_(self) -> str:
        return _facts(self, "slots")


@dataclass(frozen=True, slots=True)
class LinkTrace(_Rows):
    """Data LLDUs of a link trace, or a piece of them.

    Attributes
    ----------
    tx_time_ns : [n_rows], int64, strictly increasing
    delay_ns : [n_rows], int64, `UNSETTLED` where open at the end of the trace
    delivered : [n_rows], bool
    transmissions : [n_rows], uint8, saturating
    metadata : as of a `PhyTrace`
    size_bytes : [n_rows], uint32, of the slot of the first transmission; None as in a `PhyTrace`
    """

    table: ClassVar[Table] = LINK_TRACE

    tx_time_ns: Int64Array
    delay_ns: Int64Array
    delivered: BoolArray
    transmissions: Uint8Array
    metadata: Metadata = field(default_factory=dict)
    size_bytes: Uint32Array | None = None

    @property
    def fates(self) -> dict[str, int]:
        """Numbers of data LLDUs by their fate."""
        delivered, unsettled = int(self.delivered.sum()), int((self.delay_ns == UNSETTLED).sum())
        return {"delivered": delivered, "lost": len(self) - delivered - unsettled, "unsettled": unsettled}

    def _repr_html_(self) -> str:
        return _facts(self, "data LLDUs")


Trace = PhyTrace | LinkTrace


def make_trace(table: Table, columns: Columns, metadata: Metadata | None = None) -> Trace:
    """Return the trace, or a piece of it, with these columns; `table` is `PHY_TRACE` or `LINK_TRACE`.

    Columns are arrays of equal length by name, and are not checked; optional ones may be absent.
    """
    kind: type[Trace] = PhyTrace if table is PHY_TRACE else LinkTrace
    return kind(**columns, metadata=metadata or {})


def _facts(trace: Trace, rows: str) -> str:
    """Return the trace as HTML: its length, the fates of its rows, and its provenance."""
    facts = [(rows, f"{len(trace):,}", "")]
    if len(trace):
        extent = Extent.said(trace.metadata)
        span_ns = int(trace.tx_time_ns[-1] - trace.tx_time_ns[0]) if extent is None else extent.length_ns
        seconds = span_ns / NS_PER_S
        facts.append(("duration", f"{seconds:,.6g} s", ""))
        facts += [
            (name, f"{count:,}", f"{100 * count / len(trace):.3g} %") for name, count in trace.fates.items()
        ]
    facts += [
        (name.replace("_", " "), _spelled(trace.metadata[name]), "")
        for name in ("lldu_bytes", "packing", "generator", "importer", "scheme")
        if trace.metadata.get(name) is not None
    ]
    return html_table(f"{'PHY' if trace.table is PHY_TRACE else 'link'} trace", facts)


def _spelled(value: Any) -> str:
    """Return a value of the metadata in words: a scheme or channel as its name and parameters."""
    if not isinstance(value, dict):
        return str(value)
    parts = (str(part) if key in ("name", "channel") else f"{key} {part}" for key, part in value.items())
    return ", ".join(parts)
