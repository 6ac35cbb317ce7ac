"""Runs behind the answers: the scenarios `adapting-*` and `sharing-users`, and traces with late reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.scenario_runs import run_named
from tmt import Lms
from tmt.core.generate import Line, in_mdb
from tmt.core.modes import Adaptation
from tmt.core.modes.adapter import Adapter
from tmt.core.trace import Int32Array
from tmt.core.units import NS_PER_MS, NS_PER_S

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
