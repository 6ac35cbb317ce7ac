"""What the page's sentences say, decided by the runs."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.bufferbloat.runs import DROP_TAIL, LONG_CODEL, NAMES, SATELLITE, STARLINK, Bufferbloat
from analysis.bufferbloat.tables import (
    IN_ORDER,
    KEPT,
    LONG_CODEL_NAME,
    LONGEST_S,
    NO_ERASURES,
    kept,
    taken_by_bursts,
)
from analysis.selections import change, chosen, interval
from tmt.results.statistics import Interval, t_interval

SOON_S = 1.0
"""A queue that is short again within this time after the fall began copes with it."""

FAIR = 0.8
"""Least part of the usual goodput that counts as enough."""


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
    for queue in found.disciplines:
        own = {one: chosen(found.step, queue=queue, variant=one) for one in found.variants}
        times_s = {variant: interval(runs, "recovery_s").mean for variant, runs in own.items()}
        slowest = max(times_s, key=lambda one: times_s[one])
        used = min(interval(runs, "used").mean for runs in own.values())
        rows.append(Fall(NAMES[queue], times_s[slowest], slowest, used))
    return sorted(rows, key=lambda one: (not one.copes, -one.used if one.copes else one.recovery_s))


@dataclass(frozen=True, slots=True)
class Burst:
    """What CoDel keeps of drop-tail's goodput over ARQ in order and without erasures, and the difference."""

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
    names = {queue: NAMES[queue] for queue in found.disciplines if queue != DROP_TAIL}
    queues = names | {LONG_CODEL: LONG_CODEL_NAME}
    own = {name: found.of(SATELLITE, queue, variant) for queue, name in queues.items()}
    return {name: change(runs, usual, "goodput_bps") for name, runs in own.items()}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A variant behind a discipline on Starlink; `share` is that of CUBIC's goodput behind drop-tail."""

    name: str
    waiting_p95_s: float
    share: float
    marks: float


def on_starlink(found: Bufferbloat, variant: str) -> dict[str, Waiting]:
    """Return a variant behind each discipline, by its label."""
    usual_bps = interval(found.of(STARLINK, DROP_TAIL, "CUBIC"), "goodput_bps").mean
    shown = {}
    for queue in found.disciplines:
        own = found.of(STARLINK, queue, variant)
        goodput_bps, waiting_s, marks = (
            interval(own, column).mean for column in ("goodput_bps", "waiting_p95_s", "marked")
        )
        shown[queue] = Waiting(NAMES[queue], waiting_s, goodput_bps / usual_bps, marks)
    return shown


def best(behind: dict[str, Waiting]) -> Waiting:
    """Return the discipline with the shortest waiting among those that leave `FAIR` of the goodput."""
    fair = [one for one in behind.values() if one.share >= FAIR] or list(behind.values())
    return min(fair, key=lambda one: one.waiting_p95_s)
