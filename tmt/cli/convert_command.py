"""`tmt convert`: make the link traces of schemes from PHY traces."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import MISSING, asdict
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import COUNT, JSON, ROUND_TRIP, json_text, output_option
from tmt.cli.progress import print_notes, progress_bar, rows_of, say
from tmt.cli.values import Values, flat_rlc
from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.tetrys import Tetrys
from tmt.core.words.values import (
    decode_time_notes,
    full_window_notes,
    percent,
    span_notes,
    unsettled_notes,
)
from tmt.spec.options import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tmt.core.converter import Counts
    from tmt.core.trace import Int64Array, PhyTrace
    from tmt.io.conversion import Conversion

with imported_when_used():
    from tmt import io

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
    type=ROUND_TRIP,
    help="Round-trip time of the link in seconds; schemes without feedback ignore it.",
)
@click.option("--every", type=COUNT, default=1, help="Keep every n-th slot: the share of one of n users.")
@output_option(
    "Convert every PHY with every --scheme, into link traces PHY-SCHEME.npy in this folder.", is_folder=True
)
@JSON
def command(
    paths: tuple[str, ...],
    scheme: tuple[Scheme, ...],
    rtt: float | None,
    every: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Convert the PHY trace PHY to the link trace LINK of a scheme; the endings choose the formats.

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
    from tmt.io import conversion as files  # noqa: PLC0415  (numpy takes long to import)

    needing = [one.name for one in scheme if one.uses_rtt]
    if needing and rtt is None:
        raise UsageError(f"--rtt: is missing; {needing[0]} needs the round-trip time of the link in seconds")
    conversions = _conversions(paths, scheme, rtt or 0, every, output)
    slots = [rows_of(conversion.phy_path, PHY_TRACE) for conversion in conversions]
    total = None if None in slots else sum(filter(None, slots))
    made_folder = nullcontext() if output is None else io.atomic.made_folder(output)
    with made_folder, progress_bar("convert", total, compiles=True) as progress:
        results = files.convert_files(conversions, progress)
    starts = {}
    for path in dict.fromkeys(conversion.phy_path for conversion in conversions):
        own = [conversion for conversion in conversions if conversion.phy_path == path]
        start = starts[path] = _beginning(path, own)
        rows_ns = int(start.tx_time_ns[-1] - start.tx_time_ns[0])
        interval_ns = rows_ns / max(len(start.tx_time_ns) - 1, 1)
        print_notes(decode_time_notes(path, start.median_decode_ns, start.longest_decode_ns, interval_ns))
        print_notes(span_notes(path, start.span_ns, max(map(_rtt_ns, own))))
    for conversion, counts in zip(conversions, results, strict=True):
        print_notes(unsettled_notes(conversion.link_path, counts.unsettled, counts.data_rows))
        start = starts[conversion.phy_path]
        print_notes(_gap_notes(conversion, start))
        print_notes(_stall_notes(conversion, start, counts))
        if not as_json:
            say(_summary(conversion, counts))
    if as_json:
        made = [_record(*one) for one in zip(conversions, results, strict=True)]
        say(json_text({"conversions": made}))


def _conversions(
    paths: Sequence[str], schemes: Sequence[Scheme], rtt: float, every: int, output: Path | None
) -> list[Conversion]:
    from tmt.io.conversion import Conversion  # noqa: PLC0415  (numpy takes long to import)

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
    if io.ending_of(output.name):
        raise UsageError(f"--output {output}: names a folder; a file is an argument: tmt convert PHY LINK")
    stems = [(path, PurePath(path).name.removesuffix(io.ending_of(path))) for path in paths]
    conversions = [
        Conversion(path, f"{output}/{stem}-{scheme.full_name}.npy", scheme, rtt, every)
        for path, stem in stems
        for scheme in schemes
    ]
    if len({io.atomic.folded(conversion.link_path) for conversion in conversions}) < len(conversions):
        raise UsageError("two PHY traces have the same name: their link traces would overwrite each other")
    return conversions


def _record(conversion: Conversion, counts: Counts) -> dict[str, object]:
    return {
        "phy": conversion.phy_path,
        "link": conversion.link_path,
        "scheme": conversion.scheme.describe(conversion.rtt),
        "every": conversion.every,
        **asdict(counts),
        "efficiency": counts.efficiency,
    }


def _summary(conversion: Conversion, counts: Counts) -> str:
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


class _Beginning(NamedTuple):
    """The first slots of a PHY trace: their times, at least until the first feedback, and decode times.

    `span_ns` is the trace's length, or else the time from the first of these slots to the last.
    """

    tx_time_ns: Int64Array
    span_ns: int
    median_decode_ns: float
    longest_decode_ns: int


def _beginning(path: str, conversions: Iterable[Conversion]) -> _Beginning:
    import numpy as np  # noqa: PLC0415  (takes long to import)

    wait_ns = max(_rtt_ns(one) + _detection_ns(one.scheme) for one in conversions)
    times: list[Int64Array] = []
    median_ns, longest_ns = 0.0, 0
    with io.open_trace(path, PHY_TRACE) as reader:
        for chunk in cast("Iterable[PhyTrace]", reader):
            if not times:
                decoded = chunk.decode_time_ns[chunk.decode_time_ns > 0]
                if len(decoded):
                    median_ns, longest_ns = float(np.median(decoded)), int(decoded.max())
            times.append(chunk.tx_time_ns)
            if chunk.tx_time_ns[-1] - times[0][0] >= wait_ns + longest_ns:
                break
        extent = Extent.said(reader.metadata)
    span_ns = int(times[-1][-1] - times[0][0]) if extent is None else extent.length_ns
    return _Beginning(np.concatenate(times), span_ns, median_ns, longest_ns)


def _rtt_ns(conversion: Conversion) -> int:
    """Return the round trip of a conversion; 0 without feedback."""
    return ns(conversion.rtt) if conversion.scheme.uses_rtt else 0


def _detection_ns(scheme: Scheme) -> int:
    return ns(getattr(_lowest(scheme), "detection_delay", 0))


def _lowest(scheme: Scheme) -> Scheme:
    """Return the scheme below RLC, or the scheme itself."""
    found: Scheme = getattr(scheme, "below", scheme)
    return found


def _stall_notes(conversion: Conversion, start: _Beginning, counts: Counts) -> list[str]:
    """Note slots that stayed idle, and what to raise: windows and processes."""
    scheme = conversion.scheme
    feedback_ns = _rtt_ns(conversion) + max(start.longest_decode_ns, _detection_ns(scheme))
    slots = int((start.tx_time_ns < start.tx_time_ns[0] + feedback_ns).sum())
    round_trip_slots = -(-slots // conversion.every)
    if isinstance(scheme, Tetrys):
        return full_window_notes(
            conversion.link_path, counts.stalled_slots, counts.slots, scheme.coding_window, round_trip_slots
        )
    if 10 * counts.stalled_slots <= counts.slots:
        return []
    limits = {}
    if isinstance(scheme, Rlc):
        limits["--window-pdus"] = scheme.window_pdus
    if isinstance(below := _lowest(scheme), HarqProcesses):
        limits["--processes" if below is scheme else "--below-processes"] = below.processes
    least = min(limits, key=lambda flag: limits[flag])
    return [
        f"{conversion.link_path}: {percent(counts.stalled_slots / counts.slots)} of the slots stayed idle: a "
        f"larger {least} than {limits[least]} fills more of them; a round trip has {round_trip_slots:,} slots"
    ]


def _gap_notes(conversion: Conversion, start: _Beginning) -> list[str]:
    """Note synchronous processes that count the slots of a trace with gaps."""
    scheme = _lowest(conversion.scheme)
    if not isinstance(scheme, HarqProcesses) or scheme.repetitions is not None:
        return []
    if scheme.retransmission != "synchronous" or scheme.slot_time:
        return []
    steps_ns = start.tx_time_ns[1:] - start.tx_time_ns[:-1]
    if len(steps_ns) == 0 or steps_ns.max() < 2 * steps_ns.min():
        return []
    flag = "--slot-time" if scheme is conversion.scheme else "--below-slot-time"
    return [
        f"{conversion.phy_path} has gaps between its slots ({steps_ns.min() / 1e6:g} to "
        f"{steps_ns.max() / 1e6:g} ms), and synchronous processes count slots, not time: "
        f"{flag} sets the time from slot to slot (0.001 in LTE)"
    ]
