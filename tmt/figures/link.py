"""Drawings of traces: bad rows over time, how long bursts and gaps last, how late LLDUs are."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tmt.figures.style import BLUE, GREEN, INK, MUTED, VERMILLION, new_figure, save
from tmt.metrics.distribution import share_at_least
from tmt.metrics.summaries import LinkSummary, PhySummary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes


def draw_summary(
    summary: PhySummary | LinkSummary, trace: str | PathLike[str], path: str | PathLike[str]
) -> None:
    """Draw what `tmt inspect` found in a trace.

    Parameters
    ----------
    trace
        The trace's file, for the title.
    path
        The picture; its ending is one of `tmt.figures.style.FORMATS`.
    """
    phy = isinstance(summary, PhySummary)
    rows, bad = ("slots", "erased") if phy else ("LLDUs", "lost")
    with new_figure(7.6, 5.2) as figure:
        axes = figure.subplot_mosaic([["time"] * 3, ["bursts", "gaps", "delays"]], height_ratios=(1.0, 1.15))
        figure.suptitle(
            f"{PurePath(trace).name}: {summary.times.rows:,} {rows} in {summary.times.duration_s:,.4g} s",
            x=0.01,
            ha="left",
            color=INK,
        )
        _draw_time(axes["time"], summary, "slots erased, share" if phy else "LLDUs lost or repeated, share")
        lengths = summary.pattern
        draw_lengths(axes["bursts"], lengths.burst_lengths, f"burst: {rows} {bad} in a row", VERMILLION)
        gap_lengths = lengths.gap_lengths if lengths.burst_lengths else {}
        draw_lengths(axes["gaps"], gap_lengths, f"gap: {rows} between bursts", GREEN)
        axes["bursts"].set_ylabel("share at least as long")
        delay = "decode time" if phy else "delay"
        _draw_delays(axes["delays"], *summary.delays.share_at_least(), delay)
    save(figure, path)


def draw_lengths(axes: Axes, lengths: Mapping[int, int], label: str, colour: str) -> None:
    """Draw what share of the runs is at least so long; a geometric law is a straight line here."""
    if not lengths:
        _say_empty(axes, label)
        return
    values, share = share_at_least(lengths)
    axes.semilogy(values, share, "o", color=colour, markersize=3, markeredgewidth=0)
    axes.set(xlabel=label, ylim=(share[-1] / 2, 1.6))
    axes.set_xlim(left=0)


def _draw_time(axes: Axes, summary: PhySummary | LinkSummary, label: str) -> None:
    start_s, share = summary.timeline.bad_share()
    axes.fill_between(start_s, share, step="post", color=VERMILLION, linewidth=0)
    axes.set(xlabel="time of transmission, s", ylabel=label)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)


def _draw_delays(
    axes: Axes, delay_ns: npt.NDArray[np.int64], share: npt.NDArray[np.float64], label: str
) -> None:
    if len(delay_ns) == 0:
        _say_empty(axes, label)
        return
    axes.semilogy(delay_ns / 1e6, share, drawstyle="steps-pre", color=BLUE, marker="o", markersize=2.5)
    axes.set(xlabel=f"{label}, ms", ylabel="share at least as late")
    axes.set_ylim(min(share[-1] / 2, 0.05), 1.6)
    axes.set_xlim(left=0)


def _say_empty(axes: Axes, label: str) -> None:
    axes.text(0.5, 0.5, "none", transform=axes.transAxes, ha="center", color=MUTED)
    axes.set(xlabel=label, xticks=[], yticks=[])
