"""The charts and the table of a search's page: rows, specifications, captions and columns."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.words.values import percent
from tmt.results.tune.task import SCHEME, levels_of
from tmt.results.tune.wording import setting_words, shown_unit, unit_of, value_word, with_unit
from tmt.results.values import bounds, digits, interval_fields
from tmt.show.charts import tune as tune_charts
from tmt.show.charts.parts import filled
from tmt.show.charts.style import GREEN, SCHEME_STYLES, MemberStyle
from tmt.show.charts.vega import configuration
from tmt.show.page.page import Record, columnar, page_record, titled

if TYPE_CHECKING:
    from tmt.results.tune.recommendation import Level
    from tmt.results.tune.tuning import Tuning
    from tmt.show.charts.vega import Row, Spec


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


def candidate_table(found: Tuning) -> Record:
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


Heads = tuple[tuple[str, str], ...]


def scheme_looks(found: Tuning) -> list[Record]:
    """Return label, colours and marker of each scheme in the space."""
    return [page_record(style) for style in _styles(found)]


def _styles(found: Tuning) -> list[MemberStyle]:
    spare = MemberStyle("", GREEN, "8", "--")
    return [replace(SCHEME_STYLES.get(name, spare), label=name) for name in _schemes(found)]


def finalists_chart(found: Tuning) -> Spec | None:
    """Return the winner and its rivals, on courses of the search and held out; None without a winner."""
    if not (shown := charts_of(found)):
        return None
    chart = filled(shown[0]["spec"], finalist_rows(found), configuration(_styles(found)))
    return chart | {"title": shown[0]["caption"]}


def _schemes(found: Tuning) -> list[str]:
    return [str(name) for name in levels_of(found.task.candidates, SCHEME)]


def charts_of(found: Tuning) -> list[Record]:
    """Return the charts for which the search has rows."""
    if found.recommendation.winner is None:
        return []
    aim = found.task.goal.objectives[0]
    title, schemes = titled(aim.label, shown_unit(found, aim)[0]), _schemes(found)
    value = (("mean", title), ("low", "low"), ("high", "high"), ("courses", "courses"))
    shown = [_finalists(found, schemes, title, value), _front(found, schemes, title)]
    if rows := race_rows(found):
        shown.append(_race(schemes, rows))
    levels = sensitivity_rows(found)
    if len(levels) > 1:
        shown.append(_sensitivity(schemes, levels, title, value))
    return shown


def _finalists(found: Tuning, schemes: list[str], title: str, value: Heads) -> Record:
    result = found.recommendation
    return _chart(
        "finalists",
        tune_charts.finalists(schemes, [one.standing.name for one in result.finalists], title),
        finalist_rows(found),
        (("candidate", "candidate"), ("part", "courses of"), *value),
        f"{title} of the finalists, mean and {percent(result.level)} interval. Full: courses of "
        "the search. Hollow: courses held out.",
    )


def _front(found: Tuning, schemes: list[str], title: str) -> Record:
    """Return the chart of all candidates, over a second objective or a constraint where there is one."""
    goal = found.task.goal
    second, limit, ring = "", None, "the recommendation"
    if len(goal.objectives) > 1:
        aim = goal.objectives[1]
        second, ring = titled(aim.label, shown_unit(found, aim)[0]), "the front"
    elif goal.constraints:
        constraint = goal.constraints[0]
        unit, factor = unit_of(constraint.measure.unit, constraint.limit)
        second, limit = titled(constraint.measure.label, unit), factor * constraint.limit
    dashed = "" if limit is None else " Dashed: the constraint."
    return _chart(
        "front",
        tune_charts.candidates(schemes, title, second, limit),
        candidate_rows(found),
        (
            ("candidate", "candidate"),
            ("x", title),
            ("y", second or "-"),
            ("courses", "courses"),
            ("fate", "fate"),
        ),
        f"Every simulated candidate. A ring marks {ring}.{dashed}",
    )


def _race(schemes: list[str], rows: list[Row]) -> Record:
    return _chart(
        "race",
        tune_charts.race(schemes, sorted({row["courses"] for row in rows})),
        rows,
        (
            ("candidate", "candidate"),
            ("courses", "courses"),
            ("gap", "difference from the winner (%)"),
            ("leaves", "leaves"),
        ),
        "Mean difference from the winner on common courses; above 0 a candidate is better so far. A cross "
        "marks a candidate that leaves. Beyond 5 % the scale is logarithmic.",
    )


def _sensitivity(schemes: list[str], levels: list[Row], title: str, value: Heads) -> Record:
    parameters = list(dict.fromkeys(row["parameter"] for row in levels))
    return _chart(
        "sensitivity",
        tune_charts.sensitivity(schemes, parameters, title),
        levels,
        (
            ("parameter", "parameter"),
            ("value", "value"),
            *value,
            ("loss", "loss"),
            ("loss_low", "low"),
            ("loss_high", "high"),
        ),
        f"{title} over each parameter, the others as the winner has them; for the scheme, the best "
        "candidate of each. A ring marks the winner.",
        panels=len(parameters),
    )


def _chart(name: str, spec: Record, rows: list[Row], heads: Heads, caption: str, panels: int = 1) -> Record:
    chart = {"name": name, "spec": spec, "heads": heads, "caption": caption, "panels": panels}
    return chart | columnar(rows)
