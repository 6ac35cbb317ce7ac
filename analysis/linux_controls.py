"""The tables of docs/linux.md: every congestion control over four links, our disciplines beside the kernel's.

``python -m analysis.linux_controls [FOLDER]`` needs the kernel of `make linux-kernel`.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd

from analysis.pages import start, write_csv, write_tables
from analysis.runs import run_named
from analysis.selections import chosen, interval
from tmt.spec.stacks import VARIANTS
from tools.page_tables import markdown_table

PAGE, TABLE, CSV = "linux.md", "controls", "linux-controls.csv"
QUEUES = "disciplines"
SHOWN = ("newreno", "cubic", "bbr", "hybla", "illinois", "vegas", "nv", "cdg")
"""Controls in the page's table; the CSV has all."""

PAIRS = (("codel", "codel"), ("fq-codel", "fq_codel"), ("pie", "pie"))
"""Disciplines of ours, and the kernel's own names of them."""

FLOWS = 4

LINK_S = 0.05 / 2 + 0.0001
"""Time that a packet spends behind its queue: half the round trip, and the decoding of its row."""


def main(folder: Path) -> str:
    """Execute the missing runs, write the tables and the CSV into `folder`, and return the tables."""
    found = table(run_named("linux-controls", folder))
    write_csv(folder / CSV, found)
    shown = found[found["control"].isin([VARIANTS[tcp].label for tcp in SHOWN])]
    queues = disciplines(run_named("linux-queues", folder))
    tables = {TABLE: shown, QUEUES: queues}
    return write_tables(
        folder, PAGE, {name: markdown_table(one, one.to_numpy()) for name, one in tables.items()}
    )


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


def disciplines(runs: pd.DataFrame) -> pd.DataFrame:
    """Return waiting time, drops or marks, and goodput behind our disciplines and the kernel's."""
    rows = []
    for (own, kernels), ecn in product(PAIRS, ("off", "classic")):
        cells = [
            _queue_cell(chosen(runs, queue=queue, flows=FLOWS, ecn=ecn))
            for queue in (own, f"kernel qdisc={kernels}")
        ]
        rows.append([own, ecn, *cells])
    return pd.DataFrame(rows, columns=["discipline", "ECN", "ours", "the kernel's"])


def _queue_cell(runs: pd.DataFrame) -> str:
    waiting_s = interval(runs, "delay_median_s").mean - LINK_S
    dropped = interval(runs, "forward_aqm_dropped") if runs["ecn"].iloc[0] == "off" else None
    counted = dropped or interval(runs, "forward_marked")
    goodput = interval(runs, "goodput_bps", 1e-6)
    return (
        f"{1000 * waiting_s:.1f} ms, {counted.mean:.0f} ± {counted.half_width:.0f}, "
        f"{goodput.mean:.2f} ± {goodput.half_width:.2f}"
    )


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
