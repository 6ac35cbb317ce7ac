"""One replay over time: goodput, delay and window above each other, on one time axis."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from tmt.figures.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, TCP_STYLES, VERMILLION, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tmt.metrics.transport_timeline import Timeline

FLOW_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION)
MAX_LABELLED_FLOWS = 6


def draw(timeline: Timeline, *, tcp: str, title: str, rate_bps: float) -> Figure:
    """Draw goodput, one-way delay and congestion window over time.

    Parameters
    ----------
    timeline
        What to draw.
    tcp
        TCP variant, which gives a single flow its colour; several flows have one each.
    title
        Line above the figure.
    rate_bps
        Rate of the forward link, drawn as a line to compare the goodput with.
    """
    flows = len(timeline.goodput_bps)
    chosen = cycle(FLOW_COLOURS) if flows > 1 else cycle([TCP_STYLES[tcp].colour])
    colours = [next(chosen) for _ in range(flows)]
    with new_figure(7.2, 6.0) as figure:
        goodput, delay, window = figure.subplots(3, 1, sharex=True)
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, color=INK)
        _draw_goodput(goodput, timeline, colours, rate_bps)
        _draw_delay(delay, timeline)
        _draw_window(window, timeline, colours)
        window.set_xlabel("simulated time (s)")
        window.set_xlim(0, timeline.edges_s[-1])
    return figure


def _draw_goodput(axes: Axes, timeline: Timeline, colours: list[str], rate_bps: float) -> None:
    axes.axhline(rate_bps / 1e6, color=MUTED, linestyle=":", label="rate of the forward link")
    for flow, (series, colour) in enumerate(zip(timeline.goodput_bps, colours, strict=True)):
        label = _label(flow, len(colours))
        axes.stairs(series / 1e6, timeline.edges_s, baseline=None, color=colour, linewidth=1.4, label=label)
    axes.set_ylabel("goodput (Mbit/s)")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _draw_delay(axes: Axes, timeline: Timeline) -> None:
    least, median, high = timeline.delay_s * 1e3
    edges_s = timeline.edges_s
    axes.stairs(
        high, edges_s, baseline=least, fill=True, color=SKY, alpha=0.35, label="least to 95th percentile"
    )
    axes.stairs(median, edges_s, color=BLUE, linewidth=1.4, label="median", baseline=None)
    axes.set_ylabel("one-way delay (ms)")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _draw_window(axes: Axes, timeline: Timeline, colours: list[str]) -> None:
    for flow, (series, colour) in enumerate(zip(timeline.cwnd_packets, colours, strict=True)):
        axes.plot(
            timeline.sample_s,
            series,
            color=colour,
            drawstyle="steps-post",
            label=_label(flow, len(colours), "window"),
        )
    ticks = axes.get_xaxis_transform()
    for times_s, colour, height, label in (
        (timeline.link_lost_s, VERMILLION, 0.03, "lost on the link"),
        (timeline.queue_dropped_s, INK, 0.09, "dropped by the queue"),
    ):
        if len(times_s):
            axes.plot(
                times_s,
                np.full(len(times_s), height),
                transform=ticks,
                color=colour,
                linestyle="",
                marker="|",
                markersize=6,
                label=label,
            )
    axes.set_ylabel("cwnd (segments)")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _label(flow: int, flows: int, alone: str = "goodput") -> str | None:
    if flows == 1:
        return alone
    return f"flow {flow}" if flow < MAX_LABELLED_FLOWS else None


def _legend(axes: Axes) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=8, borderaxespad=0.1, columnspacing=1.2)
