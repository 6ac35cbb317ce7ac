"""The paper's statements in words, whether each holds here, and the figures that decide."""

from __future__ import annotations

from itertools import pairwise

from analysis.kuhn2014.campaigns import (
    BY_REPAIR,
    DOWN,
    HARQS,
    INTERLEAVED,
    NOT_INTERLEAVED,
    PAPER_TCPS,
    RATE_KBPS,
    TRANSFERS,
    UP,
    code_rate,
    packet_rate_kbps,
)
from analysis.kuhn2014.measures import Cells
from analysis.statements import Statement, verdict
from tmt.show.charts.style import TCP_STYLES

AT_CAPACITY = 0.95
"""Share of the line's capacity under the scheme above which a flow counts as using all of it."""

CLAIMED_GAIN = 0.22
"""Most that HARQ gains over other schemes, by the paper's abstract; of the line, by its CUBIC goodputs."""


def statements(cells: Cells) -> list[Statement]:
    """Return every statement with its verdict."""
    return [
        _arq_best_near_capacity(cells),
        _harq_best_when_noisy(cells),
        _code_rate_is_paid(cells, UP, "section 5, figure 8"),
        _code_rate_is_paid(cells, DOWN, "section 5, figure 9"),
        _reno_and_compound_lag(cells),
        _retransmissions_fall(cells),
        _hybla_is_late(cells),
        _hybla_does_not_mind(cells),
        _harq_pays_for_transfers(cells),
        _hybla_does_not_mind_interleaving(cells),
        _interleaving_gain(cells, "ARQ", 8.0, 147, 4),
        _interleaving_gain(cells, "HARQ(10/12)", 6.0, 109, 2),
    ]


def kbps(cells: Cells, scenario: str, tcp: str, scheme: str, es_n0_db: float) -> float:
    """Return a mean goodput in whole packets."""
    return cells.mean(scenario, "goodput_bps", tcp=tcp, scheme=scheme, es_n0_db=es_n0_db) / 1000


def _name(tcp: str) -> str:
    return TCP_STYLES[tcp].label


def _arq_best_near_capacity(cells: Cells) -> Statement:
    parts, held = [], []
    for tcp in PAPER_TCPS:
        arq = kbps(cells, INTERLEAVED, tcp, "ARQ", 8.0)
        best = max(kbps(cells, INTERLEAVED, tcp, scheme, 8.0) for scheme in HARQS)
        held.append(arq >= best)
        parts.append(f"{_name(tcp)} {arq:.0f} against {best:.0f}")
    return Statement(
        "abstract, section 6",
        "Near the capacity of the channel, ARQ is best for every TCP variant",
        verdict(*held),
        "interleaved, 8 dB, ARQ against the best HARQ, kbit/s: " + "; ".join(parts),
    )


def _harq_best_when_noisy(cells: Cells) -> Statement:
    parts, held, most = [], [], 0.0
    for tcp in PAPER_TCPS:
        at = {"tcp": tcp, "es_n0_db": 5.0}
        gains = [(cells.one(INTERLEAVED, "goodput_gain", scheme=scheme, **at), scheme) for scheme in HARQS]
        gain, scheme = max(gains, key=lambda one: one[0]["mean"])
        held.append(gain["low"] > 0)
        half = (gain["high"] - gain["low"]) / 2
        more = kbps(cells, INTERLEAVED, tcp, scheme, 5.0) - kbps(cells, INTERLEAVED, tcp, "ARQ", 5.0)
        of_line = more / RATE_KBPS[INTERLEAVED]
        parts.append(
            f"{_name(tcp)} {100 * gain['mean']:+.0f} ± {100 * half:.0f} % ({scheme}), "
            f"{100 * of_line:.0f} % of the line"
        )
        most = max(most, of_line)
    held.append(most <= CLAIMED_GAIN)
    return Statement(
        "abstract, section 8",
        "At a high error rate HARQ is best for every TCP variant, by up to 22 %",
        verdict(*held),
        "interleaved, 5 dB, best HARQ against ARQ: "
        + "; ".join(parts)
        + ". The paper's own CUBIC goodputs, 140 against 81, are 73 % apart, and 22 % of the line",
    )


def _code_rate_is_paid(cells: Cells, scenario: str, place: str) -> Statement:
    parts, held = [], []
    for tcp in ("westwood", "hybla", "cubic"):
        used = []
        for scheme in ("ARQ", *HARQS):
            share = kbps(cells, scenario, tcp, scheme, 14.0) / (
                packet_rate_kbps(scenario) * code_rate(scheme)
            )
            used.append(f"{100 * share:.0f}")
            held.append(share >= AT_CAPACITY)
        parts.append(f"{_name(tcp)} {' / '.join(used)}")
    return Statement(
        place,
        "Westwood+, Hybla and CUBIC reach the capacity with ARQ, and X/Y of it with HARQ(X/Y)",
        verdict(*held),
        f"{scenario.lower()}, per cent of X/Y of the line, ARQ / 10/12 / 10/15 / 50/52: " + "; ".join(parts),
    )


def _reno_and_compound_lag(cells: Cells) -> Statement:
    others = min(kbps(cells, UP, tcp, "ARQ", 14.0) for tcp in ("westwood", "hybla", "cubic"))
    parts, held = [], []
    for tcp in ("newreno", "compound"):
        arq = kbps(cells, UP, tcp, "ARQ", 14.0)
        best = max(kbps(cells, UP, tcp, scheme, 14.0) for scheme in HARQS)
        held += [arq < others, arq > best]
        parts.append(f"{_name(tcp)} {arq:.0f} with ARQ, {best:.0f} with the best HARQ")
    return Statement(
        "section 5, figure 8",
        "New Reno and Compound stay below the other variants, and ARQ gives them more than HARQ",
        verdict(*held),
        f"up, kbit/s: {'; '.join(parts)}; the least of the others with ARQ: {others:.0f}",
    )


def _retransmissions_fall(cells: Cells) -> Statement:
    found = [cells.mean(UP, "retransmission_ratio", tcp="cubic", scheme=scheme) for scheme in BY_REPAIR]
    return Statement(
        "section 5, table 1",
        "HARQ lowers CUBIC's retransmissions, and more repair lowers them more: ARQ > 50/52 > 10/12 > 10/15",
        verdict(*(first > second for first, second in pairwise(found))),
        ", ".join(f"{scheme} {value:.4f}" for scheme, value in zip(BY_REPAIR, found, strict=True))
        + f"; ARQ over 10/15: {found[0] / found[-1]:.1f} times (paper: 16 times)",
    )


def _hybla_is_late(cells: Cells) -> Statement:
    hybla, cubic = (cells.mean(UP, "delay_p85_s", tcp=tcp, scheme="ARQ") for tcp in ("hybla", "cubic"))
    window = cells.mean(UP, "cwnd_max_packets", tcp="hybla", scheme="ARQ")
    return Statement(
        "section 5, table 2",
        "Hybla delays packets much more than CUBIC, because its window is much larger than the path",
        verdict(hybla > cubic),
        f"up, ARQ, 85 % of the packets within {hybla:.2f} s and {cubic:.2f} s "
        "(paper: 8.61, 2.41); "
        f"Hybla's largest window {window:.0f} packets (paper: 750)",
    )


def _hybla_does_not_mind(cells: Cells) -> Statement:
    found = [kbps(cells, INTERLEAVED, "hybla", "ARQ", es) for es in (5.0, 6.0, 7.0, 8.0)]
    return Statement(
        "section 6, figure 10",
        "Hybla does very well at every Es/N0",
        verdict(*(value >= 0.85 * max(found) for value in found[:-1])),
        "interleaved, ARQ, 5 / 6 / 7 / 8 dB: " + " / ".join(f"{value:.0f}" for value in found) + " kbit/s",
    )


def _harq_pays_for_transfers(cells: Cells) -> Statement:
    parts, held = [], []
    for tcp in PAPER_TCPS:
        times = [
            cells.mean(TRANSFERS, "completion_s", tcp=tcp, scheme=scheme, es_n0_db=es)
            for es in (5.0, 8.0)
            for scheme in ("ARQ", "HARQ(10/12)")
        ]
        if tcp != "hybla":
            held += [times[0] > times[1], times[2] < times[3]]
        parts.append(f"{_name(tcp)} " + " / ".join(f"{value:.1f}" for value in times))
    return Statement(
        "section 6, table 3",
        "Except for Hybla, HARQ shortens transfers at low Es/N0, and ARQ is faster at 8 dB",
        verdict(*held),
        "s, 5 dB ARQ / 10/12, 8 dB ARQ / 10/12: " + "; ".join(parts),
    )


def _hybla_does_not_mind_interleaving(cells: Cells) -> Statement:
    parts, held = [], []
    for es in (5.0, 6.0, 8.0):
        with_it = kbps(cells, INTERLEAVED, "hybla", "ARQ", es)
        without = kbps(cells, NOT_INTERLEAVED, "hybla", "ARQ", es)
        held.append(without >= 0.9 * with_it)
        parts.append(f"{es:g} dB {with_it:.0f} and {without:.0f}")
    return Statement(
        "section 7, figure 11",
        "Interleaving has no effect on Hybla",
        verdict(*held),
        "ARQ, kbit/s with and without: " + "; ".join(parts),
    )


def _interleaving_gain(cells: Cells, scheme: str, es: float, paper_kbps: int, paper_db: int) -> Statement:
    with_it = kbps(cells, INTERLEAVED, "cubic", scheme, es)
    without = kbps(cells, NOT_INTERLEAVED, "cubic", scheme, es)
    later = kbps(cells, NOT_INTERLEAVED, "cubic", scheme, es + paper_db)
    gain = with_it - without
    return Statement(
        "section 7",
        f"With CUBIC and {scheme} at {es:g} dB interleaving gains {paper_kbps} kbit/s, "
        f"and {paper_db} dB at equal goodput",
        verdict(abs(gain / paper_kbps - 1) <= 0.2, later >= 0.97 * with_it),
        f"{gain:.0f} kbit/s ({with_it:.0f} against {without:.0f}); "
        f"without interleaving {later:.0f} at {es + paper_db:g} dB",
    )
