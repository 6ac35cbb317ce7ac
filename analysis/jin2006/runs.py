"""The simulations: transfers through the four systems, and the sender's window over time; their results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from analysis.runs import PointRuns, by_point, figures_of, over_seeds
from tmt.results.statistics import Interval
from tmt.run.ns2.script import ScriptFigures, ScriptSettings
from tmt.theory.split import (
    SYSTEMS,
    Formula,
    GoBackNLink,
    SplitScenario,
    TcpSender,
    Transfer,
    TwoLinks,
    transfer,
)
from tmt.theory.tcp import long_run_packets_per_s

SCRIPT = Path(__file__).with_name("split.tcl")

# As the paper has them.
WIRED_RATE_BPS, WIRELESS_RATE_BPS = 10e6, 2e6
WIRED_DELAY_S, WIRELESS_DELAY_S = 0.045, 1e-5
WIRED_LOSS = 0.01
FRAMES, WINDOW_FRAMES, FRAME_PROCESSING_S = 10, 10, 1e-6
PACKETS_PER_ACK = 2

# As chosen here; docs/proxy-model.md says why.
SEGMENTS, PACKET_BYTES, ACK_BYTES = 1000, 1500, 40
INITIAL_WINDOW, LARGEST_WINDOW = 2, 44
SEEDS = 60

LOSSES = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
DELAYS_S = tuple(0.025 * i for i in range(11))
FRAME_ERRORS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
BURST_FRAMES = 10
MOST_LOSS = 0.2
LOSS_OF_FIGURE_3, LOSS_OF_FIGURE_5 = 0.05, 0.01

SAMPLE_S, SAMPLED_S = 0.2, 100.0
SAMPLES = round(SAMPLED_S / SAMPLE_S)

LITTLE = 0.1
"""Values that differ by less are "not affected", "a little" apart, or the same "almost completely"."""

END_TO_END, END_TO_END_ARQ, SPLIT, SPLIT_ARQ = SYSTEMS


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """One configuration: which system, the wireless channel, the wired delay, and ns-2's TCP agent."""

    split: bool
    arq: bool
    error_after_success: float
    error_after_error: float
    wired_delay_s: float = WIRED_DELAY_S
    tcp: str = "Newreno"

    def settings(self, seed: int) -> ScriptSettings:
        """Return the arguments of `split.tcl`."""
        return {
            "proxy": int(self.split),
            "arq": int(self.arq),
            "error_after_success": f"{self.error_after_success:.15g}",
            "error_after_error": f"{self.error_after_error:.15g}",
            "wired_delay_s": f"{self.wired_delay_s:.15g}",
            "wired_loss": WIRED_LOSS,
            "tcp": self.tcp,
            "window_packets": LARGEST_WINDOW,
            "segments": SEGMENTS,
            "seed": seed,
        }

    @property
    def link(self) -> GoBackNLink:
        """The wireless link."""
        return GoBackNLink(
            self.error_after_success, self.error_after_error, FRAMES, WINDOW_FRAMES, FRAME_PROCESSING_S
        )

    @property
    def scenario(self) -> SplitScenario:
        """Parameters of the model."""
        path = TwoLinks.of_rates(
            wired_bps=WIRED_RATE_BPS,
            wireless_bps=WIRELESS_RATE_BPS,
            wired_delay_s=self.wired_delay_s,
            wireless_delay_s=WIRELESS_DELAY_S,
            packet_bytes=PACKET_BYTES,
            ack_bytes=ACK_BYTES,
            wired_loss=WIRED_LOSS,
        )
        sender = TcpSender(INITIAL_WINDOW, LARGEST_WINDOW, LARGEST_WINDOW, PACKETS_PER_ACK)
        return SplitScenario(path, self.link, sender, sender, SEGMENTS)

    def model(self, formula: Formula = "segments") -> Transfer:
        """Return the model's values."""
        return transfer(self.scenario, split=self.split, arq=self.arq, formula=formula)


def throughput_kbps(latency_s: float) -> float:
    """Return the throughput of a transfer of `SEGMENTS` whole IP packets."""
    return SEGMENTS * 8 * PACKET_BYTES / latency_s / 1e3


@dataclass(frozen=True)
class SplitRuns:
    """The results of one point's seeds."""

    point: SplitPoint
    runs: PointRuns

    @cached_property
    def latency_s(self) -> Interval:
        """Mean time from the first segment's start until the receiver has all, with its 95 % interval."""
        return self.runs.interval(latency_s)

    @property
    def throughput_kbps(self) -> float:
        """Throughput at the mean latency."""
        return throughput_kbps(self.latency_s.mean)

    @property
    def off(self) -> float:
        """Relative deviation of the model's latency from the mean."""
        return self.point.model().latency_s / self.latency_s.mean - 1.0


def latency_s(figures: ScriptFigures) -> float:
    """Return the time from the first segment's start until all had arrived; NaN if some never did."""
    return figures["transfer_s"] if figures["segments_received"] == SEGMENTS else math.nan


@dataclass(frozen=True, slots=True)
class SplitFigure:
    """A figure of the paper: its title, its axis, and each system's points."""

    title: str
    x_label: str
    x: tuple[float, ...]
    lines: dict[tuple[bool, bool], tuple[SplitPoint, ...]]


def point(
    split: bool, arq: bool, wireless_loss: float, wired_delay_s: float = WIRED_DELAY_S, tcp: str = "Newreno"
) -> SplitPoint:
    """Return the point whose wireless link, without ARQ, loses packets with independent frame errors."""
    link = GoBackNLink.losing(wireless_loss, frames=FRAMES)
    return SplitPoint(split, arq, link.error_after_success, link.error_after_error, wired_delay_s, tcp)


def with_frame_error(split: bool, arq: bool, frame_error: float, burst_frames: float | None) -> SplitPoint:
    """Return the point whose frames are lost at this rate, independently or in bursts of a mean length."""
    if burst_frames is None:
        return SplitPoint(split, arq, frame_error, frame_error)
    leave = 1.0 / burst_frames
    return SplitPoint(split, arq, leave * frame_error / (1.0 - frame_error), 1.0 - leave)


def figure_4() -> SplitFigure:
    """Return figure 4: latency and throughput over the loss of the wireless link."""
    return SplitFigure(
        f"{1e3 * WIRED_DELAY_S:g} ms, p1 = {WIRED_LOSS:g}",
        "packet loss of the wireless link without ARQ, p2",
        LOSSES,
        {system: tuple(point(*system, loss) for loss in LOSSES) for system in SYSTEMS},
    )


def figure_5(tcp: str = "Newreno", delays_s: tuple[float, ...] = DELAYS_S) -> SplitFigure:
    """Return figure 5: the same over the delay of the wired link."""
    return SplitFigure(
        f"p1 = {WIRED_LOSS:g}, p2 = {LOSS_OF_FIGURE_5:g}",
        "one-way delay of the wired link (ms)",
        tuple(1e3 * delay for delay in delays_s),
        {
            system: tuple(point(*system, LOSS_OF_FIGURE_5, delay, tcp) for delay in delays_s)
            for system in SYSTEMS
        },
    )


def figure_6(burst_frames: float | None) -> SplitFigure:
    """Return one pattern of figure 6: the same over the rate of frame errors.

    Without ARQ only as far as transfers end: up to a packet loss of `MOST_LOSS`.
    """
    lines = {system: [with_frame_error(*system, e, burst_frames) for e in FRAME_ERRORS] for system in SYSTEMS}
    return SplitFigure(
        "independent errors" if burst_frames is None else f"bursts of {burst_frames} frames",
        "frame error rate of the wireless link",
        FRAME_ERRORS,
        {
            (split, arq): tuple(p for p in points if arq or p.link.packet_loss < MOST_LOSS)
            for (split, arq), points in lines.items()
        },
    )


def measure(points: Sequence[SplitPoint], folder: Path) -> dict[SplitPoint, SplitRuns]:
    """Run every point with `SEEDS` seeds; `folder` keeps the runs."""
    found = over_seeds(SCRIPT, points, SEEDS, folder)
    return {point: SplitRuns(point, runs) for point, runs in found.items()}


@dataclass(frozen=True)
class Windows:
    """The sender's window of one system over time."""

    point: SplitPoint
    runs: PointRuns

    @cached_property
    def packets(self) -> np.ndarray:
        """The window in packets, [seeds, samples]."""
        return np.array([_samples(figures) for figures in self.runs.figures])

    @property
    def times_s(self) -> np.ndarray:
        """Time of each sample, [samples]."""
        return SAMPLE_S * np.arange(self.packets.shape[1])

    @property
    def steady(self) -> Interval:
        """Mean over the second half of the time, with its 95 % interval over seeds."""
        return self.runs.interval(lambda figures: float(_samples(figures)[SAMPLES // 2 :].mean()))

    @property
    def settled_s(self) -> float:
        """From when on the mean over seeds, second by second, is within 20 % of the steady one for 10 s."""
        per_s, window = round(1 / SAMPLE_S), self.packets.mean(axis=0)
        means = window[: len(window) // per_s * per_s].reshape(-1, per_s).mean(axis=1)
        near = np.abs(means / self.steady.mean - 1.0) < 0.2
        return next(float(i) for i in range(len(near) - 9) if near[i : i + 10].all())

    @property
    def model(self) -> float:
        """The mean window by eq. 8: packets that are sent in a round."""
        sender, path = self.point.scenario.sender, self.point.scenario.path
        if self.point.split:
            cycle_s, loss = path.wired_cycle_s(PACKETS_PER_ACK), WIRED_LOSS
        else:
            cycle_s, loss = path.end_to_end_cycle_s(PACKETS_PER_ACK), self.point.model().packet_loss
        timeout_s = sender.timeout_over_s(cycle_s)
        return cycle_s * long_run_packets_per_s(cycle_s, loss, timeout_s, PACKETS_PER_ACK)


def _samples(figures: ScriptFigures) -> np.ndarray:
    return np.array([figures[f"window_{i}"] for i in range(SAMPLES)])


def measure_windows(folder: Path) -> dict[tuple[bool, bool], Windows]:
    """Run figure 3: endless transfers of each system; `folder` keeps the runs."""
    seeds = range(1, SEEDS + 1)
    endless: ScriptSettings = {"segments": 10**7, "duration_s": SAMPLED_S, "sample_s": SAMPLE_S}
    points = {system: point(*system, LOSS_OF_FIGURE_3) for system in SYSTEMS}
    wanted = [p.settings(seed) | endless for p in points.values() for seed in seeds]
    found = by_point(figures_of(SCRIPT, wanted, folder), SEEDS)
    return {system: Windows(point, runs) for (system, point), runs in zip(points.items(), found, strict=True)}


@dataclass(frozen=True, slots=True)
class FigureResults:
    """All that was simulated."""

    losses: SplitFigure
    delays: SplitFigure
    independent: SplitFigure
    bursty: SplitFigure
    reno: SplitFigure
    measured: Mapping[SplitPoint, SplitRuns]
    windows: Mapping[tuple[bool, bool], Windows]

    def line(self, figure: SplitFigure, system: tuple[bool, bool]) -> list[SplitRuns]:
        """Return the measured values along one line of a figure."""
        return [self.measured[point] for point in figure.lines[system]]

    def latencies(self, figure: SplitFigure, system: tuple[bool, bool]) -> np.ndarray:
        """Return the mean latencies along it."""
        return np.array([m.latency_s.mean for m in self.line(figure, system)])

    def ratio(self, figure: SplitFigure, system: tuple[bool, bool], other: tuple[bool, bool]) -> np.ndarray:
        """Return the mean latencies of a system over those of another, point by point."""
        return self.latencies(figure, system) / self.latencies(figure, other)


def percent(value: float | np.floating) -> str:
    """Return a share in per cent."""
    return f"{100 * value:.1f} %"


def compare(first: list[SplitRuns], second: list[SplitRuns]) -> tuple[int, int, int]:
    """Count pairs: the first is faster beyond both intervals, neither is, the second is."""
    first_faster = sum(a.latency_s.high < b.latency_s.low for a, b in zip(first, second, strict=True))
    second_faster = sum(a.latency_s.low > b.latency_s.high for a, b in zip(first, second, strict=True))
    return first_faster, len(first) - first_faster - second_faster, second_faster
