"""Conversion of a trace in pieces: slots in, settled rows and their counts out. All schemes share it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tmt.core.schema import UNSETTLED
from tmt.core.trace import Int64Array, LinkTrace, PhyTrace

if TYPE_CHECKING:
    from typing import Self

    from tmt.core.kernels import Rows
    from tmt.core.trace import Metadata


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one conversion.

    Attributes
    ----------
    slots : slots of the trace
    data_rows, repair_slots, retransmission_slots
        Slots with first transmissions of data LLDUs, with repair LLDUs, and with retransmissions.
    dropped_tail : slots of the last incomplete run of `fec`, which carry nothing
    stalled_slots : slots that stayed idle, because no process was free or the window was full
    delivered, lost, unsettled : fates of the data LLDUs
    sent_bytes, delivered_bytes : of slots in use, and of delivered LLDUs; None where the trace has no sizes
    """

    slots: int
    data_rows: int
    repair_slots: int
    retransmission_slots: int
    dropped_tail: int
    delivered: int
    lost: int
    unsettled: int
    stalled_slots: int = 0
    sent_bytes: int | None = None
    delivered_bytes: int | None = None

    @property
    def efficiency(self) -> float:
        """Throughput efficiency: delivered data LLDUs / slots; NaN without slots.

        The dropped tail does not count as slots. A stalled slot does: the scheme wastes it. Where the trace
        has sizes, bytes are counted instead of LLDUs and slots.
        """
        if self.sent_bytes is not None and self.delivered_bytes is not None:
            return self.delivered_bytes / self.sent_bytes if self.sent_bytes else float("nan")
        used = self.slots - self.dropped_tail
        return self.delivered / used if used else float("nan")

    def check(self) -> None:
        """Raise AssertionError when a slot or a row was counted twice or not at all: a bug in TMT."""
        uses = self.data_rows + self.repair_slots + self.retransmission_slots
        uses += self.stalled_slots + self.dropped_tail
        fates = self.delivered + self.lost + self.unsettled
        if uses != self.slots or fates != self.data_rows:
            raise AssertionError(f"a conversion lost count of its slots or rows: {self}")


class Converter(ABC):
    """A conversion in progress: `feed` it the trace in pieces of any size, then `finish` it.

    Rows come out in the order of their first transmission, as soon as their fates and those of all rows
    before them are settled. The other rows wait in a window that moves along the trace.
    """

    def __init__(self) -> None:
        self._slots = 0
        self._emitted = 0
        self._held = PhyTrace(np.empty(0, np.int64), np.empty(0, np.int64))
        self._window = empty_rows(0)
        self._delivered = self._lost = self._unsettled = 0
        self._sent_bytes = self._delivered_bytes = 0
        self._sized = False

    def knowing(self, metadata: Metadata) -> Self:
        """Take the metadata that a scheme needs, and return the conversion itself."""
        del metadata
        return self

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots, at increasing times and all with the same columns; return the newly settled
        rows.
        """
        self._slots += len(phy)
        self._sized = phy.size_bytes is not None
        slots = joined(self._held, phy)
        n_sent = self._slots_to_send(len(slots))
        slots, self._held = rows_between(slots, 0, n_sent), rows_between(slots, n_sent, len(slots))
        tx_time_ns = _contiguous(slots.tx_time_ns)

        begun = len(self._window)
        window = self._extended_window(self._most_rows(n_sent))
        n_rows = self._send(tx_time_ns, _contiguous(slots.decode_time_ns), begun, kernel_rows(window))
        if slots.size_bytes is not None and window.size_bytes is not None:
            new = slice(begun, n_rows)
            size_bytes = np.require(slots.size_bytes, np.uint32, ["C", "W"])
            from tmt.core.kernels.rows import sizes_of_rows  # noqa: PLC0415  (numba takes long to import)

            sizes_of_rows(tx_time_ns, size_bytes, window.tx_time_ns[new], window.size_bytes[new])
            self._sent_bytes += int(size_bytes.sum(dtype=np.int64))

        settled = min(n_rows, self._oldest_open_row(n_rows))
        self._window = rows_between(window, settled, n_rows)
        self._move_window(settled)
        return self._emit(rows_between(window, 0, settled))

    def finish(self) -> LinkTrace:
        """Return the remaining rows, some of them unsettled; AssertionError when the counts are wrong."""
        rest = self._emit(self._window)
        self._window = empty_rows(0)
        self.counts.check()
        return rest

    @property
    def counts(self) -> Counts:
        """Counts so far; complete after `finish`."""
        return Counts(
            slots=self._slots,
            data_rows=self._rows,
            repair_slots=self._repair_slots(),
            retransmission_slots=self._retransmission_slots(),
            stalled_slots=self._stalled_slots(),
            dropped_tail=len(self._held),
            delivered=self._delivered,
            lost=self._lost,
            unsettled=self._unsettled,
            sent_bytes=self._sent_bytes if self._sized else None,
            delivered_bytes=self._delivered_bytes if self._sized else None,
        )

    @property
    def _rows(self) -> int:
        """Rows since the start of the trace."""
        return self._emitted + len(self._window)

    def _extended_window(self, more: int) -> LinkTrace:
        window = empty_rows(len(self._window) + more, sized=self._sized)
        for column in self._window.columns:
            getattr(window, column.name)[: len(self._window)] = getattr(self._window, column.name)
        return window

    def _emit(self, rows: LinkTrace) -> LinkTrace:
        open_ = rows.delay_ns == UNSETTLED
        self._emitted += len(rows)
        self._delivered += int(np.count_nonzero(rows.delivered))
        self._unsettled += int(np.count_nonzero(open_))
        self._lost += int(np.count_nonzero(~(open_ | rows.delivered)))
        if rows.size_bytes is not None:
            self._delivered_bytes += int(rows.size_bytes[rows.delivered].sum(dtype=np.int64))
        return rows

    def _slots_to_send(self, n_slots: int) -> int:
        """Return how many of the available slots can be sent now; the others wait for the next piece."""
        return n_slots

    def _most_rows(self, n_slots: int) -> int:
        """Return an upper bound on the rows that begin in `n_slots` slots."""
        return n_slots

    @abstractmethod
    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        """Run the kernel over slots; return the number of rows in the window that have begun, the `begun`
        earlier ones included.

        The rows before `begun` are waiting; the scheme settles some of them.
        """

    def _oldest_open_row(self, n_rows: int) -> int:
        """Return the index in the window of the first open row; `n_rows` or more if none is open."""
        return n_rows

    def _move_window(self, n_rows: int) -> None:  # noqa: B027  (most schemes remember no rows)
        """Subtract `n_rows`, which leave the window, from the row numbers that the scheme remembers."""

    def _repair_slots(self) -> int:
        return 0

    def _retransmission_slots(self) -> int:
        return 0

    def _stalled_slots(self) -> int:
        return 0


def empty_rows(n_rows: int, *, sized: bool = False) -> LinkTrace:
    """Allocate `n_rows` rows, not initialised."""
    return LinkTrace(
        np.empty(n_rows, np.int64),
        np.empty(n_rows, np.int64),
        np.empty(n_rows, np.bool_),
        np.empty(n_rows, np.uint8),
        size_bytes=np.empty(n_rows, np.uint32) if sized else None,
    )


def kernel_rows(rows: LinkTrace) -> Rows:
    """Return the columns that kernels write."""
    return rows.tx_time_ns, rows.delay_ns, rows.delivered, rows.transmissions


TraceT = TypeVar("TraceT", PhyTrace, LinkTrace)


def joined(first: TraceT, second: TraceT) -> TraceT:
    """Append one trace's rows to another's, without metadata."""
    if not len(first):
        return second
    columns: dict[str, Any] = {
        column.name: np.concatenate([getattr(first, column.name), getattr(second, column.name)])
        for column in first.columns
    }
    return type(first)(**columns)


def rows_between(trace: TraceT, start: int, stop: int) -> TraceT:
    """View the rows from index `start` up to `stop`, without metadata."""
    columns = {column.name: getattr(trace, column.name)[start:stop] for column in trace.columns}
    return type(trace)(**columns)


def ring_ends(state: np.ndarray, prefix: str = "") -> tuple[int, int]:
    """Return the numbers of a ring's first entry and of the one after its last, read from the state."""
    return int(state[f"{prefix}head"][0]), int(state[f"{prefix}tail"][0])


def ring_entries(ring: np.ndarray, head: int, tail: int) -> np.ndarray:
    """Return the entries from number `head` to before `tail`; entry `i` is at index ``i % len(ring)``."""
    return ring[np.arange(head, tail) % len(ring)]


def grown_ring(ring: np.ndarray, head: int, tail: int, more: int) -> np.ndarray:
    """Return the ring, of 2^k entries, or a larger copy if `more` entries do not fit."""
    if tail - head + more <= len(ring):
        return ring
    grown = np.zeros((1 << (tail - head + more - 1).bit_length(), *ring.shape[1:]), ring.dtype)
    grown[np.arange(head, tail) % len(grown)] = ring_entries(ring, head, tail)
    return grown


def _contiguous(column: Int64Array) -> Int64Array:
    """Return a column as a contiguous, writable array: kernels are compiled for one kind of array."""
    return np.require(column, np.int64, ["C", "W"])
