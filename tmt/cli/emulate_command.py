"""`tmt emulate`: run any program over a link trace, in real time."""

from __future__ import annotations

from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.links import OLD_NAMES, Links
from tmt.cli.options import output_option
from tmt.cli.progress import print_notes, say
from tmt.cli.values import Values, by_options
from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.words.values import time_notes
from tmt.io.atomic import own_folder
from tmt.run.emulate.emulation import Emulation, WayOut
from tmt.run.emulate.emulator import run
from tmt.spec.options import Part
from tmt.spec.path import Path as LinkPath

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tmt.run.emulate.emulation import EmulationResult

NO_OPTIONS = ("return_link", "return_rate", "return_trace", "window_packets", "wired", "proxy")
"""Fields of a path that an emulation does not have, or that are its links."""

VALUES = {"links": Links, "path": Part(("path",), LinkPath, hidden=dict.fromkeys(NO_OPTIONS, MISSING))}


class _CommandAfterDashes(Values):
    """A command whose own arguments end at ``--``; another program's command line follows."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        rest = super().parse_args(ctx, args[:end])
        ctx.params["program"] = tuple(args[end + 1 :])
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND [ARGUMENT]..."]


@click.command(
    name="emulate", cls=_CommandAfterDashes, values=VALUES, renamed=OLD_NAMES | {"--mtu": "--mtu-bytes"}
)
@click.argument("trace", metavar="[TRACE]", required=False)
@click.option("--mtu-bytes", type=int, default=1500, metavar="BYTES", help="Size of the largest IP packet.")
@click.option(
    "--server", metavar="SHELL", help="Run this at the receiver; COMMAND starts as soon as it listens."
)
@click.option(
    "--way-out",
    "ways_out",
    multiple=True,
    metavar="PORT=HOST:PORT",
    help="Forward TCP connections to this port of the receiver to a host of the real network; repeatable.",
)
@click.option(
    "--sysctl", "sysctls", multiple=True, metavar="NAME=VALUE", help="Set net.NAME at both ends; repeatable."
)
@output_option("Write packets.parquet and result.json into this new folder.", is_folder=True)
@click.option("--quiet", is_flag=True, help="Print no summary.")
def command(
    trace: str | None,
    links: Links,
    path: LinkPath,
    program: tuple[str, ...],
    ways_out: tuple[str, ...],
    output: Path | None,
    quiet: bool,
    **given: Any,
) -> int:
    """Run COMMAND behind a link: its packets cross TRACE, a link trace, in real time.

    COMMAND runs in a network namespace: the sender, 10.0.0.1 and fd00::1. Its only peer is the receiver,
    10.0.0.2 and fd00::2, where --server runs. Packets to the receiver cross TRACE, by the rules of `tmt
    replay`; packets from the receiver cross the return link. Each direction adds half of the RTT. All times
    are in seconds.

    The exit status is COMMAND's. A summary on stderr counts delivered and lost packets, and says how late the
    emulator delivered them. The emulation removes everything that it made, however it ends. It needs root, or
    unprivileged user namespaces, and TUN.

    \b
    Examples:
      tmt emulate link.parquet --rtt 0.5 --server "python3 -m http.server" -- \\
          curl http://10.0.0.2:8000
      tmt emulate link.parquet --rtt 0.5 --server "iperf3 -s -1" -- \\
          iperf3 -c 10.0.0.2 -C cubic
      tmt emulate --rate 2e6 --rtt 0.5 --output packets -- bash
    """
    if not program:
        raise UsageError("there is no COMMAND; it follows --, as in: tmt emulate TRACE --rtt 0.5 -- COMMAND")
    outs = tuple(WayOut.parse(text) for text in ways_out)
    with by_options({("sysctls",): "--sysctl"}):
        link, back = links.forward(trace), links.back()
        emulation = Emulation(program, link, path, back, ways_out=outs, **given)
    if output is not None:
        own_folder(output, "an emulation")
    print_notes([*links.notes(), *time_notes("--rtt", ns(path.rtt))])
    result = run(emulation, record=output is not None)
    if output is not None:
        result.save(output)
    print_notes(result.notes)
    if not quiet:
        say(_summary(result), err=True)
    return result.status


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{1000 * value:,.2f} ms"


ROWS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("packets sent", "packets_arrived", "{:,}".format),
    ("  delivered", "packets_delivered", "{:,}".format),
    ("  lost on the link", "packets_lost", "{:,}".format),
    ("  unsettled at the trace's end", "packets_unsettled", "{:,}".format),
    ("  dropped, queue full", "packets_overflowed", "{:,}".format),
    ("  dropped by the discipline", "packets_aqm_dropped", "{:,}".format),
    ("  marked by it", "packets_marked", "{:,}".format),
    ("  still under way", "packets_under_way", "{:,}".format),
    ("IP bytes delivered", "delivered_bps", lambda bps: f"{bps / 1000:,.1f} kbit/s"),
    ("delay, least", "delay_least_s", _milliseconds),
    ("delay, median", "delay_p50_s", _milliseconds),
    ("delay, 95 %", "delay_p95_s", _milliseconds),
    ("delay, 99 %", "delay_p99_s", _milliseconds),
    ("lateness, 99 %", "lateness_p99_s", _milliseconds),
    ("lateness, most", "lateness_most_s", _milliseconds),
)
"""Rows of the summary: label, column of both directions, and format of a value."""

IF_ANY = {"packets_lost", "packets_unsettled", "packets_overflowed", "packets_under_way"}
IF_ANY |= {"packets_aqm_dropped", "packets_marked"}
"""Columns without a row in the summary if both values are 0."""


def _summary(result: EmulationResult) -> str:
    row: dict[str, Any] = result.row
    directions = ("forward", "return")
    links = [row[f"{one}_trace"] or f"{row[f'{one}_rate_bps']:g} bit/s" for one in directions]
    title = (
        f"tmt emulate: {row['duration_s']:.3g} s, flows {row['flows']}, RTT {row['rtt_s']} s, "
        f"queue {_queue(row)}"
    )
    cells = [
        ("", *directions),
        ("link", *links),
        ("trace starts at, repeats", *(_trace_use(row, one) for one in directions)),
    ]
    for label, name, written in ROWS:
        values = [row[f"{one}_{name}"] for one in directions]
        if any(values) or name not in IF_ANY:
            cells.append((label, *map(written, values)))
    widths = [max(18, *(len(line[column]) + 2 for line in cells)) for column in (1, 2)]
    lines = [
        f"{label:<32}{forward:>{widths[0]}}{back:>{widths[1]}}".rstrip() for label, forward, back in cells
    ]
    return "\n".join([title, *lines])


def _queue(row: dict[str, Any]) -> str:
    limits = (("queue_packets", "packets"), ("queue_bytes", "bytes"), ("queue_time_s", "s"))
    said = ", ".join(f"{row[name]:g} {unit}" for name, unit in limits if row[name] is not None)
    return said if row["queue"] == "droptail" else f"{row['queue']}, {said}"


def _trace_use(row: dict[str, Any], direction: str) -> str:
    if row[f"{direction}_trace"] is None:
        return "-"
    return f"{row[f'{direction}_offset_s']:g} s, {row[f'{direction}_trace_repeats']} times"
