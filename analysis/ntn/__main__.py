"""HARQ processes, repetition, RLC and a sliding window over satellite round trips: docs/ntn.md.

``python -m analysis.ntn [FOLDER]`` needs the kernel of `make linux-kernel`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.command_line import start
from analysis.ntn.contenders import ORBITS
from analysis.ntn.conversions import conversions
from analysis.ntn.figure import draw
from analysis.ntn.flows import Flows
from analysis.ntn.page import PAGE, write
from analysis.scenario_runs import run_named

FIGURE = "ntn"


def main(folder: Path) -> str:
    """Execute missing runs and all conversions, write what `--docs` copies, and return the page's place."""
    of_orbits = [run_named(f"ntn-{orbit}", folder).assign(orbit=orbit) for orbit in ORBITS]
    flows = Flows(pd.concat(of_orbits, ignore_index=True))
    exact = conversions()
    draw(exact, flows, folder / "images" / f"{FIGURE}.png")
    write(exact, flows, run_named("ntn-queues", folder), folder)
    return f"{folder / PAGE}"


if __name__ == "__main__":
    start(main, PAGE, "ntn-*.csv", f"images/{FIGURE}.png")
