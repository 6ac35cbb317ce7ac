"""The runs behind the page's answers, and the answers that they give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.runs import run_named
from analysis.selections import change, chosen, difference, interval, relative_difference
from tmt import Lms
from tmt.core.generate import Line, in_mdb
from tmt.core.modes import Adaptation
from tmt.core.modes.adapter import Adapter
from tmt.core.trace import Int32Array
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.results.statistics import Interval
from tmt.show.charts.style import tcp_label

ORBITS = {"GEO": "adapting-geo", "LEO": "adapting-leo"}
HANDOVERS = "adapting-handover"
TCPS = ("cubic", "bbr")
WITHOUT = "none"
"""The scheme of a link that repairs nothing."""

LINUX = "-linux"
"""End of the names of scenarios with the TCP of a Linux kernel."""

PERIOD_S = 15
"""Time from handover to handover."""

USUAL = "no handover"
"""Label of the trace with which those with handovers are compared."""

SPEEDS_KMH = (1, 3, 10, 30, 100)
DELAYS_S = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.27)
MARGINS_DB = (0.0, 1.0, 2.0, 3.0)
SEEDS, LENGTH_S = range(1, 6), 60

CHANNEL = {"es_n0_db": 12, "interleaver_depth": 0, "processing_time": 0.001}
LINE = Line(Fraction(NS_PER_MS), NS_PER_MS)
MODES, BLOCKS = "nr-1", 25


def targets(folder: Path, stack: str = "") -> pd.DataFrame:
    """Return the runs over both orbits, with `orbit` and `target`."""
    parts = [run_named(name + stack, folder).assign(orbit=orbit) for orbit, name in ORBITS.items()]
    return _with_parameters(pd.concat(parts, ignore_index=True), "target")


def handovers(folder: Path, stack: str = "") -> pd.DataFrame:
    """Return the runs with and without handovers, with `outage_ns` and `queue_in_outage`."""
    runs = _with_parameters(run_named(HANDOVERS + stack, folder), "outage_ns")
    return runs.assign(queue_in_outage=_parameter(runs, "queue"))


def overtaking(folder: Path) -> pd.DataFrame:
    """Return the runs whose packets overtake others at handovers, or keep their order."""
    return run_named("adapting-overtaking", folder)


def resumed(folder: Path) -> pd.DataFrame:
    """Return the transfers behind a handover, with `capacity`, the last satellite's as a multiple."""
    runs = run_named("adapting-resume", folder)
    return runs.assign(capacity=[one[0] / one[-1] for one in _parameter(runs, "capacity")])


def users(folder: Path) -> pd.DataFrame:
    """Return the runs of one of several users, with their number in `users`."""
    return _with_parameters(run_named("sharing-users", folder), "users")


def _with_parameters(runs: pd.DataFrame, *names: str) -> pd.DataFrame:
    return runs.assign(**{name: _parameter(runs, name) for name in names})


def _parameter(runs: pd.DataFrame, name: str) -> list[Any]:
    return [json.loads(text).get(name) for text in runs["trace_parameters"]]


def late_reports() -> pd.DataFrame:
    """Return what late reports leave at each speed, delay and margin, by seed.

    `share` is of the bytes that the rule which knows each slot delivers over the same signal.
    """
    return pd.DataFrame(_late_reports())


def _late_reports() -> Iterator[dict[str, float]]:
    tx_time_ns = LINE.tx_times_ns(0, LINE.slots_within(LENGTH_S * NS_PER_S))
    for speed_kmh, seed in product(SPEEDS_KMH, SEEDS):
        channel = Lms(speed_kmh=speed_kmh, **CHANNEL)
        signal = in_mdb(channel.realisation(seed).faded(tx_time_ns)[1])

        def delivered(how: Adaptation, seed: int = seed, signal: Int32Array = signal) -> int:
            slots = Adapter(how, LINE.interval_ns, LINE.decode_time_ns, seed).feed(tx_time_ns, signal)
            assert slots.size_bytes is not None
            return int(np.sum(slots.size_bytes[slots.decode_time_ns > 0], dtype=np.int64))

        most = delivered(Adaptation(MODES, "ideal", resource_blocks=BLOCKS))
        for delay_s, margin_db in product(DELAYS_S, MARGINS_DB):
            how = Adaptation(MODES, "margin", margin=margin_db, report_delay=delay_s, resource_blocks=BLOCKS)
            place = {"speed_kmh": speed_kmh, "doppler_hz": channel.doppler_hz, "seed": seed}
            place |= {"delay_s": delay_s, "margin_db": margin_db}
            yield place | {"share": delivered(how) / most}


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
