"""`python -m analysis.botos [FOLDER]`: the figures of Botos, Polgar and Bota, and their statements.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes figures and page there.

  --docs    copy what was written to docs/
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis.botos import figures, losses, runs
from analysis.botos.statements import judge_losses_and_shares, judge_throughput
from analysis.command_line import start
from analysis.pages import write_csv, write_page
from analysis.statements import count, frame, table
from tools.page_tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE, TABLES = "fectcp-wlan.md", ("fectcp-wlan.csv", "fectcp-wlan-sharing.csv")
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
        figures.draw_throughput(delay_s, title, measured, images / f"fectcp-{name}.png")
    for second, number in (("newreno", 5), ("udp", 6)):
        figures.draw_sharing(second, SHOWN_LOSSES, number, shared, images / f"fectcp-figure{number}.png")
    figures.draw_further(measured, images / "fectcp-further.png")

    losses_alone, *sharing = judge_losses_and_shares(shared)
    by_reading = {
        name: [losses_alone, *judge_throughput(measured, delays_s), *sharing]
        for name, delays_s in (
            ("one direction", runs.DELAYS_S),
            ("both directions", runs.ROUND_TRIP_DELAYS_S),
        )
    }
    held = [count(statements) for statements in by_reading.values()]
    total = len(by_reading["one direction"])
    rates = _rates(shared)
    write_csv(folder / TABLES[0], pd.concat(frame(own, reading=name) for name, own in by_reading.items()))
    write_csv(folder / TABLES[1], rates)
    write_page(
        folder / PAGE,
        TEMPLATE,
        runs=(len(measured) + len(shared)) * runs.SEEDS,
        seeds=runs.SEEDS,
        table=table(*by_reading.values(), heads=by_reading),
        held=held,
        total=total,
        limits=list(losses.limits()),
        shares=table_of_rates(rates),
        queues=[shared[point] for point in runs.queue_points()],
        queue_lengths=runs.QUEUES_PACKETS,
        settled=(runs.SETTLED_S, runs.UNTIL_S),
        cluster_bits=losses.SHORT_BITS,
    )
    return f"{held[0]} or {held[1]} of {total} statements of the paper hold ({folder / PAGE})"


def _rates(shared: Mapping[runs.Sharing, runs.Shares]) -> pd.DataFrame:
    """Return the rates of each pair of flows."""
    rows = []
    for point in runs.pair_points():
        found = shared[point]
        first, second = (found.mean_bps(flow, runs.SETTLED_S, runs.UNTIL_S).mean for flow in (0, 1))
        row = {
            "first": figures.label(point.first),
            "second": figures.label(point.second),
            "loss_percent": f"{100 * point.loss:g}",
            "first_alone_kbps": f"{found.alone_bps.mean / 1e3:.0f}",
            "first_kbps": f"{first / 1e3:.0f}",
            "second_kbps": f"{second / 1e3:.0f}",
            "jain": f"{found.jain.mean:.3f}" if point.second != "udp" else "",
        }
        rows.append(row)
    return pd.DataFrame(rows)


def table_of_rates(rates: pd.DataFrame) -> str:
    """Return the rates of the first pair: FECTCP beside New Reno."""
    heads = ["loss (%)", "FECTCP alone", "FECTCP", "New Reno", "Jain's index"]
    return markdown_table(heads, rates.iloc[: len(runs.SHARED_LOSSES), 2:].to_numpy())


if __name__ == "__main__":
    start(main, PAGE, *TABLES, *(f"images/fectcp-{name}.png" for name in ("figure*", "both-ways", "further")))
