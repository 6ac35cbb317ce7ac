"""`python -m analysis.barakat2003 [FOLDER]`: the figures of Barakat and Al Fawal, and their statements."""

from __future__ import annotations

from pathlib import Path

from analysis.barakat2003 import questions, runs
from analysis.barakat2003.figures import draw, draw_optimum
from analysis.barakat2003.statements import judge
from analysis.command_line import start
from analysis.statements import write_judged

PAGE = "hybrid.md"


def main(folder: Path) -> str:
    """Execute the missing runs, write figures and page into `folder`, and return how many statements hold."""
    images = folder / "images"
    kept = folder / "campaigns" / "hybrid"
    figures = runs.figures()
    measured = runs.measure([point for figure in figures for point in figure.points], kept)
    for figure in figures:
        draw(figure, measured, images / f"hybrid-figure{figure.number}.png")
    for number, frame_units in ((15, 10), (16, 50)):
        draw_optimum(frame_units, runs.LOSSES, number, images / f"hybrid-figure{number}.png")
    asked = questions.measure(kept)
    questions.draw_bursts(asked, images / "hybrid-bursts.png")
    questions.draw_transfers(asked, images / "hybrid-transfers.png")
    return write_judged(
        folder,
        PAGE,
        Path(__file__).with_name("page.md.j2"),
        judge(figures, measured),
        runs=len(measured) * runs.SEEDS + len(asked) * questions.SEEDS,
        seeds=runs.SEEDS,
        answers=questions.answers(asked),
    )


if __name__ == "__main__":
    start(main, PAGE, "hybrid.csv", "images/hybrid-*.png")
