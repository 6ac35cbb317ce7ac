"""The figures of `tmt inspect`, `tmt fit` and `tmt run` that README and documentation show.

``python -m analysis.example_figures [FOLDER]`` calls the commands of the pages.

  --docs    copy the figures to docs/images
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from analysis.by_hand import start
from analysis.pages import DOCS, copy_to_docs

if TYPE_CHECKING:
    from pathlib import Path

ROOT = DOCS.parent
CHANNEL = (
    "--channel gilbert-elliott --alpha 0.99 --beta 0.9 --error-good 0.002 --error-bad 0.6 --duration 300"
)


def main(folder: Path) -> str:
    """Draw the figures, and say where they are."""
    images, phy = folder / "images", folder / "fit-phy.parquet"
    images.mkdir(parents=True, exist_ok=True)
    _tmt("inspect", "--plot", images / "inspect-sample.png", ROOT / "traces" / "sample.parquet")
    _tmt("generate", *CHANNEL.split(), "--duration", 300, phy)
    _tmt("fit", "--plot", images / "fit.png", phy)
    for scenario, figure in (("quickstart", "quickstart"), ("measured-gnss-drive", "measured-comparison")):
        results = folder / "campaigns" / scenario
        drawn = images / f"{figure}.png"
        _tmt("run", ROOT / "scenarios" / f"{scenario}.toml", "--out", results, "--plot", drawn, "--quiet")
    return f"figures of commands in {images}"


def _tmt(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "tmt.cli", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def keep_in_docs(folder: Path) -> None:
    """Copy the figures to where the documentation has them."""
    copy_to_docs(folder, [], ["inspect-sample", "fit", "quickstart", "measured-comparison"])


if __name__ == "__main__":
    start(main, keep_in_docs)
