"""No reliability scheme: every slot carries data, and an erased one is lost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel_with_arrays

Int64Array = npt.NDArray[np.int64]


@kernel_with_arrays
def send_once(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Settle every slot by itself (design, section 3, `none`).

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    detection_delay_ns
        After how long the receiver knows that a slot was erased.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [n], written
        The rows.
    """
    out_tx_time_ns[:] = tx_time_ns
    out_transmissions[:] = 1
    for slot in range(len(tx_time_ns)):
        decode_ns = decode_time_ns[slot]
        out_delay_ns[slot] = decode_ns if decode_ns > 0 else detection_delay_ns
        out_delivered[slot] = decode_ns > 0
