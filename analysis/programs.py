"""Web page, video, TCP against QUIC, and MPTCP by unmodified programs: tables of docs/programs-compared.md.

``python -m analysis.programs [FOLDER]`` carries out the scenarios of `NAMES`, with the root and the packages
that the page tells to make.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.pages import start, write_csv, write_tables
from analysis.runs import run_named
from analysis.selections import change, chosen, interval, means
from tmt.results.measures import OF_PROGRAM, with_measures
from tmt.results.statistics import Interval
from tmt.results.values import interval_text
from tmt.show.charts.style import TCP_STYLES
from tools.page_tables import listed, markdown_table, plus_minus

PAGE, CSV = "programs-compared.md", "programs-compared.csv"
NAMES = ("programs-page", "programs-video", "programs-quic", "programs-mptcp", "programs-mptcp-lte")
WEB = "nginx and curl"
SATELLITE, LTE, BOTH = "10 MB over the satellite link", "10 MB over the LTE link", "10 MB over both by MPTCP"
PLAYED = {
    "startup_s": ("start (s)", 1.0),
    "stalled_s": ("without picture (s)", 1.0),
    "quality_bps": ("quality (Mbit/s)", 1e-6),
}
"""Measures of the player: the head of the column, and the factor to its unit."""
REPAIRING = {"arq": "ARQ", "harq": "HARQ", "sliding-window": "sliding window"}
"""Schemes that repair, and their names in sentences."""
CODES = ("harq", "sliding-window")
SHOWN = ("completion_s", "received_bps", "delay_p95_s")
"""Columns of the CSV file beside what the programs say."""


def main(folder: Path) -> str:
    """Execute the missing runs; write tables and CSV into `folder`, and return the tables."""
    page, video, transfer, both, lte = (runs_of(name, folder) for name in NAMES)
    transfer = transfer.assign(program=transfer["program"].where(transfer["program"] != WEB, transfer["tcp"]))
    page = page.assign(time_s=page["completion_s"].fillna(page[f"{OF_PROGRAM}took_s"]))  # by HTTP/3
    transfer, both, lte = (one.assign(time_s=one[f"{OF_PROGRAM}took_s"]) for one in (transfer, both, lte))
    figures = [*(whole(runs) for runs in (page, video, transfer, lte)), whole(both, "second_share")]
    write_csv(folder / CSV, pd.concat(figures, ignore_index=True))
    tables = {
        "answers": answers(page, video, transfer),
        "page": times(page),
        "video": played(video),
        "transfer": times(transfer),
        "orders": markdown_table(
            ["load", *REPAIRING.values()], [*orders(page), *orders(transfer), *orders(both)]
        ),
        "two": two_links(both, lte),
        "gains": gains_of_both(both, lte),
    }
    return write_tables(folder, PAGE, tables)


def runs_of(name: str, folder: Path) -> pd.DataFrame:
    """Return the runs of a scenario with what its programs said, and scheme and order in `place`."""
    runs = with_measures(run_named(name, folder))
    runs = runs[runs["in_order"] | (runs["scheme"] != "none")]
    order = runs["in_order"].map({True: ", in order", False: ", as decoded"})
    return runs.assign(scenario=name, place=runs["scheme"] + order.where(runs["scheme"] != "none", ""))


def times(runs: pd.DataFrame) -> str:
    """Return a table of times in seconds: a row for each link, a column for each program."""
    programs = list(dict.fromkeys(runs["program"]))
    lines = [
        [place, *(interval_text(interval(chosen(own, program=one), "time_s")) for one in programs)]
        for place, own in runs.groupby("place", sort=False)
    ]
    return markdown_table(["link", *map(title, programs)], lines)


def title(program: str) -> str:
    """Return the name of a program, or of a control with nginx and curl."""
    return f"{WEB}, {TCP_STYLES[program].label}" if program in TCP_STYLES else program


def played(runs: pd.DataFrame) -> str:
    """Return the table of the player's measures, a row for each link."""
    lines = [
        [
            place,
            *(interval_text(interval(own, OF_PROGRAM + name, scale)) for name, (_, scale) in PLAYED.items()),
        ]
        for place, own in runs.groupby("place", sort=False)
    ]
    return markdown_table(["link", *(head for head, _ in PLAYED.values())], lines)


def orders(runs: pd.DataFrame) -> list[list[str]]:
    """Return for each program how much longer it takes as decoded than in order, over each scheme."""
    lines = []
    for program, own in runs.groupby("program", sort=False):
        schemes = [chosen(own, scheme_name=scheme) for scheme in REPAIRING]
        parts = [[chosen(one, in_order=is_kept) for is_kept in (False, True)] for one in schemes]
        changes = ("" if part[0].empty else plus_minus(change(*part, "time_s"), "+.0%") for part in parts)
        lines.append([title(str(program)), *changes])
    return lines


def answers(page: pd.DataFrame, video: pd.DataFrame, transfer: pd.DataFrame) -> str:
    """Return what the runs say about schemes that release packets in order."""
    none, *repaired = [
        plus_minus(interval(chosen(video, scheme_name=name), f"{OF_PROGRAM}quality_bps", 1e-6), ".2f")
        for name in ("none", *REPAIRING)
    ]
    pages = (f"**{name}** by {told(gains(page, scheme))}" for scheme, name in REPAIRING.items())
    changes = [100 * found.mean for code in CODES for found in gains(transfer, code).values()]
    return (
        f"Where 2 % of the slots are erased, the time of a page changes with {listed(pages)}; the video's "
        f"quality rises from {none} to {listed(repaired)} Mbit/s. Where 0.2 % are lost, the codes change the "
        f"time of 2 MB by {min(changes):+.0f} to {max(changes):+.0f} %."
    )


def gains(runs: pd.DataFrame, scheme: str) -> dict[str, Interval]:
    """Return for each program how much longer it takes over a scheme in order than over none."""
    return {
        title(str(program)): change(
            chosen(own, scheme_name=scheme, in_order=True), chosen(own, scheme_name="none"), "time_s"
        )
        for program, own in runs.groupby("program", sort=False)
    }


def told(changes: dict[str, Interval]) -> str:
    """Return the changes of all programs in words."""
    return listed(f"{plus_minus(found, '+.0%')} ({name})" for name, found in changes.items())


def two_links(both: pd.DataFrame, lte: pd.DataFrame) -> str:
    """Return the table of 10 MB over one link and over both, a row for each satellite link."""
    lines = []
    for place, own in both.groupby("place", sort=False):
        alone, shared = (chosen(own, program=name) for name in (SATELLITE, BOTH))
        lines.append(
            [
                str(place),
                *(interval_text(interval(one, "time_s")) for one in (alone, lte, shared)),
                plus_minus(change(shared, better(alone, lte), "time_s"), "+.0%"),
                plus_minus(interval(shared, "second_share"), ".0%"),
            ]
        )
    heads = [
        "satellite link",
        "it alone (s)",
        "LTE alone (s)",
        "both (s)",
        "change beside the better one",
        "over LTE",
    ]
    return markdown_table(heads, lines)


def better(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that take less time on average."""
    return min(one, other, key=lambda runs: interval(runs, "time_s").mean)


def gains_of_both(both: pd.DataFrame, lte: pd.DataFrame) -> str:
    """Return what MPTCP gains over the better link alone, and what the order of delivery changes."""
    found = {
        str(place): change(chosen(own, program=BOTH), better(chosen(own, program=SATELLITE), lte), "time_s")
        for place, own in both.groupby("place", sort=False)
    }
    (_, arq, harq, *_) = next(line for line in orders(both) if line[0] == BOTH)
    return (
        f"Beside the better link alone, MPTCP over both changes the time by {told(found)}. With MPTCP, "
        f"release as decoded in place of in order changes it by {arq} (ARQ) and {harq} (HARQ)."
    )


def whole(runs: pd.DataFrame, *more: str) -> pd.DataFrame:
    """Return means and intervals of all figures, and of `more`, one row for each link and program."""
    said = [name for name in runs if name.startswith(OF_PROGRAM)]
    places = {"scenario": "scenario", "link": "place", "program": "program"}
    return means(runs, places, (*SHOWN, *more, *said)).rename(
        columns=lambda name: name.removeprefix(OF_PROGRAM)
    )


if __name__ == "__main__":
    start(main, PAGE, CSV)
