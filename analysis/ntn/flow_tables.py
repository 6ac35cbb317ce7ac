"""Tables of TCP over the contenders, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.ntn.contenders import (
    ALL,
    BLOCK_BYTES,
    HARQ,
    ORBITS,
    PROCESSES,
    SLOT_NS,
    names_by_label,
)
from analysis.ntn.conversions import (
    SATELLITE,
    by_hand,
)
from analysis.ntn.flows import STACKS, TCPS
from analysis.ntn.table_text import joined_names, orbit_heads
from tmt.results.selections import chosen, interval
from tmt.spec.tcp import VARIANTS
from tools.page_tables import markdown_table, plus_minus

if TYPE_CHECKING:
    import pandas as pd

    from analysis.ntn.flows import Flows


def best_options(satellite: pd.DataFrame, flows: Flows) -> str:
    """Return use of the slots and the best options on each orbit, over the satellite channel."""

    def used(rtt_ms: int) -> str:
        cells = [chosen(satellite, rtt_ms=rtt_ms, name=name) for name in HARQ.values()]
        return " / ".join(f"{100 * interval(cell, 'used').mean:.3g}" for cell in cells) + " %"

    counts = " / ".join(map(str, PROCESSES))
    rows = [[f"slots that {counts} processes use", *(used(rtt_ms) for _, rtt_ms in ORBITS.values())]]
    for what, transfer in (("most goodput", False), ("fastest transfer of 100 kB", True)):
        for tcp in TCPS:
            for stack, shown in STACKS.items():
                choices = [flows.choice(orbit, SATELLITE, stack, tcp, transfer=transfer) for orbit in ORBITS]
                head = f"{what}, {VARIANTS[tcp].label}, {shown}"
                rows.append([head, *(joined_names(names) for names in choices)])
    return markdown_table(["satellite channel", *orbit_heads()], rows)


def cost_of_stalls(flows: Flows, channel: str) -> str:
    """Return the change of goodput and transfer times against HARQ without stalls."""
    heads = ["orbit", "processes", "slots that stall", "upper bound"]
    pairs = [(stack, tcp) for tcp in TCPS for stack in STACKS]
    heads += [f"goodput of {VARIANTS[tcp].label}, {STACKS[stack]}" for stack, tcp in pairs]
    heads += [f"100 kB with CUBIC, {STACKS[stack]}" for stack in STACKS]
    rows = []
    for orbit, (shown, rtt_ms) in ORBITS.items():
        for count, name in HARQ.items():
            used = by_hand(count, rtt_ms)
            bound_kbps = used * 8e6 * BLOCK_BYTES / SLOT_NS
            row = [shown, str(count), f"{100 * (1 - used):.1f} %", f"{bound_kbps:.0f} kbit/s"]
            for stack, tcp in pairs:
                row.append(plus_minus(flows.change_by_stalls(orbit, channel, stack, tcp, name), "+.0%"))
            for stack in STACKS:
                later = flows.delay_of_stalls_s(orbit, channel, stack, "cubic", name)
                row.append(f"{plus_minus(later, '+.2f')} s")
            rows.append(row)
    return markdown_table(heads, rows)


def goodput_or_time(flows: Flows, channel: str, stack: str, *, transfer: bool) -> str:
    """Return goodput and delay of endless flows, or the time of transfers; the best options are bold."""
    columns = [(orbit, tcp) for orbit in ORBITS for tcp in TCPS]
    best = {
        (orbit, tcp): flows.choice(orbit, channel, stack, tcp, transfer=transfer) for orbit, tcp in columns
    }

    def cell(orbit: str, tcp: str, name: str) -> str:
        place = (orbit, channel, stack, tcp, name)
        if transfer:
            value, rest = plus_minus(flows.completion_s(*place), ".2f"), ""
        else:
            value, rest = plus_minus(flows.kbps(*place)), f", {flows.delay_p95_s(*place):.2f} s"
        return (f"**{value}**" if name in best[orbit, tcp] else value) + rest

    heads = [f"{VARIANTS[tcp].label}, {ORBITS[orbit][0]}" for orbit, tcp in columns]
    rows = [[name, *(cell(orbit, tcp, name) for orbit, tcp in columns)] for name in ALL]
    return markdown_table(["link layer", *heads], rows)


def queues_needed(runs: pd.DataFrame) -> str:
    """Return goodput and delay of CUBIC over GEO, by the queue."""
    names = names_by_label()
    queues = sorted(runs["queue_packets"].unique())
    rows = []
    for label in runs["scheme"].unique():
        cells = [chosen(runs, scheme=label, queue_packets=queue) for queue in queues]
        shown = [
            f"{plus_minus(interval(cell, 'goodput_bps', 1e-3))}, {interval(cell, 'delay_p95_s').mean:.2f} s"
            for cell in cells
        ]
        rows.append([names[label], *shown])
    rows.sort(key=lambda row: ALL.index(row[0]))
    return markdown_table(["link layer", *(f"{queue} packets" for queue in queues)], rows)
