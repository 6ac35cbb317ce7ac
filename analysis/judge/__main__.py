"""`python -m analysis.judge [FOLDER]`: the runs that are missing, then tables and figure.

The runs are those of the scenarios beside this file. FOLDER keeps a campaign for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.command_line import start
from analysis.judge.real_time import SCENARIO as REAL_TIME, cross_check
from analysis.judge.report import FIGURE, PAGE, read_campaign, write_report
from analysis.scenario_runs import run

SCENARIOS = tuple(
    Path(__file__).with_name(f"{name}.toml")
    for name in ("losses", "schemes", "any-order", "asymmetric", "erasures", "late-decoding")
)


def main(
    folder: Path,
    scenarios: Sequence[Path] = SCENARIOS,
    page: Path = PAGE,
    figure: Path = FIGURE,
    real_time: Path = REAL_TIME,
) -> str:
    """Execute the runs that are missing, then write the report and the cross-check in real time."""
    campaigns = []
    for scenario in scenarios:
        kept = folder / scenario.stem
        run(scenario, kept)
        campaigns.append(read_campaign(kept))
    write_report(campaigns, page, figure)
    checked = cross_check(folder / real_time.stem, page, real_time)
    return f"Tables: {page}; windows over time: {figure}; {checked}"


if __name__ == "__main__":
    start(main, default="out/judge")
