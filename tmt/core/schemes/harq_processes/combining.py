"""Quality of combined transmissions by their Es/N0, as in `clift-ns2/core/online/combining.cc`.

Both languages use the C library's `pow` and `log2`, and round in the same places, so that they decide alike
to the last bit. NumPy's own functions differ from those on some processors.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.schema import MAX_ES_N0_MDB

if TYPE_CHECKING:
    from tmt.core.kernels import Float64Array
    from tmt.core.trace import Int32Array


def quality(combining: str, es_n0_mdb: float) -> float:
    """Return the contribution of one transmission to the combined quality.

    It is the SNR for ``chase`` (D. Chase, IEEE Trans. Communications 33(5), 1985), and log2(1 + SNR) for
    ``incremental`` (G. Caire and D. Tuninetti, IEEE Trans. Information Theory 47(5), 2001).

    Parameters
    ----------
    combining
        ``chase`` or ``incremental``.
    es_n0_mdb
        Es/N0 in thousandths of a dB.
    """
    snr = 10.0 ** (es_n0_mdb / 10_000.0)
    return math.log2(1.0 + snr) if combining == "incremental" else snr


def qualities(combining: str, es_n0_mdb: Int32Array) -> Float64Array:
    """Return the same for each slot of a trace: [n_slots], int32 to [n_slots], float64."""
    return _table(combining)[es_n0_mdb + MAX_ES_N0_MDB]


@lru_cache(maxsize=2)
def _table(combining: str) -> Float64Array:
    return np.array([quality(combining, mdb) for mdb in range(-MAX_ES_N0_MDB, MAX_ES_N0_MDB + 1)])
