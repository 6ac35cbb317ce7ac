"""`tmt convert`: make the link traces of schemes from PHY traces."""

from __future__ import annotations

from dataclasses import MISSING, asdict
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from tmt.cli.json_output import json_text
from tmt.cli.notes import beginning, gap_notes, phy_notes, print_notes, rtt_ns_of, stall_notes
from tmt.cli.old_options import flat_rlc
from tmt.cli.options import JSON, ROUND_TRIP, WholeNumber, output_option
from tmt.cli.progress import progress_bar
from tmt.cli.row_counts import rows_of
from tmt.cli.values import Values
from tmt.core.errors import UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import ns_to_seconds
from tmt.core.words.values import unsettled_notes
from tmt.spec.options import Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tmt.core.converter import Counts
    from tmt.io.conversion import Conversion

SCHEME = Part(
    ("scheme",),
    Scheme,
    is_many=True,
    hidden={"online": MISSING},
    among={name: kind for name, kind in SCHEMES.items() if kind.converts},
    meaning="Link-layer scheme against erasures; with --output several may be given, each once.",
)


@click.command(
    cls=Values,
    values={"scheme": SCHEME},
    renamed={"--out-dir": "--output"},
    renew=partial(flat_rlc, "--scheme"),
)
@click.argument("paths", metavar="PHY... [LINK]", nargs=-1, required=True)
@click.option(
    "--rtt",
    "rtt_ns",
    type=ROUND_TRIP,
    help="Round-trip time of the link in seconds; schemes without feedback ignore it.",
)
@click.option(
    "--every", type=WholeNumber(1), default=1, help="Keep every n-th slot: the share of one of n users."
)
@output_option(
    "Convert every PHY with every --scheme, into link traces PHY-SCHEME.npy in this folder.", is_folder=True
)
@JSON
def command(
    paths: tuple[str, ...],
    scheme: tuple[Scheme, ...],
    rtt_ns: int | None,
    every: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Turn the PHY trace PHY into the link trace LINK of a scheme; the endings choose the formats.

    Every slot of PHY is used. LINK has one row per data LLDU, with its delay and its fate. Times are in
    seconds. A trace may have any length: it is streamed, and LINK appears when it is complete.

    \b
    Selective-repeat ARQ over a satellite link, for one of ten users:
      tmt convert phy.parquet link.npy --scheme arq --rtt 0.5 --every 10
    Blocks of 10 data and 2 repair LLDUs, and more repair LLDUs on request:
      tmt convert phy.parquet link.npy --scheme harq \\
          --data 10 --repair 2 --rtt 0.5
    Several traces and schemes at once, on all cores:
      tmt convert a.parquet b.parquet --output links \\
          --scheme none --scheme arq --rtt 0.5
    """
    from tmt.io.atomic import make_folder  # noqa: PLC0415
    from tmt.io.conversion import convert_files  # noqa: PLC0415  (pyarrow takes long to import)

    needing = [one.name for one in scheme if one.uses_rtt]
    if needing and rtt_ns is None:
        raise UsageError(f"--rtt: is missing; {needing[0]} needs the round-trip time of the link in seconds")
    conversions = _conversions(paths, scheme, ns_to_seconds(rtt_ns or 0), every, output)
    slots = [rows_of(conversion.phy_path, PHY_TRACE) for conversion in conversions]
    if output is not None:
        make_folder(output)
    total = None if None in slots else sum(filter(None, slots))
    with progress_bar("convert", total, compiles=True) as progress:
        results = convert_files(conversions, progress)
    starts = {}
    for path in dict.fromkeys(conversion.phy_path for conversion in conversions):
        own = [conversion for conversion in conversions if conversion.phy_path == path]
        starts[path] = beginning(path, own)
        print_notes(phy_notes(path, starts[path], max(map(rtt_ns_of, own))))
    for conversion, counts in zip(conversions, results, strict=True):
        print_notes(unsettled_notes(conversion.link_path, counts.unsettled, counts.data_rows))
        start = starts[conversion.phy_path]
        print_notes(gap_notes(conversion, start))
        print_notes(stall_notes(conversion, start, counts))
        if not as_json:
            click.echo(_summary(conversion, counts))
    if as_json:
        made = [_record(*one) for one in zip(conversions, results, strict=True)]
        click.echo(json_text({"conversions": made}))


def _conversions(
    paths: Sequence[str], schemes: Sequence[Scheme], rtt: float, every: int, output: Path | None
) -> list[Conversion]:
    from tmt.io.conversion import Conversion  # noqa: PLC0415

    if len({scheme.name for scheme in schemes}) < len(schemes):
        names = ", ".join(scheme.name for scheme in schemes)
        raise UsageError(f"--scheme {names}: each scheme can be given once")
    if output is None:
        if len(paths) == 1:
            raise UsageError(
                f"LINK is missing: the file for the link trace of {paths[0]} "
                "(tmt convert PHY LINK --scheme ...)"
            )
        if len(paths) != 2 or len(schemes) != 1:
            raise UsageError(
                f"{len(paths)} files and {len(schemes)} schemes are given; a conversion takes two files, PHY "
                "and LINK, and one --scheme; with --output there may be several of both"
            )
        return [Conversion(paths[0], paths[1], schemes[0], rtt, every)]
    conversions = [
        Conversion(path, f"{output}/{_stem(path)}-{scheme.full_name}.npy", scheme, rtt, every)
        for path in paths
        for scheme in schemes
    ]
    if len({conversion.link_path for conversion in conversions}) < len(conversions):
        raise UsageError("two PHY traces have the same name: their link traces would overwrite each other")
    return conversions


def _stem(path: str) -> str:
    """Return the name of a trace without folders and without the ending of its format."""
    from tmt.io import endings  # noqa: PLC0415  (pyarrow takes long to import)

    name = PurePath(path).name
    ending = next((ending for ending in endings() if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def _record(conversion: Conversion, counts: Counts) -> dict[str, object]:
    """Return a conversion and its counts for programs."""
    return {
        "phy": conversion.phy_path,
        "link": conversion.link_path,
        "scheme": conversion.scheme.describe(conversion.rtt),
        "every": conversion.every,
        **asdict(counts),
        "efficiency": counts.efficiency,
    }


def _summary(conversion: Conversion, counts: Counts) -> str:
    """Return the uses of the slots and the fates of the data LLDUs, in one line."""
    used = {
        "data": counts.data_rows,
        "repair": counts.repair_slots,
        "retransmissions": counts.retransmission_slots,
        "stalled": counts.stalled_slots,
        "dropped tail": counts.dropped_tail,
    }
    slots = " + ".join(f"{number} {use}" for use, number in used.items() if number)
    return (
        f"{conversion.link_path}: {conversion.scheme.label}: {counts.slots} slots = {slots}; "
        f"{counts.data_rows} rows = {counts.delivered} delivered + {counts.lost} lost + "
        f"{counts.unsettled} unsettled; efficiency {counts.efficiency:.4f}"
    )
