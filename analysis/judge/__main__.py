"""`python -m analysis.judge [FOLDER]`: the runs that are missing, then tables and figure.

The runs are those of the scenarios beside this file. FOLDER keeps a campaign for each. The cross-check sets
the kernel in simulated time beside the machine's own kernel in real time.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.judge import bbr3
from analysis.judge.report import FIGURE, PAGE, SCENARIOS, read_campaign, write_report
from analysis.pages import start
from analysis.runs import run
from tmt.core.errors import TmtError
from tmt.results.statistics import t_interval
from tmt.spec.stacks import VARIANTS
from tools.page_tables import fill_tables, markdown_table, plus_minus

REAL_TIME = Path(__file__).with_name("real-time.toml")
MARKER = "written by the cross-check"


def main(
    folder: Path,
    scenarios: Sequence[Path] = SCENARIOS,
    page: Path = PAGE,
    figure: Path = FIGURE,
    real_time: Path = REAL_TIME,
    pairs: Sequence[Path] = bbr3.BESIDE,
) -> str:
    """Execute the runs that are missing, then write the report, BBRv3 and the cross-check in real time."""
    campaigns = {}
    for scenario in scenarios:
        kept = folder / scenario.stem
        run(scenario, kept)
        campaigns[kept] = read_campaign(kept)
    judged = write_report(campaigns, page, figure)
    bbr3.fill(page, judged, folder / "bbr3", scenarios, pairs)
    checked = cross_check(folder / real_time.stem, page, real_time)
    return f"Tables: {page}; windows over time: {figure}; {checked}"


def cross_check(folder: Path, page: Path, scenario: Path) -> str:
    """Run the cross-check and write its table; where the machine cannot emulate, the page stays as it is."""
    try:
        run(scenario, folder)
        runs = read_campaign(folder)
    except TmtError as error:
        return f"no cross-check in real time: {error}"
    fill_tables(page, {MARKER: table(runs, platform.release())})
    return f"cross-check in real time: {page}"


def table(runs: pd.DataFrame, release: str) -> str:
    """Return the goodputs of both kernels and their deviation; `release` is the machine's kernel."""
    rows = []
    for (tcp, link), cell in runs.groupby(["tcp", "link"], sort=False):
        goodput_kbps = {backend: own["goodput_bps"] / 1000 for backend, own in cell.groupby("backend")}
        first, second = t_interval(goodput_kbps["linux"]), t_interval(goodput_kbps["emulate"])
        deviation = f"{second.mean / first.mean - 1:+.1%}"
        shown = (plus_minus(first), plus_minus(second), deviation)
        rows.append([VARIANTS[str(tcp)].label, str(link), *shown])
    heads = ["variant", "link", "simulated time", f"real time, Linux {release}", "deviation"]
    return markdown_table(heads, rows)


if __name__ == "__main__":
    start(main, default="out/judge")
