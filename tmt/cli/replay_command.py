"""`tmt replay`: one run of ns-2, as a table of what was measured."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tmt.cli.link_options import (
    COUNT,
    DELIVERY_OPTIONS,
    FORWARD_OPTIONS,
    QUEUE,
    RATE,
    RETURN_OPTIONS,
    RTT,
    chosen_link,
)
from tmt.cli.options import POSITIVE_SECONDS, SECONDS, Number, WholeNumber, with_options
from tmt.cli.scheme_options import ONLINE_NAMES, SCHEME_PARAMETERS, chosen_schemes, options_of_schemes
from tmt.errors import UsageError
from tmt.experiment.experiment import Experiment
from tmt.experiment.record_files import save
from tmt.run_columns import RUN_RESULTS
from tmt.settings.access import MIN_BUFFER_PACKETS, Proxy, WiredHop
from tmt.settings.coding import Coding
from tmt.settings.links import TraceLink
from tmt.settings.tcp import DEFAULT_STACK, FECTCP, STACKS, TCP_VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.experiment.measure import ExperimentResult, Value
    from tmt.settings.links import Link

FILE = click.Path(path_type=Path)
NAME_WIDTH, VALUE_WIDTH, UNIT_WIDTH = 22, 11, 8
LEAST_WIDTH = 72
"""Columns of the output at least; a narrower terminal folds the lines."""

OPTIONS = (
    click.option(
        "--tcp", type=click.Choice(list(TCP_VARIANTS)), default="cubic", help="TCP variant of all flows."
    ),
    click.option(
        "--stack",
        type=click.Choice(list(STACKS)),
        default=DEFAULT_STACK,
        help="TCP stack: as in 2009 (Linux 2.6.22), or with today's loss recovery, which BBR needs.",
    ),
    click.option("--forward", metavar="TRACE", help="Link trace from the senders to the receivers."),
    *FORWARD_OPTIONS,
    *RETURN_OPTIONS,
    RTT,
    click.option(
        "--duration", "duration_ns", type=POSITIVE_SECONDS, required=True, help="Simulated time at most."
    ),
    click.option(
        "--transfer-bytes", type=COUNT, help="TCP payload that each flow sends; else it never ends."
    ),
    QUEUE,
    click.option(
        "--window", "window_packets", type=COUNT, help="Bound on TCP's window; else BDP plus queue."
    ),
    click.option(
        "--packet-bytes", type=COUNT, default=1500, show_default=True, help="IP size of a full packet."
    ),
    click.option("--flows", type=COUNT, default=1, show_default=True, help="Number of TCP flows."),
    click.option("--start", "start_ns", type=SECONDS, default=0, help="When flows may start.  [default: 0]"),
    click.option(
        "--start-spread",
        "start_spread_ns",
        type=SECONDS,
        default=0,
        help="Each flow starts at random within this time after --start.  [default: 0]",
    ),
    click.option("--seed", type=COUNT, default=1, show_default=True, help="Number of the random substream."),
    *DELIVERY_OPTIONS,
    click.option("--delayed-acks", is_flag=True, help="Receivers acknowledge every second packet."),
)
"""Settings of an `Experiment`."""

ACCESS_OPTIONS = (
    click.option(
        "--wired-rate", type=RATE, metavar="BIT/S", help="A wired hop of this rate before the link."
    ),
    click.option("--wired-delay", type=SECONDS, help="Its propagation time, one way.  [default: 0]"),
    click.option(
        "--wired-loss",
        type=Number(0, 1),
        help="Probability that it loses a data packet.  [default: 0]",
    ),
    click.option("--proxy", is_flag=True, help="A proxy between wired hop and link splits the connections."),
    click.option(
        "--proxy-tcp", type=click.Choice(list(TCP_VARIANTS)), help="TCP variant over the link; else --tcp."
    ),
    click.option("--proxy-stack", type=click.Choice(list(STACKS)), help="TCP stack there; else --stack."),
    click.option(
        "--proxy-buffer",
        type=WholeNumber(MIN_BUFFER_PACKETS),
        help="Segments of one connection that the proxy holds; else --window.",
    ),
    click.option(
        "--proxy-delay", type=SECONDS, help="From a segment's arrival until it may be sent on.  [default: 0]"
    ),
)
"""What stands before the link (docs/proxy.md)."""

CODING_OPTIONS = (
    click.option(
        "--code",
        metavar="CODE",
        help="Of FECTCP: raptorq, lt, or a fixed overhead as 5%.  [default: raptorq]",
    ),
    click.option(
        "--block-segments", type=COUNT, help="Of FECTCP: segments of data that are coded as one at most."
    ),
)
"""How FECTCP codes (docs/fectcp.md)."""

ONLINE = click.option(
    "--online",
    type=click.Choice(ONLINE_NAMES),
    help="The forward trace is a PHY trace, and this scheme works on the packets that come (docs/online.md).",
)
"""With the options of the schemes, as `tmt convert` has them."""

OUTPUT_OPTIONS = (
    click.option("--timeout", type=Number(0, min_open=True), help="Seconds after which ns-2 is killed."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table."),
    click.option("--keep", type=FILE, metavar="DIR", help="Keep the records of the run in this new folder."),
    click.option("--plot", type=FILE, metavar="FILE", help="Draw the run over time: .png, .svg or .pdf."),
)
"""What happens around it."""


@click.command(name="replay")
@with_options(
    *OPTIONS,
    *CODING_OPTIONS,
    *ACCESS_OPTIONS,
    ONLINE,
    options_of_schemes(*ONLINE_NAMES),
    *OUTPUT_OPTIONS,
)
def command(timeout: float | None, as_json: bool, keep: Path | None, plot: Path | None, **given: Any) -> None:
    """Run TCP over link traces in ns-2, once, and say what came of it.

    Senders and receivers are joined by a forward and a return link, each a link trace or a plain link of
    constant rate. A trace decides when packets are sent, how long the link takes to deliver them, and which
    are lost; half of the RTT comes on top in each direction. All times are in seconds. BDP is the
    bandwidth-delay product of the path, in packets.

    \b
    Examples:
      tmt replay --forward link.parquet --tcp cubic --rtt 0.5 --duration 50
      tmt replay --forward phy.parquet --online harq --data 10 --repair 2 --rtt 0.5 --duration 50
      tmt replay --forward-rate 2e6 --tcp hybla --rtt 0.5 --duration 300 --plot hybla.svg
      tmt replay --forward link.parquet --tcp newreno --rtt 0.5 --duration 600 --transfer-bytes 1000000 --json
    """
    forward = chosen_link(given.pop("forward"), "--forward", "forward", given)
    if forward is None:
        raise UsageError("--forward or --forward-rate is needed: the link from the senders to the receivers")
    if plot is not None:
        from tmt.figures.style import check_format  # noqa: PLC0415  (matplotlib takes long to import)

        check_format(plot)
    forward = _with_scheme(forward, given)
    back = chosen_link(given.pop("return"), "--return", "return", given)
    wired, proxy = _before_link(given)
    coding = _coding(given)
    experiment = Experiment(
        forward_link=forward, return_link=back, wired=wired, proxy=proxy, coding=coding, **given
    )
    with _spinner(f"ns-2 runs {experiment.tcp}"):
        result = experiment.run(keep, timeout)
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
    if keep is not None:
        save(result, keep)
    if plot is not None:
        _draw(result, plot)
    if as_json:
        click.echo(json.dumps(result.row, indent=2))
    else:
        _print(result)


def _before_link(given: dict[str, Any]) -> tuple[WiredHop | None, Proxy | None]:
    """Take the options of wired hop and proxy out of `given`, and make of them what they name."""
    rate_bps, is_split = given.pop("wired_rate"), given.pop("proxy")
    wired = {"delay_ns": given.pop("wired_delay"), "loss": given.pop("wired_loss")}
    proxy = {
        "tcp": given.pop("proxy_tcp"),
        "stack": given.pop("proxy_stack"),
        "buffer_packets": given.pop("proxy_buffer"),
        "delay_ns": given.pop("proxy_delay"),
    }
    if rate_bps is None and any(value is not None for value in wired.values()):
        raise UsageError("--wired-delay and --wired-loss need --wired-rate")
    if not is_split and any(value is not None for value in proxy.values()):
        raise UsageError("--proxy-tcp, --proxy-stack, --proxy-buffer and --proxy-delay need --proxy")
    if is_split and rate_bps is None:
        raise UsageError("--proxy needs --wired-rate: it stands between a wired hop and the link")
    wired["delay_ns"] = wired["delay_ns"] or 0
    wired["loss"] = wired["loss"] or 0.0
    proxy["delay_ns"] = proxy["delay_ns"] or 0
    return (
        None if rate_bps is None else WiredHop(rate_bps=rate_bps, **wired),
        Proxy(**proxy) if is_split else None,
    )


def _coding(given: dict[str, Any]) -> Coding | None:
    """Take FECTCP's options out of `given`, and make of them how it codes; None: they were not used."""
    options = {name: given.pop(name) for name in ("code", "block_segments")}
    used = {name: value for name, value in options.items() if value is not None}
    if used and given["tcp"] != FECTCP:
        raise UsageError(f"--code and --block-segments need --tcp {FECTCP}")
    return Coding(**used) if used else None


def _with_scheme(forward: Link, given: dict[str, Any]) -> Link:
    """Take the schemes' options out of `given`, and let the scheme that they name work on the link."""
    from tmt.schemes import ONLINE_SCHEMES  # noqa: PLC0415  (numpy takes long to import)

    online, rtt_ns = given.pop("online"), given["rtt_ns"]
    names = () if online is None else (online,)
    schemes = chosen_schemes("--online", names, ONLINE_SCHEMES, rtt_ns=rtt_ns)
    for name in SCHEME_PARAMETERS.keys() - {"rtt_ns"}:
        given.pop(name)
    if not schemes:
        return forward
    if not isinstance(forward, TraceLink):
        raise UsageError(f"--online {online} needs a PHY trace, --forward")
    return replace(forward, scheme=schemes[0])


@contextmanager
def _spinner(text: str) -> Iterator[None]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn(text), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        progress.add_task(text, total=None)
        yield


def _draw(result: ExperimentResult, path: Path) -> None:
    from tmt.figures import replay, style  # noqa: PLC0415

    row = result.row
    tcp, link = str(row["tcp"]), row["forward_trace"] or "a plain link"
    stack = "" if row["stack"] == DEFAULT_STACK else f", {row['stack']} stack,"
    name = style.TCP_STYLES[tcp].label if tcp == FECTCP else f"TCP {style.TCP_STYLES[tcp].label}"
    title = f"{name}{stack} over {link}, RTT {row['rtt_s']} s"
    rate_bps = cast("float", row["forward_rate_bps"])
    style.save(replay.draw(result.timeline(), tcp=tcp, title=title, rate_bps=rate_bps), path)


def _print(result: ExperimentResult) -> None:
    """Print what was simulated, then the figures that the run has, under what they count."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console(highlight=False)
    console.width = max(console.width, LEAST_WIDTH)
    present = [column for column in RUN_RESULTS if result.row[column.name] is not None]
    given = [f"{c.name} {_shown(result.row[c.name])}" for c in present if c.group == "scenario"]
    console.print(", ".join(given), markup=False)
    measured = [column for column in present if column.group not in {"scenario", "provenance"}]
    for counts, columns in groupby(measured, key=lambda column: column.counts):
        console.print(f"\n[bold]{counts or 'the run itself'}[/bold]")
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(width=NAME_WIDTH)
        table.add_column(justify="right", width=VALUE_WIDTH)
        table.add_column(width=UNIT_WIDTH)
        table.add_column(ratio=1, style="dim")
        for column in columns:
            table.add_row(column.name, _shown(result.row[column.name]), column.unit, column.meaning)
        console.print(table)
    console.print(f"\nsimulator {result.row['simulator']}", markup=False, soft_wrap=True)
    console.print(str(result.row["command"]), markup=False, soft_wrap=True)


def _shown(value: Value) -> str:
    """Write a value for people, to four digits where it is small."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float() if abs(value) < 1000:
            return f"{value:.4g}"
        case int() | float():
            return f"{value:,.0f}"
        case _:
            return str(value)
