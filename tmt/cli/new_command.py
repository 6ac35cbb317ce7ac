"""`tmt new`: a commented scenario file to start from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from tmt.cli.options import FILE
from tmt.core.errors import TmtError, UsageError

_RLC = """\
rlc_mode = "acknowledged"   # or "unacknowledged"
status_prohibit = {prohibit:g}       # seconds between status reports; more than the round trip
"""

SCHEMES = {
    "none": "",
    "fec": "data = 10      # data units of a block\nrepair = 2     # repair units of a block\n",
    "arq": "",
    "harq": "data = 10      # data units of a block\nrepair = [2]   # [2, 5] compares two codes\n",
    "harq-processes": "processes = [16]        # [16, 32] compares two numbers\nmax_transmissions = 4\n",
    "sliding-window": (
        "coding_window = 100     # source units that a repair unit covers\n"
        "repair_interval = [8]   # source units from one repair unit to the next\n"
    ),
    "tetrys": (
        "coding_window = 512     # most source units from the first one that the receiver lacks\n"
        "repair_interval = [16]  # source units from one regular repair unit to the next\n"
    ),
    "rlc": _RLC,
}
SCHEMES |= {
    f"rlc-over-{below}": _RLC + SCHEMES[below]
    for below in ("fec", "arq", "harq", "harq-processes", "sliding-window", "tetrys")
}
"""Keys of each scheme, as they stand in the new file."""

GENERATED = """\
channel = "lms"        # a car behind a satellite; docs/channels.md has the others
profile = "internet"
es_n0_db = [5, 8]      # a list is one more axis of the comparison
length = 600           # seconds
label = "Es/N0 {es_n0_db} dB"
"""

TEMPLATE = """\
# `tmt run {name}` executes every combination; `tmt report out/{stem}` shows the results.
# docs/scenarios.md explains all keys.
title = {title}

[grid]
tcp = [{tcp}]
seeds = {seeds}        # each seed meets another stretch of the channel, the same for all variants and schemes
records = [1]    # of these seeds, keep every packet: the report then shows those runs over time

[[trace]]
{trace}
{schemes}[link]
rtt = {rtt:g}
queue_packets = 40

[[traffic]]
stack = {stack}    # or "2009" (ns-2's TCP-Linux), "linux" (a real kernel; see tmt doctor)
duration = {duration:g}
# transfer_bytes = 100_000   # a transfer of this size in place of an endless flow
"""


@click.command()
@click.argument("scenario", type=FILE)
@click.option(
    "--trace", type=FILE, help="PHY trace to compare over.  [default: a generated satellite channel]"
)
@click.option("--tcp", default="newreno,cubic,bbr", help="TCP variants, with commas between them.")
@click.option(
    "--scheme",
    "schemes",
    default="arq,harq",
    help=f"Link-layer schemes, with commas between them: {', '.join(SCHEMES)}.",
)
@click.option("--stack", default="modern", help="TCP stack: modern, 2009 or linux.")
@click.option("--rtt", default=0.5, help="Round-trip propagation time in seconds.")
@click.option("--duration", default=120.0, help="Length of a run in seconds.")
@click.option("--seeds", default=5, help="Number of seeds, runs of each cell.")
def command(
    scenario: str,
    trace: str | None,
    tcp: str,
    schemes: str,
    stack: str,
    rtt: float,
    duration: float,
    seeds: int,
) -> None:
    """Write a commented scenario file SCENARIO, ready for `tmt run`.

    The file is checked before it is written. An existing file is kept.

    \b
    A comparison over a trace of one's own:
      tmt new mine.toml --trace phy.parquet --tcp cubic,bbr \\
          --scheme none,arq --rtt 0.05
      tmt run mine.toml
    The link layer of 5G over a LEO satellite:
      tmt new leo.toml \\
          --scheme harq-processes,rlc,rlc-over-harq-processes --rtt 0.025
    """
    from tmt.campaign.scenario import load  # noqa: PLC0415
    from tmt.core.schema import PHY_TRACE  # noqa: PLC0415
    from tmt.io import open_trace  # noqa: PLC0415
    from tmt.io.atomic import staged  # noqa: PLC0415

    path = Path(scenario)
    if path.exists():
        raise UsageError(f"{scenario}: this file is there already; name another one")
    if trace is not None:
        with open_trace(trace, PHY_TRACE):
            pass
    chosen, variants = _names(schemes), _names(tcp)
    if unknown := [name for name in chosen if name not in SCHEMES]:
        raise UsageError(f"--scheme is {unknown[0]!r}; it must be one of {', '.join(SCHEMES)}")
    text = TEMPLATE.format(
        name=path.name,
        stem=path.stem,
        title=_quoted(f"{', '.join(variants)} over {', '.join(chosen)}"),
        tcp=", ".join(map(_quoted, variants)),
        seeds=seeds,
        trace=GENERATED if trace is None else f"file = {_quoted(_from(path.parent, trace))}\n",
        schemes="".join(
            f'[[scheme]]\nname = "{name}"\n{SCHEMES[name].format(prohibit=1.2 * rtt)}\n' for name in chosen
        ),
        rtt=rtt,
        stack=_quoted(stack),
        duration=duration,
    )
    with staged(path) as partial:
        partial.write_text(text, encoding="utf-8")
        try:
            load(partial)
        except TmtError as error:
            raise UsageError(str(error).replace(str(partial), scenario)) from None
    click.echo(f"{scenario}: `tmt run {scenario} --dry-run` says how many runs it has")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _quoted(text: str) -> str:
    """Return a text as a string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def _from(folder: Path, trace: str) -> str:
    """Return the trace's path as the scenario file sees it."""
    return trace if Path(trace).is_absolute() else os.path.relpath(trace, folder)
