"""Rows of the charts and tables of a search's page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.results.tune.space import SCHEME
from tmt.results.tune.wording import setting_words, shown_unit, unit_of, value_word, with_unit
from tmt.results.values import bounds, digits, interval_fields

if TYPE_CHECKING:
    from tmt.results.tune.recommendation import Level
    from tmt.results.tune.tuning import Tuning

Row = dict[str, Any]


def finalist_rows(found: Tuning) -> list[Row]:
    """Return two rows for each finalist: the search, and the courses held out."""
    aim = found.task.goal.objectives[0]
    _, factor = shown_unit(found, aim)
    rows = []
    for one in found.recommendation.finalists:
        for part, interval in (
            ("search", one.standing.values[aim.text]),
            ("held out", one.held_out[aim.text]),
        ):
            about = f"{one.standing.name}, {part}\n{aim.label}: {with_unit(found, aim, interval)}"
            place = {"candidate": one.standing.name, "scheme": one.standing.settings[SCHEME], "part": part}
            rows.append(
                place | interval_fields(interval.scaled(factor)) | {"courses": interval.count, "about": about}
            )
    return rows


def candidate_rows(found: Tuning) -> list[Row]:
    """Return a row for each simulated candidate: the objective, and a second one or a constraint."""
    result, goal = found.recommendation, found.task.goal
    front = {one.number for one in result.front}
    measures = found.search.race.evidence.values
    rows = []
    for one in result.standings:
        x = one.values[goal.objectives[0].text]
        if math.isnan(x.mean):
            continue
        y = None
        if len(goal.objectives) > 1:
            second = goal.objectives[1]
            y = shown_unit(found, second)[1] * one.values[second.text].mean
        elif goal.constraints:
            bound = goal.constraints[0]
            _, factor = unit_of(bound.measure.unit, bound.limit)
            y = factor * float(np.nanmean(measures[bound.measure.name][one.number]))
        about = f"{one.name}\n{with_unit(found, goal.objectives[0], x)}\n{x.count} courses, {one.fate}"
        rows.append(
            {
                "candidate": one.name,
                "scheme": one.settings[SCHEME],
                "x": digits(shown_unit(found, goal.objectives[0])[1] * x.mean),
                "y": None if y is None else digits(y),
                "courses": x.count,
                "fate": one.fate,
                "front": one.number in front,
                "about": about,
            }
        )
    return rows


def race_rows(found: Tuning) -> list[Row]:
    """Return the gap of each candidate to the winner at each look, in percent of the winner's score."""
    race, result = found.search.race, found.recommendation
    if result.winner is None:
        return []
    scores, winner = race.evidence.scores(), result.winner.number
    rows, left = [], set()
    for look in race.looks:
        own = scores[winner, : look.courses]
        for number in look.scores:
            if number in left:
                continue
            gap = float(np.nanmean(scores[number, : look.courses] - own))
            base = abs(float(np.nanmean(own))) or 1.0
            name = found.task.candidates[number].name
            leaves = number in look.eliminated
            if leaves:
                left.add(number)
            fate = f", {look.eliminated[number]}" if leaves else ""
            rows.append(
                {
                    "candidate": name,
                    "scheme": found.task.candidates[number].settings[SCHEME],
                    "courses": look.courses,
                    "gap": digits(100 * gap / base),
                    "leaves": leaves,
                    "about": f"{name}\n{100 * gap / base:+.2g} % after {look.courses} courses{fate}",
                }
            )
    # Candidates enter in groups, so that one look may come twice: the last row of each counts.
    return list({(row["candidate"], row["courses"]): row for row in rows}.values())


def sensitivity_rows(found: Tuning) -> list[Row]:
    """Return a row for each value of each parameter, with the others as the winner has them."""
    return [_level_row(found, level) for level in found.recommendation.sensitivity]


def _level_row(found: Tuning, level: Level) -> Row:
    result, aim = found.recommendation, found.task.goal.objectives[0]
    assert result.winner is not None
    standing = level.standing
    interval = standing.values[aim.text]
    value = value_word(level.value)
    _, factor = shown_unit(found, aim)
    loss = f"worse than the winner by {with_unit(found, aim, level.loss)}"
    about = f"{standing.name}\n{with_unit(found, aim, interval)}\n{loss}"
    place = {"parameter": level.parameter.replace("_", " "), "value": value, "candidate": standing.name}
    return (
        place
        | {"scheme": standing.settings[SCHEME], "winner": standing.number == result.winner.number}
        | interval_fields(interval.scaled(factor))
        | interval_fields(level.loss.scaled(factor), "loss")
        | {"courses": interval.count, "about": about}
    )


def candidate_table(found: Tuning) -> dict[str, Any]:
    """Return every candidate with its settings, fate and values."""
    aims = found.task.goal.objectives
    units = [shown_unit(found, aim) for aim in aims]
    columns = [{"label": "candidate"}, {"label": "settings"}, {"label": "fate"}, {"label": "courses"}]
    for aim, (unit, _) in zip(aims, units, strict=True):
        columns += [{"label": aim.label, "unit": unit}, {"label": "low"}, {"label": "high"}]
    rows: list[list[Any]] = []
    for one in found.recommendation.standings:
        row: list[Any] = [one.name, setting_words(one.settings), one.fate, one.values[aims[0].text].count]
        for aim, (_, factor) in zip(aims, units, strict=True):
            row += bounds(one.values[aim.text].scaled(factor))
        rows.append(row)
    return {
        "name": "candidates",
        "caption": "Every candidate of the space",
        "columns": columns,
        "rows": rows,
    }
