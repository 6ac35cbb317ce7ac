"""Links that adapt, move and are shared, in four answers: docs/adapting-links.md.

``python -m analysis.adapting [FOLDER]`` carries out the scenarios `adapting-*` and `sharing-users`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.adapting import answers
from analysis.adapting.answers import (
    GOODPUT,
    LINUX,
    ORBITS,
    PERIOD_S,
    SEEDS,
    TCPS,
    WITHOUT,
    handovers,
    late_reports,
    overtaking,
    resumed,
    targets,
    users,
)
from analysis.figure_style import LINE_STYLES, draw_intervals, new_figure, save
from analysis.pages import start, write_csv, write_page
from analysis.selections import chosen, interval
from tmt.results.values import interval_fields
from tmt.show.charts.style import INK, TCP_STYLES, tcp_label
from tools.page_tables import markdown_table, plus_minus

PAGE, CSV, IMAGES = "adapting-links.md", "adapting-links.csv", "images/adapting-*.png"
TEMPLATE = Path(__file__).with_name("page.md.j2")
YOUNG, OLD = 1 / 20, 1 / 4
"""Ages of a report in Doppler periods: below the first it is prompt, above the second useless."""
UNITS = {"report": "% of the ideal rule's bytes", "resume": "change of the transfer's time"}
"""Units in the CSV file of what is no change of goodput."""


def main(folder: Path) -> str:
    """Execute the missing runs, write page, CSV and pictures into `folder`, and return the page's place."""
    by_target, reports = targets(folder), answers.best_margins(late_reports())
    by_target_linux = targets(folder, LINUX)
    best, best_linux = answers.best_targets(by_target), answers.best_targets(by_target_linux)
    costs, linux = (answers.handover_costs(handovers(folder, stack)) for stack in ("", LINUX))
    overtaken = answers.overtaking_costs(overtaking(folder))
    resuming = answers.resume_gains(resumed(folder))
    gains = answers.advantages(users(folder))
    turns = reports["doppler_hz"] * reports["delay_s"]
    images = folder / "images"
    draw_targets(by_target, images / "adapting-targets.png")
    draw_reports(reports, images / "adapting-reports.png")
    draw_handovers(costs, images / "adapting-handovers.png")
    draw_users(gains, images / "adapting-users.png")
    told = {
        "report": reports.drop(columns="left").rename(columns={"share": "change"}),
        "handover": costs,
        "handover, Linux": linux,
        "overtaking": overtaken,
        "resume": resuming,
        "users": gains,
    }
    write_csv(folder / CSV, whole({"target": by_target, "target, Linux": by_target_linux}, told))
    same, worse = answers.agreement(best, best_linux)
    write_page(
        folder / PAGE,
        TEMPLATE,
        best=best,
        same=same,
        worse=worse,
        harq={
            (orbit, tcp_label(tcp)): plus_minus(answers.repair_gain(by_target, best, orbit, tcp), "+.0%")
            for orbit in ORBITS
            for tcp in TCPS
        },
        best_table=best_table(best, best_linux),
        young=reports[turns < YOUNG]["left"].min(),
        old=(reports[turns > OLD]["left"].min(), reports[turns > OLD]["left"].max()),
        margins=[f"{one:g}" for one in sorted(reports[turns > OLD]["margin_db"].unique())],
        worst=[
            {"outage": f"{outage_s:g} s", "taken": f"{100 * float(outage_s) / PERIOD_S:.1f} %"}
            | extremes(own, "queue")
            for outage_s, own in costs.groupby("outage_s", sort=True)
        ],
        linux_table=linux_table(costs, linux),
        overtaken=extremes(overtaken, "stack"),
        resuming={
            (tcp_label(one.tcp), one.capacity): plus_minus(one.change, "+.0%")
            for one in resuming.itertuples()
        },
        helping={
            (tcp_label(tcp), scheme): answers.helps_up_to(gains, tcp, scheme)
            for tcp in TCPS
            for scheme in gains["scheme"].unique()
        },
        seeds=by_target["seed"].nunique(),
        signals=len(SEEDS),
        csv=CSV,
    )
    return f"{folder / PAGE}"


def best_table(best: list[answers.BestTarget], linux: list[answers.BestTarget]) -> str:
    """Return the best targets in ns-2 and in Linux as a table."""
    heads = "orbit", "variant", "scheme", "ns-2: best target", "Mbit/s", "Linux: best target", "Mbit/s"
    rows = [
        (one.orbit, one.variant, one.scheme, *told_target(one), *told_target(own))
        for one, own in zip(best, linux, strict=True)
    ]
    return markdown_table(heads, rows)


def told_target(one: answers.BestTarget) -> tuple[str, str]:
    """Return a best target with those that are not significantly worse, and its goodput."""
    others = ", ".join(f"{target:g}" for target in one.alike if target != one.target)
    return f"{one.target:g}" + (f" ({others})" if others else ""), plus_minus(one.mbps, ".2f")


def linux_table(costs: pd.DataFrame, linux: pd.DataFrame) -> str:
    """Return what the longest outage costs in ns-2 and in Linux, by variant and fate of the queue."""
    keys = ["outage_s", "tcp", "queue"]
    both = linux.merge(costs, on=keys, suffixes=("_linux", "_ns2"), validate="one_to_one")
    rows = [
        (
            tcp_label(one.tcp),
            one.queue,
            plus_minus(one.change_ns2, "+.1%"),
            plus_minus(one.change_linux, "+.1%"),
        )
        for one in both.sort_values(["tcp", "queue"]).itertuples()
    ]
    return markdown_table(("variant", "packets", "ns-2", "Linux"), rows)


def extremes(costs: pd.DataFrame, column: str) -> dict[str, str]:
    """Return the best and the worst change of goodput, each with its variant and the value of a column."""
    order = sorted(costs.to_dict("records"), key=lambda one: -one["change"].mean)
    said = [
        f"{plus_minus(one['change'], '+.1%')} ({tcp_label(one['tcp'])}, {one[column]})"
        for one in (order[0], order[-1])
    ]
    return dict(zip(("best", "worst"), said, strict=True))


def whole(by_target: dict[str, pd.DataFrame], told: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return every mean of the page, with its 95 % interval."""
    rows = []
    keys = ["orbit", "scheme", "tcp", "target"]
    for answer, runs in by_target.items():
        for place, own in runs.groupby(keys, sort=False):
            value = interval_fields(interval(own, answers.GOODPUT), "value")
            rows.append({"answer": answer, "unit": "bit/s", **dict(zip(keys, place, strict=True)), **value})
    for answer, table in told.items():
        unit = UNITS.get(answer, "change of goodput")
        for one in table.to_dict("records"):
            value = interval_fields(one.pop("change"), "value")
            rows.append({"answer": answer, "unit": unit, **one, **value})
    return pd.DataFrame(rows)


def draw_targets(runs: pd.DataFrame, path: Path) -> None:
    """Draw goodput over the target error rate: a panel for each orbit, full lines with HARQ."""
    levels = sorted(runs["target"].unique())
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(ORBITS), sharey=True)
        for panel, orbit in zip(panels, ORBITS, strict=True):
            for tcp in TCPS:
                for scheme in runs["scheme"].unique():
                    own = chosen(runs, orbit=orbit, tcp=tcp, scheme=scheme)
                    if own.empty:
                        continue
                    bare = scheme == WITHOUT
                    style = TCP_STYLES[tcp]
                    draw_intervals(
                        panel,
                        levels,
                        [interval(chosen(own, target=one), GOODPUT, 1e-6) for one in levels],
                        color=style.colour,
                        marker=style.marker,
                        linestyle=":" if bare else "-",
                        label=f"{style.label}, {'no HARQ' if bare else 'HARQ'}",
                    )
            panel.set_xscale("log")
            panel.set_title(orbit)
            panel.set_xlabel("target error rate of first transmissions")
        panels[0].set_ylim(bottom=0)
        panels[0].set_ylabel("goodput (Mbit/s)")
        panels[-1].legend()
        save(figure, path)


def draw_reports(reports: pd.DataFrame, path: Path) -> None:
    """Draw what is left of the ideal rule's bytes over the report delay, a line for each speed."""
    delays_ms = 1000 * reports["delay_s"].drop_duplicates()
    with new_figure(6.0, 3.4) as figure:
        panel = figure.subplots()
        for (speed_kmh, doppler_hz), style in zip(
            reports.groupby(["speed_kmh", "doppler_hz"], sort=True).groups, LINE_STYLES, strict=False
        ):
            shares = list(reports[reports["speed_kmh"] == speed_kmh]["share"])
            label = f"{speed_kmh:g} km/h, {doppler_hz:.3g} Hz"
            draw_intervals(panel, delays_ms, shares, label=label, **style)
        panel.set_xscale("symlog", linthresh=2)
        panel.set_xticks(delays_ms, [f"{one:g}" for one in delays_ms])
        panel.set_xlabel("report delay (ms)")
        panel.set_ylabel("bytes of the ideal rule (%)")
        panel.legend(title="speed, Doppler")
        save(figure, path)


def draw_handovers(costs: pd.DataFrame, path: Path) -> None:
    """Draw the change of goodput by handovers, a panel for each outage, a bar for each variant."""
    outages, queues = costs["outage_s"].unique(), costs["queue"].unique()
    tcps = list(costs["tcp"].unique())
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(outages), sharey=True)
        for panel, outage_s in zip(panels, outages, strict=True):
            for place, tcp in enumerate(tcps):
                own = costs[(costs["outage_s"] == outage_s) & (costs["tcp"] == tcp)]
                found = [100 * one for one in (each.mean for each in own["change"])]
                halves = [100 * each.half_width for each in own["change"]]
                x = [row + 0.8 * (place - (len(tcps) - 1) / 2) / len(tcps) for row in range(len(queues))]
                colour = TCP_STYLES[tcp].colour
                panel.bar(x, found, 0.8 / len(tcps), yerr=halves, color=colour, ecolor=INK, capsize=1.5)
                panel.bar(x[0], 0, color=colour, label=tcp_label(tcp))
            panel.axhline(0, color=INK, linewidth=0.8)
            panel.set_xticks(range(len(queues)), list(queues))
            panel.set_title(f"outage of {outage_s:g} s every 15 s")
        panels[0].set_ylabel("change of goodput (%)")
        panels[-1].legend()
        save(figure, path)


def draw_users(gains: pd.DataFrame, path: Path) -> None:
    """Draw the change of goodput by each scheme over the number of users, a panel for each variant."""
    with new_figure(7.2, 3.2) as figure:
        panels = figure.subplots(1, len(TCPS), sharey=True)
        for panel, tcp in zip(panels, TCPS, strict=True):
            for scheme, style in zip(gains["scheme"].unique(), LINE_STYLES, strict=False):
                own = gains[(gains["tcp"] == tcp) & (gains["scheme"] == scheme)]
                draw_intervals(panel, own["users"], list(own["change"]), 100, label=scheme, **style)
            panel.axhline(0, color=INK, linewidth=0.8)
            panel.set_xscale("log")
            panel.set_xticks(own["users"], [f"{one:g}" for one in own["users"]])
            panel.set_xticks([], minor=True)
            panel.set_title(tcp_label(tcp))
            panel.set_xlabel("users of the line")
        panels[0].set_yscale("symlog", linthresh=10)
        panels[0].set_ylabel("change of goodput (%)")
        panels[-1].legend()
        save(figure, path)


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGES)
