"""Conversions of erasures on a line of equal slots, which the laws must foretell."""

import numpy as np
import numpy.typing as npt
from naive.on_link import OnLink

from tmt.core.converter import Counts, joined
from tmt.core.trace import PhyTrace


def converted(
    scheme: OnLink, erased: npt.NDArray[np.bool_], slot_ns: int, decode_ns: int
) -> tuple[npt.NDArray[np.int64], Counts]:
    """Return the delays of the delivered rows, and the counts."""
    converter = scheme.converter()
    trace = PhyTrace(np.arange(len(erased)) * slot_ns, np.where(erased, 0, decode_ns))
    rows = joined(converter.feed(trace), converter.finish())
    return rows.delay_ns[rows.delivered], converter.counts
