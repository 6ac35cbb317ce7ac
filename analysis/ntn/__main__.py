"""HARQ processes, repetition, RLC and a sliding window over satellite round trips: docs/ntn.md.

``python -m analysis.ntn [FOLDER]`` needs the kernel of `make linux-kernel`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from analysis.figure_style import draw_intervals, new_figure, save
from analysis.ntn.contenders import (
    BLOCK_BYTES,
    HARQ,
    MAX_TRANSMISSIONS,
    OFF_RLC,
    ORBITS,
    PROCESSES,
    RLC,
    WINDOW,
    WINDOW_RLC,
)
from analysis.ntn.conversions import (
    ES_N0_DB,
    MEASURED,
    SATELLITE,
    age_of_reports,
    by_es_n0,
    checks,
    conversions,
    crossing_ms,
    crossings,
    line_bps,
    links,
    loss_after_repetition,
    of_channel,
    worth_of_combining,
)
from analysis.ntn.flows import (
    MODERN,
    STACKS,
    Flows,
    best_options,
    costs_of_stalls,
    of_flows,
    of_stalls,
    queues_needed,
    table_of_goodput,
)
from analysis.pages import render, start, write_csv
from analysis.runs import run_named
from tmt.io.atomic import write_text
from tmt.results.statistics import t_interval
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION

PAGE, FIGURE = "ntn.md", "ntn"
CUBIC = {"channel": SATELLITE, "sender": STACKS[MODERN], "control": "CUBIC"}
"""Rows of the first answer."""


def main(folder: Path) -> str:
    """Execute missing runs and all conversions, write what `--docs` copies, and return the page's place."""
    of_orbits = [run_named(f"ntn-{orbit}", folder).assign(orbit=orbit) for orbit in ORBITS]
    flows = Flows(pd.concat(of_orbits, ignore_index=True))
    exact = conversions()
    draw(exact, flows, folder / "images" / f"{FIGURE}.png")
    write(exact, flows, run_named("ntn-queues", folder), folder)
    return f"{folder / PAGE}"


def write(exact: pd.DataFrame, flows: Flows, queues: pd.DataFrame, folder: Path) -> None:
    """Write the page and its whole tables into `folder`."""
    satellite = of_channel(exact, SATELLITE)
    tables = {
        "flows": of_flows(flows),
        "stalls": of_stalls(flows),
        "links": links(exact),
        "checks": checks(satellite),
        "es-n0": by_es_n0(exact),
        "combining": worth_of_combining(),
        "queues": queues_needed(queues),
    }
    for name, table in tables.items():
        write_csv(folder / f"ntn-{name}.csv", table)
    cubic = ("leo", SATELLITE, MODERN, "cubic", RLC)
    text = page(
        tables,
        crossings=[crossing_ms(satellite, harq, RLC).mean for harq in HARQ.values()],
        crossing_table=crossings(exact),
        memory=age_of_reports(),
        repetition=loss_after_repetition(exact),
        seeds=flows.kbps(*cubic).count,
        transfer_seeds=flows.completion_s(*cubic).count,
        short_of_seeds=flows.short_of_seeds(),
        pieces=satellite["seed"].nunique(),
    )
    write_text(folder / PAGE, text)


def page(tables: dict[str, pd.DataFrame], **values: object) -> str:
    """Return the page as Markdown: conclusions and short tables, from the rows of the whole ones."""
    satellite = _rows(tables["flows"], channel=SATELLITE, sender=STACKS[MODERN])
    cubic, stalls = _rows(satellite, control="CUBIC"), _rows(tables["stalls"], **CUBIC)
    limits = tables["combining"].filter(like="off_from_ms").astype(float)
    return render(
        Path(__file__).with_name("page.md.j2"),
        answer=best_options(satellite),
        costs=costs_of_stalls(_rows(stalls, processes=str(PROCESSES[-1]))),
        goodput=table_of_goodput(cubic),
        checks=_agreement(tables["checks"]),
        es_n0_db=ES_N0_DB,
        best_by_es_n0=_most(tables["es-n0"], "es_n0_db", "delivered_percent"),
        combining_gain_ms=(limits["off_from_ms_combined"] - limits["off_from_ms_plain"]).max(),
        queued={
            (row["link_layer"], int(row["queue_packets"])): row["goodput_kbps"]
            for _, row in tables["queues"].iterrows()
        },
        block_bytes=BLOCK_BYTES,
        most=MAX_TRANSMISSIONS,
        processes=[str(count) for count in PROCESSES],
        **values,
    )


def _rows(table: pd.DataFrame, **place: str) -> pd.DataFrame:
    return table[(table[[*place]] == [*place.values()]).all(axis=1)]


def _most(table: pd.DataFrame, level: str, column: str) -> list[str]:
    """Return the link layers that have most of a column at a level."""
    rows = table.groupby(level)[column].apply(lambda own: own.astype(float).idxmax())
    return [*table.loc[rows, "link_layer"].unique()]


def _agreement(checks: pd.DataFrame) -> dict[str, float]:
    """Return how far the use of slots is from theory, and how often the law lies in the interval."""
    found = checks.drop(columns="orbit").astype(float)
    inside = [
        (found[name] - found[f"{name}_law"]).abs() <= found[f"{name}_95"] + 1e-9
        for name in ("delivered_percent", "delay_mean_ms")
    ]
    apart = (found["used_percent"] - found["used_percent_theory"]).abs().max()
    return {"apart": apart, "inside": sum(map(sum, inside)), "of": sum(map(len, inside))}


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


if __name__ == "__main__":
    start(main, PAGE, "ntn-*.csv", f"images/{FIGURE}.png")
