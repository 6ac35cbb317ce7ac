"""Link layers that are compared, and the round trips: those of `scenarios/ntn-*.toml`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.units import NS_PER_MS

SLOT_NS = DECODE_TIME_NS = NS_PER_MS
SLOT_S = DECODE_TIME_S = 0.001
BLOCK_BYTES = 500

ORBITS = {"leo": ("LEO", 25), "meo": ("MEO", 120), "geo": ("GEO", 540)}
"""Name on the page and round trip in ms, by the ending of the scenario's name."""

PROCESSES = (8, 16, 32)
MAX_TRANSMISSIONS = 4
NO_STALLS = 600
"""Processes that no round trip of this study fills."""

HARQ = {count: f"HARQ, {count} processes" for count in PROCESSES}
HARQ_MOST = HARQ[PROCESSES[-1]]
HARQ_NO_STALLS = "HARQ without stalls"
HARQ_RLC = f"{HARQ_MOST} + RLC AM"
HARQ_COMBINED = f"{HARQ_MOST}, combined"
OFF = {count: f"off, k = {count}" for count in (1, 2, 4)}
RLC = "off + RLC AM"
OFF_RLC = f"{OFF[2]} + RLC AM"
OFF_COMBINED_RLC = f"{OFF[2]}, combined + RLC AM"
WINDOW = "sliding window"
WINDOW_RLC = "sliding window + RLC AM"

WITH_FEEDBACK = (*HARQ.values(), HARQ_RLC)
FEEDBACK_OFF = (*OFF.values(), RLC, OFF_RLC, WINDOW, WINDOW_RLC)
ALL = (*HARQ.values(), HARQ_NO_STALLS, HARQ_RLC, *FEEDBACK_OFF)
"""Every contender, in the order of the tables."""

OPTIONS = (*WITH_FEEDBACK, *FEEDBACK_OFF)
"""Every contender that a link can choose; more processes than 32 are a reference only."""


def contenders(rtt_s: float) -> dict[str, Scheme]:
    """Return the schemes by name, with the timers of RLC that fit the round trip.

    t-StatusProhibit is 1.2 round trips, so that a segment is not reported again before its retransmission can
    arrive. Above HARQ, t-Reassembly is the time that all retransmissions of a block take.
    """
    harq = partial(HarqProcesses, detection_delay=DECODE_TIME_S)
    rlc = partial(Rlc, window_pdus=131_072, status_prohibit=1.2 * rtt_s)
    retransmissions_s = (MAX_TRANSMISSIONS - 1) * (rtt_s + DECODE_TIME_S + SLOT_S)
    short_s = 0.005
    return {
        **{name: harq(count) for count, name in HARQ.items()},
        HARQ_NO_STALLS: harq(NO_STALLS),
        **{name: harq(repetitions=count) for count, name in OFF.items()},
        HARQ_RLC: rlc(harq(PROCESSES[-1]), reassembly=retransmissions_s),
        RLC: rlc(reassembly=short_s),
        OFF_RLC: rlc(harq(repetitions=2), reassembly=short_s),
        WINDOW: SlidingWindow(coding_window=100, repair_interval=4),
        WINDOW_RLC: rlc(SlidingWindow(coding_window=100, repair_interval=10), reassembly=0.1),
    }


def with_combining(rtt_s: float, threshold_db: float) -> dict[str, Scheme]:
    """Return schemes whose receiver combines transmissions, and the same without, for channels with Es/N0."""
    plain = contenders(rtt_s)
    combined = partial(replace, combining="incremental", combining_threshold_db=threshold_db)
    off_rlc = plain[OFF_RLC]
    assert isinstance(off_rlc, Rlc)
    return {name: plain[name] for name in (HARQ_MOST, RLC)} | {
        HARQ_COMBINED: combined(plain[HARQ_MOST]),
        OFF_COMBINED_RLC: replace(off_rlc, below=combined(off_rlc.below)),
    }


def names_by_label() -> dict[str, str]:
    """Return the names by the schemes' labels, which results have."""
    return {scheme.label: name for name, scheme in contenders(0).items()}
