"""HARQ processes, repetition, RLC and a sliding window over satellite round trips: docs/ntn.md.

``python -m analysis.ntn [FOLDER]`` needs the kernel of `make linux-kernel`.

  --docs    copy the page and its figure to docs/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analysis import scenario_runs
from analysis.command_line import start
from analysis.ntn.contenders import ORBITS
from analysis.ntn.conversions import conversions
from analysis.ntn.figure import draw
from analysis.ntn.flows import Flows
from analysis.ntn.page import page
from tmt.io.atomic import staged

if TYPE_CHECKING:
    from pathlib import Path

PAGE, FIGURE = "ntn.md", "ntn"


def main(folder: Path) -> str:
    """Execute the missing runs and all conversions, write page and figure, and return the page's place."""
    flows = Flows(
        pd.concat([_runs(folder, orbit).assign(orbit=orbit) for orbit in ORBITS], ignore_index=True)
    )
    exact = conversions()
    draw(exact, flows, folder / "images" / f"{FIGURE}.png")
    with staged(folder / PAGE) as part:
        part.write_text(page(exact, flows, _runs(folder, "queues")), encoding="utf-8")
    return f"{folder / PAGE}"


def _runs(folder: Path, name: str) -> pd.DataFrame:
    scenario = f"ntn-{name}"
    return scenario_runs.run(scenario_runs.SCENARIOS / f"{scenario}.toml", folder / "campaigns" / scenario)


if __name__ == "__main__":
    start(main, PAGE, f"images/{FIGURE}.png")
