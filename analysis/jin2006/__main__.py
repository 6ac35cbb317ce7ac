"""`python -m analysis.jin2006 [FOLDER]`: the figures of Jin and Yang, and their statements."""

from __future__ import annotations

from pathlib import Path

from analysis.command_line import start
from analysis.jin2006 import runs
from analysis.jin2006.figures import draw_patterns, draw_systems, draw_windows
from analysis.jin2006.runs import FigureResults
from analysis.jin2006.statements import judge
from analysis.statements import write_judged

PAGE = "proxy-reproduction.md"


def main(folder: Path) -> str:
    """Execute the missing runs, write figures and page into `folder`, and return how many statements hold."""
    images = folder / "images"
    kept = folder / "campaigns" / "proxy"
    losses, delays, reno = runs.figure_4(), runs.figure_5(), runs.figure_5("Reno", runs.DELAYS_S[::2])
    independent, bursty = runs.figure_6(None), runs.figure_6(runs.BURST_FRAMES)
    figures = (losses, delays, reno, independent, bursty)
    points = [point for figure in figures for line in figure.lines.values() for point in line]
    measured = runs.measure(points, kept)
    windows = runs.measure_windows(kept)
    draw_windows(windows, images / "proxy-figure3.png")
    draw_systems(losses, measured, images / "proxy-figure4.png", logarithmic=True)
    draw_systems(delays, measured, images / "proxy-figure5.png")
    draw_patterns([independent, bursty], measured, images / "proxy-figure6.png")
    return write_judged(
        folder,
        PAGE,
        Path(__file__).with_name("page.md.j2"),
        judge(FigureResults(losses, delays, independent, bursty, reno, measured, windows)),
        runs=(len(measured) + len(windows)) * runs.SEEDS,
        seeds=runs.SEEDS,
        segments=runs.SEGMENTS,
        window=runs.LARGEST_WINDOW,
    )


if __name__ == "__main__":
    start(main, PAGE, "proxy-reproduction.csv", "images/proxy-figure*.png")
