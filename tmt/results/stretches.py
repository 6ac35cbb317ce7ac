"""Goodput of TCP over stretches of a measured trace, and over equally long traces of its model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.convert import convert
from tmt.core.extent import Extent
from tmt.core.schemes.none import NoScheme
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.io import write_trace
from tmt.results.statistics import Interval, paired_difference
from tmt.run.experiment import run
from tmt.spec.experiment import Experiment, TraceLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.stacks import VARIANTS
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.trace import Trace
    from tmt.theory.fit.trace_model import TraceModel

CONTROLS = "cubic", "bbr"
"""Compared congestion controls: one reacts to losses, one to rate and round-trip time."""

STRETCHES_PER_HALF = 12

LEAST_STRETCH_NS = 5 * NS_PER_S
"""Least length of a stretch; a shorter half has fewer stretches."""


@dataclass(frozen=True, slots=True)
class GoodputComparison:
    """Goodput of one congestion control in bit/s: means of the stretches, and the paired difference."""

    tcp: str
    measured_bps: float
    model_bps: float
    difference: Interval
    p_value: float

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        low, high = (100 * value / self.measured_bps for value in (self.difference.low, self.difference.high))
        mean = 100 * self.difference.mean / self.measured_bps
        return (
            f"{VARIANTS[self.tcp].label}: {self.measured_bps / 1e6:.4g} Mbit/s over measured stretches, "
            f"{self.model_bps / 1e6:.4g} over the model's: {mean:+.1f} % "
            f"({low:+.1f} to {high:+.1f} %, {self.difference.count} pairs)"
        )


def number_of_runs(model: TraceModel) -> int:
    """Return how many simulations `compare_goodput` needs at most."""
    return 4 * len(CONTROLS) * _stretch(model)[0]


def compare_goodput(
    model: TraceModel, rtt: float, progress: Callable[[int], None] = lambda _: None
) -> list[GoodputComparison]:
    """Run each of `CONTROLS` in ns-2 over stretches of each half, and over those of the other half's model.

    A PHY trace is used without a scheme. Stretch i of a half is paired with trace i of the model that was
    fitted to the other half; all runs have the same length. `rtt` is in seconds; `progress` is called with 1
    for each run. SimulatorError when ns-2 is missing or fails.
    """
    stretches, length_ns = _stretch(model)
    windows = length_ns // model.windows.window_ns
    pairs: list[tuple[Trace, Trace]] = []
    for known, other in (model.halves(), model.halves()[::-1]):
        drawn = model.of_half(known).drawn(stretches, length_ns)
        pairs += (
            (other.part(i * windows, (i + 1) * windows).cut(), synthetic) for i, synthetic in enumerate(drawn)
        )
    found = []
    for tcp in CONTROLS:
        goodput = np.empty((len(pairs), 2))
        for i, pair in enumerate(pairs):
            for j, trace in enumerate(pair):
                goodput[i, j] = _goodput_bps(trace, length_ns, tcp, rtt, seed=i + 1)
                progress(1)
        difference, p_value = paired_difference(goodput[:, 1], goodput[:, 0])
        measured, synthetic = goodput.mean(axis=0).tolist()
        found.append(GoodputComparison(tcp, measured, synthetic, difference, p_value))
    return found


def _stretch(model: TraceModel) -> tuple[int, int]:
    """Return the number of stretches of a half, and the length of each, a whole number of windows."""
    half = model.halves()[0]
    number = max(1, min(STRETCHES_PER_HALF, half.length_ns // LEAST_STRETCH_NS))
    return number, len(half) // number * half.window_ns


def _goodput_bps(trace: Trace, length_ns: int, tcp: str, rtt: float, seed: int) -> float:
    """Run one flow over a trace; a stretch of at most one row carries nothing."""
    if len(trace) < 2:
        return 0.0
    if not isinstance(trace, LinkTrace):
        trace = convert(trace, NoScheme())
    trace.metadata.update(Extent(0, length_ns).metadata)
    with TemporaryDirectory(prefix="tmt-") as folder:
        path = Path(folder, "link.npy")
        write_trace(path, trace)
        traffic = Traffic(tcp, duration=ns_to_seconds(length_ns))
        result = run(Experiment(TraceLink(str(path)), LinkPath(rtt=rtt), traffic, seed=seed))
    return float(result.row["goodput_bps"])  # type: ignore[arg-type]
