"""Writes `docs/metrics.md`, the reference of a run's result columns, from their declarations."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.run_columns import RUN_RESULTS
from tmt.schema import CONGESTION_STATES, PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

if TYPE_CHECKING:
    from tmt.run_columns import ResultColumn
    from tmt.schema import Table

HEAD = """\
# What each number counts

Written by `python docs/metrics_reference.py` from `tmt/schema.py`. One run of ns-2 ([replay](replay.md))
gives one row with the columns below; a campaign's results hold one such row per run. Null stands where a
figure does not exist; no column holds NaN.

Everything is computed from the packet and window records at the end of this page, which taps at the sending
and receiving TCP agents and the links' queues write. *Forward* is the way of the data, *return* that of the
acknowledgements. Percentiles are by nearest rank: the p-th is the least value that at least p % of the
values do not exceed.
"""

TITLES = {
    "scenario": "Scenario: what was simulated",
    "provenance": "Provenance: by what, and of what",
    "delivery": "Delivery: what reached the receiving applications",
    "delay": "Delay",
    "recovery": "Recovery: what TCP sent again",
    "window": "Congestion window",
    "link": "Links and queues",
    "proxy": "Proxy",
    "cost": "Cost",
}

NOTES = {
    "delivery": """\
A flow is active from its first segment sent until the end of its transfer, or of the run. Segments count
once they and all segments before them have arrived; copies, and segments that wait for a missing one, do
not. A packet's payload is its IP size less the headers of TCP, with its timestamp option, and IP; a packet
without payload (the first one, ns-2's SYN) adds nothing. Where transfers end at different times the sum of
the flows' goodputs can exceed the link's rate: each has had the link more to itself while it was active.
""",
    "delay": """\
From the moment when the sending agent hands a packet to IP until the receiving agent has it: queueing, the
link's slots, its decoding and recovery, waiting for order, and half of the RTT. Each transmission counts on
its own, so that recovery by TCP does not show here; packets that never arrived do not count. Through a
[proxy](proxy.md) it runs from the transmission that the proxy got: the proxy's own connection is in it.
""",
    "link": """\
Three ways for a packet to be lost, never mixed: dropped by the queue's limit, given up by the link's scheme
(one of its LLDUs was not delivered), and carried by rows that were open when the trace was cut.
""",
}


def reference() -> str:
    """Return the text of the page."""
    order = list(TITLES)
    columns = sorted(RUN_RESULTS, key=lambda column: order.index(column.group))
    parts = [HEAD]
    for group, members in groupby(columns, key=lambda column: column.group):
        parts += [
            f"## {TITLES[group]}\n",
            *([NOTES[group]] if group in NOTES else []),
            _results(list(members)),
        ]
    events = ", ".join(f"{number} `{name}`" for number, name in enumerate(PACKET_EVENTS))
    states = ", ".join(f"{number} `{name}`" for number, name in enumerate(CONGESTION_STATES))
    parts += [
        "## The records behind them\n",
        _records(PACKET_RECORDS),
        f"Events: {events}.\n",
        _records(WINDOW_RECORDS),
        f"States: {states}.\n",
    ]
    return "\n".join(parts)


def _results(columns: list[ResultColumn]) -> str:
    lines = [
        "| column | type | unit | what it is | what it counts | null |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| `{c.name}` | {c.kind} | {c.unit} | {c.meaning} | {c.counts} | {c.null or 'never'} |"
        for c in columns
    ]
    return "\n".join(lines) + "\n"


def _records(table: Table) -> str:
    lines = [
        f"### {table.title[0].upper()}{table.title[1:]}\n",
        "| column | type | what it is |",
        "| --- | --- | --- |",
    ]
    lines += [f"| `{c.name}` | `{c.dtype}` | {c.meaning} |" for c in table.columns]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("metrics.md").write_text(reference())
