"""`tmt course`: a recorded run of a campaign over time, on the terminal."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.json_output import json_text
from tmt.cli.notes import print_notes
from tmt.cli.options import JSON, WholeNumber
from tmt.core.errors import UsageError
from tmt.core.words.display_units import rate_unit, time_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tmt.cli.bar_panels import Marks, Panel
    from tmt.results.course import Series

PANELS = {
    "capacity": ("capacity of the link", "bit/s"),
    "arrivals": ("arrivals at the receiver, IP packets", "bit/s"),
    "lost_rows": ("rows lost on the link", "share"),
    "delay": ("one-way delay, median", "s"),
    "srtt": ("smoothed round-trip time", "s"),
    "queue": ("queue, greatest length", "packets"),
    "window": ("congestion window, greatest", "segments"),
}
"""Title and unit of each series with values, in the order of their panels."""

MARKS = {
    "link lost": "packets lost on the link",
    "queue dropped": "packets dropped by the queue",
    "retransmission": "retransmissions",
}
"""Titles of the series of moments; moments closer than a thousandth of the run count once."""

GREATEST = ("queue", "window")
"""Series of which a column of characters shows the greatest value; of others it shows the mean over time."""


@click.command()
@click.argument("results", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("number", type=WholeNumber(1), required=False)
@JSON
def command(results: Path, number: int | None, as_json: bool) -> None:
    """Show a run of the campaign in the folder RESULTS over time, as bars of characters.

    Without NUMBER the command lists the runs that kept their packet records: those of the seeds that the
    scenario names under `records`.

    \b
    Example:
      tmt course scenarios/out/quickstart
      tmt course scenarios/out/quickstart 7
    """
    import numpy as np  # noqa: PLC0415

    from tmt.cli.bar_panels import columns_in, draw, stdout_encoding  # noqa: PLC0415
    from tmt.results.course import course  # noqa: PLC0415
    from tmt.results.pairing import place_names  # noqa: PLC0415
    from tmt.results.reading import read_rows  # noqa: PLC0415
    from tmt.results.records import read_run, recorded  # noqa: PLC0415

    found = read_rows(results)
    rows = recorded(found.runs)
    if not rows:
        raise UsageError(f"{results}: no run kept its packet records; name seeds under records in [grid]")
    names = place_names(found.runs, found.axes)
    told = [f"{names[row]}, seed {found.runs['seed'].iloc[row]}" for row in rows]
    if number is None:
        runs = [{"number": place, "run": name} for place, name in enumerate(told, 1)]
        lines = (f"{place:>4}  {name}" for place, name in enumerate(told, 1))
        click.echo(json_text({"runs": runs}) if as_json else "\n".join(lines))
        return
    if number > len(rows):
        raise UsageError(f"{results}: number {number} is not allowed; there are runs 1 to {len(rows)}")
    row = rows[number - 1]
    run = found.runs.iloc[row]
    end_s = float(run["simulated_s"])
    columns = columns_in(shutil.get_terminal_size().columns)
    series = course(read_run(results, found.runs, row), run)
    if not any(one.panel == "capacity" for one in series):
        reason = f"{run['forward_trace']} is not in the cache of {results}, or has too many rows"
        print_notes([f"{reason}: capacity, lost rows and queue are missing"])
    edges_s = np.linspace(0, end_s, columns + 1)
    shown, marks = _in_columns(series, edges_s)
    if as_json:
        values = {name: {"unit": PANELS[name][1], "values": found.tolist()} for name, found in shown.items()}
        record = {"run": told[number - 1], "edges_s": edges_s.tolist(), "series": values, "moments": marks}
        click.echo(json_text(record))
        return
    panels = _panels(shown, marks)
    click.echo("\n".join([told[number - 1], "", *draw(panels, end_s, stdout_encoding())]))


def _in_columns(
    series: Sequence[Series], edges_s: npt.NDArray[np.float64]
) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, list[int]]]:
    """Return the values of each series and the number of moments of each kind, column by column."""
    import numpy as np  # noqa: PLC0415

    from tmt.core.measure.transport_timeline import steps_over_time  # noqa: PLC0415

    known = {one.panel: one for one in series if len(one.time_s)}
    shown = {}
    for name in PANELS:
        if name in known:
            # No row is lost where none is sent.
            values = np.nan_to_num(known[name].value)
            _, mean, most = steps_over_time(known[name].time_s, values, edges_s)
            shown[name] = most if name in GREATEST else mean
    none = np.empty(0)
    moments = {name: known[name].time_s if name in known else none for name in MARKS}
    return shown, {name: np.histogram(times, edges_s)[0].tolist() for name, times in moments.items()}


def _panels(
    shown: dict[str, npt.NDArray[np.float64]], marks: dict[str, list[int]]
) -> Iterator[Panel | Marks]:
    from tmt.cli.bar_panels import Marks, Panel  # noqa: PLC0415

    rates = [shown[name].max() for name in ("capacity", "arrivals") if name in shown]
    top_bps = float(max(rates, default=0.0))
    for name, values in shown.items():
        title, unit = PANELS[name]
        is_rate = unit == "bit/s"
        unit, scale = _readable(unit, top_bps if is_rate else float(values.max()))
        yield Panel(f"{title}, {unit}", values * scale, top_bps * scale if is_rate else None)
    for name, counts in marks.items():
        yield Marks(MARKS[name], counts)


def _readable(unit: str, greatest: float) -> tuple[str, float]:
    """Return the unit in which values are shown, and its factor."""
    if unit == "bit/s":
        return rate_unit(greatest)
    if unit == "share":
        return "%", 100.0
    return time_unit(greatest) if unit == "s" else (unit, 1.0)
