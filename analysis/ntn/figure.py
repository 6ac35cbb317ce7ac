"""Share of the line that each link layer delivers over the round trip, and that TCP gets on three orbits."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from analysis.figure_style import draw_intervals, new_figure, save
from analysis.ntn.contenders import HARQ, OFF_RLC, ORBITS, RLC, WINDOW, WINDOW_RLC
from analysis.ntn.conversions import MEASURED, SATELLITE, line_bps, of_channel
from analysis.ntn.flows import MODERN, Flows
from tmt.results.statistics import t_interval
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION

PAYLOAD_SHARE = 1448 / 1500
"""TCP payload of a full packet over its IP size."""

LINES = {
    **dict(zip(HARQ.values(), ((SKY, ":"), (SKY, "--"), (BLUE, "-")), strict=True)),
    RLC: (VERMILLION, "-"),
    WINDOW: (ORANGE, "-."),
    WINDOW_RLC: (GREEN, "-."),
    OFF_RLC: (PURPLE, (0, (5, 1))),
}
"""Colour and dash of the contenders that are drawn."""

MARKERS = {"cubic": ("o", "CUBIC", 0.95), "bbr": ("D", "BBR", 1.05)}
"""Marker, name, and place beside the round trip."""

TICKS_MS = (5, 10, 25, 50, 120, 250, 540)


def draw(exact: pd.DataFrame, flows: Flows, path: Path) -> None:
    """Draw one panel per channel, one under the other."""
    with new_figure(4.7, 6.8) as figure:
        panels = figure.subplots(2, 1, sharex=True, sharey=True)
        for axes, channel in zip(panels, (SATELLITE, MEASURED), strict=True):
            _panel(axes, of_channel(exact, channel), flows, channel)
        panels[1].set_xlabel("round trip (ms), slots of 1 ms")
        panels[0].set_xscale("log")
        panels[0].set_xticks(TICKS_MS, [str(tick) for tick in TICKS_MS], minor=False)
        panels[0].set_xticks([], minor=True)
        panels[0].set_ylim(0, 1.17)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        save(figure, path)


def _panel(axes: Axes, exact: pd.DataFrame, flows: Flows, channel: str) -> None:
    axes.set_title(f"{channel}: share of the line's rate")
    payload_bps = PAYLOAD_SHARE * line_bps(channel)
    for name, (colour, dash) in LINES.items():
        found = exact[exact["name"] == name].groupby("rtt_ms")["delivered"].agg(t_interval)
        rtts_ms = found.index.to_numpy()
        axes.plot(rtts_ms, [one.mean for one in found], color=colour, linestyle=dash, label=name)
        axes.fill_between(
            rtts_ms, [one.low for one in found], [one.high for one in found], color=colour, alpha=0.12, lw=0
        )
        for tcp, (marker, _, beside) in MARKERS.items():
            goodputs = [flows.kbps(orbit, channel, MODERN, tcp, name) for orbit in ORBITS]
            draw_intervals(
                axes,
                [beside * rtt_ms for _, rtt_ms in ORBITS.values()],
                goodputs,
                1e3 / payload_bps,
                capsize=None,
                color=colour,
                marker=marker,
                markerfacecolor=colour if tcp == "cubic" else "white",
                linestyle="none",
                elinewidth=1,
            )
    for orbit, rtt_ms in ORBITS.values():
        axes.axvline(rtt_ms, color=MUTED, linewidth=0.8, linestyle=":", zorder=0)
        axes.annotate(orbit, (rtt_ms, 1.11), ha="center", color=INK, fontsize=8)
    for tcp, (marker, label, _) in MARKERS.items():
        face = MUTED if tcp == "cubic" else "white"
        shown = {"color": MUTED, "marker": marker, "markerfacecolor": face, "linestyle": "none"}
        axes.plot([], [], label=f"goodput of {label}", **shown)
