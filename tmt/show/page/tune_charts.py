"""The charts of a search's page: rows, Vega-Lite specifications, captions and the columns of their tables.

The page's script fills in rows, colours and widths.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from tmt.core.words.values import percent
from tmt.results.tune.task import SCHEME, levels_of
from tmt.results.tune.wording import shown_unit, unit_of, value_word, with_unit
from tmt.results.values import digits, interval_fields
from tmt.show.charts.parts import (
    INK,
    LOOKS,
    PAPER,
    QUIET,
    ROW_PX,
    ROWS,
    filled,
    panel_header,
    point,
    row_axis,
    told,
    with_parameters,
)
from tmt.show.charts.style import GREEN, SCHEME_STYLES, MemberStyle, configuration
from tmt.show.page.page import Record, columnar, titled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.tune.tuning import Tuning
    from tmt.show.charts.style import Row, Spec

Heads = tuple[tuple[str, str], ...]

CROSS = "M-1,-1L1,1M1,-1L-1,1"


def styles(found: Tuning) -> list[MemberStyle]:
    """Return the style of each scheme in the space."""
    spare = MemberStyle("", GREEN, "8", "--")
    return [replace(SCHEME_STYLES.get(name, spare), label=name) for name in _schemes(found)]


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
    if rows := _race_rows(found):
        shown.append(_race(schemes, rows))
    levels = _sensitivity_rows(found)
    if len(levels) > 1:
        shown.append(_sensitivity(schemes, levels, title, value))
    return shown


def finalists_chart(found: Tuning) -> Spec | None:
    """Return the winner and its rivals, on the search's and the held-out courses; None without a winner."""
    if not (shown := charts_of(found)):
        return None
    chart = filled(shown[0]["spec"], _finalist_rows(found), configuration(styles(found)))
    return chart | {"title": shown[0]["caption"]}


def _finalists(found: Tuning, schemes: list[str], title: str, value: Heads) -> Record:
    """Return a row for each finalist: a full mark for `part` search, with a hollow one for held out below."""
    result = found.recommendation
    order = [one.standing.name for one in result.finalists]
    base = alt.Chart().encode(
        y=alt.Y("candidate:N", sort=order, axis=_names()),
        yOffset=alt.YOffset("part:N", sort=["search", "held out"]),
    )
    search, unseen = "datum.part === 'search'", "datum.part !== 'search'"
    x, looks = _x("mean", title), _looks(schemes)
    hollow = base.transform_filter(unseen).mark_point(
        filled=False, fill=PAPER, aria=True, size=55, strokeWidth=2, opacity=1
    )
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=_x("low", title), x2="high", color=looks["color"]),
        point(base.transform_filter(search), x=x, **looks),
        hollow.encode(x=x, **looks, **told()),
    ]
    return _chart(
        "finalists",
        alt.layer(*layers).properties(height=2.5 * ROW_PX * len(order)),
        _finalist_rows(found),
        (("candidate", "candidate"), ("part", "courses of"), *value),
        f"{title} of the finalists, mean and {percent(result.level)} interval. Full: courses of "
        "the search. Hollow: courses held out.",
    )


def _finalist_rows(found: Tuning) -> list[Row]:
    """Return two rows for each finalist: search, and held out."""
    aim = found.task.goal.objectives[0]
    _, factor = shown_unit(found, aim)
    rows = []
    for one in found.recommendation.finalists:
        standing = one.standing
        parts = {"search": standing.values[aim.text], "held out": one.held_out[aim.text]}
        for part, interval in parts.items():
            about = f"{standing.name}, {part}\n{aim.label}: {with_unit(found, aim, interval)}"
            place = {"candidate": standing.name, "scheme": standing.settings[SCHEME], "part": part}
            rows.append(
                place | interval_fields(interval.scaled(factor)) | {"courses": interval.count, "about": about}
            )
    return rows


def _front(found: Tuning, schemes: list[str], title: str) -> Record:
    """Return all candidates over a second objective or a constraint, if there is one.

    Those of the front have a ring and, with two objectives, a line.
    """
    goal = found.task.goal
    second, limit, ring = "", None, "the recommendation"
    if len(goal.objectives) > 1:
        aim = goal.objectives[1]
        second, ring = titled(aim.label, shown_unit(found, aim)[0]), "the front"
    elif goal.constraints:
        constraint = goal.constraints[0]
        unit, factor = unit_of(constraint.measure.unit, constraint.limit)
        second, limit = titled(constraint.measure.label, unit), factor * constraint.limit
    base, across = alt.Chart(), _x("x", title)
    down: Any = alt.Y("scheme:N", sort=schemes, axis=_names())
    if second:
        down = alt.Y("y:Q", title=second, scale=alt.Scale(zero=False))
    points = base.mark_point(filled=True, aria=True, size=45, opacity=0.75).encode(
        x=across, y=down, **_looks(schemes, legend=bool(second)), **told()
    )
    front = base.transform_filter("datum.front").encode(x=across, y=down)
    layers = [_ringed(front), points]
    if second and limit is None:
        layers.insert(0, front.mark_line(stroke=QUIET, strokeDash=[4, 3]).encode(order="x:Q"))
    if limit is not None:
        layers.append(base.mark_rule(stroke=INK, strokeDash=[6, 3]).encode(y=alt.datum(limit)))
    dashed = "" if limit is None else " Dashed: the constraint."
    return _chart(
        "front",
        alt.layer(*layers).properties(height=300 if second else ROW_PX * len(schemes)),
        _candidate_rows(found),
        (
            *(("candidate", "candidate"), ("x", title), ("y", second or "-")),
            *(("courses", "courses"), ("fate", "fate")),
        ),
        f"Every simulated candidate. A ring marks {ring}.{dashed}",
    )


def _candidate_rows(found: Tuning) -> list[Row]:
    """Return a row for each simulated candidate: the objective, and a second one or a constraint."""
    result, goal = found.recommendation, found.task.goal
    aim, *others = goal.objectives
    _, factor = shown_unit(found, aim)
    front = {one.number for one in result.front}
    measures = found.search.race.evidence.values
    rows = []
    for one in result.standings:
        x = one.values[aim.text]
        if math.isnan(x.mean):
            continue
        y = None
        if others:
            y = digits(shown_unit(found, others[0])[1] * one.values[others[0].text].mean)
        elif goal.constraints:
            bound = goal.constraints[0]
            _, scale = unit_of(bound.measure.unit, bound.limit)
            y = digits(scale * float(np.nanmean(measures[bound.measure.name][one.number])))
        rows.append(
            {
                "candidate": one.name,
                "scheme": one.settings[SCHEME],
                "x": digits(factor * x.mean),
                "y": y,
                "courses": x.count,
                "fate": one.fate,
                "front": one.number in front,
                "about": f"{one.name}\n{with_unit(found, aim, x)}\n{x.count} courses, {one.fate}",
            }
        )
    return rows


def _race(schemes: list[str], rows: list[Row]) -> Record:
    """Return a line for each candidate over the courses of each look; a cross marks where it leaves."""
    axis = alt.Axis(values=sorted({row["courses"] for row in rows}))
    x = alt.X("courses:Q", title="courses", axis=axis, scale=alt.Scale(zero=False))
    # The scale is logarithmic beyond 5 %, which spreads close rivals.
    scale = alt.Scale(type="symlog", constant=5, zero=False)
    heading = "difference from the winner (%)"
    base = alt.Chart().encode(x=x, y=alt.Y("gap:Q", title=heading, scale=scale))
    looks = _looks(schemes)
    line = base.mark_line(strokeWidth=1.2, opacity=0.7).encode(color=looks["color"], detail="candidate:N")
    points = base.mark_point(filled=True, aria=True, size=28, opacity=0.9).encode(**looks, **told())
    out = base.transform_filter("datum.leaves").mark_point(shape=CROSS, stroke=INK, size=60, opacity=0.8)
    return _chart(
        "race",
        alt.layer(line, points, out).properties(height=300),
        rows,
        (("candidate", "candidate"), ("courses", "courses"), ("gap", heading), ("leaves", "leaves")),
        "Mean difference from the winner on common courses; above 0 a candidate is better so far. A cross "
        "marks a candidate that leaves. Beyond 5 % the scale is logarithmic.",
    )


def _race_rows(found: Tuning) -> list[Row]:
    """Return the gap of each candidate to the winner at each look, in percent of the winner's score."""
    race, result = found.search.race, found.recommendation
    assert result.winner is not None
    scores, winner = race.evidence.scores(), result.winner.number
    # Candidates enter in groups, so a look may occur twice: the last row of each counts.
    rows: dict[tuple[str, int], Row] = {}
    left = set()
    for look in race.looks:
        own = scores[winner, : look.courses]
        base = abs(float(np.nanmean(own))) or 1.0
        for number in look.scores:
            if number in left:
                continue
            gap = 100 * float(np.nanmean(scores[number, : look.courses] - own)) / base
            candidate = found.task.candidates[number]
            leaves = number in look.eliminated
            if leaves:
                left.add(number)
            fate = f", {look.eliminated[number]}" if leaves else ""
            rows[candidate.name, look.courses] = {
                "candidate": candidate.name,
                "scheme": candidate.settings[SCHEME],
                "courses": look.courses,
                "gap": digits(gap),
                "leaves": leaves,
                "about": f"{candidate.name}\n{gap:+.2g} % after {look.courses} courses{fate}",
            }
    return list(rows.values())


def _sensitivity(schemes: list[str], levels: list[Row], title: str, value: Heads) -> Record:
    """Return a panel for each parameter: the objective over its values; the winner's value has a ring."""
    parameters = list(dict.fromkeys(row["parameter"] for row in levels))
    x = alt.X("value:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30, labelLimit=130))
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
    base, looks = alt.Chart().encode(x=x), _looks(schemes, legend=False)
    interval = base.mark_rule(strokeWidth=2).encode(
        y=alt.Y("low:Q", title=title), y2="high", color=looks["color"]
    )
    # The first layer sets the order of the values, so it has all of them.
    ring = _ringed(base.transform_filter("datum.winner")).encode(y=y)
    panel = alt.layer(interval, point(base, size=60, y=y, **looks), ring).properties(height=170)
    facet = alt.Facet("parameter:N", sort=parameters, header=panel_header())
    return _chart(
        "sensitivity",
        panel.facet(facet=facet, columns=2, data=ROWS).resolve_scale(x="independent"),
        levels,
        (
            *(("parameter", "parameter"), ("value", "value"), *value),
            *(("loss", "loss"), ("loss_low", "low"), ("loss_high", "high")),
        ),
        f"{title} over each parameter, the others as the winner has them; for scheme and queue, the best "
        "candidate of each. A ring marks the winner.",
        panels=len(parameters),
    )


def _sensitivity_rows(found: Tuning) -> list[Row]:
    """Return a row for each value of each parameter, with the winner's values of the others."""
    result, aim = found.recommendation, found.task.goal.objectives[0]
    assert result.winner is not None
    _, factor = shown_unit(found, aim)
    rows = []
    for level in result.sensitivity:
        standing = level.standing
        interval = standing.values[aim.text]
        loss = f"worse than the winner by {with_unit(found, aim, level.loss)}"
        row = {
            "parameter": level.parameter.replace("_", " "),
            "value": value_word(level.value),
            "candidate": standing.name,
            "scheme": standing.settings[SCHEME],
            "winner": standing.number == result.winner.number,
            **interval_fields(interval.scaled(factor)),
            **interval_fields(level.loss.scaled(factor), "loss"),
            "courses": interval.count,
            "about": f"{standing.name}\n{with_unit(found, aim, interval)}\n{loss}",
        }
        rows.append(row)
    return rows


def _chart(name: str, drawn: Any, rows: list[Row], heads: Heads, caption: str, panels: int = 1) -> Record:
    spec = with_parameters(drawn, LOOKS)
    chart = {"name": name, "spec": spec, "heads": heads, "caption": caption, "panels": panels}
    return chart | columnar(rows)


def _x(field: str, title: str) -> alt.X:
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))


def _names() -> alt.Axis:
    return row_axis(alt.ExprRef("narrow ? 210 : 400"))


def _ringed(base: Any) -> Any:
    return base.mark_point(filled=False, stroke=INK, size=190, strokeWidth=1.5, opacity=1)


def _looks(schemes: Sequence[str], *, legend: bool = True) -> dict[str, Any]:
    """Return colour and marker of the schemes."""
    columns = alt.ExprRef("narrow ? 2 : 0")
    shown = alt.Legend(title=None, orient="top", columns=columns) if legend else None
    scale = alt.Scale(domain=list(schemes))
    return {
        "color": alt.Color("scheme:N", scale=scale, legend=shown),
        "shape": alt.Shape("scheme:N", scale=scale, legend=shown),
    }
