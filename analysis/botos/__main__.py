"""`python -m analysis.botos [FOLDER]`: the figures of Botos, Polgar and Bota, and their statements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.botos import losses, runs
from analysis.botos.runs import (
    CLUSTERS_BITS,
    DELAYS_S,
    FECTCP,
    LATE_S,
    LOSSES,
    MODERN,
    SAMPLE_S,
    UDP_BPS,
    VARIANTS,
    Download,
    Shares,
    Sharing,
    label,
    rates_bps,
)
from analysis.botos.statements import judge_losses_and_shares, judge_throughput
from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.pages import start, write_csv, write_page
from analysis.statements import count, frame, table
from tmt.results.statistics import Interval
from tmt.show.charts.style import BLUE, INK, MUTED, PALE, SKY, TCP_STYLES

PAGE, TABLE = "fectcp-wlan.md", "fectcp-wlan.csv"
READINGS = {"one direction": runs.DELAYS_S, "both directions": runs.ROUND_TRIP_DELAYS_S}
SHOWN_LOSSES = (0.0, 0.05)
TEMPLATE = Path(__file__).with_name("page.md.j2")


def main(folder: Path) -> str:
    """Execute the missing runs, write figures and page into `folder`, and return how many statements hold."""
    images = folder / "images"
    kept = folder / "campaigns" / "wlan"
    points = [*runs.figure_points(runs.DELAYS_S + runs.ROUND_TRIP_DELAYS_S), *runs.further_points()]
    measured = runs.measure(points, kept)
    shared = runs.measure_sharing(runs.pair_points() + runs.queue_points(), kept)

    losses.draw(images / "fectcp-figure1.png")
    for delay_s, name, title in (
        (runs.DELAYS_S[0], "figure3", "one-way delay of 20 ms (figure 3)"),
        (runs.DELAYS_S[1], "figure4", "one-way delay of 100 ms (figure 4)"),
        (runs.ROUND_TRIP_DELAYS_S[1], "both-ways", "both delays together 100 ms (figure 4)"),
    ):
        draw_throughput(delay_s, title, measured, images / f"fectcp-{name}.png")
    for second, number in (("newreno", 5), ("udp", 6)):
        draw_sharing(second, SHOWN_LOSSES, number, shared, images / f"fectcp-figure{number}.png")
    draw_further(measured, images / "fectcp-further.png")

    losses_alone, *sharing = judge_losses_and_shares(shared)
    by_reading = {
        name: [losses_alone, *judge_throughput(measured, delays_s), *sharing]
        for name, delays_s in READINGS.items()
    }
    held = [count(statements) for statements in by_reading.values()]
    total = len(by_reading["one direction"])
    failing = [alike for alike in zip(*by_reading.values(), strict=True) if count(alike) < len(alike)]
    write_csv(folder / TABLE, pd.concat(frame(own, reading=name) for name, own in by_reading.items()))
    write_page(
        folder / PAGE,
        TEMPLATE,
        runs=(len(measured) + len(shared)) * runs.SEEDS,
        seeds=runs.SEEDS,
        table=table(*zip(*failing, strict=True), heads=by_reading),
        held=held,
        total=total,
        shares={point: shared[point] for point in runs.pair_points()},
        shared_losses=runs.SHARED_LOSSES,
        queues=[shared[point] for point in runs.queue_points()],
        settled=(runs.SETTLED_S, runs.UNTIL_S),
        cluster_bits=losses.SHORT_BITS,
        label=label,
    )
    return f"{held[0]} or {held[1]} of {total} statements of the paper hold ({folder / PAGE})"


GOOD = (0.05, 0.25)
"""Range of segment losses in which the paper says that FECTCP performs well."""


def _style(tcp: str) -> dict[str, Any]:
    if tcp == FECTCP:
        return {"color": INK, "marker": "*", "markersize": 8, "linewidth": 2.0}
    if tcp == "sack":
        return {"color": SKY, "marker": "X"}
    return {"color": TCP_STYLES[tcp].colour, "marker": TCP_STYLES[tcp].marker}


def _line(
    panel: Axes, measured: Mapping[Download, Interval], name: str, style: dict[str, Any], **fixed: Any
) -> None:
    """Draw throughput over the segment loss; `fixed` are the other values of `Download`."""
    values = [measured[Download(loss=loss, **fixed)] for loss in LOSSES]
    draw_intervals(panel, [100 * loss for loss in LOSSES], values, 1e-3, label=name, **style)


def _axes(panel: Axes) -> None:
    panel.axvspan(100 * GOOD[0], 100 * GOOD[1], color=PALE, alpha=0.5, zorder=0)
    panel.set_xscale("log")
    panel.set_xticks([0.1, 0.5, 1, 5, 10, 25, 50], ["0.1", "0.5", "1", "5", "10", "25", "50"])
    panel.set_xlabel("segment loss (%)")
    panel.set_ylim(bottom=0)


def draw_throughput(delay_s: float, title: str, measured: Mapping[Download, Interval], path: Path) -> None:
    """Draw a figure like 3 and 4: mean throughput over the segment loss rate, for a delay of one way."""
    with new_figure(6.4, 4.2) as canvas:
        panel = canvas.subplots()
        for tcp in (*VARIANTS, FECTCP):
            _line(panel, measured, label(tcp), _style(tcp), tcp=tcp, delay_s=delay_s)
        _axes(panel)
        panel.set_ylabel("throughput of the application (kbit/s)")
        panel.set_title(title)
        panel.legend(loc="lower left")
        save(canvas, path)


def draw_sharing(
    second: str, losses: tuple[float, ...], number: int, measured: Mapping[Sharing, Shares], path: Path
) -> None:
    """Draw figure 5 or 6: rates of FECTCP and of a flow that starts later, in one run for each loss."""
    with new_figure(7.2, 3.2) as canvas:
        panels = canvas.subplots(1, len(losses), sharey=True)
        for panel, loss in zip(panels, losses, strict=True):
            rates = rates_bps(measured[Sharing(FECTCP, second, loss)].runs.figures[0]) / 1e3
            time_s = (np.arange(rates.shape[1]) + 1) * SAMPLE_S
            for flow, rate, colour in zip((FECTCP, second), rates, (INK, BLUE), strict=True):
                panel.plot(time_s, rate, label=label(flow), color=colour, linewidth=1.0)
            panel.axvline(LATE_S, color=INK, linewidth=0.8, linestyle=":")
            if second == "udp":
                panel.axhline(UDP_BPS / 1e3, color=MUTED, linewidth=0.8, linestyle="--")
            panel.set_xlabel("time (s)")
            panel.set_title(f"segment loss {100 * loss:g} %" + (f" (figure {number})" if not loss else ""))
        panels[0].set_ylabel(f"rate in {SAMPLE_S} s (kbit/s)")
        panels[0].set_ylim(bottom=0)
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        save(canvas, path)


def draw_further(measured: Mapping[Download, Interval], path: Path) -> None:
    """Draw FECTCP beside later variants of TCP, and over longer clusters."""
    with new_figure(7.2, 3.6) as canvas:
        *later, clusters = canvas.subplots(1, len(DELAYS_S) + 1, sharey=True)
        for panel, delay_s in zip(later, DELAYS_S, strict=True):
            for tcp in MODERN:
                _line(panel, measured, label(tcp), _style(tcp), tcp=tcp, delay_s=delay_s, stack="modern")
            _line(panel, measured, label(FECTCP), _style(FECTCP), tcp=FECTCP, delay_s=delay_s)
            panel.set_title(f"modern stack, {1000 * delay_s:.0f} ms")
        for bits, style in zip(CLUSTERS_BITS, LINE_STYLES, strict=False):
            _line(clusters, measured, f"{bits} bits", style, tcp=FECTCP, delay_s=0.1, cluster_bits=bits)
        clusters.set_title("FECTCP by cluster, 100 ms")
        for panel in (*later, clusters):
            _axes(panel)
            panel.set_xticks([0.1, 1, 5, 25], ["0.1", "1", "5", "25"])
            panel.legend(loc="lower left")
        later[0].set_ylabel("throughput of the application (kbit/s)")
        save(canvas, path)


if __name__ == "__main__":
    start(main, PAGE, TABLE, *(f"images/fectcp-{name}.png" for name in ("figure*", "both-ways", "further")))
