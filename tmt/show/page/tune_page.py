"""The result of a search as one HTML page: recommendation, held-out courses, race, sensitivity, scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.words.values import percent
from tmt.results.dataset import Failure
from tmt.results.tune import wording
from tmt.results.tune.task import SCHEME
from tmt.results.values import bounds, slug
from tmt.show.page.page import (
    Record,
    Sections,
    assemble,
    fact,
    finding,
    headed_tables,
    page_record,
    sections,
    term,
)
from tmt.show.page.tune_charts import charts_of, styles

if TYPE_CHECKING:
    from tmt.results.tune.objectives import Quantity
    from tmt.results.tune.tuning import Tuning

SCRIPTS = ("dom.js", "latex.js", "table.js", "marks.js", "frame.js", "tune.js")

METHOD = (
    "A course is a piece of the channel that all candidates see. A candidate leaves the race when a "
    "one-sided paired t test on common courses shows that a leader is better. The test's level is "
    "divided by the numbers of candidates and of looks, so the best one stays with the given "
    "confidence. Intervals of means and losses are Student's t intervals of one candidate or pair. The "
    "change from the search to the courses held out has Welch's interval."
)


def render(found: Tuning) -> str:
    """Return the page as text."""
    title = found.task.scenario.title
    charts = charts_of(found)
    there = {"candidates-table", *(f"{chart['name']}-view" for chart in charts)}
    data = {
        "file": slug(title),
        "members": {"scheme": [page_record(style) for style in styles(found)]},
        "charts": charts,
        "tables": [_candidates(found)],
    }
    winner = found.recommendation.winner
    return assemble(
        SCRIPTS,
        data,
        kind="search",
        title=title if winner is None else f"{title}: {winner.name}",
        subtitle="the best link layer for a trace and a transport",
        description="" if winner is None else wording.verdict(found),
        facts=_facts(found),
        findings=[finding(text) for text in wording.certainty(found)],
        warnings=wording.complaints(found),
        has={"cells": False},
        sections=sections(SECTIONS, there, failures=bool(found.failures)),
        failures=[
            Failure(f"{name}, seed {seed}", message.splitlines()[0], message, "")
            for name, seed, message in found.failures
        ],
        setup=_setup(found),
        setup_lead="Goal, space and courses of the search. The scenario file repeats the winner: "
        "tmt run winner.toml.",
        scenario_text="" if found.winner_file is None else found.winner_file.read_text(encoding="utf-8"),
        terms=_terms(found),
        method=METHOD,
    )


SECTIONS: Sections = {
    "finalists-view": (
        "Recommendation and rivals",
        "The winner and its nearest rivals. A course is a piece of the channel that all candidates see; the "
        "search never saw those that are held out.",
    ),
    "front-view": ("All candidates", "Where each simulated candidate stands by its mean."),
    "race-view": ("The race", "All candidates run the first courses; those that may be the best run more."),
    "sensitivity-view": ("Sensitivity", "How the objective changes with one parameter at a time."),
    "candidates-table": (
        "Every candidate",
        "Fates: races, may still be the best; eliminated, a leader is better; infeasible, misses a "
        "constraint; ruled out, by models without a run; waits, was not simulated; failed, in most runs. "
        "Sort by a column; filter by text or by a bound such as >0.5.",
    ),
}


def _candidates(found: Tuning) -> Record:
    """Return the table of every candidate with its settings, fate and values."""
    aims = [(aim, *wording.shown_unit(found, aim)) for aim in found.task.goal.objectives]
    columns = [{"label": label} for label in ("candidate", "settings", "fate", "courses")]
    for aim, unit, _ in aims:
        columns += [{"label": aim.label, "unit": unit}, {"label": "low"}, {"label": "high"}]
    rows: list[list[Any]] = []
    for one in found.recommendation.standings:
        means = [one.values[aim.text].scaled(factor) for aim, _, factor in aims]
        row = [one.name, wording.setting_words(one.settings), one.fate, means[0].count]
        rows.append(row + [bound for mean in means for bound in bounds(mean)])
    caption = "Every candidate of the space"
    return {"name": "candidates", "caption": caption, "columns": columns, "rows": rows}


def _facts(found: Tuning) -> list[Record]:
    counts = found.recommendation.counts
    return [
        fact("candidates", f"{counts['candidates']:,}"),
        fact("ruled out by models", counts["ruled_out"]),
        fact("simulated", counts["simulated"]),
        fact("left in the race", counts["left"]),
        fact("pairs of candidate and course", f"{counts['outcomes']:,}"),
        fact("of an exhaustive search", percent(counts["outcomes"] / counts["exhaustive"])),
        fact("courses held out", found.courses.n_held_out),
        fact("failed runs", len(found.failures), alarm=bool(found.failures)),
    ]


def _setup(found: Tuning) -> list[Record]:
    task, courses = found.task, found.courses
    scenario = task.scenario
    rows = [
        ["objective", "; ".join(aim.text for aim in task.goal.objectives)],
        ["constraints", "; ".join(one.text for one in task.goal.constraints) or "none"],
        ["TCP", f"{task.traffic.tcp}, stack {task.traffic.stack}"],
        ["trace", "; ".join(dict.fromkeys(trace.title for trace in scenario.trace))],
        ["round-trip time", ", ".join(dict.fromkeys(f"{path.rtt:g} s" for path in scenario.path))],
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
            word = wording.value_word(value)
            if key != SCHEME and word not in own.setdefault(key, []):
                own[key].append(word)
    shown = [
        [name, "; ".join(f"{key} {', '.join(values)}" for key, values in keys.items()) or "-"]
        for name, keys in space.items()
    ]
    return headed_tables(
        ("The search", ["setting", "value"], rows), ("The space", ["scheme", "values"], shown)
    )


def _terms(found: Tuning) -> list[Record]:
    efficiency = {"meaning": "delivered data LLDUs / slots that pass", "counts": "data LLDUs", "null": ""}
    return [
        term(one.column, one.label, _unit(found, one))
        if one.column
        else {"label": one.label, "unit": _unit(found, one)} | efficiency
        for one in found.task.goal.measures
    ]


def _unit(found: Tuning, measure: Quantity) -> str:
    """Return the unit of a measure on the page; the terms of a weighted sum have the measures' own units."""
    goal = found.task.goal
    for aim in goal.objectives:
        if aim.single == measure:
            return wording.shown_unit(found, aim)[0]
    limits = [one.limit for one in goal.constraints if one.measure == measure]
    return wording.unit_of(measure.unit, limits[0])[0] if limits else measure.unit
