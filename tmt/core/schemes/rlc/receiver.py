"""State of an RLC entity (TS 38.322), and its receiving side: arrivals, t-Reassembly, status reports."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel

Queues = tuple[Records, Records, Int64Array]
"""Segments on their way, `ARRIVAL`, and status reports, `REPORT`, both in order of time; the sequence numbers
of queued retransmissions. All are rings whose lengths are powers of two.
"""

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
    reassembly_due_ns waiting_poll status_due_ns prohibited_until_ns
    arrival_head arrival_tail report_head report_tail repeat_head repeat_tail
    waiting_repeats stalls retransmissions
"""
STATE = np.dtype([(name, np.int64) for name in STATE_NAMES.split()])
"""State of both sides: the first row's sequence number, the transmitting side, the receiving side, the ends
of the queues, counts. The standard's variables keep their names: `tx_next` is TX_Next. A timer is the time at
which it expires, `NEVER` while it is stopped. The queue of repeats may still hold acknowledged segments,
which `waiting_repeats` does not count.
"""

ARRIVAL = np.dtype([("at_ns", np.int64), ("sn", np.int64), ("poll", np.int64)])
"""A segment on its way: its arrival time, its sequence number, whether it asks for a status report."""

REPORT = np.dtype([("made_ns", np.int64), ("ack_sn", np.int64)])
"""A status report: the time when it was made, and its ACK_SN.

Its NACKs follow from `UNIT`, so it holds none.
"""

UNIT = np.dtype([("settled_ns", np.int64), ("sent", np.int32), ("waits", np.int16), ("given_up", np.int16)])
"""The LLDU of a row: when the receiver got it or learned that it was given up, number of transmissions,
whether it waits for a retransmission, whether the sender has given it up.
"""


@kernel
def take_segments(
    until_ns: int,
    setting: np.void,
    state: np.void,
    arrivals: Records,
    units: Records,
    out: Rows,
) -> int:
    """Process the segments that arrive up to and including `until_ns`, and answer their polls.

    Return the time, in ns, when a segment has changed the times of other events; later segments then still
    wait. Otherwise return -1.
    """
    mask, (out_tx_time_ns, out_delay_ns, out_delivered, _) = len(arrivals) - 1, out
    while state["arrival_head"] < state["arrival_tail"]:
        arrival = arrivals[np.uintp(state["arrival_head"] & mask)]
        now_ns, sn, poll = arrival["at_ns"], arrival["sn"], arrival["poll"]
        if now_ns > until_ns:
            break
        state["arrival_head"] += 1
        row, reassembly_due_ns = np.uintp(sn - state["first_row"]), state["reassembly_due_ns"]
        is_discarded = False
        if sn >= state["rx_next_highest"]:  # it fills no gap; calling `settle` would take most of the time
            units[row]["settled_ns"] = now_ns
            state["rx_next_highest"] = sn + 1
            state["rx_highest_status"] += sn == state["rx_highest_status"]
            if sn == state["rx_next"] or not setting["in_order"]:
                out_delay_ns[row], out_delivered[row] = now_ns - out_tx_time_ns[row], True
            state["rx_next"] += sn == state["rx_next"]
            start_reassembly(now_ns, state["rx_next"], setting, state)
        elif sn >= state["rx_next"] and units[row]["settled_ns"] == NEVER:
            settle(sn, now_ns, True, setting, state, units, out)
            watch_gaps(now_ns, setting, state)
        else:
            is_discarded = True
        answers = poll and (is_discarded or sn < state["rx_highest_status"])
        if answers:
            trigger_status(now_ns, state)
        elif poll:
            state["waiting_poll"] = max(state["waiting_poll"], sn)
        if answers or state["reassembly_due_ns"] != reassembly_due_ns or is_waiting_poll_due(state):
            return now_ns  # type: ignore[no-any-return]
    return -1


@kernel
def settle(
    sn: int, now_ns: int, arrived: bool, setting: np.void, state: np.void, units: Records, out: Rows
) -> None:
    """Note that a segment has arrived or was given up, and deliver the segments that waited for it."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(sn - state["first_row"])
    units[row]["settled_ns"] = now_ns
    if not (arrived and setting["in_order"]):
        out_delay_ns[row], out_delivered[row] = now_ns - out_tx_time_ns[row], arrived
    state["rx_next_highest"] = max(state["rx_next_highest"], sn + 1)
    if sn == state["rx_highest_status"]:
        state["rx_highest_status"] = first_missing(sn, state, units)
    if sn == state["rx_next"]:
        state["rx_next"] = first_missing(sn, state, units)
        for held_up in range(row, np.uintp(state["rx_next"] - state["first_row"])):
            if out_delay_ns[held_up] < 0:
                out_delay_ns[held_up], out_delivered[held_up] = now_ns - out_tx_time_ns[held_up], True


@kernel
def first_missing(sn: int, state: np.void, units: Records) -> int:
    """Return the first missing sequence number from `sn` on."""
    highest, first_row = state["rx_next_highest"], state["first_row"]
    while sn < highest and units[np.uintp(sn - first_row)]["settled_ns"] < NEVER:
        sn += 1
    return sn


@kernel
def watch_gaps(now_ns: int, setting: np.void, state: np.void) -> None:
    """Stop t-Reassembly when its gaps are closed; start it if there is another gap."""
    if state["rx_next"] >= state["rx_next_status_trigger"]:
        state["reassembly_due_ns"] = NEVER
    start_reassembly(now_ns, state["rx_next"], setting, state)


@kernel
def start_reassembly(now_ns: int, missing_sn: int, setting: np.void, state: np.void) -> None:
    """Start t-Reassembly if it is stopped and a segment after `missing_sn` has arrived."""
    if state["reassembly_due_ns"] == NEVER and state["rx_next_highest"] > missing_sn + 1:
        state["reassembly_due_ns"] = now_ns + setting["reassembly_ns"]
        state["rx_next_status_trigger"] = state["rx_next_highest"]


@kernel
def end_reassembly(now_ns: int, setting: np.void, state: np.void, units: Records, out: Rows) -> None:
    """Report the gaps below the trigger (acknowledged mode), or give them up (unacknowledged mode)."""
    trigger = state["rx_next_status_trigger"]
    state["reassembly_due_ns"] = NEVER
    if setting["acknowledged"]:
        state["rx_highest_status"] = first_missing(trigger, state, units)
        trigger_status(now_ns, state)
    else:
        for sn in range(state["rx_next"], trigger):
            if units[sn - state["first_row"]]["settled_ns"] == NEVER:
                settle(sn, now_ns, False, setting, state, units, out)
        state["rx_highest_status"] = state["rx_next"]
    start_reassembly(now_ns, state["rx_highest_status"], setting, state)


@kernel
def is_waiting_poll_due(state: np.void) -> bool:
    """Return whether RX_Highest_Status has passed the segment whose poll waits."""
    return 0 <= state["waiting_poll"] < state["rx_highest_status"]  # type: ignore[no-any-return]


@kernel
def trigger_status(now_ns: int, state: np.void) -> None:
    """Schedule a status report, now or when t-StatusProhibit expires; one report answers all earlier
    it.

    TS 38.322, section 5.3.4.
    """
    if state["status_due_ns"] == NEVER:
        state["status_due_ns"] = max(now_ns, state["prohibited_until_ns"])


@kernel
def make_status(now_ns: int, setting: np.void, state: np.void, reports: Records) -> None:
    """Send the status report that is due."""
    report = reports[state["report_tail"] & (len(reports) - 1)]
    report["made_ns"], report["ack_sn"] = now_ns, state["rx_highest_status"]
    state["report_tail"] += 1
    state["status_due_ns"] = NEVER
    state["prohibited_until_ns"] = now_ns + setting["status_prohibit_ns"]
