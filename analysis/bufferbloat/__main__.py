"""Which discipline copes with which link, TCP variant and link-layer scheme: docs/bufferbloat.md.

``python -m analysis.bufferbloat [FOLDER]`` carries out the scenarios `bufferbloat-*`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from analysis.bufferbloat import answers
from analysis.bufferbloat.runs import (
    DRAWN,
    DROP_TAIL,
    DUALPI2,
    LATE_DUALPI2,
    LINKS,
    NAMES,
    SATELLITE,
    SCALABLE,
    SHORT_S,
    TCPS,
    Bufferbloat,
)
from analysis.figure_style import new_figure, save
from analysis.pages import start, write_csv, write_page
from analysis.selections import interval
from tmt.show.charts.style import TCP_STYLES, tcp_label

PAGE, CSV, IMAGE = "bufferbloat.md", "bufferbloat.csv", "images/bufferbloat.png"
TEMPLATE = Path(__file__).with_name("page.md.j2")
USUAL = "CUBIC"
OVER_STARLINK = (USUAL, "CUBIC, ECN", "DCTCP", "Prague")


def main(folder: Path) -> str:
    """Execute the missing runs, write page, CSV and picture into `folder`, and return the page's place."""
    found = Bufferbloat(folder)
    write_csv(folder / CSV, answers.whole(found))
    draw(found, folder / IMAGE)
    scalable = {tcp_label(one): answers.on_starlink(found, tcp_label(one)) for one in SCALABLE}
    satellite = [link for link in LINKS if link.startswith("satellite")]
    write_page(
        folder / PAGE,
        TEMPLATE,
        falls=answers.falls(found),
        bursts=answers.bursts(found.bursts),
        is_lossless=not found.bursts["forward_link_lost"].any(),
        costs=answers.costs(found, USUAL),
        scalable=scalable,
        best={one: answers.best(behind) for one, behind in scalable.items()},
        mute=DROP_TAIL,
        late=LATE_DUALPI2,
        early=DUALPI2,
        prompt=f"{answers.PROMPT_S:g}",
        more_by_late=answers.gain_of_late_marks(found, tcp_label(SCALABLE[1])),
        short=f"{SHORT_S:g}",
        fall_table=answers.fall(found),
        bursts_table=answers.bursts_table(found.bursts),
        satellite_table=answers.by_link(found, satellite, USUAL),
        starlink_table=answers.by_variant(found, OVER_STARLINK),
        capital=lambda text: text[0].upper() + text[1:],
        step_seeds=found.step["seed"].nunique(),
        seeds=len(found.of(SATELLITE, DROP_TAIL, USUAL)),
        image=IMAGE,
        csv=CSV,
    )
    return f"{folder / PAGE}"


LEAST_MS, MOST_MS = 0.5, 6000
TICKS_MS = {1: "1 ms", 10: "10 ms", 100: "0.1 s", 1000: "1 s"}
"""Borders and marks of the logarithmic axis of waiting."""

SPREAD = 0.14
"""Distance between two variants behind one discipline, in rows."""


def draw(found: Bufferbloat, path: Path) -> None:
    """Draw the 95th percentile of waiting, and the goodput as a share of the best on the link."""
    with new_figure(4.8, 10.0) as figure:
        panels = figure.subplots(len(DRAWN), 2, sharey=True, sharex="col", squeeze=False)
        for link, (waiting, goodput) in zip(DRAWN, panels, strict=True):
            _panel(waiting, _means(found, link, "waiting_p95_s", 1e3))
            bps = _means(found, link, "goodput_bps", 1)
            most = max(max(means) for means in bps.values())
            _panel(goodput, {tcp: [100 * one / most for one in means] for tcp, means in bps.items()})
            waiting.set_title(link)
        waiting, goodput = panels[-1]
        waiting.set_xscale("log")
        waiting.set_xlim(LEAST_MS, MOST_MS)
        waiting.set_xticks([*TICKS_MS], [*TICKS_MS.values()])
        waiting.set_xticks([], minor=True)
        waiting.set_xlabel("waiting, 95th percentile")
        goodput.set_xlim(0, 104)
        goodput.set_xlabel("goodput (% of the best)")
        handles, labels = waiting.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        save(figure, path)


def _means(found: Bufferbloat, link: str, column: str, scale: float) -> dict[str, list[float]]:
    """Return the mean of a column behind each discipline, by variant."""
    return {
        tcp: [interval(found.of(link, queue, tcp_label(tcp)), column, scale).mean for queue in NAMES]
        for tcp in TCPS
    }


def _panel(axes: Axes, values: dict[str, list[float]]) -> None:
    rows = range(len(NAMES))
    axes.set_yticks(rows, list(NAMES.values()))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place, (tcp, means) in enumerate(values.items()):
        style, lower = TCP_STYLES[tcp], SPREAD * (place - (len(values) - 1) / 2)
        shown = [max(mean, LEAST_MS) for mean in means]
        look: dict[str, Any] = {
            "color": style.colour,
            "marker": style.marker,
            "markersize": 5,
            "clip_on": False,
        }
        axes.plot(shown, [row + lower for row in rows], linestyle="none", label=style.label, **look)


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGE)
