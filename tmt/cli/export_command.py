"""`tmt export`: a trace in another format."""

from __future__ import annotations

import click

from tmt.cli.options import WholeNumber
from tmt.cli.progress import progress_bar
from tmt.errors import UsageError


@click.command()
@click.argument("trace", type=click.Path(dir_okay=False))
@click.argument("out", type=click.Path(dir_okay=False))
@click.option(
    "--mahimahi",
    is_flag=True,
    help="Write a packet-delivery trace for mahimahi's mm-link, whatever the ending of OUT.",
)
@click.option(
    "--lldu-bytes",
    type=WholeNumber(1),
    help="With --mahimahi: useful bytes of one LLDU.  [default: what the trace says]",
)
def command(trace: str, out: str, mahimahi: bool, lldu_bytes: int | None) -> None:
    """Write the PHY or link trace TRACE to OUT in the format of OUT's ending.

    Endings are .parquet, .csv and .txt, each also with .gz, and .npy. Only Parquet keeps how the trace was
    made.

    With --mahimahi, OUT gets one line per packet of 1500 bytes that the trace delivers: the millisecond in
    which its last LLDU arrives, without propagation. So a real program can be run over the link that a
    scheme makes.

    \b
      tmt export phy.parquet phy.csv
      tmt export link.parquet link.down --mahimahi
    """
    from tmt.io import open_trace, read_trace  # noqa: PLC0415  (numpy and pyarrow take long to import)
    from tmt.io.atomic import check_not_source  # noqa: PLC0415
    from tmt.io.exporters import copy_trace  # noqa: PLC0415
    from tmt.measured.mahimahi import write_mahimahi  # noqa: PLC0415

    if not mahimahi:
        if lldu_bytes is not None:
            raise UsageError("--lldu-bytes has no meaning without --mahimahi")
        with open_trace(trace) as reader:
            rows = reader.rows
        with progress_bar("export", rows, "rows") as progress:
            copy_trace(trace, out, progress)
        return
    check_not_source(out, trace)
    rows_held = read_trace(trace)
    size = lldu_bytes or rows_held.metadata.get("lldu_bytes")
    if not isinstance(size, int) or size < 1:
        raise UsageError(f"--lldu-bytes is missing, and {trace} does not say what one LLDU carries")
    opportunities = write_mahimahi(out, rows_held, size)
    click.echo(f"{out}: {opportunities:,} opportunities for 1500 bytes")
