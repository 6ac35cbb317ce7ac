"""Links that adapt, move and are shared, in four answers: docs/adapting-links.md.

``python -m analysis.adapting [FOLDER]`` carries out the scenarios `adapting-*` and `sharing-users`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.adapting import answers, figures
from analysis.adapting.runs import (
    LINUX_HANDOVERS,
    ORBITS,
    PERIOD_S,
    SEEDS,
    TCPS,
    handovers,
    late_reports,
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


def main(folder: Path) -> str:
    """Execute the missing runs, write page, CSV and pictures into `folder`, and return the page's place."""
    by_target, reports = targets(folder), answers.best_margins(late_reports())
    best, costs = answers.best_targets(by_target), answers.handover_costs(handovers(folder))
    linux = answers.handover_costs(handovers(folder, LINUX_HANDOVERS))
    gains = answers.advantages(users(folder))
    turns = reports["doppler_hz"] * reports["delay_s"]
    images = folder / "images"
    figures.draw_targets(by_target, images / "adapting-targets.png")
    figures.draw_reports(reports, images / "adapting-reports.png")
    figures.draw_handovers(costs, images / "adapting-handovers.png")
    figures.draw_users(gains, images / "adapting-users.png")
    write_csv(folder / CSV, whole(by_target, reports, costs, linux, gains))
    write_page(
        folder / PAGE,
        TEMPLATE,
        best=best,
        harq={
            (orbit, tcp_label(tcp)): plus_minus(answers.repair_gain(by_target, best, orbit, tcp), "+.0%")
            for orbit in ORBITS
            for tcp in TCPS
        },
        best_table=best_table(best),
        young=reports[turns < YOUNG]["left"].min(),
        old=(reports[turns > OLD]["left"].min(), reports[turns > OLD]["left"].max()),
        margins=[f"{one:g}" for one in sorted(reports[turns > OLD]["margin_db"].unique())],
        worst=extremes(costs),
        linux_table=linux_table(costs, linux),
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


def best_table(best: list[answers.BestTarget]) -> str:
    """Return the best targets as a table."""
    heads = "orbit", "variant", "scheme", "best target", "Mbit/s", "not significantly worse"
    rows = [
        (
            *(one.orbit, one.variant, one.scheme, f"{one.target:g}", plus_minus(one.mbps, ".2f")),
            ", ".join(f"{target:g}" for target in one.alike if target != one.target) or "none",
        )
        for one in best
    ]
    return markdown_table(heads, rows)


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


def extremes(costs: pd.DataFrame) -> list[dict[str, str]]:
    """Return, for each outage, the share of the slots that it takes, and its least and its greatest cost."""
    found = []
    for outage_s, own in costs.groupby("outage_s", sort=True):
        order = sorted(own.itertuples(), key=lambda one: -one.change.mean)
        said = [
            f"{plus_minus(one.change, '+.1%')} ({tcp_label(one.tcp)}, {one.queue})"
            for one in (order[0], order[-1])
        ]
        taken = f"{100 * float(outage_s) / PERIOD_S:.1f} %"
        found.append({"outage": f"{outage_s:g} s", "taken": taken, "best": said[0], "worst": said[1]})
    return found


def whole(
    by_target: pd.DataFrame,
    reports: pd.DataFrame,
    costs: pd.DataFrame,
    linux: pd.DataFrame,
    gains: pd.DataFrame,
) -> pd.DataFrame:
    """Return every mean of the page, with its 95 % interval."""
    rows = []
    keys = ["orbit", "scheme", "tcp", "target"]
    for place, own in by_target.groupby(keys, sort=False):
        value = interval_fields(interval(own, answers.GOODPUT), "value")
        rows.append({"answer": "target", "unit": "bit/s", **dict(zip(keys, place, strict=True)), **value})
    for answer, table, column, unit in (
        ("report", reports.drop(columns="left"), "share", "% of the ideal rule's bytes"),
        ("handover", costs, "change", "change of goodput"),
        ("handover, Linux", linux, "change", "change of goodput"),
        ("users", gains, "change", "change of goodput"),
    ):
        for one in table.to_dict("records"):
            value = interval_fields(one.pop(column), "value")
            rows.append({"answer": answer, "unit": unit, **one, **value})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    start(main, PAGE, CSV, IMAGES)
