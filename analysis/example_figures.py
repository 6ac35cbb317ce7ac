"""The figures of `tmt inspect`, `tmt fit`, `tmt replay` and `tmt run` that README and documentation show.

``python -m analysis.example_figures [FOLDER]`` calls the commands of the pages.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from analysis.command_line import start
from analysis.pages import DOCS

ROOT, TMT = DOCS.parent, Path(sys.executable).with_name("tmt")
CHANNEL = "--channel gilbert-elliott --alpha 0.99 --beta 0.9 --error-good 0.002 --error-bad 0.6"
CELLULAR = ROOT / "traces" / "measured" / "mahimahi"
REPLAY = "--tcp cubic --stack 2009 --rtt 0.05 --duration 60 --queue 100 --window 400"


FIGURES = [
    "inspect-sample",
    "inspect-capacity",
    "replay-cellular",
    "fit",
    "quickstart",
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
    return f"figures of commands in {images}"


def _draw_replay(folder: Path, figure: Path) -> None:
    """Draw CUBIC over both directions of the cellular pair."""
    down, up = folder / "down.parquet", folder / "up.parquet"
    for link in (down, up):
        _tmt("convert", CELLULAR / f"att-lte-driving.{link.name}", link, "--scheme", "none")
    _tmt("replay", "--forward", down, "--return", up, *REPLAY.split(), "--plot", figure)


def _tmt(*words: object) -> None:
    subprocess.run([TMT, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    start(main, *(f"images/{name}.png" for name in FIGURES))
