"""The finalists of a search as a table of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.results.tune.wording import shown_unit
from tmt.results.values import interval_text

if TYPE_CHECKING:
    from tmt.results.tune.tuning import Tuning


def finalist_table(found: Tuning) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows: candidate, role, each objective in the search and held out."""
    result, aims = found.recommendation, found.task.goal.objectives
    units = [shown_unit(found, aim) for aim in aims]
    header = ["candidate", ""]
    for aim, (unit, _) in zip(aims, units, strict=True):
        header += [f"{aim.label}, {unit}" if unit else aim.label, "held out"]
    ties = {one.number for one in result.ties}
    front = {one.number for one in result.front}
    rows = []
    for one in result.finalists:
        number = one.standing.number
        is_winner = result.winner is not None and number == result.winner.number
        role = "winner" if is_winner else "front" if number in front else "tie" if number in ties else "worse"
        cells = [one.standing.name, role]
        for aim, (_, factor) in zip(aims, units, strict=True):
            cells += [
                interval_text(interval.scaled(factor))
                for interval in (one.standing.values[aim.text], one.held_out[aim.text])
            ]
        rows.append(cells)
    return header, rows
