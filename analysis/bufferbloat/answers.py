"""What the page's sentences say, decided by the runs."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.bufferbloat.runs import (
    DROP_TAIL,
    DUALPI2,
    LATE_DUALPI2,
    NAMES,
    SATELLITE,
    SATELLITE_NAMES,
    STARLINK,
    STARLINK_NAMES,
    Bufferbloat,
)
from analysis.bufferbloat.tables import (
    IN_ORDER,
    KEPT,
    LONGEST_S,
    NO_ERASURES,
    kept,
    taken_by_bursts,
)
from analysis.selections import change, chosen, interval
from tmt.results.statistics import Interval, t_interval

SOON_S = 1.0
"""A queue that is short again within this time after the fall began copes with it."""

PROMPT_S = 0.1
"""Longest 95th percentile of a short wait on Starlink."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A discipline after the fall of the rate: its worst variant, and the least used part of the low rate."""

    name: str
    recovery_s: float
    slowest: str
    used: float

    @property
    def copes(self) -> bool:
        """Whether the queue is short again soon, with every variant."""
        return self.recovery_s <= SOON_S

    @property
    def time(self) -> str:
        """The longest recovery, in words."""
        if self.recovery_s >= LONGEST_S:
            return f"more than {LONGEST_S:.0f} s"
        return f"up to {self.recovery_s:.1f} s"


def falls(found: Bufferbloat) -> list[Fall]:
    """Return every discipline after the fall, those that cope first, by the used part of the low rate."""
    rows = []
    for queue, name in NAMES.items():
        own = {one: chosen(found.step, queue=queue, variant=one) for one in found.variants}
        times_s = {variant: interval(runs, "recovery_s").mean for variant, runs in own.items()}
        slowest = max(times_s, key=lambda one: times_s[one])
        used = min(interval(runs, "used").mean for runs in own.values())
        rows.append(Fall(name, times_s[slowest], slowest, used))
    return sorted(rows, key=lambda one: (not one.copes, -one.used if one.copes else one.recovery_s))


@dataclass(frozen=True, slots=True)
class Burst:
    """What CoDel keeps of drop-tail's goodput over ARQ and without erasures; `taken` is the difference."""

    rtt_s: float
    in_order: Interval
    no_erasures: Interval
    taken: Interval

    @property
    def is_taken(self) -> bool:
        """Whether CoDel keeps significantly less over ARQ in order."""
        return self.taken.high < 0


def bursts(runs: pd.DataFrame) -> list[Burst]:
    """Return what CoDel keeps, by round trip."""
    found = []
    for rtt_s in sorted(runs["rtt_s"].unique()):
        shares = kept(runs, rtt_s)
        in_order, usual = (t_interval(shares[name][KEPT].to_numpy()) for name in (IN_ORDER, NO_ERASURES))
        found.append(Burst(float(rtt_s), in_order, usual, taken_by_bursts(runs, rtt_s)))
    return found


def costs(found: Bufferbloat, variant: str) -> dict[str, Interval]:
    """Return the change of a variant's goodput from drop-tail over the satellite with ARQ, by discipline."""
    usual = found.of(SATELLITE, DROP_TAIL, variant)
    queues = {queue: name for queue, name in (NAMES | SATELLITE_NAMES).items() if queue != DROP_TAIL}
    own = {name: found.of(SATELLITE, queue, variant) for queue, name in queues.items()}
    return {name: change(runs, usual, "goodput_bps") for name, runs in own.items()}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A variant behind a discipline on Starlink; `share` is that of CUBIC's goodput behind drop-tail."""

    name: str
    waiting_p95_s: float
    share: float

    @property
    def ms(self) -> str:
        """The 95th percentile of waiting, in words."""
        return f"{1000 * self.waiting_p95_s:.0f} ms"

    @property
    def percent(self) -> str:
        """The share of the goodput, in words."""
        return f"{100 * self.share:.0f} %"


def on_starlink(found: Bufferbloat, variant: str) -> dict[str, Waiting]:
    """Return a variant behind each discipline, by its label."""
    usual_bps = interval(found.of(STARLINK, DROP_TAIL, "CUBIC"), "goodput_bps").mean
    shown = {}
    for queue, name in (NAMES | STARLINK_NAMES).items():
        own = found.of(STARLINK, queue, variant)
        waiting_s = interval(own, "waiting_p95_s").mean
        shown[queue] = Waiting(name, waiting_s, interval(own, "goodput_bps").mean / usual_bps)
    return shown


def gain_of_late_marks(found: Bufferbloat, variant: str) -> Interval:
    """Return the change of a variant's goodput on Starlink by a later threshold of DualPI2."""
    late, usual = (found.of(STARLINK, queue, variant) for queue in (LATE_DUALPI2, DUALPI2))
    return change(late, usual, "goodput_bps")


def best(behind: dict[str, Waiting]) -> Waiting:
    """Return the discipline of `NAMES` with most goodput and a short wait, or else with the shortest wait."""
    usual = [one for label, one in behind.items() if label in NAMES]
    short = [one for one in usual if one.waiting_p95_s <= PROMPT_S]
    return max(short, key=lambda one: one.share) if short else min(usual, key=lambda one: one.waiting_p95_s)
