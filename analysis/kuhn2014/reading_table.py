"""Tables of the page: tables 1 and 2 under each reading, and predictions of numbers left out of a fit."""

from __future__ import annotations

import pandas as pd

from analysis.kuhn2014 import published
from analysis.kuhn2014.figures import UP, code_rate, packet_rate_kbps
from analysis.kuhn2014.readings import KEPT, READINGS
from tmt.figures.style import TCP_STYLES

SCHEMES = ("ARQ", "HARQ(50/52)", "HARQ(10/12)", "HARQ(10/15)")
TABLE_1, TABLE_2 = "retransmission_ratio", ("delay_p85_s", "delay_p99_s")
WITHIN = 0.30
NUMBERS = {TABLE_1: "probability", "delay_p85_s": "delay, 85 %", "delay_p99_s": "delay, 99 %"}


def readings() -> list[str]:
    """Return a row of Markdown for each reading."""
    kept = _kept()
    rows = []
    for name, row in _deviations(kept).iterrows():
        delays = pd.Series({place: value for place, value in row.items() if place[2] in TABLE_2})
        mine = kept.loc[name]
        westwood = [
            _share(mine.loc[("westwood", scheme), "goodput_bps"], scheme, str(name)) for scheme in SCHEMES
        ]
        cells = [
            str(name),
            " ".join(f"{100 * row['cubic', scheme, TABLE_1]:+.0f}" for scheme in SCHEMES),
            str(int((delays.abs() <= WITHIN).sum())),
            f"{100 * delays.loc[delays.abs().idxmax()]:+.0f}",
            f"{100 * min(westwood):.0f} to {100 * max(westwood):.0f}",
            f"{mine.loc[('cubic', 'ARQ'), 'delay_min_s']:.2f}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def left_out() -> list[str]:
    """Return a row of Markdown for each of the 20 numbers, from the channel that fits the other 19 best.

    The channels are those of the readings that change nothing else.
    """
    channels = [one.name for one in READINGS if not one.experiment and not one.harq]
    deviations = _deviations(_kept()).reindex(channels).dropna()
    rows = []
    for place in deviations.columns:
        others = deviations.drop(columns=[place])
        best = (others**2).mean(axis=1).idxmin()
        fitted = (deviations**2).mean(axis=1).idxmin()
        tcp, scheme, measure = place
        cells = [TCP_STYLES[tcp].label, scheme, NUMBERS[measure], str(best)]
        cells += [f"{100 * deviations.loc[one, place]:+.0f}" for one in (fitted, best)]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def _kept() -> pd.DataFrame:
    return pd.read_csv(KEPT).set_index(["reading", "tcp", "scheme"])


def _deviations(kept: pd.DataFrame) -> pd.DataFrame:
    """Return ours over the paper's, minus 1: a row for each reading, a column for each of 20 numbers."""
    held = set(kept.index.get_level_values("reading"))
    names = [one.name for one in READINGS if one.name in held]
    chosen = [value for value in published.read() if value.measure in NUMBERS]
    columns = {
        (value.tcp, value.scheme, value.measure): [
            kept.loc[(name, value.tcp, value.scheme), value.measure] / value.value - 1 for name in names
        ]
        for value in chosen
    }
    return pd.DataFrame(columns, index=names)


def _share(goodput_bps: float, scheme: str, name: str) -> float:
    """Return whole packets per second over what the scheme leaves of the line."""
    sizes = {one.name: one.experiment.get("packet_bytes", 1500) for one in READINGS}
    whole_kbps = goodput_bps / 1000 * sizes[name] / (sizes[name] - 52)
    return float(whole_kbps / (packet_rate_kbps(UP) * code_rate(scheme)))
