"""The result of a search as one HTML page: recommendation, courses held out, race, sensitivity, scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.figures.vega import INKS, configuration
from tmt.io.atomic import staged
from tmt.report.page import assemble
from tmt.report.tune_figures import charts_of, scheme_looks
from tmt.report.tune_rows import candidate_table
from tmt.results.measures import COLUMNS
from tmt.results.values import slug
from tmt.tune.space import SCHEME
from tmt.tune.wording import certainty, complaints, percent, setting_words, value_word

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.tune.tuning import Tuning

Record = dict[str, Any]

SCRIPTS = ("dom.js", "table.js", "marks.js", "tune.js")
PAGE_FONT = "system-ui, sans-serif"

METHOD = (
    "A course is a piece of the channel that all candidates see. A candidate leaves the race when a "
    "one-sided paired t test on common courses shows that a leader is better. The test's level is "
    "divided by the numbers of candidates and of looks, so the best one stays with the given "
    "confidence. Intervals of means and losses are Student's t intervals of one candidate or pair. The "
    "change from the search to the courses held out has Welch's interval."
)


def write_page(found: Tuning, path: Path) -> Path:
    """Write the page (OutputError when it cannot be written)."""
    text = render(found)
    with staged(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def render(found: Tuning) -> str:
    """Return the page as text."""
    title = found.task.scenario.title
    charts = charts_of(found)
    data = {
        "file": slug(title),
        "members": scheme_looks(found),
        "inks": INKS,
        "configurations": {
            theme: configuration([], [], font=PAGE_FONT, scheme=theme) for theme in ("light", "dark")
        },
        "charts": charts,
        "tables": [candidate_table(found)],
    }
    winner = found.recommendation.winner
    return assemble(
        SCRIPTS,
        "",
        data,
        kind="search",
        title=title if winner is None else f"{title}: {winner.name}",
        subtitle="the best link layer for a trace and a transport",
        description="" if winner is None else f"Recommendation: {setting_words(winner.settings)}.",
        facts=_facts(found),
        findings=[{"text": text, "more": [], "tail": ""} for text in certainty(found)],
        warnings=complaints(found),
        has={"cells": False},
        sections=_sections(charts),
        failures=[
            {
                "name": f"{name}, seed {seed}",
                "reason": message.splitlines()[0],
                "command": message,
                "output": "",
            }
            for name, seed, message in found.failures
        ],
        setup=_setup(found),
        setup_lead="Goal, space and courses of the search, and the file that repeats the winner.",
        scenario_text="" if found.winner_file is None else found.winner_file.read_text(encoding="utf-8"),
        terms=_terms(found),
        method=METHOD,
    )


SECTIONS = {
    "finalists": (
        "Recommendation and rivals",
        "The winner and its nearest rivals, on seen and on unseen courses.",
    ),
    "front": ("All candidates", "Where each simulated candidate stands by its mean."),
    "race": ("The race", "All candidates run the first courses; those that may be the best run more."),
    "sensitivity": ("Sensitivity", "How the objective changes with one parameter at a time."),
}


def _sections(charts: list[Record]) -> list[Record]:
    shown = [
        {
            "id": chart["name"],
            "title": SECTIONS[chart["name"]][0],
            "lead": SECTIONS[chart["name"]][1],
            "view": [f"{chart['name']}-view"],
        }
        for chart in charts
    ]
    every = {
        "id": "candidates",
        "title": "Every candidate",
        "lead": "Sort by a column; filter by text or by a bound such as >0.5.",
        "view": ["candidates-table"],
    }
    rest = [
        {"id": "setup", "title": "What was run", "view": []},
        {"id": "terms", "title": "What the numbers count", "view": []},
    ]
    return [*shown, every, *rest]


def _facts(found: Tuning) -> list[Record]:
    counts = found.recommendation.counts
    share = counts["outcomes"] / counts["exhaustive"]
    told = (
        ("candidates", f"{counts['candidates']:,}", False),
        ("ruled out by models", str(counts["ruled_out"]), False),
        ("simulated", str(counts["simulated"]), False),
        ("left in the race", str(counts["left"]), False),
        ("outcomes", f"{counts['outcomes']:,}", False),
        ("of an exhaustive search", percent(share), False),
        ("courses held out", str(found.courses.n_held_out), False),
        ("failed runs", str(len(found.failures)), bool(found.failures)),
    )
    return [{"label": label, "value": value, "alarm": alarm} for label, value, alarm in told]


def _setup(found: Tuning) -> list[Record]:
    task, courses = found.task, found.courses
    scenario = task.scenario
    rows = [
        ["objective", "; ".join(aim.text for aim in task.goal.objectives)],
        ["constraints", "; ".join(one.text for one in task.goal.constraints) or "none"],
        ["TCP", f"{scenario.grid.tcp[0]}, stack {task.traffic.stack}"],
        ["trace", courses.source.label],
        ["run", f"{task.traffic.duration:g} s"],
        ["seeds of the search", ", ".join(map(str, courses.seeds[: courses.n_search]))],
        ["seeds held out", ", ".join(map(str, courses.seeds[courses.n_search :]))],
        ["confidence", percent(task.rules.level)],
        ["tolerance", percent(task.rules.tolerance)],
    ]
    space: dict[str, dict[str, list[str]]] = {}
    for one in task.candidates:
        own = space.setdefault(str(one.settings[SCHEME]), {})
        for key, value in one.settings.items():
            if key != SCHEME and value_word(value) not in own.setdefault(key, []):
                own[key].append(value_word(value))
    shown = [
        [name, "; ".join(f"{key} {', '.join(values)}" for key, values in keys.items()) or "-"]
        for name, keys in space.items()
    ]
    return [
        {"caption": "The search", "header": ["setting", "value"], "rows": rows},
        {"caption": "The space", "header": ["scheme", "values"], "rows": shown},
    ]


def _terms(found: Tuning) -> list[Record]:
    terms = []
    for measure in found.task.goal.measures:
        if measure.column:
            column = COLUMNS[measure.column]
            told = {"meaning": column.meaning, "counts": column.counts, "null": column.null}
        else:
            told = {"meaning": "delivered data LLDUs / slots that pass", "counts": "data LLDUs", "null": ""}
        terms.append({"label": measure.label, "unit": measure.unit} | told)
    return terms
