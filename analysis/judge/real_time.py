"""The judge's cross-check: its kernel in simulated time beside the machine's own kernel in real time."""

from __future__ import annotations

import platform
from pathlib import Path

import pandas as pd

from analysis.judge.report import read_campaign
from analysis.scenario_runs import run
from tmt.core.errors import TmtError
from tmt.results.statistics import t_interval
from tmt.spec.stacks import VARIANTS
from tools.page_tables import fill_tables, markdown_table, plus_minus

SCENARIO = Path(__file__).with_name("real-time.toml")
MARKER = "written by the cross-check"


def cross_check(folder: Path, page: Path, scenario: Path = SCENARIO) -> str:
    """Run the cross-check and write its table; where the machine cannot emulate, the page stays as it is."""
    try:
        run(scenario, folder)
        runs = read_campaign(folder).runs
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
