"""Slow twins of the schedulers of a shared line, from `docs/sharing.md`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist


def by_weight(weights: Sequence[int], slots: int) -> list[int]:
    """Return the user of each slot: the first of those with the largest credit pays the sum of weights."""
    credit, users = [0] * len(weights), list[int]()
    for _ in range(slots):
        credit = [own + weight for own, weight in zip(credit, weights, strict=True)]
        users.append(credit.index(max(credit)))
        credit[users[-1]] -= sum(weights)
    return users


def by_rate(rates: Sequence[Sequence[int]], averaging_slots: int) -> list[int]:
    """Return the user of each slot by exact fractions; `rates` holds each user's rates, slot by slot."""
    means = [Fraction(0)] * len(rates)
    users = list[int]()
    for now in zip(*rates, strict=True):
        waiting = [one for one, (rate, mean) in enumerate(zip(now, means, strict=True)) if rate and not mean]
        relative = [rate / mean if mean else Fraction(0) for rate, mean in zip(now, means, strict=True)]
        users.append(waiting[0] if waiting else relative.index(max(relative)))
        served = [rate if one == users[-1] else 0 for one, rate in enumerate(now)]
        means = [mean + (rate - mean) / averaging_slots for mean, rate in zip(means, served, strict=True)]
    return users


@dataclass
class Sender:
    """What the sender of one user has been told, and when: reports in dB, and changes of the offset."""

    reports: list[tuple[int, float]] = field(default_factory=list)
    changes: list[tuple[int, float]] = field(default_factory=list)
    next_report_ns: int = 0
    mean: float = 0.0

    def choice(self, now_ns: int, needed_db: Sequence[float], margin_db: float) -> int:
        """Return the last choice whose need the last report meets, less margin and plus offset; -1: none."""
        known = [es_n0_db for due_ns, es_n0_db in self.reports if due_ns <= now_ns]
        if not known:
            return -1
        level = known[-1] - margin_db + sum(change for due_ns, change in self.changes if due_ns <= now_ns)
        return max((at for at, needed in enumerate(needed_db) if needed <= level), default=-1)


@dataclass(frozen=True)
class Modes:
    """Choices by rising need, each a mode of its own, with its bytes and the Es/N0 of half of its blocks."""

    needed_db: Sequence[float]
    size_bytes: Sequence[int]
    half_db: Sequence[float]
    width_db: float


def adapted(
    times_ns: Sequence[int],
    es_n0_db: Sequence[Sequence[float]],
    uniform: Sequence[Sequence[float]],
    modes: Modes,
    *,
    averaging_slots: int,
    margin_db: float,
    up_db: float,
    down_db: float,
    every_ns: int,
    delay_ns: int,
    is_idle: bool,
) -> list[tuple[int, int, bool]]:
    """Return user (-1: none), mode and fate of each slot under proportional fairness and an outer loop."""
    senders = [Sender() for _ in es_n0_db]
    found = []
    for slot, now_ns in enumerate(times_ns):
        rates, choices = [], []
        for sender, signal in zip(senders, es_n0_db, strict=True):
            if now_ns >= sender.next_report_ns:
                sender.reports.append((now_ns + delay_ns, signal[slot]))
                sender.next_report_ns = (now_ns // every_ns + 1) * every_ns
            choices.append(sender.choice(now_ns, modes.needed_db, margin_db))
            rates.append(0 if choices[-1] < 0 and is_idle else modes.size_bytes[max(choices[-1], 0)])
        relative = [
            rate / sender.mean if sender.mean else math.inf if rate else 0
            for rate, sender in zip(rates, senders, strict=True)
        ]
        user = relative.index(max(relative)) if max(rates) else -1
        for one, sender in enumerate(senders):
            sender.mean += ((rates[one] if one == user else 0) - sender.mean) / averaging_slots
        if user < 0:
            found.append((-1, 0, False))
            continue
        choice = choices[user]
        mode = max(choice, 0)
        error = NormalDist(0, modes.width_db).cdf(modes.half_db[mode] - es_n0_db[user][slot])
        erased = uniform[user][slot] < error
        lowest, highest = choice <= 0, choice + 1 == len(modes.needed_db)
        change = -down_db * (not lowest) if erased else up_db * (not highest)
        senders[user].changes.append((now_ns + delay_ns, change))
        found.append((user, mode, erased))
    return found
