"""`tmt replay`: run ns-2 once and print the measured figures."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.json_output import json_text
from tmt.cli.link_options import FORWARD_OPTIONS, RETURN_OPTIONS, chosen_link
from tmt.cli.notes import print_notes
from tmt.cli.options import JSON, FigurePath, Number, one_of, with_options
from tmt.cli.parameter_options import options_of, options_of_group, taken_settings
from tmt.cli.scheme_options import ONLINE_NAMES, SCHEME_PARAMETERS, chosen_schemes, options_of_schemes
from tmt.core.errors import UsageError
from tmt.core.words.html_table import spelled_number
from tmt.run.experiment import Experiment
from tmt.spec.links import TraceLink
from tmt.spec.run_columns import RUN_RESULTS
from tmt.spec.settings import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.run.measure import ExperimentResult
    from tmt.spec.links import Link

NAME_WIDTH, VALUE_WIDTH, UNIT_WIDTH = 22, 11, 8
LEAST_WIDTH = 72
"""Least width of the output in columns; a narrower terminal folds the lines."""

OPTIONS = (
    *options_of("tcp", "stack", tcp="cubic"),
    click.option("--forward", metavar="TRACE", help="Link trace from the senders to the receivers."),
    *FORWARD_OPTIONS,
    *RETURN_OPTIONS,
    *options_of(*(one.name for one in PARAMETERS if not one.group and one.name not in {"tcp", "stack"})),
    *options_of_group("coding"),
    *options_of_group("wired"),
    click.option(
        "--proxy", is_flag=True, help="Split the connections by a proxy between wired hop and link."
    ),
    *options_of_group("proxy"),
)
"""Settings of an `Experiment`."""

ONLINE = click.option(
    "--online",
    **one_of(
        ONLINE_NAMES,
        "Run this scheme during the simulation; the forward trace is a PHY trace (docs/online.md)",
    ),
)
"""The online scheme; its options are those of `tmt convert`."""

OUTPUT_OPTIONS = (
    click.option("--timeout", type=Number(0, min_open=True), help="Seconds after which ns-2 is killed."),
    JSON,
    click.option(
        "--keep",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Keep the records of the run in this new folder.",
    ),
    click.option(
        "--plot", type=FigurePath(Path), help="Draw the run over time: .png, .svg, .pdf, .html or .json."
    ),
)
"""Options about the process and its output."""


@click.command(name="replay")
@with_options(
    *OPTIONS,
    ONLINE,
    options_of_schemes(*ONLINE_NAMES, online=True),
    *OUTPUT_OPTIONS,
)
def command(timeout: float | None, as_json: bool, keep: Path | None, plot: Path | None, **given: Any) -> None:
    """Run TCP over link traces in ns-2 once, and print the measured figures.

    A forward and a return link join senders and receivers. Each is a link trace or a link of constant rate. A
    trace decides when packets are sent, how long the link takes to deliver them, and which packets are lost.
    Each direction adds half of the RTT. All times are in seconds.

    The default stack recovers from losses as TCP does today. The papers used stack 2009, which takes packets
    out of order for lost ones: over a link with --any-order it may reach a third of the goodput.

    \b
    Examples:
      tmt replay --forward link.parquet --tcp cubic --rtt 0.5 --duration 50
      tmt replay --forward phy.parquet --online harq \\
          --data 10 --repair 2 --rtt 0.5 --duration 50
      tmt replay --forward-rate 2e6 --tcp hybla --rtt 0.5 \\
          --duration 300 --plot hybla.svg
      tmt replay --forward link.parquet --tcp newreno --rtt 0.5 \\
          --duration 600 --transfer-bytes 1000000 --json
    """
    forward = chosen_link(given.pop("forward"), "--forward", "forward", given)
    if forward is None:
        raise UsageError("--forward or --forward-rate is needed: the link from the senders to the receivers")
    forward = _with_scheme(forward, given)
    back = chosen_link(given.pop("return"), "--return", "return", given)
    del given["packing"]
    experiment = Experiment(forward_link=forward, return_link=back, **taken_settings(given))
    with _spinner(f"ns-2 runs {experiment.tcp}"):
        result = experiment.run(keep, timeout)
    print_notes(result.notes)
    if keep is not None:
        result.save(keep)
    if plot is not None:
        from tmt.show.charts.files import save_chart  # noqa: PLC0415
        from tmt.show.charts.over_time import run_chart  # noqa: PLC0415  (altair takes long to import)

        save_chart(run_chart(result), plot)
    if as_json:
        click.echo(json_text(result.row))
        return
    _print(result)


def _with_scheme(forward: Link, given: dict[str, Any]) -> Link:
    """Remove the schemes' options from `given`, and return the link with the online scheme that they name."""
    from tmt.core.schemes.registry import ONLINE_SCHEMES  # noqa: PLC0415  (numpy takes long to import)

    online, rtt_ns = given.pop("online"), given["rtt_ns"]
    names = () if online is None else (online,)
    schemes = chosen_schemes("--online", names, ONLINE_SCHEMES, rtt_ns=rtt_ns)
    for name in SCHEME_PARAMETERS.keys() - {"rtt_ns"}:
        given.pop(name, None)
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


def _print(result: ExperimentResult) -> None:
    """Print the settings of the run, then its figures, grouped by counting rule."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from tmt.cli.tables import print_parts  # noqa: PLC0415

    present = [column for column in RUN_RESULTS if result.row[column.name] is not None]
    given = [f"{c.name} {spelled_number(result.row[c.name])}" for c in present if c.group == "scenario"]
    parts: list[Table | Text | str] = [", ".join(given)]
    measured = [column for column in present if column.group not in {"scenario", "provenance"}]
    for counts, columns in groupby(measured, key=lambda column: column.counts):
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(width=NAME_WIDTH)
        table.add_column(justify="right", width=VALUE_WIDTH)
        table.add_column(width=UNIT_WIDTH)
        table.add_column(ratio=1, style="dim")
        for column in columns:
            table.add_row(column.name, spelled_number(result.row[column.name]), column.unit, column.meaning)
        parts += [Text(f"\n{counts or 'the run itself'}", style="bold"), table]
    print_parts(*parts, least_width=LEAST_WIDTH)
    click.echo(f"\nsimulator {result.row['simulator']}\n{result.row['command']}")
