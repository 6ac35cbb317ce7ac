"""Statements of Botos, Polgar and Bota on their figures, with verdicts from our runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from analysis.botos.losses import ROUGHLY, SHORT_BITS, longest_roughly_equal_bits, process
from analysis.botos.runs import (
    FECTCP,
    LATE_S,
    LOSSES,
    SETTLED_S,
    SHARED_LOSSES,
    UDP_BPS,
    UNTIL_S,
    VARIANTS,
    Download,
    Shares,
    Sharing,
    label,
)
from analysis.statements import Statement, verdict
from tmt.results.statistics import Interval

SMALL = 0.2
"""A penalty of less than a fifth is called small."""

FAIR = 0.9
"""Jain's index from which on two flows share fairly: neither has more than twice the other's rate."""

CODE_OVERHEAD = 0.05
NEAR_5 = (0.025, 0.1)


class Throughputs:
    """Mean throughputs by variant, delay and loss."""

    def __init__(self, measured: Mapping[Download, Interval]) -> None:
        self._measured = measured

    def __call__(self, tcp: str, delay_s: float, loss: float) -> float:
        """Return a mean throughput in kbit/s."""
        return self._measured[Download(tcp, delay_s, loss)].mean / 1e3

    def best(self, delay_s: float, loss: float) -> tuple[float, str]:
        """Return the highest throughput of TCP, and which variant has it."""
        return max((self(tcp, delay_s, loss), tcp) for tcp in VARIANTS)

    def crossover(self, tcp: str, delay_s: float) -> float:
        """Return the loss from which on FECTCP has more than a variant; between points, on a log scale."""
        ahead = [math.log(self(FECTCP, delay_s, p) / self(tcp, delay_s, p)) for p in LOSSES]
        last = max((i for i, value in enumerate(ahead) if value <= 0), default=None)
        if last is None:
            return LOSSES[0]
        if last == len(LOSSES) - 1:
            return math.inf
        part = ahead[last] / (ahead[last] - ahead[last + 1])
        return LOSSES[last] * (LOSSES[last + 1] / LOSSES[last]) ** part


def judge_losses_and_shares(shared: Mapping[Sharing, Shares]) -> list[Statement]:
    """Return the statements on losses and on sharing, with their verdicts."""
    return [*_losses(), *_tcp(shared), *_udp(shared)]


def judge_throughput(measured: Mapping[Download, Interval], delays_s: tuple[float, float]) -> list[Statement]:
    """Return the statements on figures 3 and 4, whose delays of one way are `delays_s`."""
    rate = Throughputs(measured)
    called = dict(zip(delays_s, ("IV.A, 20 ms, figure 3", "IV.A, 100 ms, figure 4"), strict=True))
    return [*_crossover(rate, called), *_high_losses(rate, called), *_delay(rate, delays_s)]


def _percent(*values: float) -> str:
    return ", ".join(f"{100 * value:.3g}" for value in values) + " %"


def _losses() -> Iterator[Statement]:
    swept = (0.01, 0.05, 0.1, 0.25)
    again = [process(p, SHORT_BITS).repeat_probability for p in swept]
    longest = [longest_roughly_equal_bits(p) for p in swept]
    yield Statement(
        "II.C, figure 1",
        "A loss follows a loss with a probability roughly equal to the loss rate",
        verdict(all(found < ROUGHLY * p for p, found in zip(swept, again, strict=True))),
        f"loss of {_percent(*swept)}: {_percent(*again)} with clusters of {SHORT_BITS} bits; within a factor "
        f"of {ROUGHLY} up to clusters of {', '.join(f'{bits:.0f}' for bits in longest)} bits",
    )


def _crossover(rate: Throughputs, called: dict[float, str]) -> Iterator[Statement]:
    for delay_s, where in called.items():
        low = [p for p in LOSSES if p <= 0.01]
        least = min(rate(tcp, delay_s, p) / rate(FECTCP, delay_s, p) for tcp in VARIANTS for p in low)
        yield Statement(
            where,
            "At low loss (up to 1 %) every TCP has more than FECTCP",
            verdict(least > 1.0),
            f"the slowest TCP has at least {least:.2f} times as much, the fastest at 0.1 % "
            f"{rate.best(delay_s, 0.001)[0] / rate(FECTCP, delay_s, 0.001):.2f} times",
        )
        crossings = {tcp: rate.crossover(tcp, delay_s) for tcp in VARIANTS}
        yield Statement(
            where,
            "The throughputs of TCP and FECTCP cross near 5 %",
            verdict(all(NEAR_5[0] <= p <= NEAR_5[1] for p in crossings.values())),
            "at a loss of " + ", ".join(f"{100 * p:.1f} % ({label(tcp)})" for tcp, p in crossings.items()),
        )
    delay_s, where = next(iter(called.items()))
    shares = [rate(FECTCP, delay_s, p) / rate.best(delay_s, p)[0] for p in (0.001, 0.002, 0.005)]
    yield Statement(
        where,
        "At low loss FECTCP lacks only the overhead of the code, 5 %",
        verdict(all(abs(share - 1.0 / (1.0 + CODE_OVERHEAD)) < 0.02 for share in shares)),
        f"at 0.1, 0.2, 0.5 % it has {_percent(*shares)} of the best TCP's throughput; the overhead alone "
        f"would leave {_percent(1.0 / (1.0 + CODE_OVERHEAD))}",
    )


def _high_losses(rate: Throughputs, called: dict[float, str]) -> Iterator[Statement]:
    for delay_s, where in called.items():
        ahead = {p: rate(FECTCP, delay_s, p) / rate.best(delay_s, p)[0] for p in LOSSES if 0.05 <= p <= 0.25}
        yield Statement(
            where,
            "At high loss (10 to 25 %) FECTCP has more than every TCP",
            verdict(all(value > 1.0 for p, value in ahead.items() if p >= 0.1)),
            f"{ahead[0.05]:.2f} times the best TCP at 5 %, {ahead[0.1]:.2f} at 10 %, "
            f"{ahead[0.25]:.2f} at 25 %",
        )
        # Sending rate at a loss of p, as a share of that at the least loss.
        used = {p: rate(FECTCP, delay_s, p) / (1 - p) / rate(FECTCP, delay_s, LOSSES[0]) for p in LOSSES}
        yield Statement(
            where,
            "From 5 % to 25 % FECTCP performs well",
            verdict(min(used[p] for p in LOSSES if 0.05 <= p <= 0.25) > 1 - SMALL),
            f"at a loss of 5, 10, 25 % it sends at {_percent(*(used[p] for p in (0.05, 0.1, 0.25)))} of its "
            "rate at 0.1 %",
        )
        beyond = [used[p] for p in LOSSES if p >= 0.25]
        yield Statement(
            where,
            "Beyond 25 % FECTCP declines, more than losses alone explain",
            verdict(
                all(after < before for before, after in pairwise(beyond)) and beyond[-1] < 0.95 * beyond[0]
            ),
            f"at a loss of 25, 30, 40, 50 % it sends at {_percent(*beyond)} of that rate",
        )


def _delay(rate: Throughputs, delays_s: tuple[float, float]) -> Iterator[Statement]:
    low, high = delays_s
    where = "IV.A, figure 4 against 3"
    swept = (0.01, 0.05, 0.1, 0.25)
    lost = {tcp: [1.0 - rate(tcp, high, p) / rate(tcp, low, p) for p in swept] for tcp in (FECTCP, *VARIANTS)}
    yield Statement(
        where,
        "The longer delay costs TCP throughput",
        verdict(all(sum(lost[tcp]) > 0 for tcp in VARIANTS)),
        "at 1, 5, 10, 25 %: " + "; ".join(f"{label(tcp)} {_percent(*lost[tcp])}" for tcp in VARIANTS),
    )
    yield Statement(
        where,
        "The longer delay costs FECTCP little",
        verdict(max(lost[FECTCP]) < SMALL),
        f"{_percent(*lost[FECTCP])} at 1, 5, 10, 25 %",
    )
    dearer = [tcp for tcp in VARIANTS if sum(lost[tcp]) > sum(lost[FECTCP])]
    yield Statement(
        where,
        "The longer delay costs FECTCP less than TCP",
        verdict(len(dearer) == len(VARIANTS)),
        f"averaged over these losses it costs {', '.join(map(label, dearer)) or 'no TCP'} more",
    )


def _tcp(shared: Mapping[Sharing, Shares]) -> Iterator[Statement]:
    for loss in (SHARED_LOSSES[0], SHARED_LOSSES[2]):
        lossy = f"{100 * loss:g} % lost" if loss else "nothing lost"
        found = shared[Sharing(FECTCP, "newreno", loss)]
        equal = shared[Sharing("newreno", "newreno", loss)]
        first, second = (found.mean_bps(flow, SETTLED_S, UNTIL_S).mean for flow in (0, 1))
        like = equal.mean_bps(1, SETTLED_S, UNTIL_S).mean
        yield Statement(
            "IV.B, figure 5",
            f"A TCP flow that starts later gets its share beside FECTCP ({lossy})",
            verdict(second > (1 - SMALL) * like),
            f"New Reno has {second / 1e3:.0f} kbit/s beside FECTCP, {like / 1e3:.0f} beside New Reno",
        )
        yield Statement(
            "IV.B, figure 5; V",
            f"FECTCP and TCP share the bandwidth fairly ({lossy})",
            verdict(found.jain.mean > FAIR),
            f"{first / 1e3:.0f} and {second / 1e3:.0f} kbit/s, Jain's index {found.jain.mean:.2f}; alone "
            f"FECTCP had {found.alone_bps.mean / 1e3:.0f}",
        )


def _udp(shared: Mapping[Sharing, Shares]) -> Iterator[Statement]:
    clean = shared[Sharing(FECTCP, "udp", 0.0)]
    after = [clean.mean_bps(flow, SETTLED_S, UNTIL_S).mean for flow in (0, 1)]
    yield Statement(
        "IV.B, figure 6",
        "FECTCP lowers its rate when a UDP flow starts",
        verdict(after[0] < 0.9 * clean.alone_bps.mean and after[1] > 0.9 * UDP_BPS),
        f"from {clean.alone_bps.mean / 1e3:.0f} to {after[0] / 1e3:.0f} kbit/s when UDP starts at "
        f"{LATE_S} s; UDP gets {after[1] / 1e3:.0f} of its {UDP_BPS / 1e3:.0f} kbit/s",
    )
