"""What a search for the best scheme asks for: the table ``[tune]`` of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Param, Spec

if TYPE_CHECKING:
    from tmt.core.declaration import Rules


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
