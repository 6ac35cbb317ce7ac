"""The share of a link that one of n users gets: every n-th slot."""

from __future__ import annotations

from tmt.errors import UsageError
from tmt.trace import PhyTrace


class Share:
    """Keeps the slots 0, n, 2 n, ... of a trace that arrives in chunks.

    Parameters
    ----------
    every
        n; 1 keeps all slots.

    Raises
    ------
    UsageError
        When `every` is below 1.
    """

    def __init__(self, every: int) -> None:
        if every < 1:
            raise UsageError(f"every is {every}; it must be a whole number of at least 1")
        self._every, self._passed = every, 0

    def of(self, chunk: PhyTrace) -> PhyTrace:
        """Return the slots of `chunk`, the next of the trace, that are kept."""
        kept = slice(-self._passed % self._every, None, self._every)
        self._passed += len(chunk)
        return PhyTrace(**{column.name: getattr(chunk, column.name)[kept] for column in chunk.columns})
