"""Notes on stderr about input that is allowed and probably a slip; the exit status stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tmt.core.declaration import ns
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.tetrys import Tetrys
from tmt.core.words.values import (
    decode_time_notes,
    full_window_notes,
    span_notes,
    time_notes,
    unsettled_notes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.core.converter import Counts
    from tmt.core.measure.summaries import LinkSummary, PhySummary
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.trace import Int64Array
    from tmt.io.conversion import Conversion
    from tmt.spec.toml import Document


def print_notes(notes: Iterable[str]) -> None:
    """Print each note once."""
    for note in dict.fromkeys(notes):
        click.echo(f"note: {note}", err=True)


def print_warnings(warnings: Iterable[str]) -> None:
    """Print each warning."""
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first slots of a PHY trace.

    Attributes
    ----------
    tx_time_ns
        Their times, at least until the first feedback if the trace is that long.
    median_decode_ns, longest_decode_ns
        Of the first of them.
    """

    tx_time_ns: Int64Array
    median_decode_ns: float
    longest_decode_ns: int

    def slots_within(self, span_ns: int) -> int:
        """Count the slots within a time from the first one on."""
        return int((self.tx_time_ns < self.tx_time_ns[0] + span_ns).sum())


def beginning(path: str, conversions: Iterable[Conversion]) -> Beginning:
    """Read a PHY trace up to the first feedback of all its conversions."""
    import numpy as np  # noqa: PLC0415  (takes long to import)

    from tmt.core.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.core.trace import PhyTrace  # noqa: PLC0415
    from tmt.io import open_trace  # noqa: PLC0415

    wait_ns = max(rtt_ns_of(one) + _detection_ns(one.scheme) for one in conversions)
    times: list[Int64Array] = []
    median_ns, longest_ns = 0.0, 0
    with open_trace(path, PHY_TRACE) as reader:
        for chunk in reader:
            assert isinstance(chunk, PhyTrace)
            if not times:
                decoded = chunk.decode_time_ns[chunk.decode_time_ns > 0]
                if len(decoded):
                    median_ns, longest_ns = float(np.median(decoded)), int(decoded.max())
            times.append(chunk.tx_time_ns)
            if chunk.tx_time_ns[-1] - times[0][0] >= wait_ns + longest_ns:
                break
    return Beginning(np.concatenate(times), median_ns, longest_ns)


def rtt_ns_of(conversion: Conversion) -> int:
    """Return the round trip of a conversion; 0 without feedback."""
    return ns(conversion.rtt) if conversion.scheme.uses_rtt else 0


def _detection_ns(scheme: Scheme) -> int:
    return ns(getattr(_lowest(scheme), "detection_delay", 0))


def _lowest(scheme: Scheme) -> Scheme:
    """Return the scheme below RLC, or the scheme itself."""
    found: Scheme = getattr(scheme, "below", scheme)
    return found


def phy_notes(path: str, start: Beginning, rtt_ns: int) -> list[str]:
    """Note late decoding and a trace shorter than its round trip."""
    span_ns = int(start.tx_time_ns[-1] - start.tx_time_ns[0])
    return decode_time_notes(path, start.median_decode_ns) + span_notes(path, span_ns, rtt_ns)


def stall_notes(conversion: Conversion, start: Beginning, counts: Counts) -> list[str]:
    """Note slots that `tetrys` left idle."""
    scheme = conversion.scheme
    if not isinstance(scheme, Tetrys):
        return []
    feedback_ns = rtt_ns_of(conversion) + max(start.longest_decode_ns, _detection_ns(scheme))
    round_trip_slots = -(-start.slots_within(feedback_ns) // conversion.every)
    return full_window_notes(
        conversion.link_path, counts.stalled_slots, counts.slots, scheme.coding_window, round_trip_slots
    )


def gap_notes(conversion: Conversion, start: Beginning) -> list[str]:
    """Note synchronous processes that count the slots of a trace with gaps."""
    scheme = _lowest(conversion.scheme)
    if not isinstance(scheme, HarqProcesses) or scheme.repetitions is not None:
        return []
    if scheme.retransmission != "synchronous" or scheme.slot_time:
        return []
    steps_ns = start.tx_time_ns[1:] - start.tx_time_ns[:-1]
    if len(steps_ns) == 0 or steps_ns.max() < 2 * steps_ns.min():
        return []
    flag = "--slot-time" if scheme is conversion.scheme else "--below-slot-time"
    return [
        f"{conversion.phy_path} has gaps between its slots ({steps_ns.min() / 1e6:g} to "
        f"{steps_ns.max() / 1e6:g} ms), and synchronous processes count slots, not time: "
        f"{flag} sets the time from slot to slot (0.001 in LTE)"
    ]


def summary_notes(path: str, summary: PhySummary | LinkSummary) -> list[str]:
    """Note late decoding, a trace shorter than its round trip, and unsettled rows."""
    from tmt.core.measure.summaries import PhySummary  # noqa: PLC0415

    if isinstance(summary, PhySummary):
        return decode_time_notes(path, 1e9 * (summary.decode_time_s.p50 or 0))
    found = unsettled_notes(path, summary.unsettled, summary.times.rows)
    if summary.rtt_s is not None:
        span_ns = round(1e9 * summary.times.duration_s)
        found += span_notes(path, span_ns, round(1e9 * summary.rtt_s))
    return found


def scenario_notes(document: Document) -> list[str]:
    """Note round trips and decode times of a scenario that are unusually long."""
    scenario = document.scenario
    times = [("rtt", path.rtt) for path in scenario.path]
    times += [("decode_time", trace.decode_time or 0) for trace in scenario.trace]
    return [f"{document.path}: {note}" for name, time_s in times for note in time_notes(name, ns(time_s))]
