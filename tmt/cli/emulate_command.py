"""`tmt emulate`: run any program over a link trace, in real time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.link_options import FORWARD_OPTIONS, RETURN_OPTIONS, chosen_link
from tmt.cli.notes import print_notes
from tmt.cli.options import with_options
from tmt.cli.parameter_options import options_of
from tmt.core.errors import UsageError
from tmt.io.atomic import own_folder
from tmt.run.emulate.emulator import run
from tmt.run.emulate.parameters import Emulation, WayOut
from tmt.run.emulate.result_files import save

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.run.emulate.results import EmulationResult


class _CommandAfterDashes(click.Command):
    """A command whose own arguments end at ``--``; the rest is the command line of another program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        before, after = args, []
        if "--" in args:
            at = args.index("--")
            before, after = args[:at], args[at + 1 :]
        rest = super().parse_args(ctx, before)
        ctx.params["program"] = tuple(after)
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND [ARGUMENT]..."]


@click.command(name="emulate", cls=_CommandAfterDashes)
@click.argument("link", required=False)
@with_options(*FORWARD_OPTIONS, *RETURN_OPTIONS, *options_of("rtt_ns", "queue_packets"))
@click.option("--mtu", "mtu_bytes", type=int, default=1500, help="Largest IP packet in bytes.")
@with_options(*options_of("loop", "in_order", "hold_ns"))
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
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write packets.parquet and result.json into this new folder.",
)
@click.option("--quiet", is_flag=True, help="Print no summary.")
def command(program: tuple[str, ...], keep: Path | None, quiet: bool, **given: Any) -> int:
    """Run COMMAND behind a link: its packets cross LINK, a link trace, in real time.

    COMMAND runs in a network namespace: the sender, 10.0.0.1 and fd00::1. Its only peer is the receiver,
    10.0.0.2 and fd00::2, where --server runs. Packets to the receiver cross LINK, by the rules of
    `tmt replay`; packets from the receiver cross the return link. Each direction adds half of the RTT. All
    times are in seconds.

    The exit status is COMMAND's. A summary on stderr counts delivered and lost packets, and says how late
    the emulator delivered them. The emulation removes all it made, however it ends. It needs root, or
    unprivileged user namespaces, and TUN.

    \b
    Examples:
      tmt emulate link.parquet --rtt 0.5 --server "python3 -m http.server" -- \\
          curl http://10.0.0.2:8000
      tmt emulate link.parquet --rtt 0.5 --server "iperf3 -s -1" -- \\
          iperf3 -c 10.0.0.2 -C cubic
      tmt emulate --forward-rate 2e6 --rtt 0.5 --keep packets -- bash
    """
    if not program:
        raise UsageError("there is no COMMAND; it follows --, as in: tmt emulate LINK --rtt 0.5 -- COMMAND")
    forward = chosen_link(given.pop("link"), "LINK", "forward", given)
    if forward is None:
        raise UsageError("LINK or --forward-rate is needed: the link from the sender to the receiver")
    back = chosen_link(given.pop("return"), "--return", "return", given)
    del given["packing"]
    given["ways_out"] = tuple(WayOut.parse(text) for text in given["ways_out"])
    emulation = Emulation(command=program, forward_link=forward, return_link=back, **given)
    if keep is not None:
        own_folder(keep, "an emulation")
    result = run(emulation, record=keep is not None)
    if keep is not None:
        save(result, keep)
    print_notes(result.notes)
    if not quiet:
        click.echo(_summary(result), err=True)
    return result.status


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{1000 * value:,.2f} ms"


ROWS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("packets sent", "packets_arrived", "{:,}".format),
    ("  delivered", "packets_delivered", "{:,}".format),
    ("  lost on the link", "packets_lost", "{:,}".format),
    ("  unsettled at the trace's end", "packets_unsettled", "{:,}".format),
    ("  dropped, queue full", "packets_overflowed", "{:,}".format),
    ("  still under way", "packets_under_way", "{:,}".format),
    ("IP bytes delivered", "delivered_bps", lambda bps: f"{bps / 1000:,.1f} kbit/s"),
    ("delay, least", "delay_least_s", _milliseconds),
    ("delay, median", "delay_p50_s", _milliseconds),
    ("delay, 95 %", "delay_p95_s", _milliseconds),
    ("delay, 99 %", "delay_p99_s", _milliseconds),
    ("lateness, 99 %", "lateness_p99_s", _milliseconds),
    ("lateness, most", "lateness_most_s", _milliseconds),
)
"""Rows of the summary: label, column of both directions, and how a value is written."""

IF_ANY = {"packets_lost", "packets_unsettled", "packets_overflowed", "packets_under_way"}
"""Columns without a row in the summary where both values are 0."""


def _summary(result: EmulationResult) -> str:
    """Return the counts, rates and delays of the packets, both directions side by side."""
    row: dict[str, Any] = result.row
    directions = ("forward", "return")
    links = [row[f"{one}_trace"] or f"{row[f'{one}_rate_bps']:g} bit/s" for one in directions]
    lines = [
        f"tmt emulate: {row['duration_s']:.3g} s, flows {row['flows']}, RTT {row['rtt_s']} s, "
        f"queue {row['queue_packets']} packets",
        _line("", *directions),
        _line("link", *links),
        _line("trace starts at, repeats", *(_trace_use(row, one) for one in directions)),
    ]
    for label, name, written in ROWS:
        values = [row[f"{one}_{name}"] for one in directions]
        if any(values) or name not in IF_ANY:
            lines.append(_line(label, *map(written, values)))
    return "\n".join(lines)


def _trace_use(row: dict[str, Any], direction: str) -> str:
    """Return the start of the run in a link's trace, and the repetitions of the trace."""
    if row[f"{direction}_trace"] is None:
        return "-"
    return f"{row[f'{direction}_offset_s']:g} s, {row[f'{direction}_trace_repeats']} times"


def _line(label: str, forward: object, back: object) -> str:
    return f"{label:<32}{forward!s:>18}{back!s:>18}".rstrip()
