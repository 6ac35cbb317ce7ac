"""What the page's sentences and tables say, decided by the runs."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.adapting.runs import USUAL, WITHOUT
from analysis.selections import change, chosen, difference, interval, relative_difference
from tmt.results.statistics import Interval
from tmt.show.charts.style import tcp_label

GOODPUT, TIME = "goodput_bps", "completion_s"


@dataclass(frozen=True, slots=True)
class BestTarget:
    """The target error rate with most goodput over an orbit, and those not significantly worse."""

    orbit: str
    variant: str
    scheme: str
    target: float
    mbps: Interval
    alike: list[float]


def best_targets(runs: pd.DataFrame) -> list[BestTarget]:
    """Return the best target of each orbit, scheme and variant."""
    found = []
    for (orbit, scheme, tcp), own in runs.groupby(["orbit", "scheme", "tcp"], sort=False):
        by_target = {target: chosen(own, target=target) for target in sorted(own["target"].unique())}
        means = {target: interval(each, GOODPUT, 1e-6) for target, each in by_target.items()}
        best = max(means, key=lambda one: means[one].mean)
        alike = [
            target
            for target, each in by_target.items()
            if target == best or difference(each, by_target[best], GOODPUT).high >= 0
        ]
        found.append(BestTarget(orbit, tcp_label(tcp), scheme, best, means[best], alike))
    return found


def agreement(usual: list[BestTarget], other: list[BestTarget]) -> tuple[int, int]:
    """Return how often the best target is the same, and how often the usual one is significantly worse."""
    pairs = list(zip(usual, other, strict=True))
    same = sum(one.target == own.target for one, own in pairs)
    return same, sum(one.target not in (own.target, *own.alike) for one, own in pairs)


def repair_gain(runs: pd.DataFrame, found: list[BestTarget], orbit: str, tcp: str) -> Interval:
    """Return the change of goodput by HARQ, each at its best target."""
    own = chosen(runs, orbit=orbit, tcp=tcp)
    best = {one.scheme: one.target for one in found if (one.orbit, one.variant) == (orbit, tcp_label(tcp))}
    without = chosen(own, scheme=WITHOUT, target=best[WITHOUT])
    (scheme,) = (name for name in best if name != WITHOUT)
    return relative_difference(chosen(own, scheme=scheme, target=best[scheme]), without, GOODPUT)


def handover_costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the change of each variant's goodput by handovers, by outage and what it does with the queue."""
    usual = chosen(runs, trace=USUAL)
    rows = [
        {"tcp": tcp, "outage_s": outage_ns / 1e9, "queue": queue, "change": _change(own, usual, tcp)}
        for (outage_ns, queue, tcp), own in runs[runs["trace"] != USUAL].groupby(
            ["outage_ns", "queue_in_outage", "tcp"], sort=False
        )
    ]
    return pd.DataFrame(rows)


def overtaking_costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the change of goodput by packets that overtake others, by stack and variant."""
    rows = []
    for (stack, tcp), own in runs.groupby(["stack", "tcp"], sort=True):
        ordered, overtaken = (chosen(own, overtaking=is_allowed) for is_allowed in (False, True))
        rows.append({"stack": stack, "tcp": tcp, "change": relative_difference(overtaken, ordered, GOODPUT)})
    return pd.DataFrame(rows)


def resume_gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the change of a transfer's time by Careful Resume, by the last satellite's capacity."""
    rows = []
    for (capacity, tcp), own in runs.groupby(["capacity", "tcp"], sort=True):
        resumes = own["resume_window_bytes"].notna()
        rows.append({"capacity": capacity, "tcp": tcp, "change": change(own[resumes], own[~resumes], TIME)})
    return pd.DataFrame(rows)


def _change(own: pd.DataFrame, usual: pd.DataFrame, tcp: object) -> Interval:
    return change(own, chosen(usual, tcp=tcp), GOODPUT)


def advantages(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the change of goodput by each scheme from none, by variant and number of users."""
    rows = []
    for (number, tcp), own in runs.groupby(["users", "tcp"], sort=True):
        usual = chosen(own, scheme=WITHOUT)
        for scheme in own["scheme"].unique():
            if scheme != WITHOUT:
                gain = relative_difference(chosen(own, scheme=scheme), usual, GOODPUT)
                rows.append({"users": number, "tcp": tcp, "scheme": scheme, "change": gain})
    return pd.DataFrame(rows)


def helps_up_to(gains: pd.DataFrame, tcp: str, scheme: str) -> int | None:
    """Return the largest number of users with which a scheme significantly helps; None if with none."""
    own = gains[(gains["tcp"] == tcp) & (gains["scheme"] == scheme)]
    helping = own[[one.low > 0 for one in own["change"]]]["users"]
    return None if helping.empty else int(helping.max())


def best_margins(reports: pd.DataFrame) -> pd.DataFrame:
    """Return, for each speed and delay, the margin that leaves most, and what it leaves in percent."""
    rows = []
    for (speed, doppler, delay), own in reports.groupby(["speed_kmh", "doppler_hz", "delay_s"], sort=True):
        margin = own.groupby("margin_db")["share"].mean().idxmax()
        share = interval(chosen(own, margin_db=margin), "share", 100)
        place = {"speed_kmh": speed, "doppler_hz": doppler, "delay_s": delay}
        rows.append(place | {"margin_db": margin, "share": share, "left": share.mean})
    return pd.DataFrame(rows)
