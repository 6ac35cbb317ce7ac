"""Goals of a search: measures, weighted sums of them, and constraints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.problems import Place, Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.results.statistics import FloatArray

EFFICIENCY = "efficiency"
TRANSFER_TIME = "transfer-time"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a candidate on a course, by its name.

    `column` is the result column of a run; empty for `EFFICIENCY`, which needs no run. `sign` is 1 if larger
    values are better, -1 if smaller ones are.
    """

    name: str
    column: str
    label: str
    unit: str
    sign: int


MEASURES = {
    measure.name: measure
    for measure in (
        Quantity("goodput", "goodput_bps", "Goodput", "bit/s", 1),
        Quantity(TRANSFER_TIME, "completion_s", "Transfer time", "s", -1),
        Quantity("delay-median", "delay_median_s", "Median delay", "s", -1),
        Quantity("delay-p95", "delay_p95_s", "95th percentile of the delay", "s", -1),
        Quantity("delay-p99", "delay_p99_s", "99th percentile of the delay", "s", -1),
        Quantity(EFFICIENCY, "", "Throughput efficiency of the scheme", "", 1),
    )
}

_NUMBER = r"[0-9.]+(?:e[+-]?[0-9]+)?"
_TERM = re.compile(rf"\s*(?:({_NUMBER})\s*\*\s*)?([a-z][a-z0-9-]*)(?::([0-9_]+))?\s*")
_PLUS = re.compile(r"(?<![0-9.]e)\+")  # not the sign of an exponent
_CONSTRAINT = re.compile(rf"\s*([a-z][a-z0-9-]*)(?::([0-9_]+))?\s*(<=|>=|<|>)\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Objective:
    """A measure, or a sum of weighted measures, each with the sign that makes more better."""

    text: str
    terms: tuple[tuple[float, Quantity], ...]

    @property
    def single(self) -> Quantity | None:
        """The measure, unless the objective is a weighted sum."""
        return self.terms[0][1] if len(self.terms) == 1 else None

    @property
    def label(self) -> str:
        """Title of an axis."""
        return self.single.label if self.single else self.text

    @property
    def unit(self) -> str:
        """Unit of the shown value."""
        return self.single.unit if self.single else ""

    def scores(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Return the values of the objective, signed so that larger is better."""
        first, *others = (weight * measure.sign * values[measure.name] for weight, measure in self.terms)
        return sum(others, first)

    def shown(self, score: float) -> float:
        """Return a score as the measure's own value; for a weighted sum, the score."""
        return score * self.single.sign if self.single else score


@dataclass(frozen=True, slots=True)
class Constraint:
    """A bound on the mean of a measure over courses."""

    text: str
    measure: Quantity
    is_upper: bool
    limit: float

    def margins(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Return the distances from the bound; the constraint holds where their mean is not negative."""
        distance = self.limit - values[self.measure.name]
        return distance if self.is_upper else -distance


@dataclass(frozen=True, slots=True)
class Goal:
    """One objective, or two for a Pareto front, and the constraints.

    `transfer_bytes` is the size of the transfers that the goal names; None if it names none.
    """

    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    transfer_bytes: int | None

    @property
    def measures(self) -> tuple[Quantity, ...]:
        """Every measure that the goal needs, each once."""
        needed = [measure for objective in self.objectives for _, measure in objective.terms]
        needed += [constraint.measure for constraint in self.constraints]
        return tuple(dict.fromkeys(needed))

    @property
    def needs_runs(self) -> bool:
        """Whether any measure comes from TCP."""
        return any(measure.column for measure in self.measures)


def parse_goal(objectives: Sequence[str], constraints: Sequence[str]) -> Goal:
    """Read objectives and constraints; Refused, with a place below ``tune``, when one cannot be read."""
    place: Place = ("tune", "objective")
    sizes: set[int] = set()
    aims = tuple(_objective(("tune", "objective", at), text, sizes) for at, text in enumerate(objectives))
    if len(aims) > 2 or len({aim.terms for aim in aims}) < len(aims):
        raise _refused(place, list(objectives), "one, or two different ones for a front")
    bounds = tuple(
        _constraint(("tune", "constraint", at), text, sizes) for at, text in enumerate(constraints)
    )
    if len(sizes) > 1:
        reason = f"has {TRANSFER_TIME} of {' and '.join(map(str, sorted(sizes)))} bytes"
        raise _refused(place, list(objectives), "one size for all transfers of a search", reason)
    return Goal(aims, bounds, min(sizes, default=None))


def _refused(
    place: Place, value: Any, allowed: str | tuple[str, ...], reason: str = "is not allowed"
) -> Refused:
    return Refused([Problem(place, value, "rule", allowed, reason)])


def _objective(place: Place, text: str, sizes: set[int]) -> Objective:
    terms: list[tuple[float, Quantity]] = []
    for part in _PLUS.split(text):
        found = _TERM.fullmatch(part)
        if found is None:
            names = ", ".join(f"{name}:BYTES" if name == TRANSFER_TIME else name for name in MEASURES)
            allowed = f"one of {names}, or a weighted sum such as '1e-6*goodput + 2*delay-p95'"
            raise _refused(place, text, allowed)
        weight = 1.0 if found[1] is None else _number(place, text, found[1])
        if not weight > 0:
            allowed = "weights of more than 0: a measure of which less is better counts negatively by itself"
            raise _refused(place, text, allowed, f"has the weight {found[1]}")
        terms.append((weight, _measure(place, text, found[2], found[3], sizes)))
    if len(terms) == 1 and terms[0][0] != 1.0:
        terms = [(1.0, terms[0][1])]
    return Objective(text.strip(), tuple(terms))


def _constraint(place: Place, text: str, sizes: set[int]) -> Constraint:
    found = _CONSTRAINT.fullmatch(text)
    if found is None:
        raise _refused(place, text, "a measure and a bound, such as delay-p95<1")
    measure = _measure(place, text, found[1], found[2], sizes)
    return Constraint(text.strip(), measure, found[3].startswith("<"), _number(place, text, found[4]))


def _measure(place: Place, text: str, name: str, size: str | None, sizes: set[int]) -> Quantity:
    if name not in MEASURES:
        raise Refused([Problem(place, name, "choice", tuple(MEASURES))])
    if (size is not None) != (name == TRANSFER_TIME):
        allowed = f"a size with {TRANSFER_TIME}, and only with it: {TRANSFER_TIME}:100000"
        raise _refused(place, text, allowed)
    if size is not None:
        if not size.isdecimal() or not 1 <= int(size) <= 2**62:
            raise _refused(place, text, "1 to 2^62 bytes")
        sizes.add(int(size))
    return MEASURES[name]


def _number(place: Place, text: str, digits: str) -> float:
    try:
        value = float(digits)
    except ValueError:
        value = np.inf
    if not np.isfinite(value):
        raise _refused(place, text, "finite numbers")
    return value
