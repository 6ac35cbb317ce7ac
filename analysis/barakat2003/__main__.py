"""`python -m analysis.barakat2003 [FOLDER]`: the figures of Barakat and Al Fawal, and their statements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes

from analysis.barakat2003 import questions, runs
from analysis.barakat2003.runs import HybridFigure, HybridPoint, HybridRuns
from analysis.barakat2003.statements import judge
from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.pages import start
from analysis.statements import write_judged
from tmt.show.charts.models import HYBRID_AXES
from tmt.show.charts.style import MUTED
from tmt.theory.hybrid import largest_throughput

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


def draw(figure: HybridFigure, measured: Mapping[HybridPoint, HybridRuns], path: Path) -> None:
    """Draw one figure of the paper together with its model's."""
    with new_figure(6.4, 4.2) as canvas:
        panel = canvas.subplots()
        for (label, points), style in zip(figure.lines.items(), LINE_STYLES, strict=False):
            x = [getattr(point, figure.swept) for point in points]
            found = [measured[point].throughput for point in points]
            draw_intervals(panel, x, found, 100, label=label, linestyle="none", **style)
            if points[0].in_order:
                panel.plot(x, [100 * point.model for point in points], color=style["color"], linewidth=0.9)
        panel.plot([], [], color=MUTED, linewidth=0.9, label="model")
        panel.set_xlabel(HYBRID_AXES[figure.swept])
        panel.set_ylabel("throughput (% of the link)")
        _finish(panel, f"{figure.title} (figures {figure.number} and {figure.model_number})")
        save(canvas, path)


def draw_optimum(frame_units: int, losses: tuple[float, ...], number: int, path: Path) -> None:
    """Draw figure 15 or 16: the largest throughput over the redundancy, for each loss."""
    with new_figure(6.4, 4.2) as canvas:
        panel = canvas.subplots()
        redundancy = range(31)
        for loss, style in zip(losses, LINE_STYLES, strict=False):
            values = [
                100 * largest_throughput(loss, frame_units + extra, frame_units) for extra in redundancy
            ]
            panel.plot(redundancy, values, label=f"p = {loss:g}", markevery=3, **style)
        panel.set_xlabel("N - K (redundant units of a frame)")
        panel.set_ylabel("throughput with unlimited persistency (% of the link)")
        _finish(panel, f"Largest throughput, K = {frame_units} (figure {number})")
        save(canvas, path)


def _finish(panel: Axes, title: str) -> None:
    panel.set_ylim(0, 100)
    panel.set_title(title)
    panel.legend(ncols=2)


if __name__ == "__main__":
    start(main, PAGE, "hybrid.csv", "images/hybrid-*.png")
