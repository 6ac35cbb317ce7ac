"""Radio link control in acknowledged and unacknowledged mode (TS 38.322), event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tmt.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.kernels import Int64Array, Rows

    Queue = npt.NDArray[np.void]
    Entity = tuple[Int64Array, Queue, Queue, Int64Array, Queue]

NEVER = 2**63 - 1

(
    FIRST_ROW,
    TX_NEXT,
    TX_NEXT_ACK,
    WITHOUT_POLL,
    POLL_SN,
    POLL_DUE_NS,
    POLL_NOW,
    RX_NEXT,
    RX_HIGHEST,
    RX_STATUS,
    RX_TRIGGER,
    REASSEMBLY_DUE_NS,
    WAITING_POLL,
    STATUS_WAITS,
    PROHIBITED_UNTIL_NS,
    ARRIVAL_HEAD,
    ARRIVAL_TAIL,
    REPORT_HEAD,
    REPORT_TAIL,
    REPEAT_HEAD,
    REPEAT_TAIL,
    WAITING_REPEATS,
    STALLS,
    RETRANSMISSIONS,
    STATE_SIZE,
) = range(25)
"""Places in the state. The variables of the standard have their names there: TX_NEXT is TX_Next. The queue of
repeats may hold segments that have been acknowledged since; WAITING_REPEATS counts the others."""

ARRIVAL = np.dtype([("at_ns", np.int64), ("sn", np.int64), ("poll", np.int64)])
"""A segment on its way: when it arrives, its sequence number, whether it asks for a status report."""

REPORT = np.dtype([("made_ns", np.int64), ("ack_sn", np.int64)])
"""A status report: when it was made, and the receiver's RX_Highest_Status then."""

UNIT = np.dtype([(name, np.int64) for name in ("settled_ns", "sent", "waits", "given_up")])
"""The LLDU of a row: when the receiver got it or learned that it was given up, how often it was sent, whether
it waits for a retransmission, whether the sender has given it up."""


(
    ACKNOWLEDGED,
    IN_ORDER,
    RTT_NS,
    POLL_PDUS,
    POLL_RETRANSMIT_NS,
    REASSEMBLY_NS,
    STATUS_PROHIBIT_NS,
    MAX_RETRANSMISSIONS,
    WINDOW,
) = range(9)
"""Places in the settings, which are the parameters of the scheme."""

STATE: Final = 0
ARRIVALS: Final = 1
REPORTS: Final = 2
REPEATS: Final = 3
UNITS: Final = 4
"""Places in the entity: its state, [`STATE_SIZE`], the segments on their way and the status reports, both in
order of time, the sequence numbers of repeats, and the units of the rows. Queues are rings whose lengths are
powers of two."""


@kernel
def send_segments(
    tx_time_ns: Int64Array,
    arrival_ns: Int64Array,
    settings: Int64Array,
    entity: Entity,
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
    settings : [9], int64
    entity
        The entity of sender and receiver, updated. It has room for n more arrivals and rows, and for their
        reports and repeats.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows; open ones have the delay -1.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    state, arrivals, units = entity[STATE], entity[ARRIVALS], entity[UNITS]
    for opportunity in range(len(tx_time_ns)):
        now_ns = tx_time_ns[opportunity]
        pass_time(now_ns, settings, entity, out)
        sn = next_repeat(entity)
        if sn < 0 and settings[ACKNOWLEDGED] and is_window_full(settings, state):
            state[STALLS] += 1
            continue
        if sn < 0:
            sn = state[TX_NEXT]
            state[TX_NEXT] += 1
            state[WITHOUT_POLL] += 1
            out_tx_time_ns[rows], out_delay_ns[rows], out_delivered[rows] = now_ns, -1, False
            units[rows]["settled_ns"], units[rows]["sent"] = NEVER, 0
            units[rows]["waits"], units[rows]["given_up"] = 0, 0
            rows += 1
        else:
            state[RETRANSMISSIONS] += 1
        unit = units[sn - state[FIRST_ROW]]
        unit["sent"] += 1
        out_transmissions[sn - state[FIRST_ROW]] = min(unit["sent"], 255)

        idle = state[WAITING_REPEATS] == 0 and is_window_full(settings, state)
        poll = settings[ACKNOWLEDGED] > 0 and (
            state[POLL_NOW] > 0 or idle or state[WITHOUT_POLL] >= settings[POLL_PDUS]
        )
        if poll:
            state[WITHOUT_POLL], state[POLL_NOW], state[POLL_SN] = 0, 0, state[TX_NEXT] - 1
            state[POLL_DUE_NS] = now_ns + settings[POLL_RETRANSMIT_NS]
        if arrival_ns[opportunity] < NEVER:
            mask, place = len(arrivals) - 1, state[ARRIVAL_TAIL]
            while place > state[ARRIVAL_HEAD]:
                if arrivals[(place - 1) & mask]["at_ns"] <= arrival_ns[opportunity]:
                    break
                arrivals[place & mask] = arrivals[(place - 1) & mask]
                place -= 1
            arrival = arrivals[place & mask]
            arrival["at_ns"], arrival["sn"], arrival["poll"] = arrival_ns[opportunity], sn, poll
            state[ARRIVAL_TAIL] += 1
    return rows


@kernel
def is_window_full(settings: Int64Array, state: Int64Array) -> bool:
    """Tell whether the sender may send no new segment."""
    full: bool = state[TX_NEXT] >= state[TX_NEXT_ACK] + settings[WINDOW]
    return full


@kernel
def next_repeat(entity: Entity) -> int:
    """Take the first segment that still waits for a retransmission; -1 if none does."""
    state, repeats, units = entity[STATE], entity[REPEATS], entity[UNITS]
    while state[REPEAT_HEAD] < state[REPEAT_TAIL]:
        sn = repeats[state[REPEAT_HEAD] & (len(repeats) - 1)]
        state[REPEAT_HEAD] += 1
        if sn >= state[TX_NEXT_ACK] and units[sn - state[FIRST_ROW]]["waits"] > 0:
            units[sn - state[FIRST_ROW]]["waits"] = 0
            state[WAITING_REPEATS] -= 1
            return sn  # type: ignore[no-any-return]
    return -1


@kernel
def want_repeat(sn: int, entity: Entity) -> None:
    """Let a segment wait for a retransmission, once."""
    state, unit = entity[STATE], entity[UNITS][sn - entity[STATE][FIRST_ROW]]
    if not unit["waits"]:
        unit["waits"] = 1
        state[WAITING_REPEATS] += 1
        entity[REPEATS][state[REPEAT_TAIL] & (len(entity[REPEATS]) - 1)] = sn
        state[REPEAT_TAIL] += 1


@kernel
def pass_time(until_ns: int, settings: Int64Array, entity: Entity, out: Rows) -> None:
    """Let everything happen that is due up to and including `until_ns`, in order of time."""
    state, arrivals, reports = entity[STATE], entity[ARRIVALS], entity[REPORTS]
    while True:
        arrival = arrivals[state[ARRIVAL_HEAD] & (len(arrivals) - 1)]
        report = reports[state[REPORT_HEAD] & (len(reports) - 1)]
        arrives_ns = arrival["at_ns"] if state[ARRIVAL_HEAD] < state[ARRIVAL_TAIL] else NEVER
        status_ns = state[PROHIBITED_UNTIL_NS] if state[STATUS_WAITS] else NEVER
        report_ns = NEVER
        if state[REPORT_HEAD] < state[REPORT_TAIL]:
            report_ns = report["made_ns"] + settings[RTT_NS]
        now_ns = min(arrives_ns, state[REASSEMBLY_DUE_NS], status_ns, report_ns, state[POLL_DUE_NS])
        if now_ns > until_ns or now_ns == NEVER:
            return
        if now_ns == arrives_ns:
            state[ARRIVAL_HEAD] += 1
            take_segment(now_ns, arrival["sn"], arrival["poll"], settings, entity, out)
        elif now_ns == state[REASSEMBLY_DUE_NS]:
            end_reassembly(now_ns, settings, entity, out)
        elif now_ns == status_ns:
            make_status(now_ns, settings, entity)
        elif now_ns == report_ns:
            state[REPORT_HEAD] += 1
            take_report(now_ns, report["made_ns"], report["ack_sn"], settings, entity, out)
        else:
            state[POLL_DUE_NS], state[POLL_NOW] = NEVER, 1
            if state[WAITING_REPEATS] == 0 and is_window_full(settings, state):
                want_repeat(state[TX_NEXT] - 1, entity)
        if 0 <= state[WAITING_POLL] < state[RX_STATUS]:
            state[WAITING_POLL] = -1
            make_status(now_ns, settings, entity)


@kernel
def take_segment(now_ns: int, sn: int, poll: int, settings: Int64Array, entity: Entity, out: Rows) -> None:
    """Let the receiver take a segment that arrives, and its poll."""
    state = entity[STATE]
    if sn >= state[RX_NEXT] and entity[UNITS][sn - state[FIRST_ROW]]["settled_ns"] == NEVER:
        settle(sn, now_ns, True, settings, entity, out)
    if poll and sn < state[RX_STATUS]:
        make_status(now_ns, settings, entity)
    elif poll:
        state[WAITING_POLL] = max(state[WAITING_POLL], sn)


@kernel
def settle(sn: int, now_ns: int, arrived: bool, settings: Int64Array, entity: Entity, out: Rows) -> None:
    """Let the receiver have a segment, or know that it was given up; move its variables and its timer."""
    out_tx_time_ns, out_delay_ns, out_delivered, _ = out
    state, units, first_row = entity[STATE], entity[UNITS], entity[STATE][FIRST_ROW]
    units[sn - first_row]["settled_ns"] = now_ns
    if not (arrived and settings[IN_ORDER]):
        out_delay_ns[sn - first_row] = now_ns - out_tx_time_ns[sn - first_row]
        out_delivered[sn - first_row] = arrived
    state[RX_HIGHEST] = max(state[RX_HIGHEST], sn + 1)
    if sn == state[RX_STATUS]:
        state[RX_STATUS] = first_missing(sn, entity)
    if sn == state[RX_NEXT]:
        state[RX_NEXT] = first_missing(sn, entity)
        for row in range(sn - first_row, state[RX_NEXT] - first_row):
            if out_delay_ns[row] < 0:
                out_delay_ns[row], out_delivered[row] = now_ns - out_tx_time_ns[row], True
    if state[RX_TRIGGER] <= state[RX_NEXT]:
        state[REASSEMBLY_DUE_NS] = NEVER
    if state[REASSEMBLY_DUE_NS] == NEVER and state[RX_HIGHEST] > state[RX_NEXT] + 1:
        state[REASSEMBLY_DUE_NS] = now_ns + settings[REASSEMBLY_NS]
        state[RX_TRIGGER] = state[RX_HIGHEST]


@kernel
def first_missing(sn: int, entity: Entity) -> int:
    """Return the first sequence number from `sn` on that the receiver lacks."""
    state, units = entity[STATE], entity[UNITS]
    while sn < state[RX_HIGHEST] and units[sn - state[FIRST_ROW]]["settled_ns"] < NEVER:
        sn += 1
    return sn


@kernel
def end_reassembly(now_ns: int, settings: Int64Array, entity: Entity, out: Rows) -> None:
    """Report the gaps that the timer has watched (acknowledged mode), or give them up."""
    state, trigger = entity[STATE], entity[STATE][RX_TRIGGER]
    state[REASSEMBLY_DUE_NS] = NEVER
    if not settings[ACKNOWLEDGED]:
        state[RX_TRIGGER] = NEVER  # the timer starts below, when all gaps are given up
        state[REASSEMBLY_DUE_NS] = now_ns
        for sn in range(state[RX_NEXT], trigger):
            if entity[UNITS][sn - state[FIRST_ROW]]["settled_ns"] == NEVER:
                settle(sn, now_ns, False, settings, entity, out)
        state[REASSEMBLY_DUE_NS] = NEVER
        state[RX_STATUS] = state[RX_NEXT]
    else:
        state[RX_STATUS] = first_missing(trigger, entity)
    if state[RX_HIGHEST] > state[RX_STATUS] + 1:
        state[REASSEMBLY_DUE_NS] = now_ns + settings[REASSEMBLY_NS]
        state[RX_TRIGGER] = state[RX_HIGHEST]
    if settings[ACKNOWLEDGED]:
        make_status(now_ns, settings, entity)


@kernel
def make_status(now_ns: int, settings: Int64Array, entity: Entity) -> None:
    """Send a status report, or let it wait until it is not prohibited any more."""
    state, reports = entity[STATE], entity[REPORTS]
    state[STATUS_WAITS] = now_ns < state[PROHIBITED_UNTIL_NS]
    if not state[STATUS_WAITS]:
        report = reports[state[REPORT_TAIL] & (len(reports) - 1)]
        report["made_ns"], report["ack_sn"] = now_ns, state[RX_STATUS]
        state[REPORT_TAIL] += 1
        state[PROHIBITED_UNTIL_NS] = now_ns + settings[STATUS_PROHIBIT_NS]


@kernel
def take_report(
    now_ns: int, made_ns: int, ack_sn: int, settings: Int64Array, entity: Entity, out: Rows
) -> None:
    """Let the sender learn from a report what arrived before `made_ns`, of the segments before `ack_sn`."""
    state, units, first_row = entity[STATE], entity[UNITS], entity[STATE][FIRST_ROW]
    for sn in range(state[TX_NEXT_ACK], ack_sn):
        unit = units[sn - first_row]
        if unit["settled_ns"] <= made_ns or unit["given_up"]:
            state[WAITING_REPEATS] -= unit["waits"]
            unit["waits"] = 0
        elif unit["sent"] <= settings[MAX_RETRANSMISSIONS]:
            want_repeat(sn, entity)
        elif not unit["waits"]:
            unit["given_up"] = 1
            if unit["settled_ns"] == NEVER:
                settle(sn, now_ns, False, settings, entity, out)
    while state[TX_NEXT_ACK] < ack_sn:
        unit = units[state[TX_NEXT_ACK] - first_row]
        if unit["settled_ns"] > made_ns and not unit["given_up"]:
            break
        state[TX_NEXT_ACK] += 1
    if state[POLL_SN] < ack_sn:
        state[POLL_DUE_NS] = NEVER
