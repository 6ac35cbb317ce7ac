"""The transmitting side of an RLC entity (TS 38.322): segments, retransmissions, polls, NACKs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels._jit import kernel
from tmt.core.schemes.rlc.receiver import settle, watch_gaps
from tmt.core.schemes.rlc.state import NEVER

if TYPE_CHECKING:
    from tmt.core.kernels import Int64Array, Rows
    from tmt.core.schemes.rlc.state import Queue


@kernel
def new_segment(now_ns: int, state: np.void, units: Queue, out: Rows) -> int:
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
def is_poll_due(setting: np.void, state: np.void) -> bool:
    """Return whether the segment sent now asks for a status report."""
    is_last = state["waiting_repeats"] == 0 and is_window_full(setting, state)
    return state["pdu_without_poll"] >= setting["poll_pdus"] or is_last or state["poll_now"] > 0


@kernel
def start_poll_retransmit(now_ns: int, setting: np.void, state: np.void) -> None:
    """Start t-PollRetransmit for a poll that is sent now."""
    state["pdu_without_poll"], state["poll_now"] = 0, 0
    state["poll_sn"] = state["tx_next"] - 1
    state["poll_due_ns"] = now_ns + setting["poll_retransmit_ns"]


@kernel
def end_poll_retransmit(setting: np.void, state: np.void, repeats: Int64Array, units: Queue) -> None:
    """Poll again with the next segment: the newest one again if nothing else can be sent."""
    state["poll_due_ns"], state["poll_now"] = NEVER, 1
    if state["waiting_repeats"] == 0 and is_window_full(setting, state):
        want_repeat(state["tx_next"] - 1, state, repeats, units)


@kernel
def take_report(
    now_ns: int,
    setting: np.void,
    state: np.void,
    reports: Queue,
    repeats: Int64Array,
    units: Queue,
    out: Rows,
) -> None:
    """Take the next status report: retransmit or give up the NACKed segments, and move TX_Next_Ack."""
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
