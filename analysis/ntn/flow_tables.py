"""TCP over the contenders: whole tables as frames of text, and the page's tables from their rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from analysis.ntn.contenders import (
    ALL,
    BLOCK_BYTES,
    HARQ,
    ORBITS,
    SLOT_NS,
    WINDOW,
    WINDOW_RLC,
    names_by_label,
)
from analysis.ntn.conversions import CHANNELS, by_hand
from analysis.ntn.flows import STACKS, TCPS, Flows
from analysis.selections import chosen, interval
from tmt.spec.stacks import VARIANTS
from tools.page_tables import cross_table, listed, markdown_table, two_columns

GOODPUT, TRANSFER = "goodput_rank", "transfer_rank"
"""Rank among the options that do not differ significantly from the best one; empty for all others."""

FASTEST = {GOODPUT: "most goodput", TRANSFER: "fastest transfer of 100 kB"}


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
                GOODPUT: ranks[0],
                "delay_p95_s": f"{flows.delay_p95_s(*place):.2f}",
                **two_columns("transfer_s", flows.completion_s(*place), ".2f"),
                TRANSFER: ranks[1],
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
        return (f"**{value}**" if cell[GOODPUT] else value) + f", {cell['delay_p95_s']} s"

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
