"""`tmt orbit`: write the round-trip times over satellites with known TLE lines."""

from __future__ import annotations

import math

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import FILE, JSON, OUT, json_text
from tmt.cli.progress import say, working
from tmt.cli.values import Values
from tmt.core.units import NS_PER_S
from tmt.importers.tle import TleOrbits
from tmt.spec.options import Part

with imported_when_used():
    from tmt.io import rtt_series


@click.command(cls=Values, values={"orbits": Part(("orbits",), TleOrbits)})
@click.argument("satellites", metavar="TLE", type=FILE)
@click.argument("target", metavar="OUT", type=OUT)
@JSON
def command(satellites: str, target: str, orbits: TleOrbits, as_json: bool) -> None:
    """Write the round-trip times over the satellites of TLE, for `tmt replay --rtt-series` and scenarios.

    TLE holds two lines for each satellite, with or without a line of its name before them, as from CelesTrak.
    The highest satellite serves. OUT is CSV.

    \b
    A minute of a constellation, with a new choice every 15 s:
      tmt orbit starlink.tle delay.csv --start 2026-11-27T12:00:12 \\
          --duration 60 --handover-period 15 --mask-deg 25 \\
          --user-latitude-deg 47.4 --user-longitude-deg 8.5 \\
          --station-latitude-deg 50.1 --station-longitude-deg 8.7
    """
    with working(f"reads {satellites}"):
        served = orbits.serve(satellites)
    passes = [f"{one.begin_ns / NS_PER_S:g} s: {one.name}" for one in served.passes]
    rtt_series.write_rtt_series(
        target, served.series, [f"begins {orbits.start_time:%Y-%m-%dT%H:%M:%SZ}", *passes]
    )
    rtt_ns = served.series["rtt_ns"]
    least_s, most_s = int(rtt_ns.min()) / NS_PER_S, int(rtt_ns.max()) / NS_PER_S
    if as_json:
        say(
            json_text(
                {
                    "series": target,
                    "rows": len(served.series),
                    "least_rtt": least_s,
                    "most_rtt": most_s,
                    "left_out": served.left_out,
                    "passes": [
                        {
                            "satellite": one.name,
                            "begin": one.begin_ns / NS_PER_S,
                            "end": one.end_ns / NS_PER_S,
                        }
                        for one in served.passes
                    ],
                }
            )
        )
        return
    say(
        f"{target}: {len(served.series):,} rows, {len(passes):,} passes, round trip {1000 * least_s:.3f} to "
        f"{1000 * most_s:.3f} ms; the path's rtt must be at least {math.ceil(most_s * 1e5) / 1e5:g}"
    )
    if served.left_out:
        say(f"note: {served.left_out:,} satellites are left out: their epochs are too far from the start")
