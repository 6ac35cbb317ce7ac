"""Adaptive coding and modulation, slot by slot: a late report, a mode, and the fate of a block.

Es/N0 is in thousandths of a dB, times are in nanoseconds. A choice is an index into the useful modes, by
increasing efficiency; -1 below the need of the lowest mode.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels import Float64Array, Int64Array, Records, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Int32Array = npt.NDArray[np.int32]
    Uint8Array = npt.NDArray[np.uint8]

UNKNOWN = -(1 << 40)
"""Es/N0 of a lost report, and of the sender before its first report."""

NANOSECONDS = 1_000_000_000

IDEAL, MARGIN, OLLA = 0, 1, 2
"""Rules: by the slot's Es/N0; by the last report; by the last report and an offset from feedback."""

STATE = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "reported_mdb",
                "report_head",
                "report_tail",
                "next_report_ns",
                "feedback_head",
                "feedback_tail",
                "choice",
                "symbols",
                "samples",
            )
        ),
        ("offset_mdb", np.float64),
    ]
)
"""State of the sender of one link: the last report; entries taken from and put into the rings of reports and
of feedback; time of the next report; the last choice; symbols sent and samples seen; OLLA's offset.
"""

REPORT = np.dtype([("due_ns", np.int64), ("es_n0_mdb", np.int64)])
"""A report on its way to the sender."""

FEEDBACK = np.dtype([("due_ns", np.int64), ("change_mdb", np.float64)])
"""The change of the offset by an ACK or NACK on its way to the sender."""


@kernel
def report(due_ns: int, es_n0_mdb: int, state: Records, reports: Records) -> None:
    """Send a report, `UNKNOWN` if it is lost; reports are sent in the order in which they arrive."""
    entry = reports[state[0]["report_tail"] & (len(reports) - 1)]
    entry["due_ns"], entry["es_n0_mdb"] = due_ns, es_n0_mdb
    state[0]["report_tail"] += 1


@kernel
def hear(now_ns: int, state: Records, reports: Records, feedback: Records) -> None:
    """Process the reports and the feedback that have arrived.

    Updates `state`, [1], `STATE`, and the rings `reports`, `REPORT`, and `feedback`, `FEEDBACK`, both [power
    of two].
    """
    head, tail, mask = state[0]["report_head"], state[0]["report_tail"], len(reports) - 1
    while head < tail and reports[head & mask]["due_ns"] <= now_ns:
        if reports[head & mask]["es_n0_mdb"] != UNKNOWN:
            state[0]["reported_mdb"] = reports[head & mask]["es_n0_mdb"]
        head += 1
    state[0]["report_head"] = head
    head, tail, mask = state[0]["feedback_head"], state[0]["feedback_tail"], len(feedback) - 1
    while head < tail and feedback[head & mask]["due_ns"] <= now_ns:
        state[0]["offset_mdb"] += feedback[head & mask]["change_mdb"]
        head += 1
    state[0]["feedback_head"] = head


@kernel
def choose(es_n0_mdb: float, needed_mdb: Float64Array, state: Records) -> int:
    """Return the most efficient choice whose need, [n_choices], increasing, is met; -1 if none is.

    The search begins at the last choice, which `state` keeps.
    """
    choice = state[0]["choice"]
    while choice + 1 < len(needed_mdb) and needed_mdb[choice + 1] <= es_n0_mdb:
        choice += 1
    while choice >= 0 and needed_mdb[choice] > es_n0_mdb:
        choice -= 1
    state[0]["choice"] = choice
    return choice  # type: ignore[no-any-return]


@kernel
def choose_by_report(margin_mdb: float, needed_mdb: Float64Array, state: Records) -> int:
    """Return the choice by the last report less the margin plus the offset; -1 also before any report."""
    return choose(state[0]["reported_mdb"] - margin_mdb + state[0]["offset_mdb"], needed_mdb, state)


@kernel
def is_erased(es_n0_mdb: float, half_mdb: float, width_mdb: float, uniform: float) -> bool:
    """Return whether a block is erased, by a uniform number: ``uniform < Phi((half - Es/N0) / width)``."""
    lacking = (half_mdb - es_n0_mdb) / width_mdb
    if lacking < -6.5:
        return False
    return lacking > 6.5 or uniform < 0.5 * math.erfc(-lacking * math.sqrt(0.5))


@kernel
def learn(
    due_ns: int,
    erased: bool,
    choice: int,
    n_choices: int,
    up_mdb: float,
    down_mdb: float,
    state: Records,
    feedback: Records,
) -> None:
    """Send the feedback of a slot: an ACK raises the offset by `up_mdb`, a NACK lowers it by `down_mdb`.

    An ACK of the highest choice and a NACK of the lowest one, 0 or -1, change nothing: otherwise the offset
    would drift while the choice stays.
    """
    change_mdb = 0.0
    if erased:
        change_mdb = -down_mdb if choice > 0 else 0.0
    elif choice < n_choices - 1:
        change_mdb = up_mdb
    entry = feedback[state[0]["feedback_tail"] & (len(feedback) - 1)]
    entry["due_ns"], entry["change_mdb"] = due_ns, change_mdb
    state[0]["feedback_tail"] += 1


@kernel
def quantised(es_n0_mdb: int, levels_mdb: Float64Array) -> int:
    """Return the greatest of the levels, increasing, that an Es/N0 reaches; the Es/N0 itself without levels.

    It is rounded up, so that a mode with that need is chosen. Below the lowest level it is 100 dB under that
    level.
    """
    if len(levels_mdb) == 0:
        return es_n0_mdb
    level = int(np.searchsorted(levels_mdb, es_n0_mdb, side="right")) - 1
    reached: int = math.ceil(levels_mdb[max(level, 0)])
    return reached if level >= 0 else reached - 100_000


@kernel
def time_ns_of(symbols: int, symbol_rate: int) -> int:
    """Return when so many symbols have been sent: ``symbols * 10**9 // symbol_rate``.

    The product need not fit in 64 bits; with rates up to 10**10 those of its parts do.
    """
    whole_s, rest = symbols // symbol_rate, symbols % symbol_rate
    parts, rest = rest * 100_000 // symbol_rate, rest * 100_000 % symbol_rate
    return whole_s * NANOSECONDS + parts * 10_000 + rest * 10_000 // symbol_rate


@kernel
def adapt(
    time_ns: Int64Array,
    es_n0_mdb: Int32Array,
    uniform: Float64Array,
    lost: Float64Array,
    rule: int,
    needed_mdb: Float64Array,
    modes: Int64Array,
    half_mdb: Float64Array,
    width_mdb: Float64Array,
    levels_mdb: Float64Array,
    numbers: Float64Array,
    every_ns: int,
    delay_ns: int,
    decode_time_ns: int,
    symbols: Int64Array,
    grid_symbols: int,
    symbol_rate: int,
    idle_symbols: int,
    state: Records,
    reports: Records,
    feedback: Records,
    out_tx_ns: Int64Array,
    out_decode_ns: Int64Array,
    out_es_n0_mdb: Int32Array,
    out_mode: Uint8Array,
) -> int:
    """Send slots over the next samples of a signal; return the number of slots.

    Parameters
    ----------
    time_ns, es_n0_mdb : [n_samples], when samples are taken, and the signal
    uniform : [n_samples], decides the fate of the slot that begins in a sample
    lost : [n_samples], in [0, 1): a report is lost if it is below the probability; [0]: none is lost
    needed_mdb, modes : [n_choices], what each choice needs, and its mode
    half_mdb, width_mdb : [n_modes], error curves
    levels_mdb : levels of a quantised report; [0]: reports are exact
    numbers : margin, offset per ACK and per NACK, all in thousandths of a dB; probability that a report is
        lost
    every_ns : time between reports, each made in the first sample that is due; 0: in each sample
    delay_ns : from a report's sample, or the start of a slot, until the sender knows
    decode_time_ns : from the end of a frame, or the start of a slot, until it is decoded
    symbols : [n_modes], symbols of a frame; [0]: slots of constant duration, one in each sample
    grid_symbols, symbol_rate : of frames, symbols from sample to sample, and per second
    idle_symbols : symbols of a dummy frame, sent where no mode meets the need; 0: a slot without a mode is
        idle; -1: the lowest mode is sent
    out_... : [n_samples], written up to the number of slots
    """
    margin_mdb, up_mdb, down_mdb, loss = numbers[0], numbers[1], numbers[2], numbers[3]
    n_slots = 0
    has_frames = len(symbols) > 0
    for sample in range(len(time_ns)):
        begin_ns = time_ns[sample]
        if begin_ns >= state[0]["next_report_ns"]:
            is_lost = len(lost) > 0 and lost[sample] < loss
            value = UNKNOWN if is_lost else quantised(es_n0_mdb[sample], levels_mdb)
            report(begin_ns + delay_ns, value, state, reports)
            if every_ns > 0:
                state[0]["next_report_ns"] = (begin_ns // every_ns + 1) * every_ns
        state[0]["samples"] += 1
        until = state[0]["samples"] * grid_symbols
        while not has_frames or state[0]["symbols"] < until:
            sent = state[0]["symbols"]
            if has_frames:
                begin_ns = time_ns_of(sent, symbol_rate)
            hear(begin_ns, state, reports, feedback)
            if rule == IDEAL:
                choice = choose(es_n0_mdb[sample], needed_mdb, state)
            else:
                choice = choose_by_report(margin_mdb, needed_mdb, state)
            if choice < 0 and idle_symbols >= 0:
                state[0]["symbols"] += idle_symbols
                if has_frames:
                    continue
                break
            mode = modes[max(choice, 0)]
            erased = is_erased(es_n0_mdb[sample], half_mdb[mode], width_mdb[mode], uniform[sample])
            decode_ns = decode_time_ns
            if has_frames:
                state[0]["symbols"] += symbols[mode]
                decode_ns += time_ns_of(state[0]["symbols"], symbol_rate) - begin_ns
            if rule == OLLA:
                learn(begin_ns + delay_ns, erased, choice, len(modes), up_mdb, down_mdb, state, feedback)
            out_tx_ns[n_slots] = begin_ns
            out_decode_ns[n_slots] = 0 if erased else decode_ns
            out_es_n0_mdb[n_slots] = es_n0_mdb[sample]
            out_mode[n_slots] = mode
            n_slots += 1
            if not has_frames:
                break
    return n_slots
