"""Spaces with a known objective in place of simulations, and the noise of courses."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tmt import NoScheme, Path
from tmt.results.tune.race import Cell, Outcome
from tmt.results.tune.task import SCHEME, Candidate


def grid_of(*levels: int) -> list[Candidate]:
    """Return the candidates of a grid with so many levels of each parameter."""
    places = np.stack(np.meshgrid(*map(np.arange, levels), indexing="ij"), axis=-1).reshape(-1, len(levels))
    return [
        Candidate(
            NoScheme(),
            Path(0.1),
            {SCHEME: "planted"} | {f"p{axis}": int(level) for axis, level in enumerate(place)},
            f"candidate {number}",
        )
        for number, place in enumerate(places)
    ]


@dataclass
class Planted:
    """Values ``means[candidate] + common[course] + own noise``; `cells` holds what was asked for."""

    means: np.ndarray
    seed: int
    own: float = 1.0
    common: float = 5.0
    name: str = "goodput"
    cells: set[Cell] = field(default_factory=set)

    def value(self, candidate: int, course: int) -> float:
        shared = np.random.default_rng([self.seed, course]).normal()
        noise = np.random.default_rng([self.seed, course, candidate]).normal()
        return float(self.means[candidate] + self.common * shared + self.own * noise)

    def __call__(self, wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        assert not self.cells & set(wanted), "a cell is simulated twice"
        self.cells |= set(wanted)
        return {cell: {self.name: self.value(*cell)} for cell in wanted}
