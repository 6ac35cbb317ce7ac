"""Parameters, state and messages of an RLC entity: what its two sides and the loop over time share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.kernels import Int64Array

    Queue = npt.NDArray[np.void]
    Queues = tuple[Queue, Queue, Int64Array]
    """Segments on their way, `ARRIVAL`, and status reports, `REPORT`, both in order of time; the sequence
    numbers of repeats. All are rings whose lengths are powers of two."""

NEVER = 2**63 - 1

SETTING_NAMES = """
    acknowledged in_order rtt_ns poll_pdus poll_retransmit_ns reassembly_ns status_prohibit_ns
    max_retransmissions window
"""
SETTINGS = np.dtype([(name, np.int64) for name in SETTING_NAMES.split()])
"""The parameters of the scheme."""

STATE_NAMES = """
    first_row
    tx_next tx_next_ack pdu_without_poll poll_sn poll_due_ns poll_now
    rx_next rx_next_highest rx_highest_status rx_next_status_trigger
    reassembly_due_ns waiting_poll status_waits prohibited_until_ns
    arrival_head arrival_tail report_head report_tail repeat_head repeat_tail
    waiting_repeats stalls retransmissions
"""
STATE = np.dtype([(name, np.int64) for name in STATE_NAMES.split()])
"""State of both sides: the first row's sequence number, the transmitting side, the receiving side, the ends
of the queues, counts. The variables of the standard have their names there: `tx_next` is TX_Next. A timer is
the time at which it ends, `NEVER` while it does not run. The queue of repeats may hold segments that have
been acknowledged since, which `waiting_repeats` leaves out."""

ARRIVAL = np.dtype([("at_ns", np.int64), ("sn", np.int64), ("poll", np.int64)])
"""A segment on its way: when it arrives, its sequence number, whether it asks for a status report."""

REPORT = np.dtype([("made_ns", np.int64), ("ack_sn", np.int64)])
"""A status report: when it was made, and its ACK_SN. Its NACKs follow from `UNIT`, so that it holds none."""

UNIT = np.dtype([("settled_ns", np.int64), ("sent", np.int32), ("waits", np.int16), ("given_up", np.int16)])
"""The LLDU of a row: when the receiver got it or learned that it was given up, how often it was sent, whether
it waits for a retransmission, whether the sender has given it up."""
