"""`python -m analysis.tuning [FOLDER]`: searches whose right answers are known, and the page about them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.pages import render, start, write_csv
from analysis.tuning import cases
from tmt.campaign.local_workers import LocalWorkers, default_jobs
from tmt.campaign.pool import Pool
from tmt.io.atomic import write_text
from tmt.results.statistics import rank
from tmt.results.tune.race import Rules
from tmt.results.tune.task import task_of
from tmt.results.tune.tuning import Tuning, plan_tuning, tune
from tmt.results.values import interval_text, slug
from tmt.spec.scenario import Scenario
from tmt.theory.hybrid import largest_throughput, optimal_code_lengths
from tools.page_tables import markdown_table

PAGE, TABLE = "tune-check.md", "tune-check.csv"
TEMPLATE = Path(__file__).with_name("page.md.j2")
LENGTHS = ["K", "p", "N by the search", "ties", "N*", "throughput at N", "throughput at N*"]
SWITCHES = ["Es/N0 (dB)", "winner", "ties", "goodput in the search (bit/s)", "on courses held out"]


def main(folder: Path) -> str:
    """Execute the missing runs, write page and table into `folder`, and return the page's place."""
    spaces = cases.small_spaces().items()
    small = pd.DataFrame(_small(name, space, folder / "small" / slug(name)) for name, space in spaces)
    lengths = [
        _code_length(units, loss, folder / f"hybrid-{units}-{loss:g}")
        for units, loss in product(cases.FRAME_UNITS, cases.LOSSES)
    ]
    switches = [_switch(es_n0_db, folder / f"kuhn-{es_n0_db:g}") for es_n0_db in cases.ES_N0_DB]
    write_csv(folder / TABLE, small)
    write_text(folder / PAGE, page(small, lengths, switches))
    return f"{folder / PAGE}"


def page(small: pd.DataFrame, lengths: list[list[str]], switches: list[list[str]]) -> str:
    """Return the page as Markdown, from the rows of its tables."""
    schemes = [winner.partition("(")[0] for _, winner, *_ in switches]
    costs = small["cost_percent"].astype(int)
    return render(
        TEMPLATE,
        spaces=len(small),
        agreeing=sum(
            winner in best.split("; ") for winner, best in zip(small["winner"], small["best"], strict=True)
        ),
        costs=(costs.min(), costs.max()),
        found=sum(not {*row[4].split(", ")}.isdisjoint([row[2], *row[3].split(", ")]) for row in lengths),
        searched=len(lengths),
        lengths=markdown_table(LENGTHS, lengths),
        switches=markdown_table(SWITCHES, switches),
        falls_out=schemes[0] == "HARQ" and schemes[-1] == "ARQ",
    )


def search(scenario: Scenario, folder: Path) -> Tuning:
    """Search the space of a scenario; finished runs in `folder` are not done again."""
    planned = plan_tuning(task_of(scenario))
    jobs = default_jobs()
    return tune(planned, folder, lambda _: Pool(LocalWorkers(jobs)), jobs)


def exhaustive(scenario: Scenario, folder: Path) -> tuple[list[str], int]:
    """Return the candidates that are best or not significantly worse on all courses, and the cost.

    A race whose first look has all courses and that eliminates nobody is an exhaustive search.
    """
    task = task_of(scenario)
    most = task.rules.most
    every = replace(task, rules=Rules(most, most, task.rules.level, task.rules.tolerance))
    planned = plan_tuning(every)
    jobs = default_jobs()
    found = tune(replace(planned, bounded=False), folder, lambda _: Pool(LocalWorkers(jobs)), jobs)
    scores = found.search.race.evidence.scores()
    best = [place.column for place in rank(np.asarray(scores).T) if place.among_best]
    return [task.candidates[number].name for number in best], scores.size


def _small(name: str, space: Scenario, folder: Path) -> dict[str, str]:
    """Search a small space: the winner, the best of an exhaustive search, and the share of its cost."""
    found = search(space, folder)
    best, cost = exhaustive(space, folder)
    share = found.recommendation.counts["outcomes"] / cost
    return {
        "space": name,
        "winner": _winner(found),
        "best": "; ".join(best),
        "cost_percent": f"{100 * share:.0f}",
    }


def _code_length(frame_units: int, loss: float, folder: Path) -> list[str]:
    """Search for N; return it with ties, N by Barakat's formula, and the model's throughput of both."""
    found = search(cases.hybrid(frame_units, loss), folder)
    length = _length(_winner(found))
    ties = sorted(_length(one.name) for one in found.recommendation.ties)
    optimal = optimal_code_lengths(loss, frame_units)
    lengths = (", ".join(map(str, one)) or "-" for one in ([length], ties, optimal))
    largest = (largest_throughput(loss, one, frame_units) for one in (length, optimal[0]))
    return [str(frame_units), str(loss), *lengths, *(f"{one:.4f}" for one in largest)]


def _switch(es_n0_db: float, folder: Path) -> list[str]:
    """Search for the best scheme at an Es/N0."""
    found = search(cases.kuhn(es_n0_db), folder)
    result, aim = found.recommendation, found.task.goal.objectives[0]
    finalist = result.finalists[0]
    found_in = (finalist.standing.values[aim.text], finalist.held_out[aim.text])  # noqa: PD011
    ties = ", ".join(one.name for one in result.ties) or "-"
    return [f"{es_n0_db:.0f}", _winner(found), ties, *map(interval_text, found_in)]


def _winner(found: Tuning) -> str:
    assert found.recommendation.winner is not None
    return found.recommendation.winner.name


def _length(name: str) -> int:
    """Return N of ``Hybrid(K/N)``."""
    length = re.search(r"/(\d+)", name)
    assert length is not None
    return int(length[1])


if __name__ == "__main__":
    start(main, PAGE, TABLE, default="out/tune-check")
