"""`python -m analysis.judge [FOLDER]`: the runs that are missing, then tables and figure.

The runs are those of the scenarios beside this file. FOLDER keeps a campaign for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.command_line import start
from analysis.judge import bbr3
from analysis.judge.real_time import SCENARIO as REAL_TIME, cross_check
from analysis.judge.report import FIGURE, PAGE, SCENARIOS, read_campaign, write_report
from analysis.scenario_runs import run


def main(
    folder: Path,
    scenarios: Sequence[Path] = SCENARIOS,
    page: Path = PAGE,
    figure: Path = FIGURE,
    real_time: Path = REAL_TIME,
    pairs: Sequence[Path] = bbr3.BESIDE,
) -> str:
    """Execute the runs that are missing, then write the report, BBRv3 and the cross-check in real time."""
    campaigns = []
    for scenario in scenarios:
        kept = folder / scenario.stem
        run(scenario, kept)
        campaigns.append(read_campaign(kept))
    write_report(campaigns, page, figure)
    judged = pd.concat([campaign.runs for campaign in campaigns], ignore_index=True)
    bbr3.fill(page, judged, folder / "bbr3", scenarios, pairs)
    checked = cross_check(folder / real_time.stem, page, real_time)
    return f"Tables: {page}; windows over time: {figure}; {checked}"


if __name__ == "__main__":
    start(main, default="out/judge")
