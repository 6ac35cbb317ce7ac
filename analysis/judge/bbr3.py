"""BBRv3 of the modern stack beside Google's in a kernel: over the judge's links, and beside CUBIC.

Few kernels have BBRv3, so its results are kept: `docs/kernel-bbr3.csv` says how they were made.
``CLIFT_LINUX=KERNEL python -m analysis.judge.bbr3 [FOLDER]`` makes them again with such a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.judge.report import ALLOWED, SCENARIOS, link_of, read_campaign
from analysis.pages import DOCS, start
from analysis.runs import SCENARIOS as SHIPPED, run
from analysis.selections import chosen, interval, relative_difference
from tmt import __version__
from tmt.io.atomic import write_text
from tmt.results.reading import results_of
from tmt.run.linux import Kernel
from tmt.run.program import program_hash
from tmt.spec.scenario import Scenario
from tmt.spec.stacks import LINUX, Stack
from tmt.spec.traffic import Flow
from tools.page_tables import fill_tables, markdown_table, plus_minus

KEPT = DOCS / "kernel-bbr3.csv"
BESIDE = tuple(SHIPPED / f"{name}.toml" for name in ("beside-capacity", "beside-losses"))
NAMES: dict[Stack, str] = {LINUX: "bbr", "modern": "bbr3"}
"""Name of BBRv3 in each stack."""

SEEDS = 10
COLUMNS = ["link", "beside", "seed", "goodput_bps", "retransmission_ratio", "share"]


def alone(stack: Stack, folder: Path, scenarios: Sequence[Path] = SCENARIOS) -> pd.DataFrame:
    """Execute the missing runs of BBRv3 over the judge's links; return `COLUMNS` of each."""
    found = []
    for path in scenarios:
        asked = Scenario.read(path)
        uses = [one for one in asked.traffic if (one.tcp, one.stack) == ("bbr", LINUX)]
        traffic = tuple(replace(one, tcp=NAMES[stack], stack=stack) for one in uses)
        kept = folder / path.stem
        _run(replace(asked, seeds=asked.each_seed[:SEEDS], records=(), traffic=traffic), kept)
        found.append(read_campaign(kept).assign(beside="", share=None)[COLUMNS])
    return pd.concat(found, ignore_index=True)


def beside_cubic(tcp: str, stack: Stack, folder: Path, scenarios: Sequence[Path] = BESIDE) -> pd.DataFrame:
    """Execute the missing runs of a variant beside CUBIC; return `COLUMNS` of the variant in each."""
    found = []
    for path in scenarios:
        asked = Scenario.read(path)
        pairs = [one for one in asked.traffic if [flow.tcp for flow in one.flow] == ["cubic", "bbr3"]]
        traffic = tuple(replace(one, stack=stack, flow=(one.flow[0], Flow(tcp))) for one in pairs)
        groups = results_of(_run(replace(asked, traffic=traffic), folder / path.stem), path.stem).groups
        assert groups is not None
        own = chosen(groups.runs, beside="cubic").sort_values("trace", kind="stable")
        found.append(own.assign(link=[link_of(one) for _, one in own.iterrows()])[COLUMNS])
    return pd.concat(found, ignore_index=True)


def _run(scenario: Scenario, folder: Path) -> pd.DataFrame:
    """Execute the missing runs of a scenario, which is written beside the folder that keeps them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.with_suffix(".toml")
    scenario.write(path)
    return run(path, folder)


def fill(
    page: Path, judged: pd.DataFrame, folder: Path, links: Sequence[Path], pairs: Sequence[Path]
) -> None:
    """Execute the missing runs, and write both tables into the page; `judged` are the judge's own runs."""
    kernel = pd.read_csv(KEPT, comment="#").fillna({"beside": ""})
    shares = {
        "BBRv1, kernel": beside_cubic("bbr", LINUX, folder / "1-linux", pairs),
        "BBRv1, modern": beside_cubic("bbr", "modern", folder / "1-modern", pairs),
        "BBRv3, kernel": chosen(kernel, beside="cubic"),
        "BBRv3, modern": beside_cubic("bbr3", "modern", folder / "3-modern", pairs),
    }
    ours = alone("modern", folder / "alone", links)
    over_links = links_table(judged, chosen(kernel, beside=""), ours)
    fill_tables(page, {"BBRv3": over_links, "beside CUBIC": shares_table(shares)})


def links_table(judged: pd.DataFrame, kernel: pd.DataFrame, ours: pd.DataFrame) -> str:
    """Return goodputs and retransmissions, a row for each link; deviations above `ALLOWED` are bold."""
    lines = []
    for link in dict.fromkeys(ours["link"]):
        theirs, own = chosen(kernel, link=link), chosen(ours, link=link)
        sides = chosen(judged, link=link, stack=LINUX, tcp="bbr"), theirs, own
        goodputs = [f"{interval(one, 'goodput_bps', 1e-3).mean:.0f}" for one in sides]
        resent = [f"{interval(one, 'retransmission_ratio', 100).mean:.1f}" for one in sides]
        deviation = relative_difference(own, theirs, "goodput_bps")
        mark = "**" if 100 * abs(deviation.mean) > ALLOWED else ""
        lines.append([link, *goodputs, f"{mark}{plus_minus(deviation, '+.1%')}{mark}", " / ".join(resent)])
    heads = ["link", "kernel, BBRv1", "kernel, BBRv3", "modern, BBRv3", "deviation", "retransmitted (%)"]
    return markdown_table(heads, lines)


def shares_table(shares: Mapping[str, pd.DataFrame]) -> str:
    """Return the share beside CUBIC in percent, a row for each link, a column for each variant and stack."""
    lines = []
    for link in dict.fromkeys(next(iter(shares.values()))["link"]):
        found = (interval(chosen(runs, link=link), "share") for runs in shares.values())
        lines.append([str(link), *(plus_minus(one, ".0%") for one in found)])
    return markdown_table(["link", *shares], lines)


def main(folder: Path) -> str:
    """Execute the missing runs with the kernel of CLIFT_LINUX; write its rows, below the tree's origin."""
    found = pd.concat([alone(LINUX, folder / "alone"), beside_cubic("bbr", LINUX, folder / "beside")])
    origin = [line for line in KEPT.read_text().splitlines() if line.startswith("# tree")]
    kernel = f"# kernel with SHA-256 {program_hash(Kernel.find().program)}, tmt {__version__}"
    text = found.to_csv(index=False, lineterminator="\n", float_format="%.6g")
    write_text(KEPT, "\n".join([*origin, kernel, text]))
    return f"{len(found)} rows: {KEPT}"


if __name__ == "__main__":
    start(main, default="out/judge-bbr3")
