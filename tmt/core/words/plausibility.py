"""Notes on values that are allowed and probably a slip, such as milliseconds where seconds are meant."""

from __future__ import annotations

from tmt.core.units import NS_PER_S, ns_to_seconds

USUAL_NS = 10 * NS_PER_S
"""Round trips and decode times beyond this are noted: a geostationary satellite is half a second away."""


def time_notes(name: str, time_ns: float) -> list[str]:
    """Note a round trip or a decode time that is unusually long."""
    if time_ns <= USUAL_NS:
        return []
    seconds = time_ns / NS_PER_S
    return [f"{name} is {seconds:g} s; times are in seconds: {seconds:g} ms is {seconds / 1000:g}"]


def decode_time_notes(path: str, median_ns: float) -> list[str]:
    """Note a PHY trace whose slots are decoded unusually late."""
    return time_notes(f"{path}: the median decode time", median_ns)


def span_notes(name: str, span_ns: int, rtt_ns: int) -> list[str]:
    """Note a trace that is shorter than one round trip."""
    if span_ns >= rtt_ns:
        return []
    return [
        f"{name} lasts {ns_to_seconds(span_ns):g} s, less than one round trip of {ns_to_seconds(rtt_ns):g} s"
    ]


def unsettled_notes(name: str, unsettled: int, rows: int) -> list[str]:
    """Note a link trace most of whose rows are unsettled."""
    if 2 * unsettled <= rows:
        return []
    return [f"{name}: {unsettled:,} of {rows:,} rows are unsettled: open when the trace ends"]


def full_window_notes(name: str, stalled: int, slots: int, window: int, round_trip_slots: int) -> list[str]:
    """Note a conversion to `tetrys` that left more than 1 % of the slots idle: the coding window was full."""
    if 100 * stalled <= slots:
        return []
    idle = f"{name}: {stalled:,} of {slots:,} slots stayed idle: the window was full"
    if window < round_trip_slots:
        return [f"{idle}; coding_window is {window}, and a round trip has {round_trip_slots:,} slots"]
    return [
        f"{idle} during long recoveries; a larger coding_window or a smaller repair_interval shortens them"
    ]
