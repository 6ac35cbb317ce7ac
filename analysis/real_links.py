"""Results of others on real, emulated and simulated links beside ours: the tables of docs/real-links.md.

``python -m analysis.real_links [FOLDER]`` carries out the scenarios of `NAMES`, whose values by others are in
``scenarios/real-links-published.csv``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.pages import start, write_csv, write_tables
from analysis.runs import SCENARIOS, run_named
from analysis.selections import chosen, interval
from tmt.core.errors import UsageError
from tmt.results.dataset import Published, Results
from tmt.results.reading import read_results
from tmt.results.statistics import Interval
from tmt.results.values import scalar
from tmt.spec.scenario import Scenario
from tmt.spec.stacks import VARIANTS
from tools.page_tables import cross_table, markdown_table

PAGE, CSV = "real-links.md", "real-links.csv"
STARLINK = "measured-starlink-losses"
NAMES = (
    *("opensand-frame-losses", "opensand-bursts"),
    *("satellite-10-2", "satellite-50-10", "satellite-50-0.5", "satellite-250-3", "satellite-250-3-losses"),
    STARLINK,
)
OBJECTIVES = "draft-kuhn-quic-4-sat-07"
"""Source whose values are upper bounds of the completion time."""

AGREES, NEAR = 1.1, 1.5
"""Greatest factors between two means that agree, and that are near."""

WIDEST = 0.4
"""Greatest half of an interval, as a share of the mean, from which a verdict follows."""

UNITS = {"goodput_bps": (1e-6, "Mbit/s"), "completion_s": (1.0, "s")}


@dataclass(frozen=True, slots=True)
class Pair:
    """A published value and our mean of the same cell, both in `unit`; no mean where no run ended."""

    source: str
    link: str
    tcp: str
    theirs: float
    ours: Interval | None
    unit: str
    limit_s: float

    @property
    def ratio(self) -> float | None:
        """Our mean over theirs."""
        return None if self.ours is None else self.ours.mean / self.theirs

    @property
    def shown(self) -> str:
        """Our mean, with half of its 95 % interval."""
        if self.ours is None:
            return f"more than {self.limit_s:g}"
        return _plus_minus(self.ours)

    @property
    def verdict(self) -> str:
        """Whether an objective is met; otherwise how far the means are from each other."""
        ratio = self.ratio
        if self.source == OBJECTIVES:
            return "met" if ratio is not None and ratio <= 1 else "missed"
        assert ratio is not None
        assert self.ours is not None
        if self.ours.count > 1 and self.ours.half_width > WIDEST * self.ours.mean:
            return "open: too few runs"
        apart = max(ratio, 1 / ratio)
        if apart <= AGREES or (self.ours.count > 1 and self.ours.low <= self.theirs <= self.ours.high):
            return "agrees"
        return "near" if apart <= NEAR else "apart"


def _plus_minus(found: Interval) -> str:
    """Return a mean with half of its interval, where chance moves it by more than 0.1 %."""
    varies = found.count > 1 and found.half_width > 0.001 * found.mean
    return f"{found.mean:.3g}" + (f" ± {found.half_width:.2g}" if varies else "")


def pairs(results: Results) -> Iterator[Pair]:
    """Return the published values of a scenario with our means."""
    for item in results.published:
        scale, unit = UNITS[item.column]
        own = _runs_of(item, results.runs)
        ended = own[own[item.column].notna()]
        ours = interval(ended, item.column, scale) if len(ended) == len(own) else None
        yield Pair(
            item.source,
            _link(own),
            VARIANTS[item.tcp].label,
            item.value * scale,
            ours,
            unit,
            float(own["duration_s"].iloc[0]),
        )


def _runs_of(item: Published, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the cell to which a published value belongs (UsageError when none is done)."""
    own = chosen(runs, tcp=item.tcp, scheme=item.scheme)
    for column, level in item.levels.items():
        own = own[[scalar(value) == level for value in own[column]]]
    if own.empty:
        raise UsageError(f"{item.source}: no run of {item.tcp} at {item.levels} is done")
    return own


def _link(own: pd.DataFrame) -> str:
    """Return the link of these runs, and the size of their transfers."""
    size = own["transfer_bytes"].iloc[0]
    return f"{own['trace'].iloc[0]}" + ("" if pd.isna(size) else f", {size / 1e6:g} MB")


def main(folder: Path) -> str:
    """Execute the missing runs, write the tables and the CSV into `folder`, and return the tables."""
    found = {name: _results(name, folder) for name in NAMES}
    every = [pair for results in found.values() for pair in pairs(results)]
    write_csv(folder / CSV, pd.DataFrame(map(_csv_row, every)))
    tables = {
        "measured": _measured(pair for pair in every if pair.source != OBJECTIVES),
        "objectives": _objectives(pair for pair in every if pair.source == OBJECTIVES),
        "starlink": _starlink(found[STARLINK].runs),
    }
    return write_tables(folder, PAGE, tables)


def _measured(pairs: Iterable[Pair]) -> str:
    """Return the table of the results that others measured."""
    heads = ("source", "link", "TCP", "theirs", "ours", "ratio", "verdict")
    rows = []
    for pair in pairs:
        theirs, ours = (f"{shown} {pair.unit}" for shown in (f"{pair.theirs:.3g}", pair.shown))
        ratio = "" if pair.ratio is None else f"{pair.ratio:.2f}"
        rows.append([pair.source, pair.link, pair.tcp, theirs, ours, ratio, pair.verdict])
    return markdown_table(heads, rows)


def _objectives(pairs: Iterable[Pair]) -> str:
    """Return the table of the objectives in seconds, a column for each TCP; those that are met are bold."""
    cells = pd.DataFrame(
        {
            "link": pair.link,
            "tcp": pair.tcp,
            "text": f"**{pair.shown}**" if pair.verdict == "met" else pair.shown,
            "bound": f"{pair.theirs:g}",
        }
        for pair in pairs
    )
    bounds = cells.drop_duplicates("link").assign(tcp="objective", text=lambda table: table["bound"])
    return cross_table(pd.concat([bounds, cells]), "link", "tcp", lambda cell: cell["text"])


def _results(name: str, folder: Path) -> Results:
    run_named(name, folder)
    return read_results(folder / "campaigns" / name)


def _csv_row(pair: Pair) -> dict[str, str]:
    return {
        "source": pair.source,
        "link": pair.link,
        "tcp": pair.tcp,
        "unit": pair.unit,
        "theirs": f"{pair.theirs:.4g}",
        "ours": pair.shown,
        "verdict": pair.verdict,
    }


def _starlink(runs: pd.DataFrame) -> str:
    """Return the table of goodputs over Starlink's losses, and the ratio of BBR to CUBIC."""
    tcps = list(dict.fromkeys(runs["tcp"]))
    rows = []
    for trace in [str(one.label) for one in Scenario.read(SCENARIOS / f"{STARLINK}.toml").trace]:
        found = {tcp: interval(chosen(runs, trace=trace, tcp=tcp), "goodput_bps", 1e-6) for tcp in tcps}
        ratio = found["bbr"].mean / found["cubic"].mean
        rows.append([trace, *map(_plus_minus, found.values()), f"{ratio:.1f}"])
    return markdown_table(["link", *(VARIANTS[tcp].label for tcp in tcps), "BBRv1 / CUBIC"], rows)


if __name__ == "__main__":
    start(main, PAGE, CSV)
