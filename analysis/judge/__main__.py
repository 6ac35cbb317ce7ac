"""`python -m analysis.judge [FOLDER]`: the runs that are missing, then tables and figure.

The runs are those of the scenarios beside this file. FOLDER keeps a campaign for each.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.by_hand import start
from analysis.judge.report import FIGURE, PAGE, read_campaign, write_report
from analysis.scenario_runs import run
from tmt.errors import TmtError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCENARIOS = tuple(Path(__file__).with_name(f"{name}.toml") for name in ("losses", "schemes", "any-order"))


def main(
    folder: Path, scenarios: Sequence[Path] = SCENARIOS, page: Path = PAGE, figure: Path = FIGURE
) -> str:
    """Execute the runs that are missing, then write the report."""
    campaigns = []
    for scenario in scenarios:
        kept = folder / scenario.stem
        try:
            run(scenario, kept)
            campaigns.append(read_campaign(kept))
        except TmtError as error:
            sys.exit(str(error))
    write_report(campaigns, page, figure)
    return f"Tables: {page}; windows over time: {figure}"


if __name__ == "__main__":
    start(main, default="out/judge")
