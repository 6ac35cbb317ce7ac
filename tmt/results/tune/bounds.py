"""Upper bounds on the goodput of a scheme on given slots, whatever the channel erases and TCP does.

Two laws give them. A scheme that does not combine transmissions softly delivers at most as many LLDUs as
slots are decoded: each delivered LLDU needs an equation of its own. And any scheme sends at most as much new
data as its code rate, its repetitions or its processes leave: of L slots in a row D carry new data, or N
processes, or a window of N LLDUs, carry N a feedback delay.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys
from tmt.spec.traffic import FECTCP, HEADER_BYTES, NS2_STACKS

if TYPE_CHECKING:
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.trace import PhyTrace
    from tmt.results.statistics import FloatArray
    from tmt.results.tune.courses import Courses
    from tmt.results.tune.task import Task
    from tmt.spec.traffic import Traffic


def goodput_bounds(task: Task, courses: Courses) -> FloatArray | None:
    """Return bounds on the goodput in bit/s: [n_candidates, n_search]; None where the laws do not hold.

    They need one objective, the goodput of flows that send until the end in ns-2, and LLDUs of one size.
    """
    aims, traffic = task.goal.objectives, task.traffic
    single = aims[0].single
    if (
        len(aims) > 1
        or single is None
        or single.name != "goodput"
        or traffic.transfer_bytes is not None
        or traffic.start_spread
        or traffic.stack not in NS2_STACKS
        or traffic.tcp == FECTCP
        or courses.source.lldu_bytes is None
    ):
        return None
    table = np.empty((len(task.candidates), courses.n_search))
    payload = (traffic.packet_bytes - HEADER_BYTES) / traffic.packet_bytes
    for course in range(courses.n_search):
        slots = courses.slots(course)
        if slots is None:
            return None
        for number, one in enumerate(task.candidates):
            rows = most_delivered(one.scheme, one.path.rtt, slots)
            active_s = _active_s(traffic, one.path.rtt)
            table[number, course] = 8 * rows * courses.source.lldu_bytes * payload / active_s
    return table


def _active_s(traffic: Traffic, rtt: float) -> float:
    """Return the shortest time over which goodput is a mean: a connection may first take two round trips."""
    return max(traffic.duration - 2 * rtt, traffic.duration / 2)


def most_delivered(scheme: Scheme, rtt: float, slots: PhyTrace) -> float:
    """Return an upper bound on the data LLDUs first sent in these slots that are delivered.

    `rtt` is that of the link in seconds.
    """
    # Soft combining decodes slots that are erased alone.
    most = len(slots) if scheme.needs_es_n0 else int(np.count_nonzero(slots.decode_time_ns))
    # Online, a block may be cut short, and slots pass unused: only this law holds.
    return most if scheme.online else min(most, _most_new(scheme, ns(rtt), slots))


def _most_new(scheme: Scheme, rtt_ns: int, slots: PhyTrace) -> float:
    """Return an upper bound on the slots that carry new data."""
    n_slots = len(slots)
    match scheme:
        case Rlc():
            most = _most_new(scheme.below, rtt_ns, slots)
            if scheme.mode == "acknowledged":
                feedback_ns = rtt_ns + _shortest_ns(slots)
                most = min(most, _most_at_once(scheme.window_pdus, feedback_ns, slots))
        case Fec():
            most = _first_of(n_slots, scheme.depth * scheme.data, scheme.depth * scheme.repair)
        case Harq():
            most = _first_of(n_slots, scheme.data, scheme.repair)
        case SlidingWindow():
            most = _first_of(n_slots, scheme.repair_interval, 1)
        case Tetrys():
            most = _most_at_once(scheme.coding_window, rtt_ns + _shortest_ns(slots), slots)
        case HarqProcesses() if scheme.repetitions is not None:
            most = _first_of(n_slots, 1, scheme.repetitions - 1)
        case HarqProcesses():
            # Each process waits for its feedback.
            feedback_ns = rtt_ns + min(ns(scheme.detection_delay), _shortest_ns(slots))
            most = _most_at_once(scheme.processes, feedback_ns, slots)
        case _:
            most = math.inf
    return most


def _shortest_ns(slots: PhyTrace) -> int:
    """Return the shortest decode time; a time longer than any run if no slot is decoded."""
    return int(slots.decode_time_ns[slots.decode_time_ns > 0].min(initial=2**62))


def _most_at_once(n: int, feedback_ns: int, slots: PhyTrace) -> float:
    """Return an upper bound on the transmissions with n in flight, each for `feedback_ns` or more."""
    if not len(slots) or not feedback_ns:
        return math.inf
    span_ns = int(slots.tx_time_ns[-1] - slots.tx_time_ns[0])
    return n * (span_ns // feedback_ns + 1)


def _first_of(n_slots: int, data: int, others: int) -> int:
    """Return the most data slots of `n_slots` in a row, where `others` follow `data` again and again."""
    whole, rest = divmod(n_slots, data + others)
    return whole * data + min(rest, data)
