"""Notes on stderr about input that is allowed and probably a slip; the exit status stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tmt.plausibility import (
    decode_time_notes,
    full_window_notes,
    span_notes,
    time_notes,
    unsettled_notes,
)
from tmt.units import seconds_to_ns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.campaign.sections import Scenario
    from tmt.convert import Conversion
    from tmt.metrics.summaries import LinkSummary, PhySummary
    from tmt.schemes import Counts


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once."""
    for note in dict.fromkeys(notes):
        click.echo(f"note: {note}", err=True)


def phy_notes(path: str, rtt_ns: int) -> list[str]:
    """Note late decoding and a short trace; the file is read up to one round trip."""
    import numpy as np  # noqa: PLC0415  (takes long to import)

    from tmt.io import open_trace  # noqa: PLC0415
    from tmt.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.trace import PhyTrace  # noqa: PLC0415

    found: list[str] = []
    first_ns = last_ns = None
    with open_trace(path, PHY_TRACE) as reader:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            if first_ns is None:
                first_ns = int(chunk.tx_time_ns[0])
                decoded = chunk.decode_time_ns[chunk.decode_time_ns > 0]
                found += decode_time_notes(path, float(np.median(decoded)) if len(decoded) else 0)
            last_ns = int(chunk.tx_time_ns[-1])
            if last_ns - first_ns >= rtt_ns:
                return found
    assert first_ns is not None
    assert last_ns is not None
    return found + span_notes(path, last_ns - first_ns, rtt_ns)


def stall_notes(conversion: Conversion, counts: Counts) -> list[str]:
    """Note slots that `tetrys` left idle; the file is read up to the first feedback."""
    from tmt.io import open_trace  # noqa: PLC0415
    from tmt.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.schemes import Tetrys  # noqa: PLC0415
    from tmt.schemes.rlc import RlcLayer  # noqa: PLC0415
    from tmt.trace import PhyTrace  # noqa: PLC0415

    scheme, slots, feedback_ns = conversion.scheme, 0, None
    if not isinstance(scheme, Tetrys) or isinstance(scheme, RlcLayer) or counts.stalled_slots == 0:
        return []
    with open_trace(conversion.phy_path, PHY_TRACE) as reader:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            if feedback_ns is None:
                longest_ns = max(int(chunk.decode_time_ns.max()), scheme.detection_delay_ns)
                feedback_ns = int(chunk.tx_time_ns[0]) + scheme.rtt_ns + longest_ns
            slots += int((chunk.tx_time_ns < feedback_ns).sum())
            if chunk.tx_time_ns[-1] >= feedback_ns:
                break
    round_trip_slots = -(-slots // conversion.every)
    return full_window_notes(
        conversion.link_path, counts.stalled_slots, counts.slots, scheme.coding_window, round_trip_slots
    )


def gap_notes(conversion: Conversion) -> list[str]:
    """Note synchronous processes that count the slots of a trace with gaps; its first chunk is read."""
    from tmt.io import open_trace  # noqa: PLC0415
    from tmt.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.schemes import HarqProcesses  # noqa: PLC0415

    scheme = conversion.scheme
    if not isinstance(scheme, HarqProcesses) or scheme.repetitions is not None:
        return []
    if scheme.retransmission != "synchronous" or scheme.slot_time_ns:
        return []
    with open_trace(conversion.phy_path, PHY_TRACE) as reader:
        steps_ns = next(iter(reader)).tx_time_ns
    steps_ns = steps_ns[1:] - steps_ns[:-1]
    if len(steps_ns) == 0 or steps_ns.max() < 2 * steps_ns.min():
        return []
    return [
        f"{conversion.phy_path} has gaps between its slots ({steps_ns.min() / 1e6:g} to "
        f"{steps_ns.max() / 1e6:g} ms), and synchronous processes count slots, not time: "
        "--slot-time sets the time from slot to slot (0.001 in LTE)"
    ]


def summary_notes(path: str, summary: PhySummary | LinkSummary) -> list[str]:
    """Note late decoding, a trace shorter than its round trip, and unsettled rows."""
    from tmt.metrics.summaries import PhySummary  # noqa: PLC0415

    if isinstance(summary, PhySummary):
        return decode_time_notes(path, 1e9 * (summary.decode_time_s.p50 or 0))
    found = unsettled_notes(path, summary.unsettled, summary.times.rows)
    if summary.rtt_s is not None:
        span_ns = round(1e9 * summary.times.duration_s)
        found += span_notes(path, span_ns, round(1e9 * summary.rtt_s))
    return found


def scenario_notes(scenario: Scenario) -> list[str]:
    """Note round trips and decode times of a scenario that are unusually long."""
    times = [("rtt", link.rtt) for link in scenario.links]
    times += [("decode_time", getattr(trace, "decode_time", None) or 0) for trace in scenario.traces]
    notes = [note for name, time_s in times for note in time_notes(name, seconds_to_ns(time_s))]
    return [f"{scenario.path}: {note}" for note in notes]
