"""What a search for the best scheme asks for: the table ``[tune]`` of a scenario."""

from __future__ import annotations

from typing import Annotated

from tmt.core.declaration import Param, Spec


class Tune(Spec):
    """The goal of a search and its effort."""

    objective: Annotated[
        str | tuple[str, ...], "measure, weighted sum of measures, or two of them for a Pareto front"
    ] = "goodput"
    constraint: Annotated[tuple[str, ...] | str, "bounds on measures, such as delay-p95<1"] = ()
    first_courses: Annotated[int, "courses that every candidate runs", Param("", 2, 1000)] = 4
    held_out: Annotated[int, "courses that judge the winner only", Param("", 2, 10_000)] = 10
    level: Annotated[float, "confidence level", Param("", 0.500001, 0.999999999)] = 0.95
    tolerance: Annotated[float, "relative difference that does not matter", Param("", 0, 0.999999999)] = 0.01
    most_candidates: Annotated[int, "most candidates that are simulated", Param("", 2, 10_000)] = 256
