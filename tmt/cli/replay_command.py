"""`tmt replay`: run TCP over two links once and print the measured figures."""

from __future__ import annotations

import json
from dataclasses import MISSING, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.links import OLD_NAMES, Links
from tmt.cli.options import JSON, POSITIVE_SECONDS, FigurePath, OutputPath, Value, json_text, output_option
from tmt.cli.progress import print_notes, print_warnings, say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import CHOSEN, Values, by_options, flat_rlc
from tmt.core.declaration import declared, ns
from tmt.core.errors import InputError, OtherKindError
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.scheme import Scheme
from tmt.core.words.html_table import spelled_number
from tmt.core.words.values import rate_unit, time_notes
from tmt.spec.experiment import Experiment
from tmt.spec.options import Part
from tmt.spec.path import Path as LinkPath
from tmt.spec.programs import Program
from tmt.spec.traffic import Seed, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tmt.run.experiment import ExperimentResult
    from tmt.spec.settings import Value as Figure

with imported_when_used():
    from rich import table as tables, text as texts

    from tmt import io
    from tmt.results import measures
    from tmt.run import experiment as experiments
    from tmt.show import qlog as logs
    from tmt.show.charts import files as figures, over_time
    from tmt.spec import columns

SHORT = (
    "goodput_bps",
    "completion_s",
    "delay_median_s",
    "delay_p95_s",
    "retransmission_ratio",
    "timeouts",
    "forward_utilisation",
    "forward_link_lost",
    "forward_queue_dropped",
)
"""Columns that the terminal shows without `--details`."""

OF_JSON = ("groups", "measures", "ends", "flow_figures")
"""Result columns that hold JSON."""

ENDS = ("program", "start_s", "end_s", "status", "end", "stdout_bytes", "stderr_bytes")

FLOWS = (
    *("protocol", "server_port", "client_port", "start_s", "end_s", "forward_bytes", "return_bytes"),
    *("forward_lost", "forward_dropped", "goodput_bps", "delay_p95_s"),
)

FLOWS_SHOWN = 10

OF_GROUPS = ("group", "goodput_bps", "share", "convergence_s", "delay_p95_s", "retransmissions", "timeouts")
"""Keys of the result column `groups` that the terminal shows."""

NAME_WIDTH, VALUE_WIDTH, UNIT_WIDTH = 22, 11, 8
LABEL_WIDTH = 28
MOST_LOAD = 60
"""Longest text of the programs' commands in the headline, in characters."""

LEAST_WIDTH = 72
"""Least width of the output in columns; a narrower terminal wraps the lines."""

_BESIDE_PROGRAMS = (
    "beside programs, TRACE and --return are link traces (`tmt convert PHY LINK --scheme none` makes one), "
    "--second-trace is a PHY trace"
)

OF_SCENARIOS = dict.fromkeys(("return_link", "return_rate", "return_trace", "seeds"), MISSING)
"""Fields of a path and of traffic that only scenarios have; one run has links and a seed."""

VALUES = {
    "links": Links,
    "path": Part(("path",), LinkPath, hidden=OF_SCENARIOS),
    "traffic": Part(("traffic",), Traffic, hidden=OF_SCENARIOS),
    "programs": Part(("programs",), Program, usual=None, hidden=dict.fromkeys(declared(Traffic), MISSING)),
    "online": Part(
        ("online",),
        Scheme,
        usual=None,
        hidden={"online": True},
        among=SCHEMES,
        meaning="Scheme that works on TRACE, a PHY trace, during the run (docs/online.md).",
    ),
}

OLD = OLD_NAMES | {
    "--window": "--window-packets",
    "--receive-buffer": "--receive-buffer-bytes",
    "--proxy-buffer": "--proxy-buffer-packets",
}


@click.command(name="replay", cls=Values, values=VALUES, renamed=OLD, renew=partial(flat_rlc, "--online"))
@click.argument("trace", metavar="[TRACE]", required=False, type=click.Path(readable=False))
@click.option("--forward", type=click.Path(readable=False), hidden=True, help="Old name of TRACE.")
@click.option("--seed", type=Value("number", Seed), default=1, help="Number of the random substream.")
@click.option("--timeout", type=POSITIVE_SECONDS, help="Seconds after which the run is killed.")
@click.option("--details", is_flag=True, help="Print every figure of the run with its meaning.")
@JSON
@output_option("Keep the records of the run in this new folder.", is_folder=True)
@click.option("--plot", type=FigurePath(Path), help="Draw the run over time: .png, .svg or .pdf.")
@click.option("--qlog", type=OutputPath(Path), help="Log the senders for a viewer of qlog, such as qvis.")
def command(
    trace: str | None,
    forward: str | None,
    links: Links,
    path: LinkPath,
    traffic: Traffic,
    programs: Program | None,
    online: Scheme | None,
    seed: int,
    timeout: float | None,
    details: bool,
    as_json: bool,
    output: Path | None,
    plot: Path | None,
    qlog: Path | None,
) -> None:
    """Run TCP over links once, and print the main figures.

    A forward and a return link join senders and receivers. Each is a link trace or a link of constant rate.
    TRACE is the trace of the forward link: it decides when packets are sent, how long the link takes to
    deliver them, and which packets are lost. Each direction adds half of the RTT. All times are in seconds.

    The default stack recovers from losses as TCP does today. The papers used stack 2009, which treats packets
    out of order as lost: over a link with --no-in-order it may reach only a third of the goodput.

    With --client and --server, shell commands, unmodified programs send and receive in simulated time
    (docs/programs.md): servers are where the forward link starts, clients where it ends.

    \b
    Examples:
      tmt replay link.parquet --tcp cubic --rtt 0.5 --duration 50
      tmt replay phy.parquet --online harq --data 10 --repair 2 \\
          --rtt 0.5 --duration 50
      tmt replay --rate 2e6 --tcp hybla --rtt 0.5 \\
          --duration 300 --plot hybla.svg
      tmt replay link.parquet --tcp newreno --rtt 0.5 \\
          --duration 600 --transfer-bytes 1000000 --json
      tmt replay link.parquet --rtt 0.1 --ready tcp:8000 \\
          --server "python3 -m http.server 8000" \\
          --client "curl -s -o page http://server:8000/"
    """
    if forward is not None:
        print_warnings(["--forward TRACE is called TRACE now"])
    with by_options():
        link = links.forward(trace or forward, online)
        if programs is not None:
            typed = ["stack"] if "--stack" in click.get_current_context().meta[CHOSEN] else []
            traffic = replace(programs, **{key: getattr(traffic, key) for key in [*traffic.said(), *typed]})
    with by_options({("forward", "scheme"): ("online",)}):
        experiment = Experiment(link, path, traffic, links.back(), seed)
    if qlog is not None:
        io.atomic.check_place(qlog)
        logs.check_qlog(experiment)
    print_notes([*links.notes(), *time_notes("--rtt", ns(path.rtt))])
    with working(f"{experiment.backend} runs {traffic.variants}"):
        try:
            result = experiments.run(experiment, output, timeout)
        except OtherKindError as error:
            if programs is None:
                raise
            raise InputError(error.path, f"{error.reason}; {_BESIDE_PROGRAMS}") from None
    print_notes(result.notes)
    if output is not None:
        result.save(output)
    if plot is not None:
        figures.save_chart(over_time.run_chart(result), plot)
    if qlog is not None:
        logs.write_qlog(result, qlog)
    if as_json:
        say(json_text(result.row))
    elif details:
        _print_details(result)
    else:
        _print(result, programs)


def _print(result: ExperimentResult, programs: Program | None) -> None:
    """Print the figures that most questions need, in units that suit their size."""
    row: Mapping[str, Any] = result.row
    names = [name for name in SHORT if row.get(name) is not None]
    if row["transfer_bytes"] is not None and "forward_utilisation" in names:
        names.remove("forward_utilisation")  # a transfer leaves the link idle after its end
    table = tables.Table.grid(padding=(0, 1))
    table.add_column(width=LABEL_WIDTH)
    table.add_column(justify="right", width=VALUE_WIDTH)
    table.add_column()
    protocol = "QUIC" if row["stack"] == "quic" else "TCP"
    for name in names:
        largest = row["delay_p99_s"] if name.startswith("delay_") else row[name]
        unit, scale = measures.unit_of(name, largest)
        label = measures.LABELS[name].replace("TCP", protocol)
        number = row[name] if isinstance(row[name], int) else row[name] * scale
        table.add_row(label, spelled_number(number), unit)
    print_parts(texts.Text(_headline(row, programs), style="bold"), table)
    print_parts(*_json_tables(row))
    say(f"Goodput counts {protocol} payload, each byte once. All figures: --details, --json")


def _headline(row: Mapping[str, Any], programs: Program | None) -> str:
    load, second = f"{row['tcp']} (stack {row['stack']})", ""
    if programs is not None:
        load = shorten(replace(programs, second=None).title, MOST_LOAD, placeholder=" ...")
        if programs.second is not None:
            link = programs.second.trace or _rate(programs.second.rate or 0)
            second = f"; second path: {link}, RTT {programs.second.rtt:g} s"
    link = row["forward_trace"] or "a link"
    mean = " in the mean" if row["forward_trace"] else ""
    return (
        f"{load} over {link}, {_rate(row['forward_rate_bps'])}{mean}, RTT {row['rtt_s']:g} s, "
        f"{row['simulated_s']:.4g} s{second}"
    )


def _rate(rate_bps: float) -> str:
    unit, factor = rate_unit(rate_bps)
    return f"{factor * rate_bps:.4g} {unit}"


def _print_details(result: ExperimentResult) -> None:
    present = [c for c in columns.RUN_RESULTS if result.row[c.name] is not None and c.name not in OF_JSON]
    given = [f"{c.name} {spelled_number(result.row[c.name])}" for c in present if c.group == "scenario"]
    parts: list[tables.Table | texts.Text | str] = [", ".join(given)]
    measured = [column for column in present if column.group not in {"scenario", "provenance"}]
    for counts, members in groupby(measured, key=lambda column: column.counts):
        table = tables.Table.grid(padding=(0, 2), expand=True)
        table.add_column(width=NAME_WIDTH)
        table.add_column(justify="right", width=VALUE_WIDTH)
        table.add_column(width=UNIT_WIDTH)
        table.add_column(ratio=1, style="dim")
        for column in members:
            table.add_row(column.name, spelled_number(result.row[column.name]), column.unit, column.meaning)
        parts += [texts.Text(f"\n{counts or 'the run itself'}", style="bold"), table]
    parts += _json_tables(result.row, flows=True)
    print_parts(*parts, least_width=LEAST_WIDTH)
    say(f"\nsimulator {result.row['simulator']}\n{result.row['command']}")


def _json_tables(row: Mapping[str, Figure], *, flows: bool = False) -> Iterator[tables.Table | str]:
    """Yield tables of the columns that hold JSON; the table of the programs' flows only on request."""
    groups, measures, ends, seen = (json.loads(str(row[name])) if row[name] else None for name in OF_JSON)
    if groups:
        yield _records_table(OF_GROUPS, groups, {0})
    if measures:
        said = [[name, _spelled(one["value"]), one["unit"]] for name, one in measures.items()]
        yield text_table("", ("measure", "value", "unit"), said, {0, 2})
    if ends:
        yield _records_table(ENDS, ends, {0, 4})
    if flows and seen:
        yield _records_table(FLOWS, seen[:FLOWS_SHOWN], {0})
        if len(seen) > FLOWS_SHOWN:
            yield f"and {len(seen) - FLOWS_SHOWN} flows with fewer bytes: see flow_figures (--json)"


def _records_table(keys: tuple[str, ...], records: list[dict[str, Any]], left: set[int]) -> tables.Table:
    return text_table("", keys, [[_spelled(one[key]) for key in keys] for one in records], left)


def _spelled(value: Figure) -> str:
    """Return a value as a table shows it; empty for None."""
    return "" if value is None else spelled_number(value)
