"""Tables of the page: what a falling rate does, ARQ's bursts, standing queues, scalable controls."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis.bufferbloat.runs import (
    CODEL,
    DROP_TAIL,
    END_S,
    FALL_S,
    LINKS,
    NAMES,
    SATELLITE_NAMES,
    STARLINK,
    STARLINK_NAMES,
    STEP,
    TCPS,
    Bufferbloat,
)
from analysis.selections import chosen, interval, means
from tmt.results.statistics import Interval, paired_difference, t_interval
from tmt.results.values import interval_text, numbers_of
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
