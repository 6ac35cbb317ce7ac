"""What results must be, so that a program can tell whether they are."""

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
        """Refuse bounds that no number keeps, and none."""
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
