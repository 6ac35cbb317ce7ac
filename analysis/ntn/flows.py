"""TCP over the contenders: means and differences of the runs of `scenarios/ntn-*.toml`, and their tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from analysis.ntn.contenders import (
    ALL,
    BLOCK_BYTES,
    HARQ,
    HARQ_NO_STALLS,
    OPTIONS,
    ORBITS,
    SLOT_NS,
    WINDOW,
    WINDOW_RLC,
    names_by_label,
)
from analysis.ntn.conversions import CHANNELS, by_hand
from analysis.selections import change, chosen, difference, interval
from tmt.results.statistics import Interval
from tmt.spec.stacks import LINUX, VARIANTS
from tools.page_tables import cross_table, listed, markdown_table, two_columns

MODERN = "modern"
STACKS = {MODERN: "ns-2", LINUX: "Linux 6.12"}
TCPS = ("cubic", "bbr")

GOODPUT, COMPLETION = "goodput_bps", "completion_s"


class Flows:
    """Rows of results by cell: endless flows and transfers; `orbit` names each run's scenario."""

    def __init__(self, runs: pd.DataFrame) -> None:
        self.runs = runs.assign(name=runs["scheme"].map(names_by_label()))
        keys = ["orbit", "trace", "stack", "tcp", "name"]
        by = [*(self.runs[key] for key in keys), self.runs["transfer_bytes"].notna()]
        self._cells = {place: part.sort_values("seed") for place, part in self.runs.groupby(by)}

    def short_of_seeds(self) -> tuple[int, int]:
        """Return the number of cells that lack seeds because runs were not valid, and that of all cells."""
        counts = [(place[-1], len(cell)) for place, cell in self._cells.items()]
        most = {kind: max(count for other, count in counts if other == kind) for kind, _ in counts}
        return sum(count < most[kind] for kind, count in counts), len(counts)

    def of(
        self, orbit: str, channel: str, stack: str, tcp: str, name: str, *, transfer: bool = False
    ) -> pd.DataFrame:
        """Return the runs of one cell: flows without end, or transfers; none where there are none."""
        return self._cells.get((orbit, channel, stack, tcp, name, transfer), self.runs[:0])

    def kbps(self, *place: str) -> Interval:
        """Return the goodput of flows without end in kbit/s."""
        return interval(self.of(*place), GOODPUT, 1e-3)

    def delay_p95_s(self, *place: str) -> float:
        """Return the mean 95th percentile of the packets' delay, of flows without end."""
        return interval(self.of(*place), "delay_p95_s").mean

    def completion_s(self, *place: str) -> Interval:
        """Return the completion time of transfers."""
        return interval(self.of(*place, transfer=True), COMPLETION)

    def change_by_stalls(self, *place: str) -> Interval:
        """Return the change in goodput against HARQ without stalls, seed by seed."""
        return change(self.of(*place), self.of(*place[:-1], HARQ_NO_STALLS), GOODPUT)

    def delay_of_stalls_s(self, *place: str) -> Interval:
        """Return by how much longer transfers take than over HARQ without stalls."""
        other = self.of(*place[:-1], HARQ_NO_STALLS, transfer=True)
        return difference(self.of(*place, transfer=True), other, COMPLETION)

    def choice(self, orbit: str, channel: str, stack: str, tcp: str, *, transfer: bool = False) -> list[str]:
        """Return the option with most goodput, or the fastest transfers; and those that may be as good.

        These are the options of which the mean change against the best, seed by seed, may be 0.
        """
        column, sign = (COMPLETION, -1.0) if transfer else (GOODPUT, 1.0)
        cells = {name: self.of(orbit, channel, stack, tcp, name, transfer=transfer) for name in OPTIONS}
        means = {name: sign * interval(cell, column).mean for name, cell in cells.items() if len(cell)}
        best = max(means, key=means.__getitem__)
        rest = sorted((name for name in means if name != best), key=lambda name: -means[name])
        worse = {name: change(cells[name], cells[best], column) for name in rest}
        return [best, *(name for name in rest if not _differs(worse[name]))]


def _differs(change_found: Interval) -> bool:
    return change_found.low > 0 or change_found.high < 0


GOODPUT_RANK, TRANSFER_RANK = "goodput_rank", "transfer_rank"
"""Rank among the options that do not differ significantly from the best one; empty for all others."""

FASTEST = {GOODPUT_RANK: "most goodput", TRANSFER_RANK: "fastest transfer of 100 kB"}


def of_flows(flows: Flows) -> pd.DataFrame:
    """Return goodput and delay of endless flows and the time of transfers, a row for each cell."""
    rows = []
    for channel, (stack, sender), tcp, orbit in product(CHANNELS, STACKS.items(), TCPS, ORBITS):
        options = [flows.choice(orbit, channel, stack, tcp, transfer=transfer) for transfer in (False, True)]
        for name in ALL:
            place = (orbit, channel, stack, tcp, name)
            ranks = [str(found.index(name) + 1) if name in found else "" for found in options]
            row = {
                **_place(channel, sender, tcp, orbit),
                "link_layer": name,
                **two_columns("goodput_kbps", flows.kbps(*place)),
                GOODPUT_RANK: ranks[0],
                "delay_p95_s": f"{flows.delay_p95_s(*place):.2f}",
                **two_columns("transfer_s", flows.completion_s(*place), ".2f"),
                TRANSFER_RANK: ranks[1],
            }
            rows.append(row)
    return pd.DataFrame(rows)


def of_stalls(flows: Flows) -> pd.DataFrame:
    """Return the change of goodput, and of the transfers' time with CUBIC, against HARQ without stalls."""
    rows = []
    places = product(CHANNELS, STACKS.items(), TCPS, ORBITS.items(), HARQ.items())
    for channel, (stack, sender), tcp, (orbit, (_, rtt_ms)), (count, name) in places:
        used, place = by_hand(count, rtt_ms), (orbit, channel, stack, tcp, name)
        row = {
            **_place(channel, sender, tcp, orbit),
            "processes": str(count),
            "stalled_slots_percent": f"{100 * (1 - used):.1f}",
            "upper_bound_kbps": f"{used * 8e6 * BLOCK_BYTES / SLOT_NS:.0f}",
            **two_columns("goodput_change_percent", flows.change_by_stalls(*place), "+.0%"),
        }
        if tcp == "cubic":
            row |= two_columns("transfer_longer_s", flows.delay_of_stalls_s(*place), "+.2f")
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _place(channel: str, sender: str, tcp: str, orbit: str) -> dict[str, str]:
    control, name = VARIANTS[tcp].label, ORBITS[orbit][0]
    return {"channel": channel, "sender": sender, "control": control, "orbit": name}


def leaders(cells: pd.DataFrame, rank: str, orbit: str) -> list[str]:
    """Return the options with a rank over an orbit, the best first."""
    found = cells[(cells["orbit"] == orbit) & (cells[rank] != "")]
    return [*found.loc[found[rank].astype(int).sort_values().index, "link_layer"]]


def joined_names(names: list[str]) -> str:
    """Return names joined by "or", the first of many alone."""
    if {*names} == {WINDOW, WINDOW_RLC}:
        return f"{WINDOW}, with or without RLC AM"
    return " or ".join(names) if len(names) <= 3 else f"{names[0]} or one of {len(names) - 1} others"


def best_options(cells: pd.DataFrame) -> str:
    """Return the best options on each orbit, over one channel with one sender."""
    rows = []
    for rank, control in product(FASTEST, cells["control"].unique()):
        own = cells[cells["control"] == control]
        found = [joined_names(leaders(own, rank, orbit)) for orbit, _ in ORBITS.values()]
        rows.append([f"{FASTEST[rank]}, {control}", *found])
    heads = (f"{orbit}, {rtt_ms} ms" for orbit, rtt_ms in ORBITS.values())
    return markdown_table(["satellite channel", *heads], rows)


def costs_of_stalls(stalls: pd.DataFrame) -> str:
    """Return what stalls cost on each orbit, as the end of a sentence."""
    costs = -stalls["goodput_change_percent"].astype(int)
    shown = (f"{cost} %" if cost else "nothing" for cost in costs)
    return listed(f"{cost} over {orbit}" for cost, orbit in zip(shown, stalls["orbit"], strict=True))


def table_of_goodput(cells: pd.DataFrame) -> str:
    """Return goodput and delay of one control by link layer and orbit; the best options are bold."""

    def text(cell: Mapping[str, str]) -> str:
        value = f"{cell['goodput_kbps']} ± {cell['goodput_kbps_95']}"
        return (f"**{value}**" if cell[GOODPUT_RANK] else value) + f", {cell['delay_p95_s']} s"

    return cross_table(cells, "link_layer", "orbit", text)


def queues_needed(runs: pd.DataFrame) -> pd.DataFrame:
    """Return goodput and delay of CUBIC over GEO, by link layer and queue."""
    names, rows = names_by_label(), []
    for label in sorted(runs["scheme"].unique(), key=lambda one: ALL.index(names[one])):
        for queue in sorted(runs["queue_packets"].unique()):
            cell = chosen(runs, scheme=label, queue_packets=queue)
            row = {"link_layer": names[label], "queue_packets": str(queue)}
            row |= two_columns("goodput_kbps", interval(cell, "goodput_bps", 1e-3))
            rows.append(row | {"delay_p95_s": f"{interval(cell, 'delay_p95_s').mean:.2f}"})
    return pd.DataFrame(rows)
