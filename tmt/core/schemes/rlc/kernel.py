"""Radio link control in acknowledged and unacknowledged mode (TS 38.322): the order of events, and the
transmitting side.
"""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel
from tmt.core.schemes.rlc.receiver import (
    NEVER,
    Queues,
    end_reassembly,
    is_waiting_poll_due,
    make_status,
    settle,
    take_segments,
    trigger_status,
    watch_gaps,
)


@kernel
def send_segments(
    tx_time_ns: Int64Array,
    arrival_ns: Int64Array,
    settings: Records,
    states: Records,
    queues: Queues,
    units: Records,
    out: Rows,
) -> int:
    """Send a segment at every given opportunity; return the number of rows that have begun.

    Parameters
    ----------
    tx_time_ns : [n], the opportunities: rows of the scheme below
    arrival_ns : [n], when the segment sent then arrives; `NEVER` if it does not
    settings : [1], `SETTINGS`
    states : [1], `STATE`, updated
    queues : rings, updated, with room for n more arrivals, and for their reports and repeats
    units : [rows begun before + n or more], `UNIT`, updated
    out : [rows begun before + n or more], updated; open rows have the delay -1
    """
    setting, state = settings[0], states[0]
    arrivals, _, repeats = queues
    out_transmissions = out[3]
    heard_ns = -1  # the sender learns nothing before this time, so the receiver can be processed later
    for opportunity in range(len(tx_time_ns)):
        now_ns = tx_time_ns[opportunity]
        if now_ns >= heard_ns or now_ns >= state["poll_due_ns"]:
            heard_ns = pass_time(now_ns, settings, states, queues, units, out)
        if state["waiting_repeats"] > 0:
            sn = next_repeat(state, repeats, units)
            state["retransmissions"] += 1
        elif setting["acknowledged"] and is_window_full(setting, state):
            state["stalls"] += 1
            continue
        else:
            sn = new_segment(now_ns, state, units, out)
        row = np.uintp(sn - state["first_row"])
        units[row]["sent"] += 1
        out_transmissions[row] = min(units[row]["sent"], 255)
        poll = setting["acknowledged"] > 0 and is_poll_due(setting, state)
        if poll:
            start_poll_retransmit(now_ns, setting, state)
        if arrival_ns[opportunity] < NEVER:
            put_on_its_way(arrival_ns[opportunity], sn, poll, state, arrivals)
    if len(tx_time_ns) > 0:  # later segments arrive after this
        pass_time(tx_time_ns[len(tx_time_ns) - 1], settings, states, queues, units, out)
    return state["tx_next"] - state["first_row"]  # type: ignore[no-any-return]


@kernel
def put_on_its_way(at_ns: int, sn: int, poll: bool, state: np.void, arrivals: Records) -> None:
    """Insert a segment into the queue of arrivals, behind those that arrive earlier or at the same time."""
    mask, place = len(arrivals) - 1, state["arrival_tail"]
    while place > state["arrival_head"] and arrivals[np.uintp((place - 1) & mask)]["at_ns"] > at_ns:
        arrivals[place & mask] = arrivals[(place - 1) & mask]
        place -= 1
    arrival = arrivals[np.uintp(place & mask)]
    arrival["at_ns"], arrival["sn"], arrival["poll"] = at_ns, sn, poll
    state["arrival_tail"] += 1


@kernel
def pass_time(
    until_ns: int, settings: Records, states: Records, queues: Queues, units: Records, out: Rows
) -> int:
    """Process all events up to and including `until_ns`, in order of time.

    At equal times: arrivals, the end of t-Reassembly, a status report, reports at the sender, the end of
    t-PollRetransmit. Return the time, in ns, before which no status report reaches the sender.
    """
    arrivals, reports, repeats = queues
    setting, state = settings[0], states[0]
    while True:
        report_ns = NEVER
        if state["report_head"] < state["report_tail"]:
            report_ns = reports[state["report_head"] & (len(reports) - 1)]["made_ns"] + setting["rtt_ns"]
        due_ns = min(state["reassembly_due_ns"], state["status_due_ns"], report_ns, state["poll_due_ns"])
        now_ns = take_segments(min(due_ns, until_ns), setting, state, arrivals, units, out)
        if now_ns < 0:  # no arrival has changed the other times
            if due_ns > until_ns:
                break
            now_ns = due_ns
            if now_ns == state["reassembly_due_ns"]:
                end_reassembly(now_ns, setting, state, units, out)
            elif now_ns == state["status_due_ns"]:
                make_status(now_ns, setting, state, reports)
            elif now_ns == report_ns:
                take_report(now_ns, setting, state, reports, repeats, units, out)
            else:
                end_poll_retransmit(setting, state, repeats, units)
        if is_waiting_poll_due(state):
            state["waiting_poll"] = -1
            trigger_status(now_ns, state)
    if not setting["acknowledged"] or until_ns == NEVER - 1:
        return NEVER
    return min(report_ns, until_ns + setting["rtt_ns"] + 1)  # type: ignore[no-any-return]


@kernel
def new_segment(now_ns: int, state: np.void, units: Records, out: Rows) -> int:
    """Begin the row of a new segment; return its sequence number."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    sn = state["tx_next"]
    state["tx_next"] += 1
    state["pdu_without_poll"] += 1
    row = np.uintp(sn - state["first_row"])
    out_tx_time_ns[row], out_delay_ns[row], out_delivered[row] = now_ns, -1, False
    unit = units[row]
    unit["settled_ns"], unit["sent"], unit["waits"], unit["given_up"] = NEVER, 0, 0, 0
    return sn  # type: ignore[no-any-return]


@kernel
def is_window_full(setting: np.void, state: np.void) -> bool:
    """Return whether a new segment has to wait for acknowledgements."""
    return state["tx_next"] >= state["tx_next_ack"] + setting["window"]  # type: ignore[no-any-return]


@kernel
def next_repeat(state: np.void, repeats: Int64Array, units: Records) -> int:
    """Take the first segment that waits for a retransmission; there is at least one."""
    mask = len(repeats) - 1
    while True:
        sn = repeats[state["repeat_head"] & mask]
        state["repeat_head"] += 1
        if sn >= state["tx_next_ack"] and units[sn - state["first_row"]]["waits"] > 0:
            units[sn - state["first_row"]]["waits"] = 0
            state["waiting_repeats"] -= 1
            return sn  # type: ignore[no-any-return]


@kernel
def want_repeat(sn: int, state: np.void, repeats: Int64Array, units: Records) -> None:
    """Queue a segment for retransmission, once."""
    unit = units[sn - state["first_row"]]
    if not unit["waits"]:
        if state["waiting_repeats"] == 0:
            state["repeat_head"] = state["repeat_tail"]
        unit["waits"] = 1
        state["waiting_repeats"] += 1
        repeats[state["repeat_tail"] & (len(repeats) - 1)] = sn
        state["repeat_tail"] += 1


@kernel
def is_poll_due(setting: np.void, state: np.void) -> bool:
    """Return whether the segment being sent asks for a status report."""
    is_last = state["waiting_repeats"] == 0 and is_window_full(setting, state)
    return state["pdu_without_poll"] >= setting["poll_pdus"] or is_last or state["poll_now"] > 0


@kernel
def start_poll_retransmit(now_ns: int, setting: np.void, state: np.void) -> None:
    """Start t-PollRetransmit for a poll that is being sent."""
    state["pdu_without_poll"], state["poll_now"] = 0, 0
    state["poll_sn"] = state["tx_next"] - 1
    state["poll_due_ns"] = now_ns + setting["poll_retransmit_ns"]


@kernel
def end_poll_retransmit(setting: np.void, state: np.void, repeats: Int64Array, units: Records) -> None:
    """Poll again with the next segment; if nothing else can be sent, retransmit the newest one."""
    state["poll_due_ns"], state["poll_now"] = NEVER, 1
    if state["waiting_repeats"] == 0 and is_window_full(setting, state):
        want_repeat(state["tx_next"] - 1, state, repeats, units)


@kernel
def take_report(
    now_ns: int,
    setting: np.void,
    state: np.void,
    reports: Records,
    repeats: Int64Array,
    units: Records,
    out: Rows,
) -> None:
    """Process the next status report: retransmit or give up the NACKed segments, and move TX_Next_Ack."""
    report = reports[state["report_head"] & (len(reports) - 1)]
    state["report_head"] += 1
    made_ns, ack_sn, first_row = report["made_ns"], report["ack_sn"], state["first_row"]
    for sn in range(state["tx_next_ack"], ack_sn):
        unit = units[np.uintp(sn - first_row)]
        if unit["settled_ns"] <= made_ns or unit["given_up"]:
            if unit["waits"]:
                state["waiting_repeats"] -= 1
                unit["waits"] = 0
        elif unit["sent"] <= setting["max_retransmissions"]:
            want_repeat(sn, state, repeats, units)
        elif not unit["waits"]:
            unit["given_up"] = 1
            if unit["settled_ns"] == NEVER:
                settle(sn, now_ns, False, setting, state, units, out)
                watch_gaps(now_ns, setting, state)
    while state["tx_next_ack"] < ack_sn:
        unit = units[state["tx_next_ack"] - first_row]
        if unit["settled_ns"] > made_ns and not unit["given_up"]:
            break
        state["tx_next_ack"] += 1
    if state["poll_sn"] < ack_sn:
        state["poll_due_ns"] = NEVER
