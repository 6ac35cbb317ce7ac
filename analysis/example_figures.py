"""The figures of `tmt inspect`, `tmt fit`, `tmt replay` and `tmt run` that README and documentation show.

``python -m analysis.example_figures [FOLDER]`` calls the commands of the pages.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.pages import DOCS, start
from tmt.results.reading import read_results
from tmt.show.charts.campaign import Members, compare
from tmt.show.charts.files import save_chart
from tmt.show.charts.parts import filled
from tmt.show.charts.style import TCP_STYLES, configuration
from tmt.show.page.views import cell_rows, members

if TYPE_CHECKING:
    from tmt.results.dataset import Results

ROOT, TMT = DOCS.parent, Path(sys.executable).with_name("tmt")
CHANNEL = "--channel gilbert-elliott --alpha 0.99 --beta 0.9 --error-good 0.002 --error-bad 0.6"
CELLULAR = ROOT / "traces" / "measured" / "mahimahi"
REPLAY = "--tcp cubic --stack 2009 --rtt 0.05 --duration 60 --queue-packets 100 --window-packets 400"


FIGURES = [
    "inspect-sample",
    "inspect-capacity",
    "replay-cellular",
    "fit",
    "quickstart",
    "quickstart-cubic",
    "measured-comparison",
]


def main(folder: Path) -> str:
    """Draw the figures, and say where they are."""
    images, phy = folder / "images", folder / "fit-phy.parquet"
    _tmt("inspect", "--plot", images / "inspect-sample.png", ROOT / "traces" / "sample.parquet")
    _tmt("inspect", "--plot", images / "inspect-capacity.png", CELLULAR / "att-lte-driving.up.parquet")
    _draw_replay(folder, images / "replay-cellular.png")
    _tmt("generate", *CHANNEL.split(), "--duration", 300, phy)
    _tmt("fit", "--plot", images / "fit.png", phy)
    for scenario, figure in (("quickstart", "quickstart"), ("measured-gnss-drive", "measured-comparison")):
        results = folder / "campaigns" / scenario
        drawn = images / f"{figure}.png"
        _tmt("run", ROOT / "scenarios" / f"{scenario}.toml", "--output", results, "--plot", drawn, "--quiet")
    _draw_cubic(read_results(folder / "campaigns" / "quickstart"), images / "quickstart-cubic.png")
    return f"figures of commands in {images}"


def _draw_replay(folder: Path, figure: Path) -> None:
    """Draw CUBIC over both directions of the cellular pair."""
    down, up = folder / "down.parquet", folder / "up.parquet"
    for link in (down, up):
        _tmt("convert", CELLULAR / f"att-lte-driving.{link.name}", link, "--scheme", "none")
    _tmt("replay", down, "--return", up, *REPLAY.split(), "--plot", figure)


def _draw_cubic(results: Results, figure: Path) -> None:
    """Draw CUBIC of 2009 and of today over the schemes, packets in any order, for the width of a phone."""
    summary = results.cells
    schemes = members(summary)[1]
    names = {"2009": "CUBIC of 2009", "modern": "CUBIC of today"}
    rows = [
        row | {"tcp": names[at["stack"]], "tcp_letters": "", "scheme_letters": "", "paper": None}
        for row in cell_rows(results, summary)
        for at in [summary.levels(row["point"])]
        if (row["column"], row["tcp"], at["in_order"]) == ("goodput_bps", "CUBIC", "off")
    ]
    panels = Members("tcp", [replace(TCP_STYLES["cubic"], label=name) for name in names.values()])
    heading = f"Goodput over the same satellite link in {summary.rate_unit[0]}"
    spec = filled(compare(schemes, panels), rows, configuration(schemes.styles), 480, heading=heading)
    save_chart(spec, figure)


def _tmt(*words: object) -> None:
    subprocess.run([TMT, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    start(main, *(f"images/{name}.png" for name in FIGURES))
