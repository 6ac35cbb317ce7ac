"""No reliability scheme: every slot carries data, and an erased one is lost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel

Int64Array = npt.NDArray[np.int64]


@kernel
def send_once(
    decode_time_ns: Int64Array,
    detection_delay_ns: int,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
) -> None:
    """Settle every slot by itself (design, section 3, `none`).

    Parameters
    ----------
    decode_time_ns : [n], int64, ns
        The slots, 0 where erased.
    detection_delay_ns
        After how long the receiver knows that a slot was erased.
    out_delay_ns, out_delivered : [n], written
        The rows; their other columns are a copy of the slots' `tx` and ones.
    """
    for slot in range(len(decode_time_ns)):
        decode_ns = decode_time_ns[slot]
        out_delay_ns[slot] = decode_ns if decode_ns > 0 else detection_delay_ns
        out_delivered[slot] = decode_ns > 0
