"""Radio link control in acknowledged and unacknowledged mode (TS 38.322), event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Queue = npt.NDArray[np.void]
    Queues = tuple[Queue, Queue, Int64Array]

NEVER = 2**63 - 1

SETTING_NAMES = """
    acknowledged in_order rtt_ns poll_pdus poll_retransmit_ns reassembly_ns status_prohibit_ns
    max_retransmissions window
"""
SETTINGS = np.dtype([(name, np.int64) for name in SETTING_NAMES.split()])
"""The parameters of the scheme."""

STATE_NAMES = """
    first_row tx_next tx_next_ack without_poll poll_sn poll_due_ns poll_now
    rx_next rx_highest rx_status rx_trigger reassembly_due_ns waiting_poll status_waits prohibited_until_ns
    arrival_head arrival_tail report_head report_tail repeat_head repeat_tail
    waiting_repeats stalls retransmissions
"""
STATE = np.dtype([(name, np.int64) for name in STATE_NAMES.split()])
"""State of sender and receiver. The variables of the standard have their names there: `tx_next` is TX_Next.
The queue of repeats may hold segments that have been acknowledged since, which `waiting_repeats` leaves
out."""

ARRIVAL = np.dtype([("at_ns", np.int64), ("sn", np.int64), ("poll", np.int64)])
"""A segment on its way: when it arrives, its sequence number, whether it asks for a status report."""

REPORT = np.dtype([("made_ns", np.int64), ("ack_sn", np.int64)])
"""A status report: when it was made, and the receiver's RX_Highest_Status then."""

UNIT = np.dtype([("settled_ns", np.int64), ("sent", np.int32), ("waits", np.int16), ("given_up", np.int16)])
"""The LLDU of a row: when the receiver got it or learned that it was given up, how often it was sent, whether
it waits for a retransmission, whether the sender has given it up."""


@kernel
def send_segments(
    tx_time_ns: Int64Array,
    arrival_ns: Int64Array,
    settings: npt.NDArray[np.void],
    states: npt.NDArray[np.void],
    queues: Queues,
    units: Queue,
    rows: int,
    out: Rows,
) -> int:
    """Send a segment at every opportunity given; return how many rows have begun.

    Parameters
    ----------
    tx_time_ns : [n], int64, ns
        The opportunities: rows of the scheme below.
    arrival_ns : [n], int64, ns
        When the segment sent then arrives; `NEVER` if it does not.
    settings : [1], `SETTINGS`
    states : [1], `STATE`, updated
    queues
        The segments on their way, `ARRIVAL`, and the status reports, `REPORT`, both in order of time; the
        sequence numbers of repeats. All are rings whose lengths are powers of two, updated. They have room
        for n more arrivals, and for their reports and repeats.
    units : [rows + n or more], `UNIT`, updated
        The units of the rows.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; open ones have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    setting, state, arrivals = settings[0], states[0], queues[0]
    mask = len(arrivals) - 1
    heard_ns = -1  # the sender learns nothing before this time, so that the receiver can follow later
    for opportunity in range(len(tx_time_ns)):
        now_ns = tx_time_ns[opportunity]
        if now_ns >= heard_ns or now_ns >= state["poll_due_ns"]:
            heard_ns = pass_time(now_ns, settings, states, queues, units, out)
        is_full = state["tx_next"] >= state["tx_next_ack"] + setting["window"]
        if state["waiting_repeats"] > 0:
            sn = next_repeat(state, queues[2], units)
            state["retransmissions"] += 1
        elif is_full and setting["acknowledged"]:
            state["stalls"] += 1
            continue
        else:
            sn = state["tx_next"]
            state["tx_next"] += 1
            state["without_poll"] += 1
            is_full = state["tx_next"] >= state["tx_next_ack"] + setting["window"]
            new_row = np.uintp(rows)
            out_tx_time_ns[new_row], out_delay_ns[new_row], out_delivered[new_row] = now_ns, -1, False
            new_unit = units[new_row]
            new_unit["settled_ns"], new_unit["sent"] = NEVER, 0
            new_unit["waits"], new_unit["given_up"] = 0, 0
            rows += 1
        row = np.uintp(sn - state["first_row"])
        unit = units[row]
        unit["sent"] += 1
        out_transmissions[row] = min(unit["sent"], 255)

        idle = is_full and state["waiting_repeats"] == 0
        poll = setting["acknowledged"] > 0 and (
            state["poll_now"] > 0 or idle or state["without_poll"] >= setting["poll_pdus"]
        )
        if poll:
            state["without_poll"], state["poll_now"], state["poll_sn"] = 0, 0, state["tx_next"] - 1
            state["poll_due_ns"] = now_ns + setting["poll_retransmit_ns"]
        if arrival_ns[opportunity] < NEVER:
            place = state["arrival_tail"]
            while place > state["arrival_head"]:
                if arrivals[np.uintp((place - 1) & mask)]["at_ns"] <= arrival_ns[opportunity]:
                    break
                arrivals[place & mask] = arrivals[(place - 1) & mask]
                place -= 1
            arrival = arrivals[np.uintp(place & mask)]
            arrival["at_ns"], arrival["sn"], arrival["poll"] = arrival_ns[opportunity], sn, poll
            state["arrival_tail"] += 1
    if len(tx_time_ns) > 0:  # later segments arrive later than this
        pass_time(tx_time_ns[len(tx_time_ns) - 1], settings, states, queues, units, out)
    return rows


@kernel
def next_repeat(state: np.void, repeats: Int64Array, units: Queue) -> int:
    """Take the first segment that still waits for a retransmission; at least one does."""
    mask = len(repeats) - 1
    while True:
        sn = repeats[state["repeat_head"] & mask]
        state["repeat_head"] += 1
        if sn >= state["tx_next_ack"] and units[sn - state["first_row"]]["waits"] > 0:
            units[sn - state["first_row"]]["waits"] = 0
            state["waiting_repeats"] -= 1
            return sn  # type: ignore[no-any-return]


@kernel
def want_repeat(sn: int, state: np.void, repeats: Int64Array, units: Queue) -> None:
    """Let a segment wait for a retransmission, once."""
    unit = units[sn - state["first_row"]]
    if not unit["waits"]:
        if state["waiting_repeats"] == 0:
            state["repeat_head"] = state["repeat_tail"]
        unit["waits"] = 1
        state["waiting_repeats"] += 1
        repeats[state["repeat_tail"] & (len(repeats) - 1)] = sn
        state["repeat_tail"] += 1


@kernel
def pass_time(
    until_ns: int,
    settings: npt.NDArray[np.void],
    states: npt.NDArray[np.void],
    queues: Queues,
    units: Queue,
    out: Rows,
) -> int:
    """Let everything happen that is due up to and including `until_ns`, in order of time.

    Returns
    -------
    int, ns
        Before this time no status report reaches the sender.
    """
    arrivals, reports, repeats = queues
    setting, state = settings[0], states[0]
    while True:
        status_ns = state["prohibited_until_ns"] if state["status_waits"] else NEVER
        report = reports[state["report_head"] & (len(reports) - 1)]
        report_ns = NEVER
        if state["report_head"] < state["report_tail"]:
            report_ns = report["made_ns"] + setting["rtt_ns"]
        due_ns = min(state["reassembly_due_ns"], status_ns, report_ns, state["poll_due_ns"])
        now_ns = take_segments(min(due_ns, until_ns), setting, state, arrivals, reports, units, out)
        if now_ns < 0 and due_ns > until_ns:
            if not setting["acknowledged"] or until_ns == NEVER - 1:
                return NEVER
            return min(report_ns, until_ns + setting["rtt_ns"] + 1)  # type: ignore[no-any-return]
        if now_ns < 0:
            now_ns = due_ns
            if now_ns == state["reassembly_due_ns"]:
                end_reassembly(now_ns, setting, state, reports, units, out)
            elif now_ns == status_ns:
                make_status(now_ns, setting, state, reports)
            elif now_ns == report_ns:
                state["report_head"] += 1
                made_ns, ack_sn = report["made_ns"], report["ack_sn"]
                take_report(now_ns, made_ns, ack_sn, setting, state, repeats, units, out)
            else:
                state["poll_due_ns"], state["poll_now"] = NEVER, 1
                is_full = state["tx_next"] >= state["tx_next_ack"] + setting["window"]
                if is_full and state["waiting_repeats"] == 0:
                    want_repeat(state["tx_next"] - 1, state, repeats, units)
        if 0 <= state["waiting_poll"] < state["rx_status"]:
            state["waiting_poll"] = -1
            make_status(now_ns, setting, state, reports)


@kernel
def take_segments(
    until_ns: int,
    setting: np.void,
    state: np.void,
    arrivals: Queue,
    reports: Queue,
    units: Queue,
    out: Rows,
) -> int:
    """Let the receiver take the segments that arrive up to and including `until_ns`, and their polls.

    Returns
    -------
    int, ns
        When a segment has changed the times of other events; later segments still wait then. Else -1.
    """
    mask, (out_tx_time_ns, out_delay_ns, out_delivered, _) = len(arrivals) - 1, out
    while state["arrival_head"] < state["arrival_tail"]:
        arrival = arrivals[np.uintp(state["arrival_head"] & mask)]
        now_ns, sn, poll = arrival["at_ns"], arrival["sn"], arrival["poll"]
        if now_ns > until_ns:
            break
        state["arrival_head"] += 1
        row, reassembly_due_ns = sn - state["first_row"], state["reassembly_due_ns"]
        if sn >= state["rx_highest"]:  # it fills no gap; a call of `settle` would take most of the time
            units[row]["settled_ns"] = now_ns
            state["rx_highest"] = sn + 1
            state["rx_status"] += sn == state["rx_status"]
            if sn == state["rx_next"] or not setting["in_order"]:
                out_delay_ns[row], out_delivered[row] = now_ns - out_tx_time_ns[row], True
            state["rx_next"] += sn == state["rx_next"]
            start_reassembly(now_ns, setting, state)
        elif sn >= state["rx_next"] and units[row]["settled_ns"] == NEVER:
            settle(sn, now_ns, True, setting, state, units, out)
        answers = poll and sn < state["rx_status"]
        if answers:
            make_status(now_ns, setting, state, reports)
        elif poll:
            state["waiting_poll"] = max(state["waiting_poll"], sn)
        if (
            answers
            or state["reassembly_due_ns"] != reassembly_due_ns
            or 0 <= state["waiting_poll"] < state["rx_status"]
        ):
            return now_ns  # type: ignore[no-any-return]
    return -1


@kernel
def settle(
    sn: int,
    now_ns: int,
    arrived: bool,
    setting: np.void,
    state: np.void,
    units: Queue,
    out: Rows,
) -> None:
    """Let the receiver have a segment, or know that it was given up; move its variables and its timer."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    row = np.uintp(sn - state["first_row"])
    units[row]["settled_ns"] = now_ns
    if not (arrived and setting["in_order"]):
        out_delay_ns[row], out_delivered[row] = now_ns - out_tx_time_ns[row], arrived
    state["rx_highest"] = max(state["rx_highest"], sn + 1)
    if sn == state["rx_status"]:
        state["rx_status"] = first_missing(sn, state, units)
    if sn == state["rx_next"]:
        state["rx_next"] = first_missing(sn, state, units)
        for later in range(row, np.uintp(state["rx_next"] - state["first_row"])):
            if out_delay_ns[later] < 0:
                out_delay_ns[later], out_delivered[later] = now_ns - out_tx_time_ns[later], True
    if state["rx_trigger"] <= state["rx_next"]:
        state["reassembly_due_ns"] = NEVER
    start_reassembly(now_ns, setting, state)


@kernel
def start_reassembly(now_ns: int, setting: np.void, state: np.void) -> None:
    """Start the timer if there is a gap that no timer watches."""
    if state["reassembly_due_ns"] == NEVER and state["rx_highest"] > state["rx_next"] + 1:
        state["reassembly_due_ns"] = now_ns + setting["reassembly_ns"]
        state["rx_trigger"] = state["rx_highest"]


@kernel
def first_missing(sn: int, state: np.void, units: Queue) -> int:
    """Return the first sequence number from `sn` on that the receiver lacks."""
    highest, first_row = state["rx_highest"], state["first_row"]
    while sn < highest and units[np.uintp(sn - first_row)]["settled_ns"] < NEVER:
        sn += 1
    return sn


@kernel
def end_reassembly(
    now_ns: int,
    setting: np.void,
    state: np.void,
    reports: Queue,
    units: Queue,
    out: Rows,
) -> None:
    """Report the gaps that the timer has watched (acknowledged mode), or give them up."""
    trigger = state["rx_trigger"]
    state["reassembly_due_ns"] = NEVER
    if not setting["acknowledged"]:
        state["rx_trigger"] = NEVER  # the timer starts below, when all gaps are given up
        state["reassembly_due_ns"] = now_ns
        for sn in range(state["rx_next"], trigger):
            if units[sn - state["first_row"]]["settled_ns"] == NEVER:
                settle(sn, now_ns, False, setting, state, units, out)
        state["reassembly_due_ns"] = NEVER
        state["rx_status"] = state["rx_next"]
    else:
        state["rx_status"] = first_missing(trigger, state, units)
    if state["rx_highest"] > state["rx_status"] + 1:
        state["reassembly_due_ns"] = now_ns + setting["reassembly_ns"]
        state["rx_trigger"] = state["rx_highest"]
    if setting["acknowledged"]:
        make_status(now_ns, setting, state, reports)


@kernel
def make_status(now_ns: int, setting: np.void, state: np.void, reports: Queue) -> None:
    """Send a status report, or let it wait until it is not prohibited any more."""
    state["status_waits"] = now_ns < state["prohibited_until_ns"]
    if not state["status_waits"]:
        report = reports[state["report_tail"] & (len(reports) - 1)]
        report["made_ns"], report["ack_sn"] = now_ns, state["rx_status"]
        state["report_tail"] += 1
        state["prohibited_until_ns"] = now_ns + setting["status_prohibit_ns"]


@kernel
def take_report(
    now_ns: int,
    made_ns: int,
    ack_sn: int,
    setting: np.void,
    state: np.void,
    repeats: Int64Array,
    units: Queue,
    out: Rows,
) -> None:
    """Let the sender learn from a report what arrived before `made_ns`, of the segments before `ack_sn`."""
    first_row = state["first_row"]
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
    while state["tx_next_ack"] < ack_sn:
        unit = units[state["tx_next_ack"] - first_row]
        if unit["settled_ns"] > made_ns and not unit["given_up"]:
            break
        state["tx_next_ack"] += 1
    if state["poll_sn"] < ack_sn:
        state["poll_due_ns"] = NEVER
