"""Conclusions of Kuhn et al. 2014, and whether each holds for TCP of 2009 and of today."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from analysis.kuhn2014.campaigns import BY_REPAIR, HARQS, PAPER_TCPS
from analysis.kuhn2014_today.cells import CLEAR, NOISY, SPLIT, STACK_LABELS, UP, StackCells, label, tcps_of
from analysis.statements import Statement, verdict
from tools.page_tables import plus_minus

FULL = 0.95
"""Share of a scheme's capacity from which on a flow counts as filling it."""

MUCH_MORE = 1.5
"""Ratio from which on a value counts as much larger than another."""

OTHERS = ("newreno", "compound", "westwood", "cubic")


def conclusions(cells: StackCells) -> dict[str, list[Statement]]:
    """Return every conclusion with its verdict, by the stacks' names on the page."""
    return {
        name: [
            Statement(where, text, verdict(*parts), found)
            for text, where, judge in JUDGES
            for parts, found in [judge(cells, stack)]
        ]
        for stack, name in STACK_LABELS.items()
    }


Found = tuple[list[bool], str]
Judge = Callable[["StackCells", str], Found]
"""Takes the cells and a stack; returns whether each part of a conclusion holds, and the figures."""

JUDGES: list[tuple[str, str, Judge]] = []
"""Conclusions, their place in the paper, and their judges."""


def _conclusion(text: str, where: str) -> Callable[[Judge], Judge]:
    def register(judge: Judge) -> Judge:
        JUDGES.append((text, where, judge))
        return judge

    return register


@_conclusion("At a high error rate HARQ is best for every variant", "abstract, section 8; interleaved, 5 dB")
def _harq_best_when_noisy(cells: StackCells, stack: str) -> Found:
    parts, told = [], []
    for tcp in tcps_of(stack, PAPER_TCPS):
        scheme = cells.best(NOISY, stack, tcp, HARQS)
        gain = cells.gain(NOISY, stack, tcp, scheme, "ARQ")
        parts.append(gain.low > 0)
        told.append(f"{label(tcp)} {plus_minus(gain, '+.0%')} ({scheme})")
    return parts, "best HARQ against ARQ: " + ", ".join(told)


@_conclusion(
    "Near the channel's capacity ARQ is best for every variant", "abstract, section 6; interleaved, 8 dB"
)
def _arq_best_when_clear(cells: StackCells, stack: str) -> Found:
    parts, told = [], []
    for tcp in tcps_of(stack, PAPER_TCPS):
        arq = cells.kbps(CLEAR, stack, tcp, "ARQ").mean
        harq = cells.kbps(CLEAR, stack, tcp, cells.best(CLEAR, stack, tcp, HARQS)).mean
        parts.append(arq >= harq)
        told.append(f"{label(tcp)} {arq:.0f} against {harq:.0f}")
    return parts, "ARQ against the best HARQ, kbit/s: " + ", ".join(told)


@_conclusion(
    "At a high error rate Hybla gets far more than the other variants over ARQ",
    "section 6, figure 10; interleaved, 5 dB",
)
def _hybla_alone_when_noisy(cells: StackCells, stack: str) -> Found:
    hybla = cells.kbps(NOISY, stack, "hybla", "ARQ").mean
    others = {tcp: cells.kbps(NOISY, stack, tcp, "ARQ").mean for tcp in tcps_of(stack, OTHERS)}
    told = ", ".join(f"{label(tcp)} {kbps:.0f}" for tcp, kbps in others.items())
    return [hybla >= MUCH_MORE * max(others.values())], f"ARQ, kbit/s: Hybla {hybla:.0f}, {told}"


@_conclusion(
    "Westwood+, Hybla and CUBIC fill the link over ARQ; New Reno and Compound do not",
    "section 5, figure 8; Distribution, up",
)
def _reno_lags(cells: StackCells, stack: str) -> Found:
    capacity = cells.capacity_kbps(UP, "ARQ")
    shares = {tcp: cells.kbps(UP, stack, tcp, "ARQ").mean / capacity for tcp in tcps_of(stack, PAPER_TCPS)}
    fast, slow = ("westwood", "hybla", "cubic"), ("newreno", "compound")
    parts = [all(shares[tcp] >= FULL for tcp in fast)]
    parts += [shares[tcp] < min(shares[other] for other in fast) - 0.02 for tcp in slow if tcp in shares]
    told = ", ".join(f"{label(tcp)} {100 * share:.0f}" for tcp, share in shares.items())
    return parts, f"ARQ, per cent of the capacity: {told}"


@_conclusion(
    "Except for Hybla, HARQ shortens transfers of 0.1 MB at low Es/N0, and ARQ at high Es/N0",
    "section 6, table 3; interleaved, 5 and 8 dB",
)
def _transfers(cells: StackCells, stack: str) -> Found:
    parts, told = [], []
    for tcp in tcps_of(stack, OTHERS):
        noisy, clear = (
            [
                cells.mean("completion_s", place, stack, tcp, scheme, transfer=True)
                for scheme in ("ARQ", "HARQ(10/12)")
            ]
            for place in (NOISY, CLEAR)
        )
        parts += [noisy[0] > noisy[1], clear[0] < clear[1]]
        told.append(f"{label(tcp)} {noisy[0]:.1f} / {noisy[1]:.1f}, {clear[0]:.1f} / {clear[1]:.1f}")
    return parts, "s, ARQ / HARQ(10/12) at 5 dB, then at 8 dB: " + "; ".join(told)


@_conclusion("Interleaving raises CUBIC's goodput over ARQ a lot", "section 7; 8 dB")
def _interleaving_pays(cells: StackCells, stack: str) -> Found:
    with_it, without = (cells.kbps(place, stack, "cubic", "ARQ") for place in (CLEAR, SPLIT))
    told = f"CUBIC over ARQ, kbit/s: {plus_minus(with_it)} with it, {plus_minus(without)} without"
    return [with_it.mean > 1.1 * without.mean, with_it.mean >= MUCH_MORE * without.mean], told


@_conclusion(
    "HARQ lowers CUBIC's retransmissions, and more repair lowers them more",
    "section 5, table 1; Distribution, up",
)
def _harq_spares_retransmissions(cells: StackCells, stack: str) -> Found:
    found = [cells.mean("retransmission_ratio", UP, stack, "cubic", scheme) for scheme in BY_REPAIR]
    told = ", ".join(f"{scheme} {value:.4f}" for scheme, value in zip(BY_REPAIR, found, strict=True))
    return [first > second for first, second in pairwise(found)], f"CUBIC's share of retransmissions: {told}"


@_conclusion("Hybla delays packets much more than CUBIC", "section 5, table 2; Distribution, up")
def _hybla_is_late(cells: StackCells, stack: str) -> Found:
    hybla, cubic = (cells.mean("delay_p85_s", UP, stack, tcp, "ARQ") for tcp in ("hybla", "cubic"))
    return [
        hybla >= MUCH_MORE * cubic
    ], f"ARQ, 85 % of the packets within {hybla:.2f} s (Hybla), {cubic:.2f} s (CUBIC)"
