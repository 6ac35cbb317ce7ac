"""What `fec` and `harq` share: the decoding of blocks, whether their LLDUs arrive in order or not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel

Int64Array = npt.NDArray[np.int64]


@kernel
def arrive_in_order(decode_time_ns: Int64Array) -> bool:
    """Whether all decoded slots took equally long, so that they arrive in the order of their `tx`."""
    usual_ns = 0
    for slot in range(len(decode_time_ns)):
        if decode_time_ns[slot] > 0:
            usual_ns = decode_time_ns[slot]
            break
    others = 0
    for slot in range(len(decode_time_ns)):
        others += (decode_time_ns[slot] != usual_ns) & (decode_time_ns[slot] != 0)
    return others == 0


@kernel
def nth_arrival_ns(arrivals_ns: Int64Array, n: int) -> int:
    """Return the n-th smallest of the moments given, n from 1; sort them only where they are out of order."""
    out_of_order = False
    for i in range(len(arrivals_ns) - 1):
        out_of_order |= arrivals_ns[i] > arrivals_ns[i + 1]
    moment: int = np.sort(arrivals_ns)[n - 1] if out_of_order else arrivals_ns[n - 1]
    return moment


@kernel
def collect_arrivals(
    tx_time_ns: Int64Array, decode_time_ns: Int64Array, arrivals_ns: Int64Array, arrived: int
) -> int:
    """Append to the first `arrived` moments those of the decoded slots; return how many there are then.

    `arrivals_ns` needs one place more than moments can come.
    """
    for slot in range(len(tx_time_ns)):
        arrivals_ns[arrived] = tx_time_ns[slot] + decode_time_ns[slot]
        arrived += decode_time_ns[slot] > 0
    return arrived


@kernel
def decode_blocks_in_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_recovered: npt.NDArray[np.bool_],
) -> None:
    """Decode whole blocks whose LLDUs arrive in order, one after the other, and write their rows.

    Without branches, since erasures cannot be predicted. Where a data LLDU is erased, the `data`-th arrival
    is a repair LLDU; where none is, nobody needs the moment.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n_blocks * (data + repair)], int64, ns
        The slots.
    detection_delay_ns
        After how long, from its last slot, a block that cannot be recovered is given up.
    out_tx_time_ns, out_delay_ns, out_delivered : [n_blocks * data], written
        The rows.
    out_recovered : [n_blocks or more], bool, written
        Whether at least `data` LLDUs of the block arrived.
    """
    length = data + repair
    for block in range(len(tx_time_ns) // length):
        first, row = block * length, block * data
        tx_ns = tx_time_ns[first : first + length]
        decode_ns = decode_time_ns[first : first + length]
        arrived = 0
        for position in range(data):
            arrived += decode_ns[position] > 0
        settled_ns = 0
        for position in range(data, length):
            counts = (arrived < data) & (decode_ns[position] > 0)
            settled_ns += (tx_ns[position] + decode_ns[position] - settled_ns) * counts
            arrived += counts
        recovered = arrived >= data
        settled_ns = settled_ns if recovered else tx_ns[length - 1] + detection_delay_ns
        out_recovered[block] = recovered
        for position in range(data):
            sent_ns, took_ns = tx_ns[position], decode_ns[position]
            out_tx_time_ns[row + position] = sent_ns
            out_delay_ns[row + position] = took_ns if took_ns > 0 else settled_ns - sent_ns
            out_delivered[row + position] = (took_ns > 0) | recovered


@kernel
def decode_blocks_in_any_order(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    detection_delay_ns: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_recovered: npt.NDArray[np.bool_],
) -> None:
    """Do what `decode_blocks_in_order` does, for LLDUs that may overtake each other."""
    length = data + repair
    arrivals_ns = np.empty(length + 1, np.int64)
    for block in range(len(tx_time_ns) // length):
        first, row = block * length, block * data
        tx_ns = tx_time_ns[first : first + length]
        decode_ns = decode_time_ns[first : first + length]
        arrived = collect_arrivals(tx_ns, decode_ns, arrivals_ns, 0)
        recovered = arrived >= data
        settled_ns = tx_ns[length - 1] + detection_delay_ns
        if recovered:
            settled_ns = nth_arrival_ns(arrivals_ns[:arrived], data)
        out_recovered[block] = recovered
        for position in range(data):
            sent_ns, took_ns = tx_ns[position], decode_ns[position]
            out_tx_time_ns[row + position] = sent_ns
            out_delay_ns[row + position] = took_ns if took_ns > 0 else settled_ns - sent_ns
            out_delivered[row + position] = (took_ns > 0) | recovered
