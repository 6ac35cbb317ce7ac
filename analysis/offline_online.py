"""Differences between a scheme that converts a whole trace and the same scheme on live packets.

The same PHY traces, schemes and TCP flows, once as conversion and `Queue/Clift` (offline) and once as
`Queue/Clift/Online`. Barakat and Al Fawal (2003) work online, Kuhn et al. (2014) offline.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.pages import start, write_csv, write_tables
from analysis.runs import run_named
from analysis.selections import change, chosen
from tmt.results.statistics import Interval
from tmt.show.charts.style import MUTED
from tools.page_tables import markdown_table, plus_minus

SCHEMES = {
    "arq": "ARQ",
    "fec": "FEC(10/12)",
    "harq": "HARQ(10/12)",
    "harq-processes": "600 HARQ processes",
    "sliding-window": "sliding window of 50",
    "tetrys": "Tetrys, window 600",
    "rlc": "RLC AM",
}
RTTS_S = (0.02, 0.1, 0.5)
TRAFFIC = {1_448: "1 packet", 14_480: "10 packets", 144_800: "100 packets", 1_448_000: "1000 packets"}
"""Number of full packets, by the payload of a transfer in bytes."""
ENDLESS = "endless"
PAGE, TABLE, CSV = "online.md", "offline-online", "offline-online.csv"
SHOWN_RTT_S = 0.5
"""Round trip of the page's table; the CSV has all."""


def main(folder: Path) -> str:
    """Execute the missing runs, write figure and table into `folder`, and return the largest difference."""
    runs = run_named("offline-online", folder)
    runs = runs.assign(
        online=runs["forward_online"].notna(),
        traffic=[ENDLESS if pd.isna(size) else TRAFFIC[int(size)] for size in runs["transfer_bytes"]],
    )
    apart = {
        (label, rtt_s, size): _apart(chosen(runs, scheme_name=name, rtt_s=rtt_s, traffic=size), size)
        for name, label in SCHEMES.items()
        for rtt_s in RTTS_S
        for size in (*TRAFFIC.values(), ENDLESS)
    }
    _draw(apart, folder / "images" / "offline-online.png")
    table = _table(apart)
    write_csv(folder / CSV, table)
    shown = table[table["rtt_s"] == SHOWN_RTT_S].drop(columns="rtt_s")
    write_tables(folder, PAGE, {TABLE: markdown_table(shown, shown.to_numpy())})
    worst = max((case for case in apart if apart[case].count), key=lambda case: abs(apart[case].mean))
    return f"furthest apart: {', '.join(map(str, worst))}: {100 * apart[worst].mean:+.0f} %"


def _apart(runs: pd.DataFrame, size: str) -> Interval:
    """Return how much more time transfers take online, or how much more goodput there is, relatively.

    Of transfers, those that end both ways count.
    """
    column = "goodput_bps" if size == ENDLESS else "completion_s"
    return change(chosen(runs, online=True), chosen(runs, online=False), column)


def _draw(apart: dict[tuple[str, float, str], Interval], path: Path) -> None:
    with new_figure(9.0, 5.2) as canvas:
        rows = canvas.subplots(2, -(-len(SCHEMES) // 2), sharex=True, sharey=True)
        *panels, corner = rows.ravel()
        corner.set_axis_off()
        places = [*TRAFFIC.values(), ENDLESS]
        for panel, label in zip(panels, SCHEMES.values(), strict=True):
            panel.axhline(0.0, color=MUTED, linewidth=0.8)
            for rtt_s, style in zip(RTTS_S, LINE_STYLES, strict=False):
                values = [apart[label, rtt_s, size] for size in places]
                draw_intervals(
                    panel, range(len(places)), values, 100, label=f"RTT {1000 * rtt_s:.0f} ms", **style
                )
            panel.set_title(label)
            panel.set_xticks(range(len(places)), [place.split()[0] for place in places])
        for panel in (rows[0, -1], *rows[1, :-1]):
            panel.tick_params(labelbottom=True)
            panel.set_xlabel("packets of a transfer")
        for panel in rows[:, 0]:
            panel.set_ylabel("online against offline (%):\ncompletion time; goodput if endless")
        corner.legend(*panels[0].get_legend_handles_labels(), loc="center")
        save(canvas, path)


def _table(apart: dict[tuple[str, float, str], Interval]) -> pd.DataFrame:
    sizes = (*TRAFFIC.values(), ENDLESS)
    cases = list(product(SCHEMES.values(), RTTS_S))
    rows = [[*case, *(_cell(apart[*case, size]) for size in sizes)] for case in cases]
    return pd.DataFrame(rows, columns=["scheme", "rtt_s", *TRAFFIC.values(), "endless: goodput"])


def _cell(value: Interval) -> str:
    return plus_minus(value, "+.1%") if np.isfinite(value.mean) else "-"


if __name__ == "__main__":
    start(main, PAGE, CSV, "images/offline-online.png")
