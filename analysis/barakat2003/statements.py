"""Statements of Barakat and Al Fawal (2003) on their figures, with verdicts from our runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from analysis.barakat2003.runs import (
    DELAYS_S,
    FRAME_UNITS,
    LENGTHS,
    LOSSES,
    HybridFigure,
    HybridPoint,
    HybridRuns,
)
from analysis.statements import Statement, verdict
from tmt.theory.hybrid import largest_throughput, optimal_code_lengths

NEAR = 0.02
"""Throughputs that differ by less than 2 % of the link are called equal."""

FULL = 0.99
"""A link that sends this share of the time is fully utilised; the start of the run is no more than 1 %."""


def judge(figures: list[HybridFigure], measured: Mapping[HybridPoint, HybridRuns]) -> list[Statement]:
    """Return every statement with its verdict."""
    return [
        *_fec_alone(measured),
        *_arq_alone(measured),
        *_together(measured),
        *_persistency(figures, measured),
        *_one_connection(measured),
        *_model(figures, measured),
    ]


def _share(measured: Mapping[HybridPoint, HybridRuns], *place: Any, in_order: bool = True) -> float:
    """Return the mean throughput at a point: connections, delay, unit loss, N, delta."""
    return measured[HybridPoint(*place, in_order)].throughput.mean


def _percent(values: Iterable[float]) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values) + " %"


def _fec_alone(measured: Mapping[HybridPoint, HybridRuns]) -> Iterator[Statement]:
    lines = {delay: [measured[HybridPoint(10, delay, 0.01, n, 0)] for n in LENGTHS] for delay in DELAYS_S}
    best = {
        delay: max(line, key=lambda m: m.throughput.mean).point.code_length for delay, line in lines.items()
    }
    found = ", ".join(f"N = {n} at {1000 * delay:.0f} ms" for delay, n in best.items())
    yield Statement(
        "3.2.1, long version", "With FEC alone N = 11 is best at D = 20 ms", verdict(best[0.02] == 11), found
    )
    yield Statement(
        "3.1.2, short version",
        "With FEC alone N = 12 is best at every delay",
        verdict(all(n == 12 for n in best.values())),
        found,
    )
    right = [m for delay, line in lines.items() for m in line if m.point.code_length > best[delay]]
    left = [m for delay, line in lines.items() for m in line if m.point.code_length < best[delay]]
    decay = [m.throughput.mean * m.point.code_length / FRAME_UNITS for m in right]
    yield Statement(
        "3.2.1",
        "Beyond the optimum throughput falls like K/N",
        verdict(max(abs(value - 1.0) for value in decay) < 0.03),
        f"throughput x N/K is {_percent((min(decay), max(decay)))}",
    )
    yield Statement(
        "3.2.1",
        "The link is fully utilised beyond the optimum, and not below it",
        verdict(min(m.utilisation for m in right) > FULL and max(m.utilisation for m in left) < FULL),
        f"at least {_percent([min(m.utilisation for m in right)])} beyond it, "
        f"at most {_percent([max(m.utilisation for m in left)])} below it",
    )


def _arq_alone(measured: Mapping[HybridPoint, HybridRuns]) -> Iterator[Statement]:
    ordered, disordered = (
        {d: [_share(measured, 10, d, 0.01, 10, delta, in_order=o) for delta in range(6)] for d in DELAYS_S}
        for o in (True, False)
    )
    worst = min(o / u for d in DELAYS_S for o, u in list(zip(ordered[d], disordered[d], strict=True))[2:])
    yield Statement(
        "3.2.2, figure 4",
        "Without resequencing (ord = 0) throughput is much lower",
        verdict(worst > 1.1),
        f"at delta = 5 and D = 20, 100, 200 ms: {_percent(ordered[d][5] for d in DELAYS_S)} with "
        f"resequencing, {_percent(disordered[d][5] for d in DELAYS_S)} without",
    )
    fec = {d: max(_share(measured, 10, d, 0.01, n, 0) for n in LENGTHS) for d in DELAYS_S}
    yield Statement(
        "3.2.2",
        "ARQ-SR alone has a higher throughput than the best FEC alone",
        verdict(all(max(ordered[d]) > fec[d] for d in DELAYS_S)),
        f"{_percent(max(ordered[d]) for d in DELAYS_S)} against {_percent(fec.values())}",
    )
    most = [max(line) for line in ordered.values()]
    yield Statement(
        "3.2.2",
        "The highest throughput of ARQ-SR alone does not depend on the delay",
        verdict(max(most) - min(most) < NEAR),
        _percent(most),
    )


def _together(measured: Mapping[HybridPoint, HybridRuns]) -> Iterator[Statement]:
    grid = {loss: {n: _share(measured, 10, 0.2, loss, n, 5) for n in LENGTHS} for loss in (0.01, 0.001)}
    best = max(_share(measured, 10, 0.2, 0.01, n, d) for n in LENGTHS for d in range(6))
    yield Statement(
        "3.2.3, figure 5",
        "At p = 0.01 the best hybrid is close to ARQ-SR alone with delta = 5",
        verdict(best - grid[0.01][10] < NEAR),
        f"{_percent([best])} against {_percent([grid[0.01][10]])}",
    )
    yield Statement(
        "3.2.3, figure 5",
        "One redundant unit is enough at p = 0.01",
        verdict(best - max(grid[0.01][10], grid[0.01][11]) < 1e-9),
        f"N = 10, 11, 12 with delta = 5: {_percent(grid[0.01][n] for n in (10, 11, 12))}",
    )
    yield Statement(
        "3.2.3, figure 6",
        "At p = 0.001 no redundancy is needed",
        verdict(max(grid[0.001], key=lambda n: grid[0.001][n]) == 10),
        f"N = 10, 11 with delta = 5: {_percent(grid[0.001][n] for n in (10, 11))}",
    )


def _persistency(
    figures: list[HybridFigure], measured: Mapping[HybridPoint, HybridRuns]
) -> Iterator[Statement]:
    by_delta: dict[tuple[object, ...], list[HybridRuns]] = {}
    for point in dict.fromkeys(point for figure in figures for point in figure.points):
        key = (point.connections, point.delay_s, point.unit_loss, point.code_length, point.in_order)
        by_delta.setdefault(key, []).append(measured[point])
    falls = []
    for line in by_delta.values():
        line.sort(key=lambda m: m.point.persistency)
        falls += [fewer.throughput.mean - more.throughput.mean for fewer, more in pairwise(line)]
    beyond = sum(fall > NEAR for fall in falls)
    yield Statement(
        "3.2.2, 3.3, 5",
        "Throughput never falls when the persistency grows",
        verdict(beyond == 0),
        f"{beyond} of {len(falls)} steps fall by more than {100 * NEAR:.0f} % of the link; the largest fall "
        f"is {_percent([max(falls)])}",
    )


def _one_connection(measured: Mapping[HybridPoint, HybridRuns]) -> Iterator[Statement]:
    def enough(connections: int, delay_s: float, most: int) -> tuple[int, float]:
        line = [_share(measured, connections, delay_s, 0.01, 10, d) for d in range(most + 1)]
        return next(d for d, value in enumerate(line) if value > 0.95 * max(line)), max(line)

    one = {d: enough(1, d, 10) for d in DELAYS_S}
    ten = {d: enough(10, d, 5) for d in DELAYS_S}
    yield Statement(
        "3.3",
        "One connection needs a larger persistency than ten",
        verdict(all(one[d][0] > ten[d][0] for d in DELAYS_S)),
        "delta for 95 % of the highest throughput, one connection against ten: "
        + ", ".join(f"{one[d][0]} against {ten[d][0]} at {1000 * d:.0f} ms" for d in DELAYS_S),
    )
    yield Statement(
        "3.3, figures 4 and 8",
        "The highest throughput does not depend on the number of connections",
        verdict(all(abs(one[d][1] - ten[d][1]) < 2 * NEAR for d in DELAYS_S)),
        f"{_percent(most for _, most in one.values())} against {_percent(most for _, most in ten.values())}",
    )
    best = max(_share(measured, 1, 0.2, 0.01, n, 5) for n in LENGTHS)
    alone = max(_share(measured, 1, 0.2, 0.01, 10, d) for d in range(11))
    yield Statement(
        "3.3, figure 7",
        "With one connection the best hybrid is close to ARQ-SR alone",
        verdict(best - alone < 2 * NEAR),
        f"{_percent([best])} against {_percent([alone])} (delta up to 10)",
    )


def _model(figures: list[HybridFigure], measured: Mapping[HybridPoint, HybridRuns]) -> Iterator[Statement]:
    for figure in figures:
        apart = {
            point: point.model - measured[point].throughput.mean for point in figure.points if point.in_order
        }
        worst = max(apart, key=lambda point: abs(apart[point]))
        mean = sum(abs(value) for value in apart.values()) / len(apart)
        yield Statement(
            f"4.5, figures {figure.number} and {figure.model_number}",
            "Model and simulation match",
            verdict(mean < 0.05),
            f"mean difference {100 * mean:.1f} % of the link; largest {100 * apart[worst]:+.1f} % "
            f"(N = {worst.code_length}, delta = {worst.persistency}, D = {1000 * worst.delay_s:.0f} ms)",
        )
    yield Statement(
        "4.6",
        "N = 16 is best for K = 10 and p = 0.25",
        verdict(optimal_code_lengths(0.25, 10) == (16,)),
        "by the model",
    )
    gain = largest_throughput(0.25, 16, 10) / largest_throughput(0.25, 10, 10) - 1.0
    yield Statement(
        "4.6",
        "FEC improves throughput at p = 0.25 by up to 1100 %",
        verdict(gain > 10.5),
        f"{100 * gain:.0f} %",
    )
    extra = {k: [optimal_code_lengths(loss, k)[-1] - k for loss in LOSSES] for k in (10, 50)}
    shown = {k: ", ".join(map(str, counts)) for k, counts in extra.items()}
    yield Statement(
        "4.6, figures 15 and 16",
        "The best amount of redundancy hardly depends on the frame's size",
        verdict(max(abs(a - b) for a, b in zip(extra[10], extra[50], strict=True)) <= 1),
        f"N* - K for p = {', '.join(map(str, LOSSES))}: {shown[10]} with K = 10; {shown[50]} with K = 50",
    )
    most = {
        k: [largest_throughput(loss, optimal_code_lengths(loss, k)[0], k) for loss in LOSSES]
        for k in (10, 50)
    }
    yield Statement(
        "4.6",
        "A larger K slightly improves the highest throughput",
        verdict(all(large > small for small, large in zip(most[10], most[50], strict=True))),
        f"{_percent(most[10])} with K = 10; {_percent(most[50])} with K = 50",
    )
