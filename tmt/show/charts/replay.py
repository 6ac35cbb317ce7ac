"""One replay over time: capacity and goodput, delay, queue and window, on one time axis."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from tmt.show.charts.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PALE,
    PURPLE,
    SKY,
    TCP_STYLES,
    VERMILLION,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tmt.core.measure.transport_timeline import Timeline
    from tmt.core.trace import FloatArray

FLOW_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION)
MAX_LABELLED_FLOWS = 6


def draw(timeline: Timeline, *, tcp: str, title: str) -> Figure:
    """Draw capacity and goodput, one-way delay, queue and congestion window over time.

    Without a known queue its panel is left out.

    Parameters
    ----------
    timeline
        What to draw.
    tcp
        TCP variant, which gives a single flow its colour; several flows have one each.
    title
        Line above the figure.
    """
    flows = len(timeline.goodput_bps)
    chosen = cycle(FLOW_COLOURS) if flows > 1 else cycle([TCP_STYLES[tcp].colour])
    colours = [next(chosen) for _ in range(flows)]
    with new_figure(7.2, 6.0 if timeline.queue_packets is None else 7.5) as figure:
        panels = figure.subplots(3 if timeline.queue_packets is None else 4, 1, sharex=True)
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, color=INK)
        _draw_goodput(panels[0], timeline, colours)
        _draw_delay(panels[1], timeline)
        if timeline.queue_packets is not None:
            _draw_queue(panels[2], timeline.edges_s, timeline.queue_packets)
        _draw_window(panels[-1], timeline, colours)
        panels[-1].set_xlabel("simulated time (s)")
        panels[-1].set_xlim(0, timeline.edges_s[-1])
    return figure


def _draw_goodput(axes: Axes, timeline: Timeline, colours: list[str]) -> None:
    if timeline.capacity_bps is not None:
        offered = timeline.capacity_bps / 1e6
        label = "capacity offered by the link"
        axes.stairs(offered, timeline.edges_s, fill=True, color=PALE, label=label)
    for flow, (series, colour) in enumerate(zip(timeline.goodput_bps, colours, strict=True)):
        label_or_none = _label(flow, len(colours))
        axes.stairs(
            series / 1e6, timeline.edges_s, baseline=None, color=colour, linewidth=1.4, label=label_or_none
        )
    _finish(axes, "goodput (Mbit/s)")


def _draw_queue(axes: Axes, edges_s: FloatArray, packets: FloatArray) -> None:
    least, mean, most = packets
    axes.stairs(most, edges_s, baseline=least, fill=True, color=MUTED, alpha=0.35, label="least to greatest")
    axes.stairs(mean, edges_s, color=INK, baseline=None, label="mean")
    _finish(axes, "queue (packets)")


def _draw_delay(axes: Axes, timeline: Timeline) -> None:
    least, median, high = timeline.delay_s * 1e3
    edges_s = timeline.edges_s
    axes.stairs(
        high, edges_s, baseline=least, fill=True, color=SKY, alpha=0.35, label="least to 95th percentile"
    )
    axes.stairs(median, edges_s, color=BLUE, linewidth=1.4, label="median", baseline=None)
    _finish(axes, "one-way delay (ms)")


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
    _finish(axes, "cwnd (segments)")


def _label(flow: int, flows: int, alone: str = "goodput") -> str | None:
    if flows == 1:
        return alone
    return f"flow {flow}" if flow < MAX_LABELLED_FLOWS else None


def _finish(axes: Axes, label: str) -> None:
    """Give a panel its vertical axis, which begins at 0, and its legend."""
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=8, borderaxespad=0.1, columnspacing=1.2)
