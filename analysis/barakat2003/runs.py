"""The runs behind figures 3 to 8 of Barakat and Al Fawal (2003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from analysis.runs import PointRuns, over_seeds
from tmt.results.statistics import Interval
from tmt.run.ns2.script import ScriptFigures, ScriptSettings
from tmt.theory.hybrid import HybridLink, hybrid

SCRIPT = Path(__file__).with_name("hybrid.tcl")
SEEDS = 3
FRAME_UNITS = 10
LENGTHS = (10, 11, 12, 13, 14, 16, 18, 20)
"""N: all where something happens, fewer where throughput follows K / N."""
LOSSES = (0.001, 0.01, 0.05, 0.1, 0.25)
"""Unit losses for which the model is maximised."""
DELAYS_S = (0.02, 0.1, 0.2)
ACCESS_RTT_S = 0.08
UNIT_BYTES, RATE_BPS, DURATION_S = 25, 2e6, 2000


@dataclass(frozen=True, slots=True)
class HybridPoint:
    """One configuration: C, D, p, N, delta, and whether packets are released in order."""

    connections: int
    delay_s: float
    unit_loss: float
    code_length: int
    persistency: int
    in_order: bool = True

    def settings(self, seed: int) -> ScriptSettings:
        """Return the arguments of `hybrid.tcl`."""
        return {
            "connections": self.connections,
            "delay_s": self.delay_s,
            "error_good": self.unit_loss,
            "repair": self.code_length - FRAME_UNITS,
            "persistency": self.persistency,
            "in_order": int(self.in_order),
            "unit_bytes": UNIT_BYTES,
            "rate_bps": RATE_BPS,
            "duration_s": DURATION_S,
            "seed": seed,
        }

    @property
    def model(self) -> float:
        """The model's throughput, as a share of the link's rate; in order only."""
        link = HybridLink(
            self.unit_loss,
            self.code_length,
            frame_units=FRAME_UNITS,
            persistency=self.persistency,
            delay_s=self.delay_s,
            access_rtt_s=ACCESS_RTT_S,
        )
        return hybrid(link, self.connections).throughput


@dataclass(frozen=True)
class HybridRuns:
    """The results of one point's seeds."""

    point: HybridPoint
    runs: PointRuns

    @cached_property
    def throughput(self) -> Interval:
        """Mean share of the link's rate that leaves the link in whole packets, with its 95 % interval."""
        return self.runs.interval("throughput")

    @cached_property
    def utilisation(self) -> float:
        """Mean share of time in which the link sends, redundancy and repetitions included."""
        return self.runs.mean(_units_sent) * 8 * UNIT_BYTES / (RATE_BPS * DURATION_S)


def _units_sent(figures: ScriptFigures) -> float:
    return sum(figures[f"units_{kind}"] for kind in ("data", "repair", "repeated"))


@dataclass(frozen=True, slots=True)
class HybridFigure:
    """A figure of the paper: its numbers as simulation and as model, what varies along it, and its lines."""

    number: int
    model_number: int
    title: str
    swept: str
    lines: dict[str, tuple[HybridPoint, ...]]

    @property
    def points(self) -> list[HybridPoint]:
        """Every point of every line."""
        return [point for line in self.lines.values() for point in line]


def figures() -> list[HybridFigure]:
    """Return figures 3 to 8, whose models are figures 9 to 14."""
    fec_alone = {
        f"D = {1000 * delay:.0f} ms": tuple(HybridPoint(10, delay, 0.01, n, 0) for n in LENGTHS)
        for delay in DELAYS_S
    }
    arq_alone = {
        f"D = {1000 * delay:.0f} ms{'' if in_order else ', ord = 0'}": tuple(
            HybridPoint(10, delay, 0.01, 10, delta, in_order) for delta in range(6)
        )
        for in_order in (True, False)
        for delay in DELAYS_S
    }
    one_arq = {
        f"D = {1000 * delay:.0f} ms": tuple(HybridPoint(1, delay, 0.01, 10, delta) for delta in range(11))
        for delay in DELAYS_S
    }
    return [
        HybridFigure(3, 9, "10 connections, FEC alone, p = 0.01", "code_length", fec_alone),
        HybridFigure(4, 10, "10 connections, ARQ-SR alone, p = 0.01", "persistency", arq_alone),
        HybridFigure(5, 11, "10 connections, D = 200 ms, p = 0.01", "code_length", _hybrid(10, 0.01)),
        HybridFigure(6, 12, "10 connections, D = 200 ms, p = 0.001", "code_length", _hybrid(10, 0.001)),
        HybridFigure(7, 13, "one connection, D = 200 ms, p = 0.01", "code_length", _hybrid(1, 0.01)),
        HybridFigure(8, 14, "one connection, ARQ-SR alone, p = 0.01", "persistency", one_arq),
    ]


def _hybrid(connections: int, unit_loss: float) -> dict[str, tuple[HybridPoint, ...]]:
    return {
        f"delta = {delta}": tuple(HybridPoint(connections, 0.2, unit_loss, n, delta) for n in LENGTHS)
        for delta in range(6)
    }


def measure(points: Sequence[HybridPoint], folder: Path) -> dict[HybridPoint, HybridRuns]:
    """Run every point with `SEEDS` seeds of 2000 s; `folder` keeps the runs."""
    found = over_seeds(SCRIPT, points, SEEDS, folder)
    return {point: HybridRuns(point, runs) for point, runs in found.items()}
