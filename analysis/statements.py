"""A paper's statements on its figures, and whether they hold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pandas as pd

from tools.page_tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable

Verdict = Literal["yes", "in part", "no"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the paper in our words, where it stands, whether it holds here, and the figures."""

    where: str
    text: str
    holds: Verdict
    found: str

    @property
    def shown(self) -> str:
        """The verdict in Markdown: bold unless the statement holds as a whole."""
        return "yes" if self.holds == "yes" else f"**{self.holds}**"


def count(statements: Iterable[Statement], holds: Verdict = "yes") -> int:
    """Return how many statements have a verdict."""
    return sum(statement.holds == holds for statement in statements)


def verdict(*parts: bool) -> Verdict:
    """Return whether a statement holds that has these parts: all of them, some or none."""
    return "yes" if all(parts) else "in part" if any(parts) else "no"


def table(*readings: Iterable[Statement], heads: Iterable[str] = ("holds",)) -> str:
    """Return a table in Markdown of statements and their verdicts, a column for each reading.

    Statements that are made of several figures, with the same verdicts, have one row.
    """
    places: dict[tuple[str, ...], list[str]] = {}
    for alike in zip(*readings, strict=True):
        row = (alike[0].text, *(one.shown for one in alike))
        places.setdefault(row, []).append(alike[0].where)
    rows = (["; ".join(where), *row] for row, where in places.items())
    return markdown_table(["where", "the paper says", *heads], rows)


def frame(statements: Iterable[Statement], **columns: str) -> pd.DataFrame:
    """Return statements, verdicts and the figures that decide, with `columns` before them."""
    return pd.DataFrame(
        columns | {"where": one.where, "the paper says": one.text, "holds": one.holds, "here": one.found}
        for one in statements
    )
