"""TCP against QUIC, the same transfers with the same controls: the tables of docs/quic.md.

``python -m analysis.tcp.quic [FOLDER]`` carries out the scenarios of `NAMES`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.figure_style import new_figure, save
from analysis.pages import start, write_csv, write_tables
from analysis.runs import run_named
from analysis.selections import change, chosen, interval, means
from tmt.results.values import interval_text
from tmt.show.charts.style import INK, TCP_STYLES
from tools.page_tables import markdown_table

PAGE, CSV, IMAGE = "quic.md", "quic.csv", "images/quic.png"
NAMES = ("quic-satellite", "quic-measured", "quic-capacity")
VARIANTS = ("newreno", "cubic", "bbr")
STACKS = {"modern": "TCP", "quic": "QUIC"}
MEASURES = ("completion_s", "goodput_bps", "delay_p95_s", "segments_sent", "retransmissions")


def main(folder: Path) -> str:
    """Execute the missing runs; write tables, CSV and picture into `folder`, and return the tables."""
    runs = pd.concat([runs_of(name, folder) for name in NAMES], ignore_index=True)
    write_csv(folder / CSV, whole(runs))
    draw(runs, folder / IMAGE)
    tables = {
        "answers": answers(runs),
        "times": times(runs),
    }
    return write_tables(folder, PAGE, tables)


def runs_of(name: str, folder: Path) -> pd.DataFrame:
    """Return the runs of a scenario, with the name of link, scheme and order in `place`."""
    runs = run_named(name, folder)
    is_plain = runs["scheme"] == "none"
    order = runs["in_order"].map({True: ", in order", False: ", as decoded"})
    place = runs["trace"] + (", " + runs["scheme"] + order).where(~is_plain, "")
    runs = runs[runs["in_order"] | ~is_plain]
    return runs.assign(place=place.str.replace(r"^shadows\b[^,]*", "satellite", regex=True))


def answers(runs: pd.DataFrame) -> str:
    """Return what the runs say, a sentence for each variant; ranges are those of the links' means."""
    satellite = runs[runs["place"].str.startswith("satellite, ")]
    orders = [satellite[satellite["in_order"] == in_order] for in_order in (True, False)]
    ordered, decoded = (longer(own, "newreno") for own in orders)
    wasted = [
        [
            100 * own["retransmission_ratio"].mean()
            for _, own in chosen(runs, tcp="bbr", stack=stack).groupby("place")
        ]
        for stack in ("quic", "modern")
    ]
    return (
        f"**CUBIC** takes {spread(longer(runs, 'cubic'))} % longer by QUIC than by TCP, in order or not. "
        f"**New Reno** takes {spread(ordered)} % longer over the satellite with a scheme in order, and "
        f"{spread(decoded)} % longer as decoded. **BBR** of quinn sends {spread(wasted[0])} % of its packets "
        f"again (TCP's BBRv1: {spread(wasted[1])} %); by QUIC its time changes by "
        f"{spread(longer(runs, 'bbr'), '+.0f')} %."
    )


def longer(runs: pd.DataFrame, tcp: str) -> list[float]:
    """Return for each link by how many percent QUIC takes longer than TCP, in the mean over seeds."""
    found = []
    for _, own in runs.groupby("place", sort=False):
        by_quic, by_tcp = (chosen(own, tcp=tcp, stack=stack) for stack in ("quic", "modern"))
        found.append(100 * change(by_quic, by_tcp, "completion_s").mean)
    return found


def spread(values: list[float], spec: str = ".0f") -> str:
    """Return the least and the largest value as words: ``5 to 16``, with spec ``+.0f`` ``-3 to +41``."""
    return f"{min(values):{spec}} to {max(values):{spec}}"


def times(runs: pd.DataFrame) -> str:
    """Return a table with a row for each link, and for each variant a column of TCP and one of QUIC."""
    heads = [f"{TCP_STYLES[tcp].label}, {word}" for tcp in VARIANTS for word in STACKS.values()]
    lines = [
        [place, *(time(chosen(own, tcp=tcp, stack=stack)) for tcp in VARIANTS for stack in STACKS)]
        for place, own in runs.groupby("place", sort=False)
    ]
    return markdown_table(["link", *heads], lines)


def time(own: pd.DataFrame) -> str:
    """Return the time of a transfer in seconds, and how many have ended where not all have."""
    done = own[own["completion_s"].notna()]
    if done.empty:
        return "none in time"
    said = interval_text(interval(done, "completion_s"))
    return said if len(done) == len(own) else f"{said} ({len(done)} of {len(own)})"


def whole(runs: pd.DataFrame) -> pd.DataFrame:
    """Return means and intervals of all figures, one row for each link, variant and stack."""
    places = {"link": "place", "variant": "tcp", "stack": "stack"}
    found = means(runs, places, MEASURES)
    completed = runs.groupby([*places.values()], sort=False)["completion_s"].count()
    found.insert(len(places) + 1, "completed", completed.to_list())
    return found


def draw(runs: pd.DataFrame, path: Path) -> None:
    """Draw how much longer QUIC takes than TCP, seed by seed, a dot with its interval for each link."""
    places = list(dict.fromkeys(runs["place"]))
    with new_figure(7.2, 1.2 + 0.3 * len(places)) as figure:
        panels = figure.subplots(1, len(VARIANTS), sharex=True, sharey=True)
        for panel, tcp in zip(panels, VARIANTS, strict=True):
            own = [chosen(runs, place=place, tcp=tcp) for place in places]
            found = [
                change(chosen(one, stack="quic"), chosen(one, stack="modern"), "completion_s") for one in own
            ]
            style = TCP_STYLES[tcp]
            panel.errorbar(
                [100 * one.mean for one in found],
                places,
                xerr=[100 * one.half_width for one in found],
                fmt="o",
                color=style.colour,
                ecolor=INK,
                capsize=2,
            )
            panel.axvline(0, color=INK, linewidth=0.8, linestyle=":")
            panel.set_title(style.label)
            panel.set_xlabel("longer than TCP (%)")
        panels[0].invert_yaxis()
        save(figure, path)


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGE)
