"""`tmt export`: write a trace in another format, or in another tool's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tmt.cli.options import COUNT, FILE, JSON, OUT, POSITIVE_SECONDS, json_text, typed_flags
from tmt.cli.progress import progress_bar, rows_of, say
from tmt.cli.values import Values
from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.importers.exporters import EXPORTERS
from tmt.io import copy_trace, read_trace

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(cls=Values)
@click.argument("trace", type=FILE)
@click.argument("out", type=OUT)
@click.option(
    "--for",
    "tool",
    type=click.Choice(list(EXPORTERS)),
    metavar="TOOL",
    help=f"Write the form of a tool: {', '.join(EXPORTERS)}. signal is Es/N0, for `tmt generate --signal`.",
)
@click.option(
    "--lldu-bytes", type=COUNT, help="With --for: useful bytes of one LLDU.  [default: the trace's]"
)
@click.option(
    "--interval",
    type=POSITIVE_SECONDS,
    default="0.1",
    help="With --for, if the tool takes rates: seconds over which rate, loss and delay are averaged.",
)
@JSON
def command(
    trace: str, out: str, tool: str | None, lldu_bytes: int | None, interval: float, as_json: bool
) -> None:
    """Write the PHY or link trace TRACE to OUT in the format of OUT's ending.

    Endings are .parquet, .csv and .txt, each also with .gz, and .npy. If a format cannot hold metadata, a
    file beside OUT holds them.

    With --for, OUT has the form of another tool, so that real programs and other simulators can run over the
    link of a scheme. docs/export.md names the limits of each form.

    \b
      tmt export phy.parquet phy.csv
      tmt export link.parquet link.down --for mahimahi
      tmt export link.parquet link.sh --for tc-netem --interval 0.5
    """
    if tool is None:
        if flags := typed_flags("lldu_bytes", "interval"):
            raise UsageError(f"{flags[0]} has no meaning without --for")
        with progress_bar("export", rows_of(trace), "rows") as progress:
            rows = copy_trace(trace, out, progress)
        notes: Sequence[str] = ()
    else:
        held = read_trace(trace)
        size = lldu_bytes or held.metadata.get("lldu_bytes")
        if held.size_bytes is not None and lldu_bytes is not None:
            raise UsageError(f"--lldu-bytes cannot be given: {trace} has a size for each row")
        needs_size = tool != "signal" and held.size_bytes is None
        if needs_size and not (isinstance(size, int) and size >= 1):
            raise UsageError(f"--lldu-bytes is missing, and {trace} does not say what one LLDU carries")
        rows, notes = len(held), EXPORTERS[tool](out, held, size, ns(interval))
    if as_json:
        say(json_text({"trace": trace, "out": out, "for": tool, "rows": rows, "notes": notes}))
        return
    for note in notes:
        say(f"{out}: {note}")
