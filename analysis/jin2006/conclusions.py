"""The abstract and the conclusions of Jin and Yang (2006), with verdicts from our runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analysis.jin2006.runs import (
    DELAYS_S,
    END_TO_END,
    END_TO_END_ARQ,
    LITTLE,
    LOSSES,
    PACKET_BYTES,
    PACKETS_PER_ACK,
    SPLIT,
    SPLIT_ARQ,
    WIRELESS_RATE_BPS,
    FigureResults,
    compare,
    percent,
)
from analysis.statements import Statement, verdict
from tmt.theory.split import SYSTEMS, added_s


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
