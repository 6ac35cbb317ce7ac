"""Handovers of a known period in a trace: their phase, outages, and the steps of delay and rate.

An interruption is a time between two good rows that is much longer than usual; only the longest are
considered, two for each period. If a system hands over with a period, such as Starlink every 15 s, most
periods have an interruption at the same phase. A binomial law gives the probability of this without
handovers.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.theory.fit.windows import delays_ns, delivered

if TYPE_CHECKING:
    from tmt.core.trace import Int64Array, Trace

WINDOW_NS = NS_PER_S // 2
"""Interruptions that begin within this time of one phase belong together."""

LEAST_NS = 10 * NS_PER_MS
TIMES_USUAL = 5
"""An interruption lasts at least 10 ms, and at least five times the median distance of good rows."""

OF_A_PERIOD = 2
"""Longest interruptions that are considered, for each period of the trace."""

STRETCH_NS = 2 * NS_PER_S
"""Time before and after a handover over which delay and rate are measured, beyond `WINDOW_NS`."""

MOST_CHANCE = 1e-3
"""Handovers are reported if chance gives as many interruptions with a smaller probability than this."""


@dataclass(frozen=True, slots=True)
class Handover:
    """One handover: start and duration of the interruption, and delays and rates before and after it.

    The duration is 0 if this period has no interruption at the phase; the start is then the phase. Delays are
    medians of good rows without propagation, in seconds; rates are good rows per second. They are None
    without a good row nearby.
    """

    begin_s: float
    outage_s: float
    delays_s: tuple[float | None, float | None]
    rates_per_s: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Handovers:
    """Handovers of a trace; `chance` is the probability of as many interruptions at one phase without
    handovers.
    """

    period_s: float
    chance: float
    handovers: tuple[Handover, ...]

    @property
    def are_found(self) -> bool:
        """Whether chance is an unlikely explanation."""
        return self.chance < MOST_CHANCE

    def to_json(self) -> dict[str, Any]:
        """Return all figures by name."""
        return asdict(self) | {"are_found": self.are_found}


def find_handovers(trace: Trace, period_ns: int) -> Handovers:
    """Find the handovers of a period in a trace.

    Without any interruption there are none, and `chance` is 1.
    """
    good = delivered(trace)
    times_ns, good_delays_ns = trace.tx_time_ns[good], delays_ns(trace)[good]
    gaps_ns = np.diff(times_ns)
    usual_ns = int(np.median(gaps_ns)) if len(gaps_ns) else 0
    at = np.flatnonzero(gaps_ns >= max(LEAST_NS, TIMES_USUAL * usual_ns))
    if not len(at):
        return Handovers(period_ns / NS_PER_S, 1.0, ())
    length_ns = int(times_ns[-1] - times_ns[0])
    periods = max(1, round(length_ns / period_ns))
    longest_first = at[np.argsort(-gaps_ns[at], kind="stable")]
    at = np.sort(longest_first[: OF_A_PERIOD * periods])
    begins_ns = times_ns[at]
    phase_ns, hits = _best_phase(begins_ns, period_ns)
    periods = max(periods, hits)
    share = -math.expm1(-len(at) * WINDOW_NS / length_ns)
    chance = min(1.0, float(special.bdtrc(hits - 1, periods, share)) * period_ns / WINDOW_NS)
    found = []
    first = -((int(times_ns[0]) - phase_ns) // -period_ns)
    for number in range(first, (int(times_ns[-1]) - phase_ns) // period_ns + 1):
        begin_ns, outage_ns = phase_ns + number * period_ns, 0
        near = at[slice(*np.searchsorted(begins_ns, (begin_ns, begin_ns + WINDOW_NS)))]
        if len(near):
            longest = near[gaps_ns[near].argmax()]
            begin_ns, outage_ns = int(times_ns[longest]), int(gaps_ns[longest])
        behind_ns = begin_ns + outage_ns
        before = slice(*np.searchsorted(times_ns, (begin_ns - STRETCH_NS, begin_ns), side="right"))
        behind = slice(*np.searchsorted(times_ns, (behind_ns, behind_ns + STRETCH_NS)))
        delays = [good_delays_ns[stretch] for stretch in (before, behind)]
        found.append(
            Handover(
                begin_ns / NS_PER_S,
                outage_ns / NS_PER_S,
                (_median_s(delays[0]), _median_s(delays[1])),
                (_per_s(delays[0]), _per_s(delays[1])),
            )
        )
    return Handovers(period_ns / NS_PER_S, chance, tuple(found))


def _best_phase(begins_ns: Int64Array, period_ns: int) -> tuple[int, int]:
    """Return the phase whose window has interruptions in most periods, and the number of these periods.

    A window starts at an interruption: any other window with as many periods can be moved to one.
    """
    best = (0, 0)
    for phase_ns in np.unique(begins_ns % period_ns).tolist():
        since_ns = begins_ns - phase_ns
        inside = since_ns % period_ns < WINDOW_NS
        hits = len(np.unique(since_ns[inside] // period_ns))
        best = max(best, (hits, -phase_ns))
    return -best[1], best[0]


def _median_s(delays_ns: Int64Array) -> float | None:
    return float(np.median(delays_ns)) / NS_PER_S if len(delays_ns) else None


def _per_s(delays_ns: Int64Array) -> float | None:
    return len(delays_ns) * NS_PER_S / STRETCH_NS if len(delays_ns) else None
