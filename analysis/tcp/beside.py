"""CUBIC, BBRv1 and BBRv3 beside each other over measured links: docs/variants-beside.md.

``python -m analysis.tcp.beside [FOLDER]`` carries out the scenarios of `NAMES`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.figure_style import new_figure, save
from analysis.pages import start, write_csv, write_tables
from analysis.runs import run_named
from analysis.selections import chosen, interval, means
from tmt.core.words.values import no_loss_notes
from tmt.results.reading import results_of
from tmt.results.statistics import Interval
from tmt.results.values import interval_text
from tmt.show.charts.style import INK, TCP_STYLES, tcp_label
from tools.page_tables import markdown_table

PAGE, CSV, IMAGE = "variants-beside.md", "variants-beside.csv", "images/variants-beside.png"
NAMES = ("beside-capacity", "beside-losses")
PAIRS = (("cubic", "bbr"), ("cubic", "bbr3"), ("bbr", "bbr3"))
"""First and second variant of each competition; shares are those of the first."""

MEASURES = (
    *("goodput_bps", "share", "harm", "harm_delay"),
    *("delay_p95_s", "convergence_s", "retransmission_ratio"),
)
"""Figures in the CSV, each with its 95 % interval."""


def main(folder: Path) -> str:
    """Execute the missing runs; write tables, CSV and picture into `folder`, and return the tables."""
    rows = pd.concat([groups(name, folder) for name in NAMES], ignore_index=True)
    write_csv(folder / CSV, means(rows, {"link": "link", "variant": "tcp", "beside": "beside"}, MEASURES))
    draw(rows, folder / IMAGE)
    tables = {
        "shares": shares(rows),
        "losses": without_losses(rows),
    }
    return write_tables(folder, PAGE, tables)


def groups(name: str, folder: Path) -> pd.DataFrame:
    """Return a row for each flow of a scenario's runs, with the name of its link in `link`."""
    found = results_of(run_named(name, folder), name).groups
    assert found is not None
    runs = found.runs
    return runs.assign(link=runs["trace"] + (", " + runs["scheme"]).where(runs["scheme"] != "none", ""))


def shares(rows: pd.DataFrame) -> str:
    """Return the table of the share of the first variant of each pair, in percent, a row for each link."""
    heads = [f"{tcp_label(first)} : {tcp_label(second)}" for first, second in PAIRS]
    lines = [
        [link, *(interval_text(share(own, *pair)) for pair in PAIRS)]
        for link, own in rows.groupby("link", sort=False)
    ]
    return markdown_table(["link", *heads], lines)


def share(rows: pd.DataFrame, own: str, other: str) -> Interval:
    """Return the share of one variant beside another one, in percent."""
    return interval(chosen(rows, tcp=own, beside=other), "share", 100)


def without_losses(rows: pd.DataFrame) -> str:
    """Return a sentence for each link whose trace holds no losses; schemes repair those of the others."""
    lost = rows[rows["scheme"] == "none"].groupby("link", sort=False)["lldu_loss_ratio"].max()
    notes = [note for link, most in lost.items() for note in no_loss_notes(str(link), most)]
    return "\n".join(f"{note}." for note in notes) or "Every link loses packets of its own."


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Draw the shares of each pair, a bar for each link, with the interval of the first one's share."""
    links = list(dict.fromkeys(rows["link"]))
    with new_figure(7.2, 1.2 + 0.35 * len(links)) as figure:
        panels = figure.subplots(1, len(PAIRS), sharex=True, sharey=True)
        for panel, (first, second) in zip(panels, PAIRS, strict=True):
            found = [share(chosen(rows, link=link), first, second) for link in links]
            means, halves = [one.mean for one in found], [one.half_width for one in found]
            one, other = TCP_STYLES[first], TCP_STYLES[second]
            panel.barh(links, means, xerr=halves, color=one.colour, ecolor=INK, capsize=2)
            panel.barh(links, [100 - mean for mean in means], left=means, color=other.colour, alpha=0.6)
            panel.axvline(50, color=INK, linewidth=0.8, linestyle=":")
            panel.set_title(f"{one.label} | {other.label}")
            panel.set_xlabel("share (%)")
            panel.set_xlim(0, 100)
        panels[0].invert_yaxis()
        save(figure, path)


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGE)
