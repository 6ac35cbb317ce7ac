"""`tmt convert`: make the link traces of schemes from PHY traces."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from tmt.cli.json_output import json_text
from tmt.cli.notes import beginning, gap_notes, phy_notes, print_notes, rtt_of, stall_notes
from tmt.cli.options import JSON, ROUND_TRIP, WholeNumber, one_of
from tmt.cli.progress import progress_bar
from tmt.cli.row_counts import rows_of
from tmt.cli.scheme_options import CONVERTING_NAMES, chosen_schemes, options_of_schemes
from tmt.core.errors import UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes.registry import SCHEMES
from tmt.core.words.plausibility import unsettled_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.counts import Counts
    from tmt.core.schemes.parameters import Scheme
    from tmt.io.conversion import Conversion


@click.command()
@click.argument("paths", metavar="PHY... [LINK]", nargs=-1, required=True)
@click.option(
    "--scheme",
    "names",
    multiple=True,
    required=True,
    **one_of(
        CONVERTING_NAMES, "Link-layer scheme against erasures; with --out-dir several may be given, each once"
    ),
)
@options_of_schemes(*CONVERTING_NAMES)
@click.option(
    "--rtt",
    "rtt_ns",
    type=ROUND_TRIP,
    help="Round-trip time of the link in seconds; schemes without feedback ignore it.",
)
@click.option(
    "--every",
    type=WholeNumber(1),
    default=1,
    help="Keep every N-th slot: the share of one of N users.",
)
@click.option(
    "--out-dir",
    type=click.Path(file_okay=False),
    help="Convert every PHY with every --scheme, into link traces PHY-SCHEME.npy in this folder.",
)
@JSON
def command(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    every: int,
    out_dir: str | None,
    as_json: bool,
    **_: object,
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
      tmt convert a.parquet b.parquet --out-dir links \\
          --scheme none --scheme arq --rtt 0.5
    """
    from tmt.io.atomic import make_folder  # noqa: PLC0415
    from tmt.io.conversion import convert_files  # noqa: PLC0415  (pyarrow takes long to import)

    conversions = _conversions(paths, chosen_schemes("--scheme", names, SCHEMES), every, out_dir)
    slots = [rows_of(conversion.phy_path, PHY_TRACE) for conversion in conversions]
    if out_dir is not None:
        make_folder(out_dir)
    total = None if None in slots else sum(filter(None, slots))
    with progress_bar("convert", total, compiles=True) as progress:
        results = convert_files(conversions, progress)
    starts = {}
    for path in dict.fromkeys(conversion.phy_path for conversion in conversions):
        schemes = [conversion.scheme for conversion in conversions if conversion.phy_path == path]
        starts[path] = beginning(path, schemes)
        print_notes(phy_notes(path, starts[path], max(map(rtt_of, schemes))))
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
    paths: Sequence[str], schemes: Sequence[Scheme], every: int, out_dir: str | None
) -> list[Conversion]:
    from tmt.io.conversion import Conversion  # noqa: PLC0415

    if out_dir is None:
        if len(paths) == 1:
            raise UsageError(
                f"LINK is missing: the file for the link trace of {paths[0]} "
                "(tmt convert PHY LINK --scheme ...)"
            )
        if len(paths) != 2 or len(schemes) != 1:
            raise UsageError(
                f"{len(paths)} files and {len(schemes)} schemes are given; a conversion takes two files, PHY "
                "and LINK, and one --scheme; with --out-dir there may be several of both"
            )
        return [Conversion(paths[0], paths[1], schemes[0], every)]
    conversions = [
        Conversion(path, f"{out_dir}/{_stem(path)}-{scheme.name}.npy", scheme, every)
        for path in paths
        for scheme in schemes
    ]
    if len({conversion.link_path for conversion in conversions}) < len(conversions):
        raise UsageError("two PHY traces have the same name: their link traces would overwrite each other")
    return conversions


def _stem(path: str) -> str:
    """Return the name of a trace without folders and without the ending of its format."""
    from tmt.io.registry import ENDINGS  # noqa: PLC0415  (pyarrow takes long to import)

    name = PurePath(path).name
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def _record(conversion: Conversion, counts: Counts) -> dict[str, object]:
    """Return a conversion and its counts for programs."""
    return {
        "phy": conversion.phy_path,
        "link": conversion.link_path,
        "scheme": conversion.scheme.describe(),
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
