"""`tmt emulate`: any program over a link trace, in real time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.options import POSITIVE_SECONDS, SECONDS
from tmt.emulate.emulator import run
from tmt.emulate.keep import own_folder, save
from tmt.emulate.parameters import Emulation, WayOut
from tmt.errors import UsageError
from tmt.replay.parameters import PlainLink, TraceLink

if TYPE_CHECKING:
    from tmt.emulate.results import EmulationResult
    from tmt.replay.parameters import Link

RATE = click.FloatRange(min=1, max=1e12)
COUNT = click.IntRange(min=1)


class _CommandAfterDashes(click.Command):
    """A command whose arguments end at ``--``; the rest is somebody else's command line."""

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
@click.option("--forward-rate", type=RATE, metavar="BIT/S", help="A plain link of this rate instead of LINK.")
@click.option(
    "--forward-lldu-bytes", type=COUNT, help="Useful bytes of an LLDU; else as the trace says, or 1500."
)
@click.option("--forward-offset", type=SECONDS, default=0, help="Where in LINK to start.  [default: 0]")
@click.option("--return", metavar="TRACE", help="Link trace from the receiver to the sender.")
@click.option("--return-rate", type=RATE, metavar="BIT/S", help="A plain link instead; else as fast as LINK.")
@click.option(
    "--return-lldu-bytes", type=COUNT, help="Useful bytes of an LLDU; else as the trace says, or 1500."
)
@click.option(
    "--return-offset", type=SECONDS, default=0, help="Where in the return trace to start.  [default: 0]"
)
@click.option("--rtt", "rtt_ns", type=SECONDS, required=True, help="Round-trip propagation time.")
@click.option(
    "--queue", "queue_packets", type=COUNT, help="Limit before each link, in packets; else one BDP."
)
@click.option(
    "--mtu", "mtu_bytes", type=int, default=1500, show_default=True, help="Largest IP packet, bytes."
)
@click.option(
    "--loop/--no-loop", default=True, show_default=True, help="At its end a trace repeats, or stops."
)
@click.option("--in-order/--any-order", default=True, show_default=True, help="How links release packets.")
@click.option("--hold", "hold_ns", type=POSITIVE_SECONDS, help="Longest wait for order; else without bound.")
@click.option(
    "--server", metavar="SHELL", help="Run this at the receiver; COMMAND starts as soon as it listens."
)
@click.option(
    "--way-out",
    "ways_out",
    multiple=True,
    metavar="PORT=HOST:PORT",
    help="TCP to this port of the receiver goes on to a host of the real network; repeatable.",
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
    """Run COMMAND behind a link: its packets meet LINK, a link trace, in real time.

    COMMAND runs on a machine of its own, as far as networks go: the sender, 10.0.0.1 and fd00::1. Its only
    peer is the receiver, 10.0.0.2 and fd00::2, where --server runs. Packets to the receiver go over LINK, by
    the rules of `tmt replay`; what comes back goes over the return link. Half of the RTT comes on top in each
    direction. All times are in seconds. BDP is the bandwidth-delay product of the path, in packets.

    The exit status is COMMAND's. A summary on stderr says what the packets met and how late they were handed
    on. Nothing is left behind, however it ends. It needs root, or unprivileged user namespaces, and TUN.

    \b
    Examples:
      tmt emulate link.parquet --rtt 0.5 --server "python3 -m http.server" -- \\
          python3 -c "from urllib.request import urlopen as u; print(u('http://10.0.0.2:8000').status)"
      tmt emulate link.parquet --rtt 0.5 --server "iperf3 -s -1" -- iperf3 -c 10.0.0.2 -C cubic
      tmt emulate --forward-rate 2e6 --rtt 0.5 --keep packets -- bash
    """
    if not program:
        raise UsageError("there is no COMMAND; it follows --, as in: tmt emulate LINK --rtt 0.5 -- COMMAND")
    forward = _link(given.pop("link"), "forward", given)
    if forward is None:
        raise UsageError("LINK or --forward-rate is needed: the link from the sender to the receiver")
    back = _link(given.pop("return"), "return", given)
    given["ways_out"] = tuple(WayOut.parse(text) for text in given["ways_out"])
    emulation = Emulation(command=program, forward_link=forward, return_link=back, **given)
    if keep is not None:
        own_folder(keep)
    result = run(emulation, record=keep is not None)
    if keep is not None:
        save(result, keep)
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
    if not quiet:
        click.echo(_summary(result), err=True)
    return result.status


def _link(path: str | None, direction: str, given: dict[str, Any]) -> Link | None:
    """Take the options of one direction out of `given` and make its link of them."""
    name = {"forward": "LINK", "return": "--return"}[direction]
    rate_bps = given.pop(f"{direction}_rate")
    lldu_bytes, offset_ns = given.pop(f"{direction}_lldu_bytes"), given.pop(f"{direction}_offset")
    if path is not None and rate_bps is not None:
        raise UsageError(f"{name} and --{direction}-rate exclude each other: a trace has its own rate")
    if path is None and (lldu_bytes is not None or offset_ns):
        raise UsageError(f"--{direction}-lldu-bytes and --{direction}-offset need a trace, {name}")
    if path is not None:
        return TraceLink(path, lldu_bytes, offset_ns)
    return None if rate_bps is None else PlainLink(rate_bps)


COUNTS = (
    ("packets sent", "packets_arrived"),
    ("  delivered", "packets_delivered"),
    ("  lost on the link", "packets_lost"),
    ("  unsettled at the trace's end", "packets_unsettled"),
    ("  dropped, queue full", "packets_overflowed"),
    ("  still under way", "packets_under_way"),
)
"""Rows of the summary that count IP packets."""

TIMES = (
    ("delay, least", "delay_least_s"),
    ("delay, median", "delay_p50_s"),
    ("delay, 95 %", "delay_p95_s"),
    ("delay, 99 %", "delay_p99_s"),
)
"""Rows of the summary that are one-way delays."""


def _summary(result: EmulationResult) -> str:
    """Write what the packets met, both directions side by side."""
    row: dict[str, Any] = result.row
    lines = [
        f"tmt emulate: {row['duration_s']:.3g} s, flows {row['flows']}, RTT {row['rtt_s']} s, "
        f"queue {row['queue_packets']} packets",
        _line("", "forward", "return"),
        _line(
            "link", *(row[f"{d}_trace"] or f"{row[f'{d}_rate_bps']:g} bit/s" for d in ("forward", "return"))
        ),
    ]
    for label, name in COUNTS:
        values = [row[f"{direction}_{name}"] for direction in ("forward", "return")]
        if any(values) or name in {"packets_arrived", "packets_delivered"}:
            lines.append(_line(label, *(f"{value:,}" for value in values)))
    rates = (f"{row[f'{direction}_delivered_bps'] / 1000:,.1f} kbit/s" for direction in ("forward", "return"))
    lines.append(_line("IP bytes delivered", *rates))
    for label, name in TIMES:
        lines.append(_line(label, *(_milliseconds(row[f"{d}_{name}"]) for d in ("forward", "return"))))
    for label, name in (("lateness, 99 %", "lateness_p99_s"), ("lateness, most", "lateness_most_s")):
        lines.append(_line(label, *(_milliseconds(row[f"{d}_{name}"]) for d in ("forward", "return"))))
    return "\n".join(lines)


def _line(label: str, forward: object, back: object) -> str:
    return f"{label:<32}{forward!s:>18}{back!s:>18}".rstrip()


def _milliseconds(value: Any) -> str:
    return "-" if value is None else f"{1000 * value:,.2f} ms"
