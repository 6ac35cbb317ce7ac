"""`tmt inspect`: summarise a trace."""

from __future__ import annotations

from pathlib import PurePath

import click

from tmt.cli.json_output import json_text
from tmt.cli.notes import print_notes, summary_notes
from tmt.cli.options import FILE, ROUND_TRIP, FigurePath, WholeNumber
from tmt.cli.progress import progress_bar


@click.command()
@click.argument("trace", type=FILE)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object, with every burst and gap length."
)
@click.option(
    "--plot", type=FigurePath(), help="Draw the trace into this .png, .svg, .pdf, .html or .json file."
)
@click.option(
    "--lldu-bytes",
    type=WholeNumber(1),
    help="Useful bytes of one LLDU, for bit rates.  [default: the trace's]",
)
@click.option(
    "--rtt",
    type=ROUND_TRIP,
    help="Round-trip propagation time in seconds, for the recovery delay.  [default: the trace's]",
)
def command(trace: str, as_json: bool, plot: str | None, lldu_bytes: int | None, rtt: int | None) -> None:
    """Summarise TRACE: rates, losses, bursts, gaps, delays, and the cost of a link trace's scheme.

    A burst is a run of erased rows (PHY trace) or lost rows (link trace); a gap is a run of other rows.

    \b
    A table for people, an object for programs, a figure:
      tmt inspect phy.parquet
      tmt inspect --json phy.parquet
      tmt inspect --plot phy.svg phy.parquet
    """
    from tmt.core.measure.link import summarise  # noqa: PLC0415
    from tmt.io import open_trace  # noqa: PLC0415  (numpy and pyarrow take long to import)

    with open_trace(trace) as reader, progress_bar("inspect", reader.rows, "rows") as progress:
        summary = summarise(reader, reader.metadata, lldu_bytes=lldu_bytes, rtt_ns=rtt, progress=progress)
    if plot is not None:
        from tmt.show.charts.files import save_chart  # noqa: PLC0415
        from tmt.show.charts.traces import summary_chart  # noqa: PLC0415  (altair takes long to import)

        save_chart(summary_chart(summary, PurePath(trace).name), plot)
    print_notes(summary_notes(trace, summary))
    if as_json:
        click.echo(json_text(summary.to_json()))
        return
    from tmt.cli.inspect_output import as_tables  # noqa: PLC0415
    from tmt.cli.tables import print_parts  # noqa: PLC0415

    print_parts(*as_tables(trace, summary))
