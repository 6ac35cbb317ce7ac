"""What the page's sentences and tables say, decided by the runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from analysis.bufferbloat.runs import (
    CODEL,
    DROP_TAIL,
    DUALPI2,
    END_S,
    FALL_S,
    LATE_DUALPI2,
    LINKS,
    NAMES,
    SATELLITE,
    SATELLITE_NAMES,
    STARLINK,
    STARLINK_NAMES,
    STEP,
    TCPS,
    Bufferbloat,
)
from analysis.selections import change, chosen, interval, means
from tmt.results.measures import numbers_of
from tmt.results.statistics import Interval, paired_difference, t_interval
from tmt.results.values import interval_text
from tmt.show.charts.style import tcp_label
from tools.page_tables import markdown_table

LONGEST_S = END_S - FALL_S - 0.1
"""Time after the fall from which on a queue counts as never short again: the run is over."""

MEASURES = (
    *("goodput_bps", "waiting_median_s", "waiting_p95_s", "retransmission_ratio", "marked"),
    *("recovery_s", "longest_s", "used"),
)
"""Figures in the CSV, each with its 95 % interval; the last ones of the rate's fall only."""

KEPT = "kept"
IN_ORDER, ANY_ORDER, NO_ERASURES = "ARQ, in order", "ARQ, in any order", "no erasures"


def fall(found: Bufferbloat) -> str:
    """Return the table of the rate's fall: time until the queue is short, used part of the low rate."""
    variants = [tcp_label(tcp) for tcp in TCPS]
    rows = (
        [name, *(_fallen(found.of(STEP, queue, variant)) for variant in variants)]
        for queue, name in NAMES.items()
    )
    return markdown_table(["discipline", *variants], rows)


def _fallen(own: pd.DataFrame) -> str:
    time_s, used = interval(own, "recovery_s"), interval(own, "used", 100)
    shown = "never" if time_s.mean >= LONGEST_S else f"{time_s.mean:.1f} s"
    return f"{shown}, {used.mean:.0f} %"


def kept(bursts: pd.DataFrame, rtt_s: float) -> dict[str, pd.DataFrame]:
    """Return, by place, a row for each seed: goodput behind both disciplines, and what CoDel keeps of it."""
    places = {
        IN_ORDER: {"trace": "erasures", "in_order": True},
        ANY_ORDER: {"trace": "erasures", "in_order": False},
        NO_ERASURES: {"trace": "no erasures", "in_order": True},
    }
    found = {}
    for name, place in places.items():
        own = chosen(bursts, rtt_s=rtt_s, **place)
        by_queue = own.pivot_table(index="seed", columns="queue", values="goodput_bps")
        found[name] = by_queue.assign(**{KEPT: by_queue[CODEL] / by_queue[DROP_TAIL]})
    return found


def taken_by_bursts(bursts: pd.DataFrame, rtt_s: float) -> Interval:
    """Return by how much the share that CoDel keeps is lower with ARQ in order than without erasures."""
    shares = kept(bursts, rtt_s)
    return paired_difference(numbers_of(shares[IN_ORDER], KEPT), numbers_of(shares[NO_ERASURES], KEPT))[0]


def bursts_table(bursts: pd.DataFrame) -> str:
    """Return the table of CoDel and ARQ's bursts."""
    rows = []
    for rtt_s in sorted(bursts["rtt_s"].unique()):
        for place, own in kept(bursts, rtt_s).items():
            cells = [(own[DROP_TAIL], 1e-6), (own[CODEL], 1e-6), (own[KEPT], 100)]
            shown = [interval_text(t_interval(scale * values.to_numpy())) for values, scale in cells]
            rows.append([f"{rtt_s:g} s", place, *shown])
    heads = ["RTT", "link", "drop-tail (Mbit/s)", "CoDel (Mbit/s)", "CoDel keeps (%)"]
    return markdown_table(heads, rows)


def by_link(found: Bufferbloat, links: Iterable[str], variant: str) -> str:
    """Return the table of a variant over links of the satellite: waiting and goodput."""
    queues = NAMES | SATELLITE_NAMES
    cells = {link: [found.of(link, queue, variant) for queue in queues] for link in links}
    return _standing_table(queues.values(), cells)


def by_variant(found: Bufferbloat, variants: Iterable[str]) -> str:
    """Return the table of these variants over Starlink: waiting and goodput."""
    queues = NAMES | STARLINK_NAMES
    cells = {one: [found.of(STARLINK, queue, one) for queue in queues] for one in variants}
    return _standing_table(queues.values(), cells)


def _standing_table(names: Iterable[str], cells: dict[str, list[pd.DataFrame]]) -> str:
    rows = ([name, *map(_standing, own)] for name, *own in zip(names, *cells.values(), strict=True))
    return markdown_table(["discipline", *cells], rows)


def _standing(own: pd.DataFrame) -> str:
    """Return median and 95th percentile of waiting in seconds, and the goodput in Mbit/s."""
    if own.empty:
        return ""
    median_s, p95_s = (interval(own, f"waiting_{part}_s").mean for part in ("median", "p95"))
    return f"{median_s:.2f} / {p95_s:.2f}, {interval_text(interval(own, 'goodput_bps', 1e-6))}"


def whole(found: Bufferbloat) -> pd.DataFrame:
    """Return means and intervals of all figures, a row for each link, discipline and variant."""
    by_link = [
        chosen(found.runs, trace=trace, scheme=scheme).assign(link=link)
        for link, (trace, scheme) in LINKS.items()
    ]
    places = {name: name for name in ("link", "queue", "variant")}
    return means(pd.concat(by_link), places, MEASURES)


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
