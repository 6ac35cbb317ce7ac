"""What Botos, Polgar and Bota say of their figures, each statement judged by the runs made here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from analysis.botos.figures import label
from analysis.botos.losses import ROUGHLY, SHORT_BITS, longest_roughly_equal_bits, process
from analysis.botos.runs import (
    DELAYS_S,
    FECTCP,
    LATE_S,
    LOSSES,
    SETTLED_S,
    SHARED_LOSSES,
    UDP_BPS,
    UNTIL_S,
    VARIANTS,
    Sharing,
    Transfer,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analysis.botos.runs import Shares
    from tmt.metrics.statistics import Interval

SMALL = 0.2
"""A penalty of less than a fifth is called small."""

FAIR = 0.9
"""Jain's index from which on two flows share fairly: neither has more than twice what the other has."""

CODE_OVERHEAD = 0.05


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the paper in our words, where it stands, whether it holds here, and the figures."""

    where: str
    text: str
    holds: bool
    found: str


class Throughputs:
    """Mean throughputs by variant, delay and loss."""

    def __init__(self, measured: Mapping[Transfer, Interval]) -> None:
        self._measured = measured

    def __call__(self, tcp: str, delay_s: float, loss: float) -> float:
        """Return a mean throughput in kbit/s."""
        return self._measured[Transfer(tcp, delay_s, loss)].mean / 1e3

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


def judge(measured: Mapping[Transfer, Interval], shared: Mapping[Sharing, Shares]) -> list[Statement]:
    """Return every statement with its verdict."""
    rate = Throughputs(measured)
    return [
        *_losses(),
        *_crossover(rate),
        *_high_losses(rate),
        *_delay(rate),
        *_tcp(shared),
        *_udp(shared),
    ]


def _percent(*values: float) -> str:
    return ", ".join(f"{100 * value:.3g}" for value in values) + " %"


def _losses() -> Iterator[Statement]:
    swept = (0.01, 0.05, 0.1, 0.25)
    again = [process(p, SHORT_BITS).repeat_probability for p in swept]
    longest = [longest_roughly_equal_bits(p) for p in swept]
    yield Statement(
        "II.C, figure 1",
        "A loss follows a loss with a probability roughly equal to the loss rate",
        all(found < ROUGHLY * p for p, found in zip(swept, again, strict=True)),
        f"loss of {_percent(*swept)}: {_percent(*again)} with clusters of {SHORT_BITS} bits; within a factor "
        f"of {ROUGHLY} up to clusters of {', '.join(f'{bits:.0f}' for bits in longest)} bits",
    )


def _crossover(rate: Throughputs) -> Iterator[Statement]:
    for delay_s, number in zip(DELAYS_S, (3, 4), strict=True):
        low = [p for p in LOSSES if p <= 0.01]
        least = min(rate(tcp, delay_s, p) / rate(FECTCP, delay_s, p) for tcp in VARIANTS for p in low)
        yield Statement(
            f"IV.A, figure {number}",
            f"At low loss (up to 1 %) every TCP has more than FECTCP ({1000 * delay_s:.0f} ms)",
            least > 1.0,
            f"the slowest TCP has at least {least:.2f} times as much, the fastest at 0.1 % "
            f"{rate.best(delay_s, 0.001)[0] / rate(FECTCP, delay_s, 0.001):.2f} times",
        )
        crossings = {tcp: rate.crossover(tcp, delay_s) for tcp in VARIANTS}
        yield Statement(
            f"IV.A, figure {number}",
            f"They cross near 5 % ({1000 * delay_s:.0f} ms)",
            all(0.025 <= p <= 0.1 for p in crossings.values()),
            "at a loss of " + ", ".join(f"{100 * p:.1f} % ({label(tcp)})" for tcp, p in crossings.items()),
        )
    shares = [rate(FECTCP, 0.02, p) / rate.best(0.02, p)[0] for p in (0.001, 0.002, 0.005)]
    yield Statement(
        "IV.A",
        "What FECTCP lacks at low loss is the overhead of the code, 5 %",
        all(abs(share - 1.0 / (1.0 + CODE_OVERHEAD)) < 0.02 for share in shares),
        f"at 20 ms and 0.1, 0.2, 0.5 % it has {_percent(*shares)} of the best TCP's throughput; the overhead "
        f"alone would leave {_percent(1.0 / (1.0 + CODE_OVERHEAD))}",
    )


def _high_losses(rate: Throughputs) -> Iterator[Statement]:
    for delay_s, number in zip(DELAYS_S, (3, 4), strict=True):
        high = [p for p in LOSSES if 0.05 <= p <= 0.25]
        ahead = {p: rate(FECTCP, delay_s, p) / rate.best(delay_s, p)[0] for p in high}
        yield Statement(
            f"IV.A, figure {number}",
            f"From 5 % to 25 % FECTCP has more than every TCP ({1000 * delay_s:.0f} ms)",
            all(value > 1.0 for value in ahead.values()),
            f"{ahead[0.05]:.2f} times the best TCP at 5 %, {ahead[0.1]:.2f} at 10 %, "
            f"{ahead[0.25]:.2f} at 25 %",
        )
    for delay_s in DELAYS_S:
        # What a loss of p leaves of the throughput without losses, were the rate of sending untouched.
        used = {p: rate(FECTCP, delay_s, p) / (1 - p) / rate(FECTCP, delay_s, LOSSES[0]) for p in LOSSES}
        yield Statement(
            "IV.A",
            f"From 5 % to 25 % FECTCP performs well ({1000 * delay_s:.0f} ms)",
            min(used[p] for p in LOSSES if 0.05 <= p <= 0.25) > 1 - SMALL,
            f"when 5, 10, 25 % are lost it sends at {_percent(*(used[p] for p in (0.05, 0.1, 0.25)))} of its "
            "rate at 0.1 %",
        )
        steps = [after - before for before, after in pairwise(used[p] for p in LOSSES if p >= 0.25)]
        yield Statement(
            "IV.A",
            f"Beyond 25 % FECTCP declines ({1000 * delay_s:.0f} ms)",
            all(step < 0 for step in steps),
            f"{_percent(used[0.25], used[0.3], used[0.4], used[0.5])} of that rate at 25, 30, 40, 50 %",
        )


def _delay(rate: Throughputs) -> Iterator[Statement]:
    low, high = DELAYS_S
    lost = {
        tcp: [1.0 - rate(tcp, high, p) / rate(tcp, low, p) for p in (0.01, 0.05, 0.1, 0.25)]
        for tcp in (FECTCP, *VARIANTS)
    }
    yield Statement(
        "IV.A, figure 4",
        "100 ms instead of 20 ms cost TCP throughput",
        all(min(lost[tcp]) > 0 for tcp in VARIANTS),
        "at 1, 5, 10, 25 %: " + "; ".join(f"{label(tcp)} {_percent(*lost[tcp])}" for tcp in VARIANTS),
    )
    yield Statement(
        "IV.A, figure 4",
        "They cost FECTCP little",
        max(lost[FECTCP]) < SMALL,
        f"{_percent(*lost[FECTCP])} at 1, 5, 10, 25 %",
    )
    yield Statement(
        "IV.A, figure 4",
        "They cost FECTCP less than TCP",
        all(a < b for tcp in VARIANTS for a, b in zip(lost[FECTCP][1:], lost[tcp][1:], strict=True)),
        "at 5, 10, 25 %; figures above",
    )


def _tcp(shared: Mapping[Sharing, Shares]) -> Iterator[Statement]:
    found = {p: shared[Sharing(FECTCP, "newreno", p)] for p in SHARED_LOSSES}
    clean = found[0.0]
    first, second = (clean.mean_bps(flow, SETTLED_S, UNTIL_S).mean for flow in (0, 1))
    yield Statement(
        "IV.B, figure 5",
        "FECTCP gives way to a TCP flow that starts later, and both have a reasonable rate",
        clean.jain.mean > FAIR,
        f"without losses {first / 1e3:.0f} and {second / 1e3:.0f} kbit/s, Jain's index "
        f"{clean.jain.mean:.2f}; "
        f"alone FECTCP had {clean.alone_bps.mean / 1e3:.0f}",
    )
    two = shared[Sharing("newreno", "newreno", 0.0)]
    yield Statement(
        "V",
        "It shares the bandwidth fairly",
        clean.jain.mean > two.jain.mean - 0.05,
        f"Jain's index {clean.jain.mean:.3f}; of two New Reno flows in the same place {two.jain.mean:.3f}",
    )


def _udp(shared: Mapping[Sharing, Shares]) -> Iterator[Statement]:
    clean = shared[Sharing(FECTCP, "udp", 0.0)]
    after = [clean.mean_bps(flow, SETTLED_S, UNTIL_S).mean for flow in (0, 1)]
    yield Statement(
        "IV.B, figure 6",
        "FECTCP lowers its rate when a UDP flow appears",
        after[0] < 0.9 * clean.alone_bps.mean and after[1] > 0.9 * UDP_BPS,
        f"from {clean.alone_bps.mean / 1e3:.0f} to {after[0] / 1e3:.0f} kbit/s when UDP starts at "
        f"{LATE_S} s, which gets {after[1] / 1e3:.0f} of its {UDP_BPS / 1e3:.0f} kbit/s",
    )
