"""`python -m analysis.botos [FOLDER]`: the figures of Botos, Polgar and Bota, and their statements."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.botos import figures, losses, runs
from analysis.botos.statements import judge_losses_and_shares, judge_throughput
from analysis.command_line import start
from analysis.pages import write_csv, write_page
from analysis.statements import count, frame, table

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
        figures.draw_throughput(delay_s, title, measured, images / f"fectcp-{name}.png")
    for second, number in (("newreno", 5), ("udp", 6)):
        figures.draw_sharing(second, SHOWN_LOSSES, number, shared, images / f"fectcp-figure{number}.png")
    figures.draw_further(measured, images / "fectcp-further.png")

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
        label=figures.label,
    )
    return f"{held[0]} or {held[1]} of {total} statements of the paper hold ({folder / PAGE})"


if __name__ == "__main__":
    start(main, PAGE, TABLE, *(f"images/fectcp-{name}.png" for name in ("figure*", "both-ways", "further")))
