"""The courses of a search: pieces of the channel that all candidates share, and held-out pieces.

A course is a seed. Over a channel model each seed gives another realisation. In a trace each seed starts at
another time; courses are chosen so that no two share a slot.

Two laws bound the goodput of a scheme on a course, whatever the channel erases and TCP does. First, a scheme
without soft combining delivers at most as many LLDUs as slots are decoded, because each delivered LLDU needs
a separate equation. Second, a scheme sends at most as much new data as its code rate, its repetitions or its
processes allow: D of L consecutive slots carry new data, and N processes, or a window of N LLDUs, carry N
LLDUs in a feedback delay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, cast

import numpy as np

from tmt.campaign.plan import FORWARD, drawn_start
from tmt.campaign.recipe import recipes_of, source_of
from tmt.core.convert import Share
from tmt.core.converter import joined
from tmt.core.declaration import ns
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.generate import lay_over
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S
from tmt.io import read_trace
from tmt.io.generation import adapted
from tmt.spec.stacks import FECTCP, HEADER_BYTES, NS2_STACKS
from tmt.spec.traffic import MAX_SEED

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.recipe import Phy, Source
    from tmt.core.schemes.scheme import Scheme
    from tmt.results.statistics import FloatArray
    from tmt.results.tune.task import Task

LEAST_COURSES = 6
"""Fewest disjoint courses of a trace: four of the search, two held out."""

MOST_TRIES = 5000
"""Seeds whose starts are tried until enough courses are found."""


@dataclass(frozen=True, slots=True)
class Courses:
    """The seeds of the search, then the held-out seeds, and the slots of each.

    `wanted` courses were requested; a trace may have room for fewer.
    """

    seeds: tuple[int, ...]
    n_search: int
    wanted: int
    source: Source
    task: Task

    @property
    def n_held_out(self) -> int:
        """Number of held-out courses."""
        return len(self.seeds) - self.n_search

    def slots(self, course: int) -> PhyTrace | None:
        """Return the slots that pass during a run; None when a realisation is shorter than the run."""
        seed = self.seeds[course]
        phy = _phy(self.source, self.task, seed)
        start_ns = int(drawn_start(seed, FORWARD) * _span_ns(phy))
        duration_ns = ns(self.task.traffic.duration)
        if duration_ns > _span_ns(phy):
            return None
        extent, modes = Extent.said(phy.metadata), phy.metadata.get("modes")
        phy = Share(self.source.trace.kept).of(phy)
        tx_time_ns = phy.tx_time_ns - (0 if extent is None else extent.begin_ns)
        first, last = np.searchsorted(tx_time_ns, [start_ns, start_ns + duration_ns])
        over_ns = start_ns + duration_ns - (int(tx_time_ns[-1]) if extent is None else extent.length_ns)
        again = int(np.searchsorted(tx_time_ns, over_ns)) if over_ns > 0 else 0
        at = np.concatenate([np.arange(first, last), np.arange(again)])
        # The trace repeats after its length, which without an extent ends with the last slot.
        length_ns = int(tx_time_ns[-1]) + 1 if extent is None else extent.length_ns
        later = np.where(np.arange(len(at)) < last - first, 0, length_ns)
        columns = {column.name: getattr(phy, column.name)[at] for column in phy.columns}
        columns["tx_time_ns"] = tx_time_ns[at] + later
        return PhyTrace(**columns, metadata={} if modes is None else {"modes": modes})


def choose_courses(task: Task) -> Courses:
    """Return the courses of a search (InputError where a trace has no room for `LEAST_COURSES` of them)."""
    source = source_of(task.trace, ("trace", 0))
    wanted = task.rules.most + task.held_out
    if source.trace.is_random:
        own = task.scenario.each_seed
        taken = set(own)
        others = (seed for seed in range(1, MAX_SEED) if seed not in taken)
        seeds = (*own, *(next(others) for _ in range(task.held_out)))
        return Courses(seeds, len(own), wanted, source, task)
    found = _disjoint(task, _span_ns(_phy(source, task, 0)), wanted)
    least = max(LEAST_COURSES, task.rules.first + 2)
    if len(found) < least:
        span_s, duration_s = _span_ns(_phy(source, task, 0)) / NS_PER_S, task.traffic.duration
        hint = f": a duration of {span_s / 2 / least:.3g} s has room" if span_s else ""
        raise InputError(
            source.file or "",
            f"lasts {span_s:.4g} s, which has room for {len(found)} disjoint runs of {duration_s:g} s at "
            f"drawn places; {least} are needed{hint}",
        )
    # The places are independent of each other, so any of them may be held out.
    n_held_out = min(
        task.held_out, max(2, len(found) * task.held_out // wanted), len(found) - task.rules.first
    )
    return Courses(tuple(found), len(found) - n_held_out, wanted, source, task)


def _disjoint(task: Task, span_ns: int, wanted: int) -> list[int]:
    """Return seeds whose runs lie inside the trace and share no slot."""
    duration_ns = ns(task.traffic.duration)
    found: list[int] = []
    starts: list[int] = []
    for seed in range(1, MOST_TRIES):
        start_ns = int(drawn_start(seed, FORWARD) * span_ns)
        if start_ns + duration_ns <= span_ns and all(
            abs(start_ns - other) >= duration_ns for other in starts
        ):
            found.append(seed)
            starts.append(start_ns)
            if len(found) == wanted:
                break
    return found


@lru_cache(maxsize=1)
def _slots_of(file: Path, sha256: str) -> PhyTrace:
    """Return the slots of a file whose content has that hash."""
    del sha256
    slots = cast("PhyTrace", read_trace(file, PHY_TRACE))
    kept = ("begin_ns", "length_ns", "modes")
    return replace(slots, metadata={key: slots.metadata[key] for key in kept if key in slots.metadata})


def _phy(source: Source, task: Task, seed: int) -> PhyTrace:
    """Return the PHY trace of a seed."""
    recipe, _ = recipes_of(source, source, task.scenario.scheme[0], task.scenario.path[0], seed)
    return _made(recipe.phy)


@lru_cache(maxsize=1)
def _made(phy: Phy) -> PhyTrace:
    """Return the slots of a PHY trace; cached for many candidates."""
    if phy.file is not None:
        slots = _slots_of(phy.file, phy.file_slots)
    elif phy.adaptation is not None:
        assert phy.line is not None
        assert phy.channel is not None
        made = adapted(phy.channel, phy.line, phy.length_ns, phy.seed, phy.adaptation)
        slots = reduce(joined, (chunk for _, chunk in made))
        return replace(slots, metadata={"modes": phy.adaptation.describe()})
    else:
        assert phy.line is not None
        tx_time_ns = phy.line.tx_times_ns(0, phy.line.slots_within(phy.length_ns))
        slots = PhyTrace(tx_time_ns, np.full(len(tx_time_ns), phy.line.decode_time_ns, np.int64))
    return slots if phy.channel is None else lay_over(slots, phy.channel.realisation(phy.seed))


def _span_ns(phy: PhyTrace) -> int:
    extent = Extent.said(phy.metadata)
    return int(phy.tx_time_ns[-1] - phy.tx_time_ns[0]) if extent is None else extent.length_ns


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
            # A connection may first take two round trips.
            active_s = max(traffic.duration - 2 * one.path.rtt, traffic.duration / 2)
            table[number, course] = 8 * rows * courses.source.lldu_bytes * payload / active_s
    return table


def most_delivered(scheme: Scheme, rtt: float, slots: PhyTrace) -> float:
    """Return an upper bound on the delivered LLDUs among those first sent in these slots; `rtt` is in s."""
    # Soft combining decodes slots that are erased by themselves.
    most = len(slots) if scheme.needs_es_n0 else int(np.count_nonzero(slots.decode_time_ns))
    # Online, a block may be cut short, and slots may pass unused: only this law holds.
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
    """Return the shortest decode time; if no slot is decoded, a time longer than any run."""
    return int(slots.decode_time_ns[slots.decode_time_ns > 0].min(initial=2**62))


def _most_at_once(n: int, feedback_ns: int, slots: PhyTrace) -> float:
    """Return an upper bound on the transmissions with n in flight, each for `feedback_ns` or more."""
    if not len(slots) or not feedback_ns:
        return math.inf
    span_ns = int(slots.tx_time_ns[-1] - slots.tx_time_ns[0])
    return n * (span_ns // feedback_ns + 1)


def _first_of(n_slots: int, data: int, others: int) -> int:
    """Return the greatest number of data slots among `n_slots` in a row, when `data` slots and `others`
    alternate.
    """
    whole, rest = divmod(n_slots, data + others)
    return whole * data + min(rest, data)
