"""Allocations of slots to users: the states of the schedulers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import FloatArray, Int64Array


class InTurn:
    """Each user in turn."""

    def __init__(self, users: int) -> None:
        self._users, self._first = users, 0

    def next(self, slots: int, rates: FloatArray | None = None) -> Int64Array:
        """Return users as `Allocation.next` does."""
        del rates
        found = (self._first + np.arange(slots, dtype=np.int64)) % self._users
        self._first = (self._first + slots) % self._users
        return found


class ByWeight:
    """Slots by `by_weight`."""

    def __init__(self, weights: Sequence[int]) -> None:
        self._weights = np.array(weights, np.int64)
        self._credits = np.zeros_like(self._weights)

    def next(self, slots: int, rates: FloatArray | None = None) -> Int64Array:
        """Return users as `Allocation.next` does."""
        from tmt.core.sharing.kernel import by_weight  # noqa: PLC0415  (numba takes long to import)

        del rates
        user = np.empty(slots, np.int64)
        by_weight(self._weights, self._credits, user)
        return user


class ByRate:
    """Slots by `by_rate`."""

    def __init__(self, users: int, averaging_slots: int) -> None:
        self._means, self._part = np.zeros(users), 1.0 / averaging_slots

    def next(self, slots: int, rates: FloatArray | None = None) -> Int64Array:
        """Return users as `Allocation.next` does."""
        from tmt.core.sharing.kernel import by_rate  # noqa: PLC0415  (numba takes long to import)

        assert rates is not None
        assert rates.shape == (len(self._means), slots)
        user = np.empty(slots, np.int64)
        by_rate(np.ascontiguousarray(rates), self._means, self._part, user)
        return user
