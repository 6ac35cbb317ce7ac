"""Modes of a PHY trace: how often each was sent and erased, and what an ideal choice would have carried."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.modes.table import MOST_MODES, ModeTable
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from typing import Self

    from tmt.core.trace import Metadata, PhyTrace

PARTS = 16
"""Greatest number of parts of equal numbers of slots, whose mean mode is shown over time; a power of two."""


@dataclass(frozen=True, slots=True)
class Mode:
    """Slots of one mode; `name` and `efficiency`, in bits per symbol, are None without a table."""

    mode: int
    name: str | None
    efficiency: float | None
    slots: int
    erased: int

    @property
    def error_rate(self) -> float:
        """Share of the slots that is erased."""
        return self.erased / self.slots


@dataclass(frozen=True, slots=True)
class ModeSummary:
    """Modes in use, and means over the trace.

    Attributes
    ----------
    modes : modes that were sent, in the order of the table
    efficiency : mean information bits per symbol that were sent; None without a table
    goodput_efficiency : the same of decoded slots alone, over all symbols
    wasted : share of the bytes of an ideal choice, which knows the Es/N0 of each slot and holds the target,
        that was not decoded; None without a table or Es/N0
    start_s, mean_mode
        Start of each part of the trace, and the mean of its slots' efficiency, or of their modes without a
        table.
    """

    modes: tuple[Mode, ...]
    efficiency: float | None
    goodput_efficiency: float | None
    wasted: float | None
    start_s: tuple[float, ...]
    mean_mode: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all figures as a JSON object."""
        return {
            "used": [asdict(one) | {"error_rate": one.error_rate} for one in self.modes],
            "efficiency": self.efficiency,
            "goodput_efficiency": self.goodput_efficiency,
            "wasted": self.wasted,
            "over_time": {"start_s": list(self.start_s), "mean": list(self.mean_mode)},
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The table in a trace's metadata, with the bytes and the symbols of a slot of each mode."""

    modes: ModeTable
    size_bytes: np.ndarray
    symbols: np.ndarray
    target: float

    @classmethod
    def said(cls, metadata: Metadata) -> Self | None:
        """Return the table that metadata hold; None where they hold none, or another program's."""
        try:
            said = metadata["modes"]
            names = tuple(map(str, said["names"]))
            efficiency, half_db, width_db, size_bytes = (
                np.array(said[key], np.float64) for key in ("efficiency", "half_db", "width_db", "size_bytes")
            )
            symbols = np.array(said["symbols"] or [1.0] * len(names), np.float64)
            target = float(said["target"])
        except (KeyError, TypeError, ValueError):
            return None
        if {len(one) for one in (efficiency, half_db, width_db, size_bytes, symbols)} != {len(names)}:
            return None
        table = ModeTable("", names, efficiency, half_db, width_db, np.full(len(names), target), None, None)
        return cls(table, size_bytes, symbols, target)


class ModeUse:
    """Counts the modes of a trace that arrives in chunks; the parts grow by doubling."""

    def __init__(self, metadata: Metadata) -> None:
        self._table = _Table.said(metadata)
        self._slots, self._erased = np.zeros((2, MOST_MODES), np.int64)
        self._good_bytes = self._ideal_bytes = 0.0
        self._has_ideal = self._table is not None
        self._length = 1
        self._starts = list[int]()
        self._sums = list[float]()
        self._rows = 0

    def add(self, chunk: PhyTrace) -> None:
        """Add the next slots, which have modes."""
        mode = chunk.mode
        assert mode is not None
        erased = chunk.decode_time_ns == 0
        self._slots += np.bincount(mode, minlength=MOST_MODES)
        self._erased += np.bincount(mode[erased], minlength=MOST_MODES)
        values, table = mode.astype(np.float64), self._table
        if table is not None and len(mode) and mode.max() >= len(table.modes.names):
            self._table, self._has_ideal, table = None, False, None
        if table is not None:
            values = table.modes.efficiency[mode]
            if chunk.es_n0_mdb is None:
                self._has_ideal = False
            else:
                self._add_ideal(table, mode, erased, chunk.es_n0_mdb)
        self._add_values(chunk.tx_time_ns, values)

    def _add_ideal(self, table: _Table, mode: np.ndarray, erased: np.ndarray, es_n0_mdb: np.ndarray) -> None:
        choices = table.modes.choices(table.target)
        needed_mdb = 1000.0 * table.modes.needed_db(table.target)[choices]
        rate = np.concatenate([[0.0], (table.size_bytes / table.symbols)[choices]])
        best = rate[np.searchsorted(needed_mdb, es_n0_mdb, side="right")]
        self._ideal_bytes += float(np.dot(best, table.symbols[mode]))
        self._good_bytes += float(table.size_bytes[mode[~erased]].sum())

    def _add_values(self, tx_time_ns: np.ndarray, values: np.ndarray) -> None:
        done = 0
        while done < len(values):
            if self._rows == self._length * len(self._starts):
                if len(self._starts) == PARTS:
                    self._starts = self._starts[::2]
                    self._sums = [one + other for one, other in zip(*[iter(self._sums)] * 2, strict=True)]
                    self._length *= 2
                self._starts.append(int(tx_time_ns[done]))
                self._sums.append(0.0)
            more = min(self._length * len(self._starts) - self._rows, len(values) - done)
            self._sums[-1] += float(values[done : done + more].sum())
            self._rows, done = self._rows + more, done + more

    def summary(self) -> ModeSummary | None:
        """Return the figures; None where no slot had a mode."""
        used = np.flatnonzero(self._slots)
        if not len(used):
            return None
        table = self._table
        names = None if table is None else table.modes.names
        sent = good = None
        if table is not None:
            symbols = table.symbols[used]
            bits = table.modes.efficiency[used] * symbols
            all_symbols = float(np.dot(self._slots[used], symbols))
            sent = float(np.dot(self._slots[used], bits)) / all_symbols
            good = float(np.dot((self._slots - self._erased)[used], bits)) / all_symbols
        ideal = self._ideal_bytes if self._has_ideal else 0.0
        lengths = [min(self._length, self._rows - self._length * part) for part in range(len(self._sums))]
        return ModeSummary(
            tuple(
                Mode(
                    int(mode),
                    None if names is None else names[mode],
                    None if table is None else float(table.modes.efficiency[mode]),
                    int(self._slots[mode]),
                    int(self._erased[mode]),
                )
                for mode in used
            ),
            sent,
            good,
            1.0 - self._good_bytes / ideal if ideal else None,
            tuple(start / NS_PER_S for start in self._starts),
            tuple(total / length for total, length in zip(self._sums, lengths, strict=True)),
        )
