"""Results of the judgement: tables for `docs/kernel.md`, the whole one beside it, and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from analysis.figure_style import new_figure, save
from analysis.pages import DOCS, write_csv
from analysis.selections import chosen, interval, relative_difference
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S
from tmt.results.over_time import read_chosen
from tmt.results.reading import read_results
from tmt.show.charts.style import BLUE, INK, ORANGE
from tmt.spec.stacks import HOST_STACKS, LINUX, VARIANTS
from tools.page_tables import cross_table, fill_tables, two_columns

SCENARIOS = tuple(
    Path(__file__).with_name(f"{name}.toml")
    for name in ("losses", "schemes", "any-order", "asymmetric", "erasures", "late-decoding")
)
PAGE = DOCS / "kernel.md"
FIGURE = DOCS / "images" / "kernel-windows.png"

STACKS = ("modern", "2009")
ALLOWED = 5
"""Deviation in percent of a mean goodput from the kernel's beyond which it needs a reason."""

DRAWN_LINKS = ("GEO link", "GEO link, loss 0.001", "GEO link, loss 0.01", "mobile channel, ARQ")
DRAWN_VARIANTS = ("newreno", "cubic", "bbr")
COLOURS = {LINUX: INK, "2009": ORANGE, "modern": BLUE}
WIDTHS = {LINUX: 1.6, "2009": 0.8, "modern": 1.0}


def read_campaign(folder: Path) -> pd.DataFrame:
    """Return the runs of a campaign, with the link of each in `link`; InputError when one has failed."""
    results = read_results(folder)
    if results.failures:
        first = results.failures[0]
        raise InputError(folder, f"{len(results.failures)} runs have no result; {first.name}: {first.reason}")
    runs = results.runs.assign(link=[link_of(row) for _, row in results.runs.iterrows()])
    return runs.sort_values("link", kind="stable", ignore_index=True)


def link_of(run: pd.Series) -> str:
    """Return the name of a run's link: its trace, its scheme, and what is not as usual: order or ACKs."""
    scheme = "" if run["scheme"] == "none" else f", {run['scheme']}"
    order = "" if run["in_order"] else ", any order"
    each = run["stack"] in HOST_STACKS and run["delayed_acks"] == "off"
    return f"{run['trace']}{scheme}{order}" + (", an ACK for each packet" if each else "")


def write_report(campaigns: Mapping[Path, pd.DataFrame], page: Path, figure: Path) -> pd.DataFrame:
    """Write the tables of campaigns into the page and beside it, and the figure; return all runs."""
    runs = pd.concat(campaigns.values(), ignore_index=True)
    cells = of_cells(runs)
    write_csv(page.with_suffix(".csv"), cells.round(1))
    deviations = cells.loc[cells["stack"] == "modern", "deviation_percent"]
    near = f"{(deviations.abs() <= ALLOWED).sum()} of {len(deviations)}"
    said = f"{_extent(runs)} The modern stack is within {ALLOWED} % of the kernel in {near} cells."
    fill_tables(page, {"runs of make judge": said, "written by make judge": table(cells)})
    draw(campaigns, figure)
    return runs


def _extent(runs: pd.DataFrame) -> str:
    durations = " or ".join(f"{duration:g}" for duration in sorted(set(runs["duration_s"])))
    seeds = runs.groupby("stack")["seed"].nunique()
    counts = ", ".join(f"{seeds[stack]} of stack {stack}" for stack in (LINUX, *STACKS) if stack in seeds)
    return f"The tables hold {len(runs)} runs of {durations} s. Seeds: {counts}."


def of_cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Return goodput, retransmissions and mean window of each variant, link and stack, the kernel's first."""
    rows = []
    for tcp, link, stack in product(_variants(runs), runs["link"].unique(), (LINUX, *STACKS)):
        kernel, own = (chosen(runs, tcp=tcp, link=link, stack=name) for name in (LINUX, stack))
        if len(own):
            deviation = relative_difference(own, kernel, "goodput_bps").scaled(100)
            resent = own["retransmissions"].sum() / own["segments_sent"].sum()
            row = {
                "variant": VARIANTS[tcp].label,
                "link": link,
                "stack": stack,
                **two_columns("goodput_kbps", interval(own, "goodput_bps", 1e-3)),
                "deviation_percent": deviation.mean,
                "deviation_percent_95": deviation.half_width,
                "retransmitted_percent": f"{100 * resent:.2f}",
                "window_packets": f"{interval(own, 'cwnd_mean_packets').mean:.0f}",
            }
            rows.append(row)
    return pd.DataFrame(rows)


def table(cells: pd.DataFrame) -> str:
    """Return the kernel's goodput, and the deviations of ns-2's stacks, by link and variant.

    Those of the modern stack that are greater than `ALLOWED` are bold.
    """
    places = cells.groupby(["link", "variant"], sort=False)
    shown = places.agg({"goodput_kbps": "first", "deviation_percent": _deviations})
    return cross_table(
        shown.reset_index(),
        "link",
        "variant",
        lambda cell: f"{cell['goodput_kbps']}, {cell['deviation_percent']}",
    )


def _deviations(percent: pd.Series) -> str:
    """Return the deviations of the modern stack and, where it has runs, of 2009."""
    shown = [f"{round(one):+d}" if round(one) else "0" for one in percent[1:]]
    if abs(percent.iloc[1]) > ALLOWED:
        shown[0] = f"**{shown[0]}**"
    return " / ".join(shown)


def _variants(runs: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(runs["tcp"]))


def draw(campaigns: Mapping[Path, pd.DataFrame], path: Path) -> None:
    """Draw the windows of the runs that kept their records: a row per link, a column per variant."""
    windows = _windows(campaigns)
    with new_figure(10.0, 2.1 * len(DRAWN_LINKS)) as figure:
        rows = figure.subplots(len(DRAWN_LINKS), len(DRAWN_VARIANTS), sharex=True, squeeze=False)
        for axes_row, link in zip(rows, DRAWN_LINKS, strict=True):
            for axes, tcp in zip(axes_row, DRAWN_VARIANTS, strict=True):
                _draw_panel(axes, {stack: windows.get((link, tcp, stack)) for stack in COLOURS})
                axes.set_title(f"{VARIANTS[tcp].label}, {link}", fontsize=9)
        for axes in rows[:, 0]:
            axes.set_ylabel("window (segments)")
        for axes in rows[-1]:
            axes.set_xlabel("time (s)")
        handles, labels = rows[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))
        save(figure, path)


Windows = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Times in seconds, and congestion windows in segments."""


def _windows(campaigns: Mapping[Path, pd.DataFrame]) -> dict[tuple[str, str, str], Windows]:
    """Return the windows of each drawn run, by link, variant and stack."""
    found = {}
    for folder, runs in campaigns.items():
        drawn = runs[runs["link"].isin(DRAWN_LINKS) & runs["tcp"].isin(DRAWN_VARIANTS)]
        for records in read_chosen(folder, drawn):
            run = drawn.iloc[records.row]
            times_s = records.windows["time_ns"] / NS_PER_S
            found[run["link"], run["tcp"], run["stack"]] = times_s, records.windows["cwnd_packets"]
    return found


def _draw_panel(axes: Axes, of_stack: dict[str, Windows | None]) -> None:
    """Draw the windows of all stacks; the height leaves out the first slow start."""
    highest = 1.0
    for stack, windows in of_stack.items():
        if windows is None:
            continue
        times_s, cwnd_packets = windows
        label = "kernel" if stack == LINUX else f"ns-2, {stack}"
        style = {"color": COLOURS[stack], "linewidth": WIDTHS[stack], "label": label}
        axes.plot(times_s, cwnd_packets, drawstyle="steps-post", **style)
        late = cwnd_packets[times_s > 0.1 * times_s[-1]]
        highest = max(highest, 1.4 * float(np.quantile(late, 0.99)))
    axes.set_ylim(0, highest)
