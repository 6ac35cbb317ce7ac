"""`python -m analysis.tuning [FOLDER]`: searches whose right answers are known, and the page about them.

Executes the runs that FOLDER (default: out/tune-check) does not hold yet, and writes the page there.

  --docs    copy the page to docs/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.command_line import start
from analysis.pages import write_page
from analysis.tuning import cases
from analysis.tuning.searches import exhaustive, search
from tmt.core.words.display_units import percent
from tmt.results.interval_text import interval_text
from tmt.results.values import slug
from tmt.theory.hybrid import largest_throughput, optimal_code_lengths

if TYPE_CHECKING:
    from tmt.results.tune.tuning import Tuning

PAGE = "tune-check.md"
TEMPLATE = Path(__file__).with_name("page.md.j2")


@dataclass(frozen=True, slots=True)
class Small:
    """A small space: the search's winner, the best of an exhaustive search, and the share of its cost."""

    name: str
    winner: str
    best: list[str]
    share: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class CodeLength:
    """N by the search, with ties, and by Barakat's formula; the model's throughput of both."""

    frame_units: int
    loss: float
    found: int
    ties: list[int]
    optimal: tuple[int, ...]
    throughput: str
    largest: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """The best scheme at an Es/N0."""

    es_n0_db: float
    winner: str
    ties: str
    goodput: str
    held_out: str


def main(folder: Path) -> str:
    """Execute the missing runs, write the page into `folder`, and return how many searches are right."""
    small = [_small(name, text, folder / "small" / slug(name)) for name, text in cases.small_spaces().items()]
    lengths = [
        _code_length(units, loss, folder / f"hybrid-{units}-{loss:g}")
        for units in cases.FRAME_UNITS
        for loss in cases.LOSSES
    ]
    switches = [_switch(es_n0_db, folder / f"kuhn-{es_n0_db:g}") for es_n0_db in cases.ES_N0_DB]
    schemes = [switch.winner.partition("(")[0].partition(",")[0] for switch in switches]
    agreeing = sum(one.agrees for one in small), sum(one.agrees for one in lengths)
    write_page(
        folder / PAGE,
        TEMPLATE,
        small=small,
        lengths=lengths,
        switches=switches,
        agreeing=agreeing,
        falls_out=schemes[0] == "HARQ" and schemes[-1] == "ARQ",
    )
    return (
        f"{agreeing[0]} of {len(small)} small spaces and {agreeing[1]} of {len(lengths)} code lengths agree; "
        f"over Es/N0 the winners are {', '.join(schemes)} ({folder / PAGE})"
    )


def _small(name: str, text: str, folder: Path) -> Small:
    found = search(text, folder)
    best, cost = exhaustive(text, folder)
    winner = _winner(found)
    share = percent(found.recommendation.counts["outcomes"] / cost)
    return Small(name, winner, best, share, winner in best)


def _code_length(frame_units: int, loss: float, folder: Path) -> CodeLength:
    found = search(cases.hybrid(frame_units, loss), folder)
    length = _length(_winner(found))
    ties = [_length(one.name) for one in found.recommendation.ties]
    optimal = optimal_code_lengths(loss, frame_units)
    return CodeLength(
        frame_units,
        loss,
        length,
        sorted(ties),
        optimal,
        f"{largest_throughput(loss, length, frame_units):.4f}",
        f"{largest_throughput(loss, optimal[0], frame_units):.4f}",
        bool({length, *ties} & set(optimal)),
    )


def _switch(es_n0_db: float, folder: Path) -> Switch:
    found = search(cases.kuhn(es_n0_db), folder)
    result, aim = found.recommendation, found.task.goal.objectives[0]
    finalist = result.finalists[0]
    return Switch(
        es_n0_db,
        _winner(found),
        ", ".join(one.name for one in result.ties) or "-",
        interval_text(finalist.standing.values[aim.text]),
        interval_text(finalist.held_out[aim.text]),
    )


def _winner(found: Tuning) -> str:
    assert found.recommendation.winner is not None
    return found.recommendation.winner.name


def _length(name: str) -> int:
    """Return N of ``Hybrid(K/N)``."""
    length = re.search(r"/(\d+)", name)
    assert length is not None
    return int(length[1])


if __name__ == "__main__":
    start(main, PAGE, default="out/tune-check")
