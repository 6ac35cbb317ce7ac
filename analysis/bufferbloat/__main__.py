"""Which discipline copes with which link, TCP variant and link-layer scheme: docs/bufferbloat.md.

``python -m analysis.bufferbloat [FOLDER]`` carries out the scenarios `bufferbloat-*`.
"""

from __future__ import annotations

from pathlib import Path

from analysis.bufferbloat import answers, tables
from analysis.bufferbloat.figure import draw
from analysis.bufferbloat.runs import (
    DROP_TAIL,
    DUALPI2,
    LATE_DUALPI2,
    LINKS,
    SATELLITE,
    SCALABLE,
    SHORT_S,
    Bufferbloat,
)
from analysis.command_line import start
from analysis.pages import write_csv, write_page
from tmt.show.charts.style import tcp_label

PAGE, CSV, IMAGE = "bufferbloat.md", "bufferbloat.csv", "images/bufferbloat.png"
TEMPLATE = Path(__file__).with_name("page.md.j2")
USUAL = "CUBIC"
OVER_STARLINK = (USUAL, "CUBIC, ECN", "DCTCP", "Prague")


def main(folder: Path) -> str:
    """Execute the missing runs, write page, CSV and picture into `folder`, and return the page's place."""
    found = Bufferbloat(folder)
    write_csv(folder / CSV, tables.whole(found))
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
        fall_table=tables.fall(found),
        bursts_table=tables.bursts_table(found.bursts),
        satellite_table=tables.by_link(found, satellite, USUAL),
        starlink_table=tables.by_variant(found, OVER_STARLINK),
        capital=lambda text: text[0].upper() + text[1:],
        step_seeds=found.step["seed"].nunique(),
        seeds=len(found.of(SATELLITE, DROP_TAIL, USUAL)),
        image=IMAGE,
        csv=CSV,
    )
    return f"{folder / PAGE}"


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGE)
