"""`tmt course`: a recorded run of a campaign over time, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import numpy as np

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import COUNT, JSON, CampaignPath, json_text
from tmt.cli.progress import print_notes, say
from tmt.cli.tables import print_parts, text_table
from tmt.core.errors import UsageError
from tmt.core.measure.timeline import steps_over_time
from tmt.core.words.values import rate_unit, time_unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tmt.core.trace import FloatArray

with imported_when_used():
    from tmt.results import over_time, pairing, reading

COLUMNS = {
    "capacity": ("capacity", "bit/s"),
    "arrivals": ("arrived", "bit/s"),
    "lost_rows": ("loss", "share"),
    "delay": ("delay", "s"),
    "srtt": ("srtt", "s"),
    "queue": ("queue", "packets"),
    "window": ("window", "segments"),
}
"""Name and unit of each series with values, in the order of their columns."""

MOMENTS = {"link lost": "lost", "queue dropped": "drops", "retransmission": "resent"}
"""Names of the series of events; events closer than a thousandth of the run count once."""

GREATEST = ("queue", "window")
"""Series shown by the greatest value of an interval; others are shown by the mean over time."""

INTERVALS, JSON_INTERVALS = 20, 100


@click.command()
@click.argument("results", type=CampaignPath())
@click.argument("number", type=COUNT, required=False)
@JSON
def command(results: Path, number: int | None, as_json: bool) -> None:
    """Show a run of the campaign in the folder RESULTS over time, as a table.

    Without NUMBER the command lists the runs with packet records: those of the seeds under `records` in the
    scenario. The columns: rate of the link's rows and of arriving IP packets, share of lost rows, median
    one-way delay, smoothed round-trip time, greatest queue and congestion window, and the numbers of packets
    lost on the link, dropped by the queue and retransmitted.

    \b
    Example:
      tmt course scenarios/out/quickstart
      tmt course scenarios/out/quickstart 7
    """
    found = reading.read_rows(results)
    rows = over_time.recorded(found.runs)
    if not rows:
        raise UsageError(f"{results}: no run kept its packet records; name seeds under records in [grid]")
    names = pairing.place_names(found.runs, found.axes)
    told = [f"{names[row]}, seed {found.runs['seed'].iloc[row]}" for row in rows]
    if number is None:
        runs = [{"number": place, "run": name} for place, name in enumerate(told, 1)]
        lines = (f"{place:>4}  {name}" for place, name in enumerate(told, 1))
        say(json_text({"runs": runs}) if as_json else "\n".join(lines))
        return
    if number > len(rows):
        raise UsageError(f"{results}: number {number} is not allowed; there are runs 1 to {len(rows)}")
    row = rows[number - 1]
    run = found.runs.iloc[row]
    series = over_time.run_over_time(over_time.read_run(results, found.runs, row), run)
    if not any(one.panel == "capacity" for one in series):
        reason = f"{run['forward_trace']} is not in the cache of {results}, or has too many rows"
        print_notes([f"{reason}: capacity, lost rows and queue are missing"])
    edges_s = np.linspace(0, float(run["simulated_s"]), (JSON_INTERVALS if as_json else INTERVALS) + 1)
    shown, moments = _in_intervals(series, edges_s)
    if as_json:
        values = {name: {"unit": COLUMNS[name][1], "values": found.tolist()} for name, found in shown.items()}
        record = {"run": told[number - 1], "edges_s": edges_s.tolist(), "series": values, "moments": moments}
        say(json_text(record))
        return
    columns = {"from\ns": [f"{edge:.4g}" for edge in edges_s[:-1]], **_as_texts(shown)}
    columns |= {MOMENTS[name]: [f"{count:,}" for count in counts] for name, counts in moments.items()}
    print_parts(text_table(told[number - 1], list(columns), zip(*columns.values(), strict=True), ()))


def _in_intervals(
    series: Sequence[over_time.Series], edges_s: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, list[int]]]:
    """Return the values of each series and the number of events of each kind, by interval."""
    known = {one.panel: one for one in series if len(one.time_s)}
    shown = {}
    for name in COLUMNS:
        if name in known:
            # No row is lost if none is sent.
            values = np.nan_to_num(known[name].value)
            _, mean, most = steps_over_time(known[name].time_s, values, edges_s)
            shown[name] = most if name in GREATEST else mean
    none = np.empty(0)
    moments = {name: known[name].time_s if name in known else none for name in MOMENTS}
    return shown, {name: np.histogram(times, edges_s)[0].tolist() for name, times in moments.items()}


def _as_texts(shown: dict[str, FloatArray]) -> dict[str, list[str]]:
    """Return the texts of each column by its head; rates share a unit."""
    rates = [shown[name].max() for name in ("capacity", "arrivals") if name in shown]
    units = {"bit/s": rate_unit(float(max(rates, default=0.0))), "share": ("%", 100.0)}
    columns = {}
    for name, values in shown.items():
        title, unit = COLUMNS[name]
        unit, scale = time_unit(float(values.max())) if unit == "s" else units.get(unit, (unit, 1.0))
        head = title if unit in {"packets", "segments"} else f"{title}\n{unit}"
        columns[head] = [f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values * scale]
    return columns
