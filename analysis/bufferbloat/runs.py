"""Runs of the scenarios `bufferbloat-*`, and what is measured of each."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.runs import run_named
from analysis.selections import chosen
from tmt.core.schema import PACKET_EVENTS
from tmt.core.units import NS_PER_S
from tmt.results.over_time import FORWARD, read_run
from tmt.show.charts.style import tcp_label

STEP = "rate step"
SATELLITE, LTE, NR, STARLINK = "satellite, ARQ", "LTE in a car", "5G phone", "Starlink"
LINKS = {
    SATELLITE: ("satellite", "ARQ"),
    "satellite, HARQ": ("satellite", "HARQ(10/12)"),
    "satellite, no scheme": ("satellite", "none"),
    LTE: (LTE, "none"),
    NR: (NR, "none"),
    STARLINK: (STARLINK, "none"),
    STEP: (STEP, "none"),
}
"""Label of trace and scheme of each link; those without ARQ over the satellite have few variants."""

DRAWN = (SATELLITE, LTE, NR, STARLINK, STEP)
"""Links with all variants."""

TCPS = ("cubic", "bbr", "bbr3", "dctcp", "prague")
"""Variants of the picture and of the table of the fall: New Reno and CUBIC with ECN are close to CUBIC."""

DROP_TAIL, CODEL, DUALPI2 = "droptail", "codel", "dualpi2"
NAMES = {
    DROP_TAIL: "drop-tail",
    "droptail drop=head": "drop-head",
    CODEL: "CoDel",
    "pie": "PIE",
    DUALPI2: "DualPI2",
}
"""Names of the disciplines with the RFCs' parameters, by their labels in results; one flow cannot tell
FQ-CoDel from CoDel."""

SLOW_CODEL, LATE_DUALPI2 = "codel target=0.05 interval=1.0", "dualpi2 threshold=0.005"
SATELLITE_NAMES = {SLOW_CODEL: "slow CoDel"}
STARLINK_NAMES = {LATE_DUALPI2: "late DualPI2"}
"""Disciplines that suit a link, beside those of `NAMES`."""

SCALABLE = ("dctcp", "prague")
FALL_S, FALLEN_S, END_S = 15, 16, 30
"""When the rate of `STEP` begins to fall, when it has fallen, and when the run ends."""

FALLEN_BPS = 2e6
SHORT_S = 0.2
"""Delay above the least one that counts as a short queue."""


class Bufferbloat:
    """All runs: `runs` over `LINKS`, among them `step`, and `bursts` with and without erasures."""

    def __init__(self, folder: Path) -> None:
        parts = [run_named(f"bufferbloat-{name}", folder) for name in ("satellite", "schemes", "measured")]
        step = with_recovery(run_named("bufferbloat-step", folder), folder / "campaigns" / "bufferbloat-step")
        self.runs = labelled(pd.concat([*parts, step], ignore_index=True))
        self.step = chosen(self.runs, trace=STEP)
        self.bursts = run_named("bufferbloat-bursts", folder)

    @cached_property
    def variants(self) -> list[str]:
        """The variants in the order of the scenarios."""
        return list(dict.fromkeys(self.runs["variant"]))

    def of(self, link: str, queue: str, variant: str) -> pd.DataFrame:
        """Return the runs of a variant over one of `LINKS` behind a discipline."""
        trace, scheme = LINKS[link]
        return chosen(self.runs, trace=trace, scheme=scheme, queue=queue, variant=variant)


def labelled(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with `variant`, `marked` (share of packets), `waiting_median_s` and `waiting_p95_s`.

    Waiting is the one-way delay less the least one of all runs over the same trace with the same scheme.
    """
    least_s = runs.groupby(["trace", "scheme"])["delay_min_s"].transform("min")
    has_ecn = (runs["ecn"] != "off") & ~runs["tcp"].isin(SCALABLE)
    return runs.assign(
        variant=runs["tcp"].map(tcp_label) + has_ecn.map({True: ", ECN", False: ""}),
        marked=runs["forward_marked"] / runs["segments_sent"],
        waiting_median_s=runs["delay_median_s"] - least_s,
        waiting_p95_s=runs["delay_p95_s"] - least_s,
    )


def with_recovery(runs: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return the runs over `STEP` with `recovery_s`, `longest_s` and `used` of their packet records."""
    found = [recovery(read_run(folder, runs, row).packets) for row in range(len(runs))]
    return runs.assign(**{key: [one[key] for one in found] for key in found[0]})


def recovery(packets: npt.NDArray[np.void]) -> dict[str, float]:
    """Return what packets tell of the time after the fall.

    `recovery_s`: from the begin of the fall until delays stay within `SHORT_S` of the least one; `longest_s`:
    the longest delay above the least one; `used`: the part of the low rate that carried packets.
    """
    is_arrival = (packets["event"] == PACKET_EVENTS.index("received")) & (packets["direction"] == FORWARD)
    arrived = packets[is_arrival]
    time_s, delay_s = arrived["time_ns"] / NS_PER_S, arrived["delay_ns"] / NS_PER_S
    waiting_s = delay_s - delay_s.min()
    after = time_s >= FALL_S
    late = time_s[after & (waiting_s > SHORT_S)]
    low = (time_s >= FALLEN_S) & (time_s < END_S)
    return {
        "recovery_s": float(late.max() - FALL_S) if len(late) else 0.0,
        "longest_s": float(waiting_s[after].max()),
        "used": float(8 * arrived["size_bytes"][low].sum() / (FALLEN_BPS * (END_S - FALLEN_S))),
    }
