"""Tables of a run of programs: what they measured, how they ended, and the flows that they made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tmt.cli.tables import text_table
from tmt.core.words.html_table import spelled_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.table import Table

    from tmt.spec.columns import Value

OF_PROGRAMS = ("measures", "ends", "flow_figures")
"""Result columns that hold JSON of programs."""

ENDS = ("program", "start_s", "end_s", "status", "end", "stdout_bytes", "stderr_bytes")

FLOWS = (
    *("protocol", "server_port", "client_port", "start_s", "end_s", "forward_bytes", "return_bytes"),
    *("forward_lost", "forward_dropped", "goodput_bps", "delay_p95_s"),
)

FLOWS_SHOWN = 10


def program_tables(row: Mapping[str, Value], *, flows: bool = False) -> Iterator[Table | str]:
    """Give the tables of a result row, with that of the flows if asked; none of a row without programs."""
    measures, ends, seen = (json.loads(str(row[name])) if row[name] else None for name in OF_PROGRAMS)
    if measures:
        said = [[name, spelled(one["value"]), one["unit"]] for name, one in measures.items()]
        yield text_table("", ("measure", "value", "unit"), said, {0, 2})
    if ends:
        yield text_table("", ENDS, [[spelled(one[key]) for key in ENDS] for one in ends], {0, 4})
    if flows and seen:
        rows = [[spelled(one[key]) for key in FLOWS] for one in seen[:FLOWS_SHOWN]]
        yield text_table("", FLOWS, rows, {0})
        if len(seen) > FLOWS_SHOWN:
            yield f"and {len(seen) - FLOWS_SHOWN} flows with fewer bytes: see flow_figures (--json)"


def spelled(value: Value) -> str:
    """Return a value as a table shows it; nothing for None."""
    return "" if value is None else spelled_number(value)
