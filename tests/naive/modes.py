"""Adaptive coding and modulation from its definition in docs/adaptation.md: slow, with whole lists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NEVER_REPORTED = -math.inf


@dataclass(frozen=True)
class Modes:
    """What a mode carries per symbol, what it needs for the target, its error curve, symbols of its frame."""

    efficiency: Sequence[float]
    needed_mdb: Sequence[float]
    half_mdb: Sequence[float]
    width_mdb: Sequence[float]
    symbols: Sequence[int] = ()

    def best_at(self, es_n0_mdb: float) -> int | None:
        """Return the most efficient mode whose need is met; of equal ones that with the least need."""
        met = [mode for mode, needed in enumerate(self.needed_mdb) if needed <= es_n0_mdb]
        return max(met, key=lambda mode: (self.efficiency[mode], -self.needed_mdb[mode]), default=None)

    def error_rate(self, mode: int, es_n0_mdb: float) -> float:
        """Return the share of blocks of a mode that is erased."""
        lacking = (self.half_mdb[mode] - es_n0_mdb) / self.width_mdb[mode]
        return 0.5 * math.erfc(-lacking / math.sqrt(2.0))


@dataclass(frozen=True)
class Rule:
    """A rule with its parameters; times in ns, levels in thousandths of a dB."""

    name: str = "margin"
    target: float = 0.1
    margin_mdb: float = 0.0
    step_mdb: float = 100.0
    delay_ns: int = 0
    every_ns: int = 0
    loss: float = 0.0
    levels_mdb: Sequence[float] = ()
    is_idle_below: bool = False


@dataclass(frozen=True)
class Sent:
    """A slot that was sent."""

    begin_ns: int
    end_ns: int
    mode: int
    es_n0_mdb: int
    erased: bool


class Sender:
    """What one sender has been told, as lists of all that was ever sent to it."""

    def __init__(self, modes: Modes, rule: Rule) -> None:
        self.modes, self.rule = modes, rule
        self.reports: list[tuple[int, float]] = []
        self.feedback: list[tuple[int, float]] = []
        lowest = min(range(len(modes.needed_mdb)), key=lambda mode: modes.needed_mdb[mode])
        best = [modes.best_at(needed) for needed in modes.needed_mdb]
        self.lowest, self.highest = best[lowest], modes.best_at(math.inf)

    def report(self, now_ns: int, es_n0_mdb: float, *, lost: bool) -> None:
        """Send a report, unless it is lost."""
        if self.rule.levels_mdb:
            reached = [level for level in self.rule.levels_mdb if level <= es_n0_mdb]
            es_n0_mdb = max(reached, default=min(self.rule.levels_mdb) - 100_000)
            es_n0_mdb = math.ceil(es_n0_mdb)
        if not lost:
            self.reports.append((now_ns + self.rule.delay_ns, es_n0_mdb))

    def mode_at(self, now_ns: int, es_n0_mdb: float) -> int | None:
        """Return the mode that the rule chooses; None where no mode's need is met."""
        if self.rule.name == "ideal":
            return self.modes.best_at(es_n0_mdb)
        told = [value for due_ns, value in self.reports if due_ns <= now_ns]
        offset = 0.0
        for due_ns, change in self.feedback:
            offset += change if due_ns <= now_ns else 0.0
        level = (told[-1] if told else NEVER_REPORTED) - self.rule.margin_mdb + offset
        return self.modes.best_at(level)

    def learn(self, now_ns: int, mode: int | None, *, erased: bool) -> None:
        """Send the feedback of a slot."""
        if self.rule.name != "olla":
            return
        if erased and mode not in (None, self.lowest):
            self.feedback.append((now_ns + self.rule.delay_ns, -self.rule.step_mdb))
        if not erased and mode != self.highest:
            up_mdb = self.rule.step_mdb * self.rule.target / (1.0 - self.rule.target)
            self.feedback.append((now_ns + self.rule.delay_ns, up_mdb))


def adapt(
    modes: Modes,
    rule: Rule,
    time_ns: Sequence[int],
    es_n0_mdb: Sequence[int],
    uniform: Sequence[float],
    lost: Sequence[float],
    symbol_rate: int | None = None,
) -> list[Sent]:
    """Return the slots over samples of a signal: one in each, or frames that follow each other."""
    sender, sent = Sender(modes, rule), list[Sent]()
    next_report_ns = 0
    free = 0  # symbols sent so far
    for sample, sample_ns in enumerate(time_ns):
        if sample_ns >= next_report_ns:
            sender.report(sample_ns, es_n0_mdb[sample], lost=lost[sample] < rule.loss)
            if rule.every_ns:
                while next_report_ns <= sample_ns:
                    next_report_ns += rule.every_ns
        while symbol_rate is None or free < (sample + 1) * min(modes.symbols):
            begin_ns = sample_ns if symbol_rate is None else _time_ns(free, symbol_rate)
            mode = sender.mode_at(begin_ns, es_n0_mdb[sample])
            if mode is None and rule.is_idle_below:
                free += 3330
            else:
                used = sender.lowest if mode is None else mode
                assert used is not None
                erased = uniform[sample] < modes.error_rate(used, es_n0_mdb[sample])
                end_ns = begin_ns
                if symbol_rate is not None:
                    free += modes.symbols[used]
                    end_ns = _time_ns(free, symbol_rate)
                sender.learn(begin_ns, mode, erased=erased)
                sent.append(Sent(begin_ns, end_ns, used, es_n0_mdb[sample], erased))
            if symbol_rate is None:
                break
    return sent


def _time_ns(symbols: int, symbol_rate: int) -> int:
    return math.floor(Fraction(symbols * 1_000_000_000, symbol_rate))
