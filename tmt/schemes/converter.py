"""Slots in, settled rows out, chunk by chunk: what the converters of all schemes share."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from tmt.schema import UNSETTLED
from tmt.schemes.counts import Counts
from tmt.trace import Int64Array, LinkTrace, PhyTrace


class Converter(ABC):
    """One conversion under way: `feed` it the trace in pieces of any size, then `finish` it.

    Rows come out in the order of their first transmission, each as soon as its own fate and that of all rows
    before it are settled. Rows that still wait stand in a window, which moves along the trace.
    """

    def __init__(self) -> None:
        self._slots = 0
        self._emitted = 0
        self._window = empty_rows(0)
        self._delivered = self._lost = self._unsettled = 0

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots and return the rows that are settled now, maybe none."""
        waiting, n_waiting = self._window, len(self._window)
        self._window = empty_rows(n_waiting + self._most_rows(len(phy)))
        for name in ("tx_time_ns", "delay_ns", "delivered", "transmissions"):
            getattr(self._window, name)[:n_waiting] = getattr(waiting, name)
        self._slots += len(phy)
        self._send(_plain(phy.tx_time_ns), _plain(phy.decode_time_ns))
        settled = self._settled_rows()
        window = self._window
        self._window = rows_between(window, settled - self._emitted, self._rows() - self._emitted)
        return self._emit(rows_between(window, 0, settled - self._emitted))

    def finish(self) -> LinkTrace:
        """Return the rows that are left, some of them unsettled, and check the bookkeeping.

        Raises
        ------
        AssertionError
            When slots or rows went missing: a defect of ours.
        """
        window, self._window = joined(self._window, self._cut_short()), empty_rows(0)
        rest = self._emit(window)
        self.counts.check()
        return rest

    @property
    def counts(self) -> Counts:
        """Bookkeeping so far; complete after `finish`."""
        return Counts(
            slots=self._slots,
            data_rows=self._data_slots(),
            repair_slots=self._repair_slots(),
            retransmission_slots=self._retransmission_slots(),
            dropped_tail=self._dropped_tail(),
            delivered=self._delivered,
            lost=self._lost,
            unsettled=self._unsettled,
        )

    def _emit(self, rows: LinkTrace) -> LinkTrace:
        open_ = rows.delay_ns == UNSETTLED
        self._emitted += len(rows)
        self._delivered += int(np.count_nonzero(rows.delivered))
        self._unsettled += int(np.count_nonzero(open_))
        self._lost += int(np.count_nonzero(~(open_ | rows.delivered)))
        return rows

    def _most_rows(self, n_slots: int) -> int:
        """Rows to make room for before so many slots: no more can begin, nor be written to by the way."""
        return n_slots

    @abstractmethod
    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array) -> None:
        """Run the kernel over the next slots, into the window."""

    @abstractmethod
    def _rows(self) -> int:
        """Rows written since the start of the trace."""

    @abstractmethod
    def _settled_rows(self) -> int:
        """Rows since the start of the trace that come before the first open one."""

    def _data_slots(self) -> int:
        """Slots since the start of the trace that began a row, or will begin one at its end."""
        return self._rows()

    def _cut_short(self) -> LinkTrace:
        """Return the rows that stand after the window when the trace ends here."""
        return empty_rows(0)

    def _repair_slots(self) -> int:
        return 0

    def _retransmission_slots(self) -> int:
        return 0

    def _dropped_tail(self) -> int:
        return 0


def empty_rows(n_rows: int) -> LinkTrace:
    """Make room for so many rows, not initialised."""
    return LinkTrace(
        np.empty(n_rows, np.int64),
        np.empty(n_rows, np.int64),
        np.empty(n_rows, np.bool_),
        np.empty(n_rows, np.uint8),
    )


def joined(first: LinkTrace, second: LinkTrace) -> LinkTrace:
    """Put rows behind rows."""
    return LinkTrace(
        np.concatenate([first.tx_time_ns, second.tx_time_ns]),
        np.concatenate([first.delay_ns, second.delay_ns]),
        np.concatenate([first.delivered, second.delivered]),
        np.concatenate([first.transmissions, second.transmissions]),
    )


def rows_between(rows: LinkTrace, start: int, stop: int) -> LinkTrace:
    """View the rows from index `start` up to `stop`."""
    part = slice(start, stop)
    return LinkTrace(
        rows.tx_time_ns[part], rows.delay_ns[part], rows.delivered[part], rows.transmissions[part]
    )


def grown_ring(ring: np.ndarray, head: int, tail: int, more: int) -> np.ndarray:
    """Return a ring with the entries from `head` to `tail` at their places and room for `more`.

    The number of places is a power of two, and entry `i` stands at place ``i % places``.
    """
    if tail - head + more <= len(ring):
        return ring
    places = 1 << (tail - head + more - 1).bit_length()
    grown = np.zeros((places, *ring.shape[1:]), ring.dtype)
    entries = np.arange(head, tail)
    grown[entries % places] = ring[entries % len(ring)]
    return grown


def _plain(column: Int64Array) -> Int64Array:
    """Return a column as one writable piece, so that kernels are compiled for one kind of array."""
    return np.require(column, np.int64, ["C", "W"])
