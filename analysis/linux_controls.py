"""Every congestion control of Linux over four links: the table of docs/linux.md.

``python -m analysis.linux_controls [FOLDER]`` needs the kernel of `make linux-kernel`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.command_line import start
from analysis.pages import write_csv, write_tables
from analysis.scenario_runs import run_named
from analysis.selections import chosen, interval
from tmt.spec.stacks import VARIANTS
from tools.page_tables import markdown_table

PAGE, TABLE, CSV = "linux.md", "controls", "linux-controls.csv"
SHOWN = ("newreno", "cubic", "bbr", "hybla", "illinois", "vegas", "nv", "cdg")
"""Controls in the page's table; the CSV has all."""


def main(folder: Path) -> str:
    """Execute the missing runs, write the table and the CSV into `folder`, and return the table."""
    found = table(run_named("linux-controls", folder))
    write_csv(folder / CSV, found)
    shown = found[found["control"].isin([VARIANTS[tcp].label for tcp in SHOWN])]
    return write_tables(folder, PAGE, {TABLE: markdown_table(shown, shown.to_numpy())})


def table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return goodput with its 95 % interval and the 95th percentile of the delay, by control and link."""
    links = list(dict.fromkeys(runs["trace"]))
    rows = [
        [
            variant.label,
            *(_cell(chosen(runs, trace=link, tcp=tcp), chosen(runs, trace=link)) for link in links),
        ]
        for tcp, variant in VARIANTS.items()
        if tcp in set(runs["tcp"])
    ]
    return pd.DataFrame(rows, columns=["control", *links])


def _cell(runs: pd.DataFrame, of_link: pd.DataFrame) -> str:
    """Return a cell; goodput is in Mbit/s over links that carry 1 Mbit/s or more, else in kbit/s.

    A run that is not valid has failed; the cell then says how many seeds are left.
    """
    if runs.empty:
        return "no valid run"
    scale = 1e-6 if of_link["capacity_bps"].max() >= 1e6 else 1e-3
    goodput, delay_s = interval(runs, "goodput_bps", scale), interval(runs, "delay_p95_s").mean
    seeds = "" if len(runs) == of_link["seed"].nunique() else f" ({len(runs)} seeds)"
    return f"{goodput.mean:.3g} ± {goodput.half_width:.2g}, {delay_s:.2f} s{seeds}"


if __name__ == "__main__":
    start(main, PAGE, CSV)
