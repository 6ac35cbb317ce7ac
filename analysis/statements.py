"""A paper's statements on its figures, and whether they hold here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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
