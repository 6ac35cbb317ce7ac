"""The charts of a search's page: specifications with their rows, captions and the columns of their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tmt.core.words.display_units import percent
from tmt.results.tune.space import SCHEME, levels_of
from tmt.results.tune.wording import shown_unit, unit_of
from tmt.show.charts import tune_charts
from tmt.show.charts.style import GREEN, SCHEME_STYLES, MemberStyle
from tmt.show.page.member_styles import page_record
from tmt.show.page.page_parts import Record, columnar, titled
from tmt.show.page.tune_rows import candidate_rows, finalist_rows, race_rows, sensitivity_rows

if TYPE_CHECKING:
    from tmt.results.tune.tuning import Tuning
    from tmt.show.page.tune_rows import Row

Heads = tuple[tuple[str, str], ...]


def scheme_looks(found: Tuning) -> list[Record]:
    """Return label, colours and marker of each scheme in the space."""
    spare = MemberStyle("", GREEN, "8", "--")
    return [page_record(replace(SCHEME_STYLES.get(name, spare), label=name)) for name in _schemes(found)]


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
