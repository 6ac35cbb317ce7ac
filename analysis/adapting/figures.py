"""The pictures: goodput by target, bytes by report delay, what handovers cost, what schemes gain by users."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.adapting.answers import GOODPUT
from analysis.adapting.runs import ORBITS, TCPS, WITHOUT
from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.selections import chosen, interval
from tmt.show.charts.style import INK, TCP_STYLES, tcp_label


def draw_targets(runs: pd.DataFrame, path: Path) -> None:
    """Draw goodput over the target error rate: a panel for each orbit, full lines with HARQ."""
    levels = sorted(runs["target"].unique())
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(ORBITS), sharey=True)
        for panel, orbit in zip(panels, ORBITS, strict=True):
            for tcp in TCPS:
                for scheme in runs["scheme"].unique():
                    own = chosen(runs, orbit=orbit, tcp=tcp, scheme=scheme)
                    if own.empty:
                        continue
                    bare = scheme == WITHOUT
                    style = TCP_STYLES[tcp]
                    draw_intervals(
                        panel,
                        levels,
                        [interval(chosen(own, target=one), GOODPUT, 1e-6) for one in levels],
                        color=style.colour,
                        marker=style.marker,
                        linestyle=":" if bare else "-",
                        label=f"{style.label}, {'no HARQ' if bare else 'HARQ'}",
                    )
            panel.set_xscale("log")
            panel.set_title(orbit)
            panel.set_xlabel("target error rate of first transmissions")
        panels[0].set_ylim(bottom=0)
        panels[0].set_ylabel("goodput (Mbit/s)")
        panels[-1].legend()
        save(figure, path)


def draw_reports(reports: pd.DataFrame, path: Path) -> None:
    """Draw what is left of the ideal rule's bytes over the report delay, a line for each speed."""
    delays_ms = 1000 * reports["delay_s"].drop_duplicates()
    with new_figure(6.0, 3.4) as figure:
        panel = figure.subplots()
        for (speed_kmh, doppler_hz), style in zip(
            reports.groupby(["speed_kmh", "doppler_hz"], sort=True).groups, LINE_STYLES, strict=False
        ):
            shares = list(reports[reports["speed_kmh"] == speed_kmh]["share"])
            label = f"{speed_kmh:g} km/h, {doppler_hz:.3g} Hz"
            draw_intervals(panel, delays_ms, shares, label=label, **style)
        panel.set_xscale("symlog", linthresh=2)
        panel.set_xticks(delays_ms, [f"{one:g}" for one in delays_ms])
        panel.set_xlabel("report delay (ms)")
        panel.set_ylabel("bytes of the ideal rule (%)")
        panel.legend(title="speed, Doppler")
        save(figure, path)


def draw_handovers(costs: pd.DataFrame, path: Path) -> None:
    """Draw the change of goodput by handovers, a panel for each outage, a bar for each variant."""
    outages, queues = costs["outage_s"].unique(), costs["queue"].unique()
    tcps = list(costs["tcp"].unique())
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(outages), sharey=True)
        for panel, outage_s in zip(panels, outages, strict=True):
            for place, tcp in enumerate(tcps):
                own = costs[(costs["outage_s"] == outage_s) & (costs["tcp"] == tcp)]
                found = [100 * one for one in (each.mean for each in own["change"])]
                halves = [100 * each.half_width for each in own["change"]]
                x = [row + 0.8 * (place - (len(tcps) - 1) / 2) / len(tcps) for row in range(len(queues))]
                colour = TCP_STYLES[tcp].colour
                panel.bar(x, found, 0.8 / len(tcps), yerr=halves, color=colour, ecolor=INK, capsize=1.5)
                panel.bar(x[0], 0, color=colour, label=tcp_label(tcp))
            panel.axhline(0, color=INK, linewidth=0.8)
            panel.set_xticks(range(len(queues)), list(queues))
            panel.set_title(f"outage of {outage_s:g} s every 15 s")
        panels[0].set_ylabel("change of goodput (%)")
        panels[-1].legend()
        save(figure, path)


def draw_users(gains: pd.DataFrame, path: Path) -> None:
    """Draw the change of goodput by each scheme over the number of users, a panel for each variant."""
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(TCPS), sharey=True)
        for panel, tcp in zip(panels, TCPS, strict=True):
            for scheme, style in zip(gains["scheme"].unique(), LINE_STYLES, strict=False):
                own = gains[(gains["tcp"] == tcp) & (gains["scheme"] == scheme)]
                draw_intervals(panel, own["users"], list(own["change"]), 100, label=scheme, **style)
            panel.axhline(0, color=INK, linewidth=0.8)
            panel.set_xscale("log")
            panel.set_xticks(own["users"], [f"{one:g}" for one in own["users"]])
            panel.set_xticks([], minor=True)
            panel.set_title(tcp_label(tcp))
            panel.set_xlabel("users of the line")
        panels[0].set_yscale("symlog", linthresh=10)
        panels[0].set_ylabel("change of goodput (%)")
        panels[-1].legend()
        save(figure, path)
