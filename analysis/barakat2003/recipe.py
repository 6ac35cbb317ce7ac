"""Barakat and Al Fawal 2003: figures 3 to 16, what the paper says of them, and what it leaves open."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.barakat2003 import questions, runs
from analysis.barakat2003.figures import draw, draw_optimum
from analysis.barakat2003.statements import judge
from analysis.kept_runs import script_runs
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from analysis.barakat2003.statements import Statement

LOSSES = (0.001, 0.01, 0.05, 0.1, 0.25)


def main(folder: Path) -> str:
    """Run what is missing, write figures and `hybrid.md` into `folder`, and return what was found."""
    kept = script_runs(runs.SCRIPT, folder / "hybrid-runs.jsonl")
    figures = runs.figures()
    measured = runs.measure([point for figure in figures for point in figure.points], kept)
    for figure in figures:
        draw(figure, measured, folder / f"hybrid-figure{figure.number}.png")
    for number, frame_units in ((15, 10), (16, 50)):
        draw_optimum(frame_units, LOSSES, number, folder / f"hybrid-figure{number}.png")
    open_questions = questions.measure(kept)
    questions.draw_bursts(open_questions, folder / "hybrid-bursts.png")
    questions.draw_transfers(open_questions, folder / "hybrid-transfers.png")
    statements = judge(figures, measured)
    answers = questions.answers(open_questions)
    with staged(folder / "hybrid.md") as part:
        part.write_text("\n".join([*_table(statements), "", *(f"* {answer}." for answer in answers), ""]))
    held = sum(statement.holds for statement in statements)
    return f"{held} of {len(statements)} statements of the paper hold ({folder / 'hybrid.md'})"


def _table(statements: list[Statement]) -> list[str]:
    return [
        "| where | the paper says | holds | here |",
        "| --- | --- | --- | --- |",
        *(f"| {s.where} | {s.text} | {'yes' if s.holds else 'no'} | {s.found} |" for s in statements),
    ]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/reproduce")
    target.mkdir(parents=True, exist_ok=True)
    print(main(target))
