"""`tmt new`: a scenario file to start from."""

from __future__ import annotations

import math
from dataclasses import MISSING, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import FILE, OUT
from tmt.cli.progress import print_notes, say, working
from tmt.cli.values import Values, by_options
from tmt.core.channels.lms import Lms
from tmt.core.declaration import Count, Param, Spec, ns
from tmt.core.errors import UsageError
from tmt.core.measure.link import summarise
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.rlc import Rlc
from tmt.core.units import NS_PER_S
from tmt.core.words.values import time_notes
from tmt.io import open_trace
from tmt.io.atomic import write_text
from tmt.run.setup import MIN_QUEUE_PACKETS
from tmt.spec import toml, toml_text
from tmt.spec.options import Part
from tmt.spec.path import MAX_PACKETS, Path as LinkPath
from tmt.spec.scenario import Scenario
from tmt.spec.stacks import Variant
from tmt.spec.trace import Trace
from tmt.spec.traffic import Seed, Traffic

with imported_when_used():
    from tmt.campaign import plan, recipe

if TYPE_CHECKING:
    from tmt.core.declaration import Rules
    from tmt.core.problems import Place
    from tmt.core.schemes.scheme import Scheme

EXAMPLES: dict[str, dict[str, Any]] = {
    "fec": {"data": 10, "repair": 2},
    "harq": {"data": 10, "repair": 2},
    "sliding-window": {"coding_window": 100, "repair_interval": 8},
    "tetrys": {"coding_window": 512, "repair_interval": 16},
}

NAMES = (
    *(name for name, kind in SCHEMES.items() if kind.converts),
    *(f"rlc-over-{name}" for name, kind in SCHEMES.items() if kind.converts and name not in {"none", "rlc"}),
)

GENERATED = tuple(
    Trace(channel=Lms("internet", es_n0_db=es_n0_db), length=600, label="Es/N0 {es_n0_db} dB")
    for es_n0_db in (5, 8)
)
"""A car behind a satellite."""

GENERATED_QUEUE = 40
"""Packets: more than the queue's rate times the round trip, because repairs in the shadow take several round
trips.
"""

HEAD = """\
# `tmt run {name}` runs every combination, `tmt report out/{stem}` shows the results. A list of values is an
# axis of the comparison (docs/scenarios.md).
"""


class Compared(Spec):
    """What the scenario compares."""

    trace: Annotated[
        tuple[str, ...],
        "PHY traces to compare over, with commas between them",
        Param(absent="a generated satellite channel", is_path=True),
    ] = ()
    every: Annotated[
        Count | None,
        "every n-th slot of the trace is this user's",
        Param(absent="1; 10 of the generated channel"),
    ] = None
    tcp: Annotated[tuple[Variant | str, ...], "TCP variants, with commas between them"] = (
        "newreno",
        "cubic",
        "bbr",
    )
    scheme: Annotated[
        tuple[Literal[NAMES], ...],  # type: ignore[valid-type]
        "link-layer schemes, with commas between them",
    ] = ("arq", "harq")
    seeds: Annotated[Seed, "number of seeds, runs of each cell"] = 5

    def rules(self) -> Rules:
        """Refuse a name that occurs twice."""
        for key in ("trace", "tcp", "scheme"):
            names = getattr(self, key)
            for at, name in enumerate(names):
                if name in names[:at]:
                    yield (key, at), "each name once", "is listed twice"

    def scenario(self, path: LinkPath, traffic: Traffic) -> Scenario:
        """Return the scenario, whose queue has no size yet (Refused)."""
        if not self.trace:
            traces = tuple(replace(trace, every=self.every) for trace in GENERATED)
        else:
            is_drawn = self.seeds > 1 and path.loop
            offset: Literal["drawn"] | None = "drawn" if is_drawn else None
            traces = tuple(Trace(file, every=self.every, offset=offset) for file in self.trace)
        return Scenario(
            trace=traces,
            scheme=tuple(_scheme(name, path.rtt) for name in self.scheme),
            path=(path,),
            traffic=tuple(replace(traffic, tcp=name) for name in self.tcp),
            title=f"{', '.join(self.tcp)} over {', '.join(self.scheme)}",
            seeds=self.seeds,
            records=(1,),
        )


def _scheme(name: str, rtt: float) -> Scheme:
    if not name.startswith("rlc"):
        return SCHEMES[name](**EXAMPLES.get(name, {}))
    prohibit = round(1.2 * rtt, 9)  # more than a round trip: fewer reports, no needless retransmissions
    below = name.removeprefix("rlc").removeprefix("-over-") or "none"
    return Rlc(SCHEMES[below](**EXAMPLES.get(below, {})), status_prohibit=prohibit)


VALUES = {
    "compared": Compared,
    "path": Part(("path",), LinkPath, LinkPath(rtt=0.5)),
    "traffic": Part(("traffic",), Traffic, Traffic(duration=120), hidden={"tcp": MISSING, "seeds": MISSING}),
}


class _New(Values):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say how to give several values when they are separate arguments."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "extra argument" not in error.message:
                raise
            said = f"{error.message}; several values of an option have commas between them: --scheme arq,harq"
            raise click.UsageError(said, ctx) from None


@click.command(cls=_New, values=VALUES)
@click.argument("scenario", type=OUT)
@click.option("--from", "source", type=FILE, help="Convert this scenario of version 0.2 to the present form.")
def command(scenario: str, source: str | None, compared: Compared, path: LinkPath, traffic: Traffic) -> None:
    """Write the scenario file SCENARIO, ready for `tmt run`; comments explain its keys.

    The file is checked before it is written. An existing file is kept.

    For your own traces the queue is about one bandwidth-delay product: the highest mean rate, the RTT and the
    mean decode time. With several seeds, each draws its start in the trace, because runs from the same start
    hardly differ.

    \b
    A comparison over a trace of one's own:
      tmt new mine.toml --trace phy.parquet --tcp cubic,bbr \\
          --scheme none,arq --rtt 0.05
      tmt run mine.toml
    The link layer of 5G over a LEO satellite:
      tmt new leo.toml \\
          --scheme harq-processes,rlc,rlc-over-harq-processes --rtt 0.025
    A scenario file of version 0.2 in the present form, without its comments:
      tmt new today.toml --from old.toml
    """
    file = Path(scenario)
    if file.exists():
        raise UsageError(f"{scenario}: this file is there already; name another one")
    if source is not None:
        made = toml.read(Path(source)).scenario
    else:
        print_notes(time_notes("--rtt", ns(path.rtt)))
        options: dict[Place, Place | str] = {("scheme",): "--scheme"}
        options |= {("trace", at): "--trace" for at in range(max(len(compared.trace), 1))}
        with by_options(options), working("reads the trace"):
            made = compared.scenario(path, traffic)
            plan.expand(made, lambda *_: ("", ""))  # checks without the programs that would run
            if path.queue_packets is None and not path.is_limited_otherwise:
                queue = GENERATED_QUEUE
                if compared.trace:
                    queue = max(_one_pipe(trace, path.rtt, traffic.packet_bytes) for trace in made.trace)
                made = replace(made, path=(replace(path, queue_packets=queue),))
    text = toml_text.text_of(made, toml_text.relative_to(file.parent), explained=source is None)
    write_text(file, text if source is not None else HEAD.format(name=file.name, stem=file.stem) + text)
    say(f"{scenario}: `tmt run {scenario} --dry-run` says how many runs it has")


def _one_pipe(trace: Trace, rtt: float, packet_bytes: int) -> int:
    """Return the bandwidth-delay product of a file in packets, at least what short bursts need."""
    found = recipe.source_of(trace, ("trace", 0))
    with open_trace(str(found.file)) as reader:
        summary = summarise(reader, reader.metadata, lldu_bytes=found.lldu_bytes)
    rates, decoded_ns = summary.bit_rates, summary.delays.summary().mean or 0.0
    assert rates is not None  # the file's sizes are known
    size = packet_bytes
    if found.packing == "padded" and found.lldu_bytes is not None:
        size = math.ceil(packet_bytes / found.lldu_bytes) * found.lldu_bytes
    round_trip_s = rtt + decoded_ns / NS_PER_S
    packets = rates.all_bps / trace.kept * round_trip_s / (8 * size)
    return min(max(round(packets), MIN_QUEUE_PACKETS), MAX_PACKETS)
