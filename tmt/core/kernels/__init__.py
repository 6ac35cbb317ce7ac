"""Kernels: loops over slots, compiled by numba. Arrays and numbers in, preallocated arrays out.

Some indices are written ``np.uintp(i)``: numba then leaves out the test for a negative index, which counts
from the end of an array. The schemes' kernels are twice as fast without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Int64Array = npt.NDArray[np.int64]
    Float64Array = npt.NDArray[np.float64]
    BoolArray = npt.NDArray[np.bool_]
    Rows = tuple[Int64Array, Int64Array, BoolArray, npt.NDArray[np.uint8]]
    """Columns of a link trace: `tx_time_ns`, `delay_ns`, `delivered`, `transmissions`."""
