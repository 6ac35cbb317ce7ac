"""Statements of Jin and Yang (2006) on their figures, with verdicts from our runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analysis.jin2006.runs import (
    DELAYS_S,
    FRAME_ERRORS,
    LOSSES,
    PACKET_BYTES,
    PACKETS_PER_ACK,
    WIRED_LOSS,
    WIRELESS_RATE_BPS,
)
from analysis.statements import Statement, verdict
from tmt.models.split.printed import added_s

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analysis.jin2006.runs import Figure, Measured, Point, Windows

LITTLE = 0.1
"""Values that differ by less are "not affected", "a little" apart, or the same "almost completely"."""

END_TO_END, END_TO_END_ARQ, SPLIT, SPLIT_ARQ = (False, False), (False, True), (True, False), (True, True)


@dataclass(frozen=True, slots=True)
class Results:
    """All that was simulated."""

    losses: Figure
    delays: Figure
    independent: Figure
    bursty: Figure
    reno: Figure
    measured: Mapping[Point, Measured]
    windows: Mapping[tuple[bool, bool], Windows]

    def line(self, figure: Figure, system: tuple[bool, bool]) -> list[Measured]:
        """Return the measured values along one line of a figure."""
        return [self.measured[point] for point in figure.lines[system]]

    def latencies(self, figure: Figure, system: tuple[bool, bool]) -> np.ndarray:
        """Return the mean latencies along it."""
        return np.array([m.latency_s.mean for m in self.line(figure, system)])


def judge(results: Results) -> list[Statement]:
    """Return every statement with its verdict."""
    return [
        *_conclusions(results),
        *_window(results),
        *_loss(results),
        *_delay(results),
        *_patterns(results),
    ]


def _percent(value: float | np.floating) -> str:
    return f"{100 * value:.1f} %"


def _faster(first: list[Measured], second: list[Measured]) -> tuple[int, int, int]:
    """Count where the first is faster, where neither is beyond both intervals, and where the second is."""
    faster = sum(a.latency_s.high < b.latency_s.low for a, b in zip(first, second, strict=True))
    slower = sum(a.latency_s.low > b.latency_s.high for a, b in zip(first, second, strict=True))
    return faster, len(first) - faster - slower, slower


def _conclusions(results: Results) -> Iterator[Statement]:
    figures = (results.losses, results.delays)
    pairs = [(figure, arq) for figure in figures for arq in (False, True)]
    counts = [
        _faster(results.line(figure, (True, arq)), results.line(figure, (False, arq)))
        for figure, arq in pairs
    ]
    faster, alike, slower = (sum(column) for column in zip(*counts, strict=True))
    lower = sum(
        int((results.latencies(figure, (True, arq)) < results.latencies(figure, (False, arq))).sum())
        for figure, arq in pairs
    )
    total = faster + alike + slower
    yield Statement(
        "Conclusion (1)",
        "With the proxy latency is lower and throughput higher",
        "yes" if slower == 0 and lower > 0.9 * total else "in part" if faster else "no",
        f"of {total} pairs of figures 4 and 5 the split connection is faster in {lower}, beyond both 95 % "
        f"intervals in {faster}, and slower beyond them in {slower}",
    )
    saved = {
        arq: 1.0
        - results.latencies(results.delays, (True, arq)) / results.latencies(results.delays, (False, arq))
        for arq in (False, True)
    }
    most = {arq: int(np.argmax(share)) for arq, share in saved.items()}
    yield Statement(
        "Conclusion (1)",
        "The gap between proxy and end to end becomes smaller with more asymmetry",
        verdict(
            *(
                holds
                for arq, share in saved.items()
                for holds in (most[arq] == 0, bool(share[-1] < share[most[arq]] - LITTLE / 2))
            )
        ),
        "; ".join(
            f"{'with' if arq else 'without'} ARQ the proxy saves {_percent(share[0])} of the latency at 0 "
            f"ms, most at {1e3 * DELAYS_S[most[arq]]:.0f} ms with {_percent(share[most[arq]])}, and "
            f"{_percent(share[-1])} at 250 ms"
            for arq, share in saved.items()
        ),
    )
    lost = max(m.mean("packets_lost") for m in results.line(results.losses, END_TO_END_ARQ))
    clean = results.latencies(results.losses, END_TO_END_ARQ)[0]
    added = results.latencies(results.losses, END_TO_END_ARQ) / clean - 1.0
    worst = max(float(more) for loss, more in zip(LOSSES, added, strict=True) if loss <= 0.1)
    yield Statement(
        "Abstract, conclusion (2)",
        "ARQ lowers the loss of the wireless link with little additional latency",
        verdict(lost == 0.0, worst < LITTLE),
        f"it loses nothing; a transfer takes at most {_percent(worst)} longer than over a clean link up to "
        f"p2 = 0.1, and {_percent(added[-1])} longer at 0.2",
    )
    busy = results.line(results.delays, SPLIT_ARQ)[0]
    link, sent_s = busy.point.link, 8 * PACKET_BYTES / WIRELESS_RATE_BPS
    repeated = busy.mean("units_repeated") / busy.mean("packets_arrived")
    measured_s = repeated * sent_s / link.frames
    printed_s = added_s(link, PACKETS_PER_ACK)
    yield Statement(
        "Eq. 10",
        "Go-back-N adds the printed time to each packet",
        verdict(abs(printed_s / measured_s - 1.0) < LITTLE),
        f"printed: {1e6 * printed_s:.0f} us; measured at 0 ms, where the link is never idle: "
        f"{1e6 * measured_s:.0f} us; corrected formula: "
        f"{1e6 * sent_s * (link.slots_per_frame - 1.0):.0f} us",
    )
    best = [
        bool(np.argmin([results.latencies(figure, system)[i] for system in _ALL]) == _ALL.index(SPLIT_ARQ))
        for figure in figures
        for i in range(len(figure.x))
    ]
    beaten = [
        _faster(results.line(figure, system), results.line(figure, SPLIT_ARQ))[0]
        for figure in figures
        for system in (END_TO_END, END_TO_END_ARQ, SPLIT)
    ]
    yield Statement(
        "Conclusion (3)",
        "Proxy and ARQ together perform best",
        "yes" if sum(beaten) == 0 else "in part",
        f"lowest mean latency of the four systems at {sum(best)} of {len(best)} points of figures 4 and 5; "
        f"another system is faster beyond both intervals at {sum(beaten)}",
    )


_ALL = [END_TO_END, END_TO_END_ARQ, SPLIT, SPLIT_ARQ]


def _window(results: Results) -> Iterator[Statement]:
    windows = {system: windows.steady for system, windows in results.windows.items()}

    def text(system: tuple[bool, bool]) -> str:
        return f"{windows[system].mean:.2f} ± {windows[system].half_width:.2f}"

    yield Statement(
        "Figure 3a",
        "Without ARQ the sender's steady window is larger in a split connection",
        verdict(windows[SPLIT].low > windows[END_TO_END].high),
        f"{text(SPLIT)} packets against {text(END_TO_END)}",
    )
    yield Statement(
        "Figure 3b",
        "With ARQ the window of the end-to-end sender increases",
        verdict(windows[END_TO_END_ARQ].low > windows[END_TO_END].high),
        f"from {text(END_TO_END)} to {text(END_TO_END_ARQ)} packets; split: {text(SPLIT_ARQ)}",
    )
    settled = {system: windows.settled_s for system, windows in results.windows.items()}
    yield Statement(
        "Figure 3",
        "ARQ shortens the transient phase of the congestion control",
        verdict(settled[END_TO_END_ARQ] < settled[END_TO_END], settled[SPLIT_ARQ] < settled[SPLIT]),
        "the mean window over seeds is within 20 % of the steady one, for 10 s or more, after "
        f"{settled[END_TO_END]:.0f} s without and {settled[END_TO_END_ARQ]:.0f} s with ARQ end to end, after "
        f"{settled[SPLIT]:.0f} s and {settled[SPLIT_ARQ]:.0f} s split",
    )
    apart = {system: w.model / windows[system].mean - 1.0 for system, w in results.windows.items()}
    yield Statement(
        "Eq. 8 in figure 3",
        "The throughput formula gives the steady window",
        verdict(*(abs(value) < 2 * LITTLE for value in apart.values())),
        "eq. 8 differs by "
        + ", ".join(f"{100 * apart[system]:+.0f} %" for system in _ALL)
        + " (end to end, with ARQ, split, with ARQ)",
    )


def _loss(results: Results) -> Iterator[Statement]:
    lower = LOSSES.index(WIRED_LOSS / 10)
    change = {
        system: results.latencies(results.losses, system)[lower]
        / results.latencies(results.losses, system)[0]
        - 1
        for system in (END_TO_END, SPLIT)
    }
    yield Statement(
        "Error rate of the wireless link",
        "Loss one order lower than the wired link's does not affect TCP",
        verdict(*(value < LITTLE for value in change.values())),
        f"p2 = {LOSSES[lower]:g} instead of 0: {_percent(change[END_TO_END])} longer end to end, "
        f"{_percent(change[SPLIT])} split",
    )
    gain = {
        split: results.latencies(results.losses, (split, False))
        / results.latencies(results.losses, (split, True))
        for split in (False, True)
    }
    at = LOSSES.index(0.05)
    yield Statement(
        "Figure 4",
        "ARQ considerably improves the throughput",
        verdict(*(bool(gain[split][at] > 1.2) for split in (False, True))),
        f"at p2 = 0.05 {gain[False][at]:.2f} times end to end, {gain[True][at]:.2f} times split; at 0.2 "
        f"{gain[False][-1]:.1f} and {gain[True][-1]:.1f} times",
    )
    yield Statement(
        "Figure 4",
        "ARQ gains less with a proxy",
        verdict(*(bool(a > b) for a, b in zip(gain[False][at:], gain[True][at:], strict=True))),
        "from p2 = 0.05 on: "
        + ", ".join(f"{a:.1f} and {b:.1f}" for a, b in zip(gain[False][at:], gain[True][at:], strict=True))
        + " times, end to end and split",
    )
    fall = {
        arq: results.latencies(results.losses, (True, arq))[-1]
        / results.latencies(results.losses, (True, arq))[0]
        for arq in (False, True)
    }
    yield Statement(
        "Figure 4",
        "With ARQ throughput degrades more slowly, also behind a proxy",
        verdict(bool(fall[True] < fall[False])),
        f"from p2 = 0 to 0.2 it falls to {_percent(1 / fall[False])} without ARQ, to "
        f"{_percent(1 / fall[True])} with it",
    )
    low, high = (
        [
            abs(m.off)
            for system in (END_TO_END, SPLIT)
            for loss, m in zip(LOSSES, results.line(results.losses, system), strict=True)
            if (loss > 0.05) == is_high
        ]
        for is_high in (False, True)
    )
    yield Statement(
        "Figure 4",
        "At high loss simulation and analysis differ widely",
        verdict(np.mean(high) > 2 * np.mean(low), max(high) > 2 * LITTLE),
        f"without ARQ {_percent(np.mean(low))} in the mean and {_percent(max(low))} at most up to p2 = 0.05; "
        f"{_percent(np.mean(high))} and {_percent(max(high))} at 0.1 and 0.2",
    )


def _delay(results: Results) -> Iterator[Statement]:
    rising = [
        bool(later > earlier)
        for system in _ALL
        for earlier, later in pairwise(results.latencies(results.delays, system))
    ]
    yield Statement(
        "Figure 5",
        "A larger delay of the wired link increases the latency",
        verdict(*rising),
        f"in {sum(rising)} of {len(rising)} steps",
    )
    total = results.latencies(results.delays, END_TO_END) / results.latencies(results.delays, SPLIT_ARQ)
    most = int(np.argmax(total))
    yield Statement(
        "Figure 5",
        "Proxy and ARQ gain, but little if the links differ much",
        verdict(bool(total.min() > 1.0), bool(total[-1] < 1.0 + LITTLE)),
        f"together they divide the latency by {total[0]:.2f} at 0 ms, {total[most]:.2f} at "
        f"{1e3 * DELAYS_S[most]:.0f} ms, {total[-1]:.2f} at 250 ms",
    )
    for name, figure in (("New Reno", results.delays), ("Reno", results.reno)):
        found = [m for system in _ALL for m in results.line(figure, system)]
        off = [abs(m.off) for m in found]
        inside = sum(m.latency_s.low <= m.point.model().latency_s <= m.latency_s.high for m in found)
        printed = [abs(m.point.model("printed").latency_s / m.latency_s.mean - 1) for m in found]
        yield Statement(
            f"Figure 5, {name}",
            "Simulation and analysis overlap almost completely",
            verdict(float(np.mean(off)) < LITTLE, max(off) < LITTLE),
            f"{_percent(np.mean(off))} apart in the mean, {_percent(max(off))} at most; {inside} of "
            f"{len(off)} points within their 95 % interval. As printed: "
            f"{_percent(np.mean(printed))} and {_percent(max(printed))}",
        )


def _patterns(results: Results) -> Iterator[Statement]:
    ratio = {
        split: results.latencies(results.independent, (split, True))
        / results.latencies(results.bursty, (split, True))
        for split in (False, True)
    }
    yield Statement(
        "Figure 6",
        "With go-back-N correlated errors give a higher performance than independent ones",
        verdict(*(bool(value > 1.0) for split in (False, True) for value in ratio[split][-3:])),
        "throughput in bursts of 10 frames over that with independent errors, at frame error rates "
        + ", ".join(f"{error:g}" for error in FRAME_ERRORS[-3:])
        + ": "
        + "; ".join(
            ", ".join(f"{value:.2f}" for value in ratio[split][-3:]) + (" split" if split else " end to end")
            for split in (False, True)
        ),
    )
    at = FRAME_ERRORS.index(0.02)
    independent, bursty = (
        [
            without / with_arq
            for without, with_arq in zip(
                results.latencies(figure, END_TO_END)[: at + 1],
                results.latencies(figure, END_TO_END_ARQ)[: at + 1],
                strict=True,
            )
        ]
        for figure in (results.independent, results.bursty)
    )
    yield Statement(
        "Figure 6",
        "The benefit of ARQ is larger for more correlated errors",
        verdict(*(bool(b > i) for i, b in zip(independent, bursty, strict=True))),
        "throughput with ARQ over that without, end to end, at a frame error rate of 0.02: "
        f"{independent[at]:.1f} with independent errors, {bursty[at]:.1f} with bursts, which hit "
        "fewer packets",
    )
