"""Writes `docs/metrics.md`, the reference of a run's result columns, from their declarations."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from page_tables import markdown_table

from tmt.core.measure.competition import FEWEST_WINDOWS, LEAST_WINDOW_NS, TOLERANCE, WINDOW_RTTS
from tmt.core.schema import CONGESTION_STATES, PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS, Table
from tmt.core.units import NS_PER_S
from tmt.spec.columns import GROUP_RESULTS, RUN_RESULTS, ResultColumn
from tmt.spec.settings import GROUP_SETTINGS

DOCS = Path(__file__).parents[1] / "docs"

HEAD = """\
# Columns of the results

What each column of a run's result means and counts. One [run](replay.md) gives one row. A figure that does
not exist is null; the column *type* says when. `python tools/metrics_reference.py` writes this page.

All figures are computed from the records at the end of this page. *Forward* is the direction of the data,
*return* that of the acknowledgements. Percentiles are by nearest rank.
"""

SETTINGS = """\
[Scenario files](scenarios.md) explain the keys behind these columns (null: the setting has no value): {}.
Columns `orbit_...` are the parameters of an [orbit](api.md#what-is-compared).
"""

TITLES = {
    "scenario": "Scenario: the settings of the run",
    "provenance": "Provenance: programs and input files",
    "delivery": "Delivery: data that reached the receiving applications",
    "delay": "Delay",
    "recovery": "Recovery: retransmissions from end to end",
    "window": "Congestion window",
    "link": "Links and queues",
    "proxy": "Proxy",
    "cost": "Cost",
}

NOTES = {
    "delivery": """\
A flow is active from its first segment sent until the end of its transfer, or of the run. A segment counts
once, when it and all segments before it have arrived. A packet's payload is its IP size minus the IP header
and the TCP header with its timestamp option. If transfers end at different times, the sum of the flows'
goodputs can exceed the link's rate.
""",
    "delay": """\
The delay of a transmission runs from when the sending agent hands it to IP until the receiving agent has it:
queueing, the link's slots, decoding and recovery, waiting for order, and half of the RTT, without recovery by
TCP. Through a [proxy](proxy.md) it runs from the transmission that reached the proxy.
""",
}


GROUPS = f"""\
## Groups of flows

A run of [groups](scenarios.md#trafficflow-flows-of-several-variants-on-one-link) has one row like any
other. Its `tcp` names the mix, such as `2 cubic + bbr start=10`. Its `groups` is a JSON list with an
object for each group. The keys of an object are its
[settings](scenarios.md#trafficflow-flows-of-several-variants-on-one-link), those of the table below,
and columns of a run, which count the group's flows until the group's end: {{}}.

The *common time* of a direction is that in which all of its flows are active. A *share* is a part of
the bytes that were delivered in it. For convergence, shares are taken in windows of {WINDOW_RTTS} times
the longest RTT, at least {LEAST_WINDOW_NS // NS_PER_S} s. A group's *final share* is its share over the
second half of the windows. The share is *steady* as soon as it stays within {TOLERANCE:g} of the final share
in every window to the end. It never becomes steady if a window of the second half lies farther away, or if
there are fewer than {FEWEST_WINDOWS} windows.

`tmt run`, the report and `results.groups` in Python take each group as a variant, and add the axis
`beside`: the other groups, or `alone`. If the same flows also run alone, with the
same seed, trace and scheme, a group has its *harm*: the part of a measure that the others take. `harm` is
`(alone - beside) / alone` of the goodput, `harm_delay` is `(beside - alone) / beside` of the 95th
percentile of the delay; below 0 the others help. Ware,
Mukerjee, Seshan and Sherry, Beyond Jain's Fairness Index, HotNets 2019.
"""


def reference() -> str:
    """Return the text of the page."""
    order = list(TITLES)
    scenarios = (DOCS / "scenarios.md").read_text()
    keys = [f"`{c.name}`" for c in RUN_RESULTS if c.group == "scenario" and f"| {c.meaning} |" in scenarios]
    columns = sorted(
        (c for c in RUN_RESULTS if f"`{c.name}`" not in keys and not c.name.startswith("orbit_")),
        key=lambda column: order.index(column.group),
    )
    notes = NOTES | {"scenario": SETTINGS.format(", ".join(keys))}
    parts = [HEAD]
    for group, members in groupby(columns, key=lambda column: column.group):
        parts += [
            f"## {TITLES[group]}\n",
            *([notes[group]] if group in notes else []),
            _results(list(members)),
        ]
    settings = {one.name for one in GROUP_SETTINGS}
    of_run = {c.name for c in RUN_RESULTS} - {"convergence_s"}
    own = [c for c in GROUP_RESULTS if c.name not in settings | of_run]
    others = [f"`{c.name}`" for c in GROUP_RESULTS if c.name in of_run - settings]
    parts += [GROUPS.format(", ".join(others)), _results(own)]
    events = ", ".join(f"{number} `{name}`" for number, name in enumerate(PACKET_EVENTS))
    states = ", ".join(f"{number} `{name}`" for number, name in enumerate(CONGESTION_STATES))
    parts += [
        "## The packet and window records\n",
        _records(PACKET_RECORDS),
        f"Events: {events}.\n",
        _records(WINDOW_RECORDS),
        f"States: {states}.\n",
    ]
    return "\n".join(parts)


def _results(columns: list[ResultColumn]) -> str:
    nulls, counts = ({getattr(c, name) for c in columns} for name in ("null", "counts"))
    null, counted = (next(iter(found)) if len(found) == 1 else "" for found in (nulls, counts))
    shared = [f"All are null {null}."] * bool(null) + [f"All count {counted}."] * bool(counted)
    apart = not counted and 2 * sum(bool(c.counts) for c in columns) > len(columns)
    heads = ["column", "type", "meaning", *(["counted unit"] * apart)]
    lines, above = [], ""
    for members in _alike(columns):
        c = members[0]
        names = ", ".join(f"`{one.name}`" for one in members)
        kind = ", ".join(filter(None, (c.kind, c.unit))) + (f"; null {c.null}" if c.null and not null else "")
        cells = [names, kind, c.meaning.replace("forward ", "") if len(members) > 1 else c.meaning]
        unit = "; ".join(dict.fromkeys(one.counts for one in members)) if not counted else ""
        if apart:
            cells.append("as above" if unit and unit == above else unit)
        elif unit:
            cells[-1] += f"; counts {unit}"
        above = unit
        lines.append(cells)
    return "\n".join([*([" ".join(shared) + "\n"] * bool(shared)), markdown_table(heads, lines)]) + "\n"


def _alike(columns: list[ResultColumn]) -> list[list[ResultColumn]]:
    """Return the columns, those of both links that mean the same beside each other."""
    found: dict[tuple[str, str], list[ResultColumn]] = {}
    for column in columns:
        name = column.name.removeprefix("forward_").removeprefix("return_")
        found.setdefault((name, column.meaning.replace("return", "forward")), []).append(column)
    return list(found.values())


def _records(table: Table) -> str:
    rows = ([f"`{c.name}`", f"`{np.dtype(c.dtype)}`", c.meaning] for c in table.columns)
    title = f"### {table.title[0].upper()}{table.title[1:]}"
    return f"{title}\n\n{markdown_table(['column', 'type', 'meaning'], rows)}\n"


if __name__ == "__main__":
    (DOCS / "metrics.md").write_text(reference())
