"""`python -m analysis.jin2006 [FOLDER]`: the figures of Jin and Yang, and their statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, NullLocator

from analysis.figure_style import draw_intervals, new_figure, save
from analysis.jin2006 import runs
from analysis.jin2006.runs import FigureResults, SplitFigure, SplitPoint, SplitRuns, Windows, throughput_kbps
from analysis.jin2006.statements import judge
from analysis.pages import start
from analysis.statements import write_judged
from tmt.show.charts.models import SPLIT_STYLES
from tmt.show.charts.style import MUTED, MemberStyle

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


SHOWN_S = 60.0
MOST_SHOWN_KBPS = 2000.0
"""The wireless link's rate, which the printed formulas pass."""
_DECADES = (0.001, 0.01, 0.1)
_PRINTED: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (1, 2))}


def draw_systems(
    figure: SplitFigure, measured: Mapping[SplitPoint, SplitRuns], path: Path, *, logarithmic: bool = False
) -> None:
    """Draw figure 4 or 5: latency and throughput of the four systems, with the printed formulas."""
    with new_figure(7.2, 4.4) as canvas:
        latency, throughput = canvas.subplots(1, 2)
        for system, points in figure.lines.items():
            _draw_line(
                latency, throughput, figure.x, [measured[p] for p in points], SPLIT_STYLES[system], system[1]
            )
            printed = [point.model("printed").latency_s for point in points]
            _draw_model(latency, throughput, figure.x, printed, color=SPLIT_STYLES[system].colour, **_PRINTED)
        if logarithmic:
            for panel in (latency, throughput):
                panel.set_xscale("symlog", linthresh=min(x for x in figure.x if x > 0), linscale=0.4)
                _mark(panel.xaxis, [0, *(x for x in figure.x if x in _DECADES)])
            latency.set_yscale("log")
            _mark(latency.yaxis, [10, 20, 50, 100, 200])
        else:
            latency.set_ylim(bottom=0.0)
        throughput.set_ylim(bottom=0.0, top=min(throughput.get_ylim()[1], MOST_SHOWN_KBPS))
        _finish(canvas, latency, throughput, figure, [("model", {}), ("model as printed", _PRINTED)])
        canvas.suptitle(figure.title, x=0.01, ha="left", fontsize=10)
        save(canvas, path)


def draw_patterns(
    figures: Sequence[SplitFigure], measured: Mapping[SplitPoint, SplitRuns], path: Path
) -> None:
    """Draw figure 6: the systems with ARQ, for each pattern of errors."""
    with new_figure(7.2, 4.2) as canvas:
        latency, throughput = canvas.subplots(1, 2)
        for figure, filled in zip(figures, (False, True), strict=True):
            for split in (False, True):
                found = [measured[point] for point in figure.lines[split, True]]
                style = SPLIT_STYLES[split, filled]
                label = f"{SPLIT_STYLES[split, True].label}, {figure.title}"
                _draw_line(latency, throughput, figure.x, found, style, filled, label)
        for panel in (latency, throughput):
            panel.set_xscale("log")
            _mark(panel.xaxis, list(figures[0].x))
            panel.set_ylim(bottom=0.0)
        _finish(canvas, latency, throughput, figures[0], [("model", {})])
        save(canvas, path)


def _mark(axis: Axis, values: list[float]) -> None:
    """Put ticks at these values and nowhere else, written as they are."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def _draw_line(
    latency: Axes,
    throughput: Axes,
    x: Sequence[float],
    found: list[SplitRuns],
    style: MemberStyle,
    filled: bool,
    label: str | None = None,
) -> None:
    """Draw means with their intervals, and the model."""
    marks: dict[str, Any] = {
        "color": style.colour,
        "marker": style.marker,
        "markerfacecolor": style.colour if filled else "white",
        "linestyle": "none",
        "label": label or style.label,
    }
    draw_intervals(latency, x, [m.latency_s for m in found], **marks)
    rates = [m.throughput_kbps for m in found]
    spread = [rate * m.latency_s.half_width / m.latency_s.mean for rate, m in zip(rates, found, strict=True)]
    throughput.errorbar(x, rates, yerr=spread, capsize=2, **marks)
    modelled = [m.point.model().latency_s for m in found]
    _draw_model(latency, throughput, x, modelled, color=style.colour, linestyle=style.dash, linewidth=1.0)


def _draw_model(
    latency: Axes, throughput: Axes, x: Sequence[float], latencies_s: list[float], **line: Any
) -> None:
    latency.plot(x, latencies_s, **line)
    throughput.plot(x, [throughput_kbps(latency_s) for latency_s in latencies_s], **line)


def _finish(
    canvas: Canvas,
    latency: Axes,
    throughput: Axes,
    figure: SplitFigure,
    kinds: list[tuple[str, dict[str, Any]]],
) -> None:
    latency.set_ylabel("latency (s)")
    throughput.set_ylabel("throughput (kbit/s, IP packets)")
    for panel in (latency, throughput):
        panel.set_xlabel(figure.x_label)
    handles, labels = latency.get_legend_handles_labels()
    for label, shape in kinds:
        handles += latency.plot([], [], color=MUTED, **shape)
        labels.append(label)
    canvas.legend(handles, labels, loc="outside lower center", ncols=3)


def draw_windows(windows: Mapping[tuple[bool, bool], Windows], path: Path) -> None:
    """Draw figure 3: the sender's window, one run each, the mean over seeds, and the model's mean."""
    with new_figure(7.2, 5.4) as canvas:
        panels = canvas.subplots(2, 1, sharex=True, sharey=True)
        for panel, arq in zip(panels, (False, True), strict=True):
            for split in (False, True):
                found, style = windows[split, arq], SPLIT_STYLES[split, arq]
                shown = found.times_s <= SHOWN_S
                times, line = found.times_s[shown], {"color": style.colour}
                panel.step(times, found.packets[0, shown], where="post", alpha=0.45, linewidth=0.8, **line)
                panel.plot(times, found.packets.mean(axis=0)[shown], label=f"{style.label}, mean", **line)
                panel.axhline(
                    found.model, linestyle=":", linewidth=1.2, label=f"{style.label}, eq. 8", **line
                )
            panel.set_ylabel("sender's window (packets)")
            panel.set_ylim(0.0, 30.0)
            panel.set_title("with ARQ" if arq else "without ARQ")
            panel.legend(ncols=2, loc="upper right")
        panels[-1].set_xlabel("time (s)")
        save(canvas, path)


if __name__ == "__main__":
    start(main, PAGE, "proxy-reproduction.csv", "images/proxy-figure*.png")
