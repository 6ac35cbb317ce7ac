"""Demands of a scenario on its results: the bounds ``[[expect]]``, and the search ``[tune]``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Param, Spec
from tmt.spec.columns import RUN_RESULTS

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

NUMBERS = tuple(one.name for one in RUN_RESULTS if one.kind in ("number", "integer"))
"""Result columns that hold numbers."""

Bound = Annotated[float | None, Param("", -1e300, 1e300, absent="no bound")]


class Expect(Spec):
    """Bounds on the mean of a result over the seeds, in every cell of the grid."""

    column: Annotated[str, "result column in its own unit, or a measure of programs"]
    least: Annotated[Bound, "least mean"] = None
    most: Annotated[Bound, "largest mean"] = None

    def rules(self) -> Rules:
        """Refuse bounds that no number can keep, and an empty set of bounds."""
        if self.least is None and self.most is None:
            yield "least", "least, most or both", "is missing"
        elif self.least is not None and self.most is not None and self.least > self.most:
            yield "least", f"up to most, {self.most:g}"

    def keeps(self, value: float) -> bool:
        """Whether a mean lies within the bounds; NaN does not."""
        least = -math.inf if self.least is None else self.least
        return least <= value <= (math.inf if self.most is None else self.most)

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        least = [] if self.least is None else [f"at least {self.least:.10g}"]
        most = [] if self.most is None else [f"at most {self.most:.10g}"]
        return " and ".join(least + most)


class Tune(Spec):
    """The goal of a search and its effort."""

    objective: Annotated[
        tuple[str, ...],
        "measure, such as goodput or delay-p95, weighted sum of measures, or two of them for a Pareto front",
    ] = ("goodput",)
    constraint: Annotated[tuple[str, ...], "bounds on the means of measures, such as delay-p95<1"] = ()
    first_courses: Annotated[int, "courses that every candidate runs", Param("", 2, 1000)] = 4
    held_out: Annotated[int, "courses that only judge the winner", Param("", 2, 10_000)] = 10
    level: Annotated[float, "confidence level of tests and bounds", Param("", 0.5001, 0.9999)] = 0.95
    tolerance: Annotated[
        float,
        "stop when no candidate can be better than the winner by more than this share",
        Param("", 0, 0.9999),
    ] = 0.01
    most_candidates: Annotated[
        int, "largest space that is searched completely; larger ones are sampled", Param("", 2, 10_000)
    ] = 256

    def rules(self) -> Rules:
        """Refuse a search without a goal."""
        if not self.objective:
            yield "objective", 'a list with at least one measure, such as "goodput"'
