"""A paper's statements on its figures, and whether they hold here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from analysis.pages import write_csv, write_page
from tools.page_tables import markdown_table

Verdict = Literal["yes", "in part", "no"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the paper in our words, its place, whether it holds here, and the figures."""

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


def table(*readings: Iterable[Statement], heads: Iterable[str]) -> str:
    """Return a table in Markdown of statements and their verdicts, a column for each reading."""
    rows = (
        [alike[0].where, alike[0].text, *(one.shown for one in alike)]
        for alike in zip(*readings, strict=True)
    )
    return markdown_table(["where", "the paper says", *heads], rows)


def judged(statements: list[Statement]) -> str:
    """Return a list of the statements that do not hold as a whole, with the figures that decide."""
    others = (one for one in statements if one.holds != "yes")
    return "\n".join(f"* {one.shown}, {one.where}: *{one.text}*. Here: {one.found}." for one in others)


def frame(statements: Iterable[Statement], **columns: str) -> pd.DataFrame:
    """Return statements, verdicts and the figures that decide, with `columns` before them."""
    return pd.DataFrame(
        columns | {"where": one.where, "the paper says": one.text, "holds": one.holds, "here": one.found}
        for one in statements
    )


def write_judged(
    folder: Path, page: str, template: Path, statements: list[Statement], **values: object
) -> str:
    """Write a page and the CSV file of its statements; return how many hold."""
    held, partly, total = count(statements), count(statements, "in part"), len(statements)
    write_csv((folder / page).with_suffix(".csv"), frame(statements))
    counts = {"held": held, "partly": partly, "total": total}
    write_page(folder / page, template, judged=judged(statements), **counts, **values)
    return f"{held} of {total} statements of the paper hold, {partly} in part ({folder / page})"
