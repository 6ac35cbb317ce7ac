"""Statements of Jin and Yang (2006) on their figures and conclusions, with verdicts from our runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from analysis.jin2006.runs import (
    DELAYS_S,
    END_TO_END,
    END_TO_END_ARQ,
    FRAME_ERRORS,
    LITTLE,
    LOSSES,
    PACKET_BYTES,
    PACKETS_PER_ACK,
    SPLIT,
    SPLIT_ARQ,
    WIRED_LOSS,
    WIRELESS_RATE_BPS,
    FigureResults,
    compare,
    percent,
)
from analysis.statements import Statement, verdict
from tmt.theory.split import SYSTEMS, added_s
from tools.page_tables import plus_minus


def judge(results: FigureResults) -> list[Statement]:
    """Return every statement with its verdict."""
    return [
        *judge_conclusions(results),
        *_window(results),
        *_loss(results),
        *_high_loss(results),
        *_delay(results),
        *_patterns(results),
    ]


def _window(results: FigureResults) -> Iterator[Statement]:
    windows = {system: windows.steady for system, windows in results.windows.items()}
    text = {system: plus_minus(steady, ".2f") for system, steady in windows.items()}
    yield Statement(
        "Figure 3a",
        "Without ARQ the sender's steady window is larger in a split connection",
        verdict(windows[SPLIT].low > windows[END_TO_END].high),
        f"{text[SPLIT]} packets against {text[END_TO_END]}",
    )
    yield Statement(
        "Figure 3b",
        "With ARQ the window of the end-to-end sender increases",
        verdict(windows[END_TO_END_ARQ].low > windows[END_TO_END].high),
        f"from {text[END_TO_END]} to {text[END_TO_END_ARQ]} packets; split: {text[SPLIT_ARQ]}",
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
        + ", ".join(f"{100 * apart[system]:+.0f} %" for system in SYSTEMS)
        + " (end to end, with ARQ, split, with ARQ)",
    )


def _loss(results: FigureResults) -> Iterator[Statement]:
    lower = LOSSES.index(WIRED_LOSS / 10)
    latencies = {system: results.latencies(results.losses, system) for system in SYSTEMS}
    change = {system: latencies[system][lower] / latencies[system][0] - 1 for system in (END_TO_END, SPLIT)}
    yield Statement(
        "Error rate of the wireless link",
        "Loss one order lower than the wired link's does not affect TCP",
        verdict(*(value < LITTLE for value in change.values())),
        f"p2 = {LOSSES[lower]:g} instead of 0: {percent(change[END_TO_END])} longer end to end, "
        f"{percent(change[SPLIT])} split",
    )
    gain = [latencies[split, False] / latencies[split, True] for split in (False, True)]
    at = LOSSES.index(0.05)
    pairs = list(zip(*(values[at:] for values in gain), strict=True))
    yield Statement(
        "Figure 4",
        "ARQ considerably improves the throughput",
        verdict(*(bool(values[at] > 1.2) for values in gain)),
        f"p2 = 0.05: {gain[False][at]:.2f} times end to end, {gain[True][at]:.2f} times split; p2 = 0.2: "
        f"{gain[False][-1]:.1f} and {gain[True][-1]:.1f} times",
    )
    yield Statement(
        "Figure 4",
        "ARQ gains less with a proxy",
        verdict(*(bool(a > b) for a, b in pairs)),
        f"from p2 = 0.05 on: {', '.join(f'{a:.1f} and {b:.1f}' for a, b in pairs)} times, end to end and "
        "split",
    )


def _high_loss(results: FigureResults) -> Iterator[Statement]:
    split = [results.latencies(results.losses, (True, arq)) for arq in (False, True)]
    fall = [values[-1] / values[0] for values in split]
    yield Statement(
        "Figure 4",
        "With ARQ throughput degrades more slowly, also behind a proxy",
        verdict(bool(fall[True] < fall[False])),
        f"from p2 = 0 to 0.2 it falls to {percent(1 / fall[False])} without ARQ, to "
        f"{percent(1 / fall[True])} with it",
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
        f"without ARQ {percent(np.mean(low))} in the mean and {percent(max(low))} at most up to p2 = 0.05; "
        f"{percent(np.mean(high))} and {percent(max(high))} at 0.1 and 0.2",
    )


def _delay(results: FigureResults) -> Iterator[Statement]:
    rising = [
        bool(later > earlier)
        for system in SYSTEMS
        for earlier, later in pairwise(results.latencies(results.delays, system))
    ]
    yield Statement(
        "Figure 5",
        "A larger delay of the wired link increases the latency",
        verdict(*rising),
        f"in {sum(rising)} of {len(rising)} steps",
    )
    total = results.ratio(results.delays, END_TO_END, SPLIT_ARQ)
    most = int(np.argmax(total))
    yield Statement(
        "Figure 5",
        "Proxy and ARQ gain, but little if the links differ much",
        verdict(bool(total.min() > 1.0), bool(total[-1] < 1.0 + LITTLE)),
        f"together they divide the latency by {total[0]:.2f} at 0 ms, {total[most]:.2f} at "
        f"{1e3 * DELAYS_S[most]:.0f} ms, {total[-1]:.2f} at 250 ms",
    )
    for name, figure in (("New Reno", results.delays), ("Reno", results.reno)):
        found = [m for system in SYSTEMS for m in results.line(figure, system)]
        off = [abs(m.off) for m in found]
        inside = sum(m.latency_s.low <= m.point.model().latency_s <= m.latency_s.high for m in found)
        printed = [abs(m.point.model("printed").latency_s / m.latency_s.mean - 1) for m in found]
        yield Statement(
            f"Figure 5, {name}",
            "Simulation and analysis overlap almost completely",
            verdict(float(np.mean(off)) < LITTLE, max(off) < LITTLE),
            f"{percent(np.mean(off))} apart in the mean, {percent(max(off))} at most; {inside} of "
            f"{len(off)} points within their 95 % interval. As printed: "
            f"{percent(np.mean(printed))} and {percent(max(printed))}",
        )


def _patterns(results: FigureResults) -> Iterator[Statement]:
    end_to_end, split = (
        results.latencies(results.independent, system)[-3:] / results.latencies(results.bursty, system)[-3:]
        for system in (END_TO_END_ARQ, SPLIT_ARQ)
    )

    def shown(ratios: np.ndarray) -> str:
        return ", ".join(f"{value:.2f}" for value in ratios)

    yield Statement(
        "Figure 6",
        "With go-back-N correlated errors give a higher performance than independent ones",
        verdict(*(bool(value > 1.0) for value in (*end_to_end, *split))),
        "throughput in bursts of 10 frames over that with independent errors, at frame error rates "
        f"{', '.join(f'{error:g}' for error in FRAME_ERRORS[-3:])}: {shown(end_to_end)} end to end; "
        f"{shown(split)} split",
    )
    at = FRAME_ERRORS.index(0.02)
    independent, bursty = (
        results.latencies(figure, END_TO_END)[: at + 1] / results.latencies(figure, END_TO_END_ARQ)[: at + 1]
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


def judge_conclusions(results: FigureResults) -> list[Statement]:
    """Return the statements of abstract and conclusions with their verdicts."""
    return [*_proxy(results), *_asymmetry(results), *_arq(results), *_both(results)]


def _proxy(results: FigureResults) -> Iterator[Statement]:
    figures = (results.losses, results.delays)
    pairs = [(figure, arq) for figure in figures for arq in (False, True)]
    counts = [
        compare(results.line(figure, (True, arq)), results.line(figure, (False, arq)))
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


def _asymmetry(results: FigureResults) -> Iterator[Statement]:
    saved = {arq: 1.0 - results.ratio(results.delays, (True, arq), (False, arq)) for arq in (False, True)}
    most = {arq: int(np.argmax(share)) for arq, share in saved.items()}
    yield Statement(
        "Conclusion (1)",
        "The gap between proxy and end to end becomes smaller with more asymmetry",
        verdict(
            *(index == 0 for index in most.values()),
            *(bool(share[-1] < share[most[arq]] - LITTLE / 2) for arq, share in saved.items()),
        ),
        "; ".join(
            f"{'with' if arq else 'without'} ARQ the proxy saves {percent(share[0])} of the latency at 0 "
            f"ms, most at {1e3 * DELAYS_S[most[arq]]:.0f} ms with {percent(share[most[arq]])}, and "
            f"{percent(share[-1])} at 250 ms"
            for arq, share in saved.items()
        ),
    )


def _arq(results: FigureResults) -> Iterator[Statement]:
    lost = max(m.runs.mean("packets_lost") for m in results.line(results.losses, END_TO_END_ARQ))
    clean = results.latencies(results.losses, END_TO_END_ARQ)[0]
    added = results.latencies(results.losses, END_TO_END_ARQ) / clean - 1.0
    worst = max(float(more) for loss, more in zip(LOSSES, added, strict=True) if loss <= 0.1)
    yield Statement(
        "Abstract, conclusion (2)",
        "ARQ lowers the loss of the wireless link with little additional latency",
        verdict(lost == 0.0, worst < LITTLE),
        f"it loses nothing; a transfer takes at most {percent(worst)} longer than over a clean link up to "
        f"p2 = 0.1, and {percent(added[-1])} longer at 0.2",
    )
    busy = results.line(results.delays, SPLIT_ARQ)[0]
    link, sent_s = busy.point.link, 8 * PACKET_BYTES / WIRELESS_RATE_BPS
    repeated = busy.runs.mean("units_repeated") / busy.runs.mean("packets_arrived")
    measured_s = repeated * sent_s / link.frames
    printed_s = added_s(link, PACKETS_PER_ACK)
    yield Statement(
        "Eq. 10",
        "Go-back-N adds the printed time to each packet",
        verdict(abs(printed_s / measured_s - 1.0) < LITTLE),
        f"printed: {1e6 * printed_s:.0f} µs; measured at 0 ms, where the link is never idle: "
        f"{1e6 * measured_s:.0f} µs; corrected formula: "
        f"{1e6 * sent_s * (link.slots_per_frame - 1.0):.0f} µs",
    )


def _both(results: FigureResults) -> Iterator[Statement]:
    figures = (results.losses, results.delays)
    fastest = np.concatenate(
        [np.argmin([results.latencies(figure, system) for system in SYSTEMS], axis=0) for figure in figures]
    )
    best = fastest == SYSTEMS.index(SPLIT_ARQ)
    beaten = [
        compare(results.line(figure, system), results.line(figure, SPLIT_ARQ))[0]
        for figure in figures
        for system in (END_TO_END, END_TO_END_ARQ, SPLIT)
    ]
    yield Statement(
        "Conclusion (3)",
        "Proxy and ARQ together perform best",
        "yes" if sum(beaten) == 0 else "in part",
        f"lowest mean latency of the four systems at {best.sum()} of {len(best)} points of figures 4 and 5; "
        f"another system is faster beyond both intervals at {sum(beaten)}",
    )
