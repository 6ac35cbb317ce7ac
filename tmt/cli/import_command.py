"""`tmt import`: somebody else's measurement as a PHY trace."""

from __future__ import annotations

import click

from tmt.cli.options import POSITIVE_SECONDS


@click.command()
@click.argument("kind", metavar="FORMAT", type=click.Choice(["lte-harq", "mahimahi"]))
@click.argument("measurement", metavar="INPUT", type=click.Path(dir_okay=False))
@click.argument("phy", type=click.Path(dir_okay=False))
@click.option(
    "--decode-time",
    "decode_time_ns",
    type=POSITIVE_SECONDS,
    default="0.001",
    show_default=True,
    help="Time in seconds until a slot is decoded; no measurement tells it.",
)
def command(kind: str, measurement: str, phy: str, decode_time_ns: int) -> None:
    """Turn the measurement INPUT into the PHY trace PHY, whose ending chooses its format.

    FORMAT is one of

    \b
    lte-harq  uplink HARQ log of an LTE terminal, CSV with the columns log_ms, sfn,
              subframe and attempt: one slot per attempt, erased if it was repeated
    mahimahi  packet-delivery trace, one millisecond a line: one slot of 1500 bytes
              per line, none erased; several in one millisecond are spread over it

    INPUT may be compressed (.gz).

    \b
    An LTE downlink, as TCP may meet it:
      tmt import mahimahi Verizon-LTE-short.down phy.parquet
      tmt inspect phy.parquet
    """
    from tmt.io.importers import import_trace  # noqa: PLC0415  (pyarrow takes long to import)

    trace = import_trace(kind, measurement, phy, decode_time_ns)
    click.echo(f"{phy}: {len(trace):,} slots, {int((trace.decode_time_ns == 0).sum()):,} of them erased")
