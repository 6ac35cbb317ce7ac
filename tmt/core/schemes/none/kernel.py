"""No reliability scheme: every slot carries data, and an erased LLDU is lost."""

from __future__ import annotations

from tmt.core.kernels import Int64Array, Rows, kernel


@kernel
def send_once(tx_time_ns: Int64Array, decode_time_ns: Int64Array, detection_delay_ns: int, out: Rows) -> None:
    """Send one data LLDU in each slot; the receiver knows of an erased slot after `detection_delay_ns`."""
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    for slot in range(len(tx_time_ns)):
        took_ns = decode_time_ns[slot]
        out_tx_time_ns[slot] = tx_time_ns[slot]
        out_delay_ns[slot] = took_ns if took_ns > 0 else detection_delay_ns
        out_delivered[slot] = took_ns > 0
        out_transmissions[slot] = 1
