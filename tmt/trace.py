"""PHY and link traces in memory: columns of equal length and what is known of their making."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tmt.schema import LINK_TRACE, PHY_TRACE, Table

Int64Array = npt.NDArray[np.int64]
Metadata = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PhyTrace:
    """Slots of a PHY trace, or a run of them.

    Attributes
    ----------
    tx_time_ns : [n_slots], int64, strictly increasing
    decode_time_ns : [n_slots], int64, 0 where erased
    metadata
        What the file's `tmt` key holds; empty for a trace that somebody else's program wrote.
    """

    tx_time_ns: Int64Array
    decode_time_ns: Int64Array
    metadata: Metadata = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """Declaration of the columns."""
        return PHY_TRACE

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
        What the file's `tmt` key holds; empty for a trace that somebody else's program wrote.
    """

    tx_time_ns: Int64Array
    delay_ns: Int64Array
    delivered: npt.NDArray[np.bool_]
    transmissions: npt.NDArray[np.uint8]
    metadata: Metadata = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """Declaration of the columns."""
        return LINK_TRACE

    def __len__(self) -> int:
        return len(self.tx_time_ns)


Trace = PhyTrace | LinkTrace
