"""PHY and link traces in memory: columns of equal length, and metadata about their making."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tmt.schema import LINK_TRACE, PHY_TRACE, Column, Table

Int64Array = npt.NDArray[np.int64]
Uint32Array = npt.NDArray[np.uint32]
Metadata = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PhyTrace:
    """Slots of a PHY trace, or a run of them.

    Attributes
    ----------
    tx_time_ns : [n_slots], int64, strictly increasing
    decode_time_ns : [n_slots], int64, 0 where erased
    metadata
        The file's `tmt` key; empty for a trace that somebody else's program wrote.
    size_bytes : [n_slots], uint32, or None
        Bytes that each slot carries; None where all carry the metadata's `lldu_bytes`.
    """

    tx_time_ns: Int64Array
    decode_time_ns: Int64Array
    metadata: Metadata = field(default_factory=dict)
    size_bytes: Uint32Array | None = None

    @property
    def table(self) -> Table:
        """Declaration of the columns."""
        return PHY_TRACE

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that this trace has, optional ones included, in file order."""
        return _present(self)

    def __len__(self) -> int:
        return len(self.tx_time_ns)


@dataclass(frozen=True, slots=True)
class LinkTrace:
    """Data LLDUs of a link trace, or a run of them.

    Attributes
    ----------
    tx_time_ns : [n_rows], int64, strictly increasing
    delay_ns : [n_rows], int64, `UNSETTLED` where open at the end of the trace
    delivered : [n_rows], bool
    transmissions : [n_rows], uint8, saturating
    metadata
        The file's `tmt` key; empty for a trace that somebody else's program wrote.
    size_bytes : [n_rows], uint32, or None
        Bytes that the slot of each LLDU's first transmission carries; None where all carry the metadata's
        `lldu_bytes`.
    """

    tx_time_ns: Int64Array
    delay_ns: Int64Array
    delivered: npt.NDArray[np.bool_]
    transmissions: npt.NDArray[np.uint8]
    metadata: Metadata = field(default_factory=dict)
    size_bytes: Uint32Array | None = None

    @property
    def table(self) -> Table:
        """Declaration of the columns."""
        return LINK_TRACE

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that this trace has, optional ones included, in file order."""
        return _present(self)

    def __len__(self) -> int:
        return len(self.tx_time_ns)


Trace = PhyTrace | LinkTrace


def _present(trace: Trace) -> tuple[Column, ...]:
    return trace.table.variants[0 if trace.size_bytes is not None else -1]
