"""Radio link control in acknowledged and unacknowledged mode (TS 38.322), event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels._jit import kernel
from tmt.core.schemes.rlc.receiver import end_reassembly, is_waiting_poll_due, make_status, take_segments
from tmt.core.schemes.rlc.state import NEVER
from tmt.core.schemes.rlc.transmitter import (
    end_poll_retransmit,
    is_poll_due,
    is_window_full,
    new_segment,
    next_repeat,
    start_poll_retransmit,
    take_report,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.kernels import Int64Array, Rows
    from tmt.core.schemes.rlc.state import Queue, Queues


@kernel
def send_segments(
    tx_time_ns: Int64Array,
    arrival_ns: Int64Array,
    settings: npt.NDArray[np.void],
    states: npt.NDArray[np.void],
    queues: Queues,
    units: Queue,
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
        Rings, updated. They have room for n more arrivals, and for their reports and repeats.
    units : [rows begun before + n or more], `UNIT`, updated
        The units of the rows.
    out : [rows begun before + n or more], updated
        The rows; open ones have the delay -1.
    """
    setting, state = settings[0], states[0]
    arrivals, _, repeats = queues
    out_transmissions = out[3]
    heard_ns = -1  # the sender learns nothing before this time, so that the receiver can follow later
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
    if len(tx_time_ns) > 0:  # later segments arrive later than this
        pass_time(tx_time_ns[len(tx_time_ns) - 1], settings, states, queues, units, out)
    return state["tx_next"] - state["first_row"]  # type: ignore[no-any-return]


@kernel
def put_on_its_way(at_ns: int, sn: int, poll: bool, state: np.void, arrivals: Queue) -> None:
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
    until_ns: int,
    settings: npt.NDArray[np.void],
    states: npt.NDArray[np.void],
    queues: Queues,
    units: Queue,
    out: Rows,
) -> int:
    """Let everything happen that is due up to and including `until_ns`, in order of time.

    At equal times: arrivals, the ends of t-Reassembly and t-StatusProhibit, reports at the sender, the end of
    t-PollRetransmit.

    Returns
    -------
    int, ns
        Before this time no status report reaches the sender.
    """
    arrivals, reports, repeats = queues
    setting, state = settings[0], states[0]
    while True:
        status_ns = state["prohibited_until_ns"] if state["status_waits"] else NEVER
        report_ns = NEVER
        if state["report_head"] < state["report_tail"]:
            report_ns = reports[state["report_head"] & (len(reports) - 1)]["made_ns"] + setting["rtt_ns"]
        due_ns = min(state["reassembly_due_ns"], status_ns, report_ns, state["poll_due_ns"])
        now_ns = take_segments(min(due_ns, until_ns), setting, state, arrivals, reports, units, out)
        if now_ns < 0:  # no arrival has changed the other times
            if due_ns > until_ns:
                break
            now_ns = due_ns
            if now_ns == state["reassembly_due_ns"]:
                end_reassembly(now_ns, setting, state, reports, units, out)
            elif now_ns == status_ns:
                make_status(now_ns, setting, state, reports)
            elif now_ns == report_ns:
                take_report(now_ns, setting, state, reports, repeats, units, out)
            else:
                end_poll_retransmit(setting, state, repeats, units)
        if is_waiting_poll_due(state):
            state["waiting_poll"] = -1
            make_status(now_ns, setting, state, reports)
    if not setting["acknowledged"] or until_ns == NEVER - 1:
        return NEVER
    return min(report_ns, until_ns + setting["rtt_ns"] + 1)  # type: ignore[no-any-return]
