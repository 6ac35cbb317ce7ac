"""Links that adapt, move and are shared, in four answers: docs/adapting-links.md.

``python -m analysis.adapting [FOLDER]`` carries out the scenarios `adapting-*` and `sharing-users`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.adapting import answers, figures
from analysis.adapting.runs import (
    LINUX,
    ORBITS,
    PERIOD_S,
    SEEDS,
    TCPS,
    handovers,
    late_reports,
    overtaking,
    resumed,
    targets,
    users,
)
from analysis.command_line import start
from analysis.pages import write_csv, write_page
from analysis.selections import interval
from tmt.results.values import interval_fields
from tmt.show.charts.style import tcp_label
from tools.page_tables import markdown_table, plus_minus

PAGE, CSV, IMAGES = "adapting-links.md", "adapting-links.csv", "images/adapting-*.png"
TEMPLATE = Path(__file__).with_name("page.md.j2")
YOUNG, OLD = 1 / 20, 1 / 4
"""Ages of a report in turns of the Doppler: below the first it is prompt, above the second useless."""
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
    figures.draw_targets(by_target, images / "adapting-targets.png")
    figures.draw_reports(reports, images / "adapting-reports.png")
    figures.draw_handovers(costs, images / "adapting-handovers.png")
    figures.draw_users(gains, images / "adapting-users.png")
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


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGES)
