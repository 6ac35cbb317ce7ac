"""Output of `tmt tune`: forecast, recommendation as text or JSON, warnings."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from tmt.cli.json_output import json_text
from tmt.cli.tables import print_parts, text_table
from tmt.core.words.values import percent
from tmt.results.tune.wording import certainty, finalist_table, headline, setting_words

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.results.tune.tuning import PlannedTuning, Tuning

MOST_LINES = 12
"""Candidates in the table; JSON and the page have all of them."""


def forecast(planned: PlannedTuning, folder: Path, *, as_json: bool) -> str:
    """Return the size of the search and its courses."""
    task, courses = planned.task, planned.courses
    n_sampled = min(len(task.candidates), task.most_simulated)
    content = {
        "candidates": len(task.candidates),
        "sampled": n_sampled < len(task.candidates),
        "courses": courses.n_search,
        "held_out": courses.n_held_out,
        "least_outcomes": n_sampled * task.rules.first,
        "exhaustive_outcomes": len(task.candidates) * courses.n_search,
        "seeds": list(courses.seeds),
        "folder": str(folder),
    }
    if as_json:
        return json_text(content)
    how = f"{n_sampled} of them sampled" if content["sampled"] else "all of them"
    return (
        f"{content['candidates']} candidates, {how}, on {task.rules.first} to {courses.n_search} courses: "
        f"{content['least_outcomes']} outcomes and more; an exhaustive search has "
        f"{content['exhaustive_outcomes']}\n"
        f"{courses.n_held_out} courses are held out\nresults in {folder}"
    )


def as_json(found: Tuning, folder: Path, page: Path) -> str:
    """Return the result for programs; values in the units that `objectives` names."""
    courses, task = found.courses, found.task
    content: dict[str, Any] = {
        "objectives": [{"text": aim.text, "unit": aim.unit} for aim in task.goal.objectives],
        "constraints_given": [constraint.text for constraint in task.goal.constraints],
        **asdict(found.recommendation),
        "race": [
            {
                "courses": look.courses,
                "leader": task.candidates[look.leader].name,
                "left": len(look.scores) - len(look.eliminated),
                "eliminated": len(look.eliminated),
            }
            for look in found.search.race.looks
        ],
        "seeds_of_search": list(courses.seeds[: courses.n_search]),
        "seeds_held_out": list(courses.seeds[courses.n_search :]),
        "courses_wanted": courses.wanted,
        "failures": [dict(zip(("candidate", "seed", "message"), one, strict=True)) for one in found.failures],
        "cut_transfers": found.cut_transfers,
        "folder": str(folder),
        "page": str(page),
        "winner_scenario": None if found.winner_file is None else str(found.winner_file),
    }
    return json_text(content)


def summarise(found: Tuning, page: Path) -> None:
    """Print the recommendation, how sure it is, and the finalists."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    result = found.recommendation
    if result.winner is None:
        return
    console.print(Text(headline(found), style="bold"))
    console.print(setting_words(result.winner.settings))
    for line in certainty(found):
        console.print(line)
    header, rows = finalist_table(found)
    print_parts(text_table("Finalists", header, rows[:MOST_LINES], (0, 1)))
    console.print(f"Intervals: Student's t at {percent(result.level)} over courses; losses are paired.")
    console.print(f"page: {page}\nthe winner again: tmt run {found.winner_file}")
