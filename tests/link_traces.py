"""Link traces of rows that were sent once."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tmt.core.trace import LinkTrace


def sent_once(
    tx_ns: ArrayLike, delay_ns: ArrayLike = 0, lost: ArrayLike = (), sizes: Any = None, **about: Any
) -> LinkTrace:
    """Return rows of one delay or one each; `lost` numbers lost ones; a negative delay is unsettled."""
    tx = np.asarray(tx_ns, np.int64)
    delay = np.broadcast_to(np.asarray(delay_ns, np.int64), tx.shape).copy()
    delivered = delay >= 0
    delivered[np.asarray(lost, np.int64)] = False
    size_bytes = None if sizes is None else np.asarray(sizes, np.uint32)
    return LinkTrace(tx, delay, delivered, np.ones(len(tx), np.uint8), about, size_bytes=size_bytes)
