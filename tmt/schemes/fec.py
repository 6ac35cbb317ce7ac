"""Scheme `fec`: forward error correction, with interleaving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.schemes.converter import Converter, rows_between
from tmt.schemes.parameters import Scheme, check_count, check_delay, check_run

if TYPE_CHECKING:
    from tmt.trace import Int64Array


@dataclass(frozen=True)
class Fec(Scheme):
    """Blocks of data and repair LLDUs; any `data` of a block's LLDUs recover it.

    Parameters
    ----------
    data, repair
        Data and repair LLDUs of a block, N_D and N_R in Kuhn 2014, section 3.5.1.
    depth
        Interleaving depth: so many blocks share a run of slots.
    detection_delay_ns
        From the `tx` of a run's last slot to the moment at which the receiver gives a block up.

    Raises
    ------
    UsageError
        When a parameter is out of its range.
    """

    name: ClassVar[str] = "fec"

    data: int
    repair: int
    depth: int = 1
    detection_delay_ns: int = 0

    def __post_init__(self) -> None:
        check_count("data", self.data, 1)
        check_count("repair", self.repair, 0)
        check_count("depth", self.depth, 1)
        check_run(self.data, self.repair, self.depth)
        check_delay("detection_delay_ns", self.detection_delay_ns)

    @property
    def label(self) -> str:
        """``FEC(N_D/N)`` as the papers write it, with the interleaving depth where there is one."""
        depth = f" x {self.depth}" if self.depth > 1 else ""
        return f"FEC({self.data}/{self.data + self.repair}){depth}"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _FecConverter(self)


class _FecConverter(Converter):
    """Cuts the slots into whole runs; those of a run that has only begun are kept for the next chunk."""

    def __init__(self, scheme: Fec) -> None:
        super().__init__()
        self._scheme = scheme
        self._run_slots = scheme.depth * (scheme.data + scheme.repair)
        self._runs = 0
        self._tx_time_ns = self._decode_time_ns = np.empty(0, np.int64)

    def _most_rows(self, n_slots: int) -> int:
        runs = (len(self._tx_time_ns) + n_slots) // self._run_slots
        return runs * self._scheme.depth * self._scheme.data

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array) -> None:
        missing = (self._run_slots - len(self._tx_time_ns)) % self._run_slots
        begun = (
            np.concatenate([self._tx_time_ns, tx_time_ns[:missing]]),
            np.concatenate([self._decode_time_ns, decode_time_ns[:missing]]),
        )
        if len(begun[0]) < self._run_slots and missing:
            self._tx_time_ns, self._decode_time_ns = begun
            return
        whole = missing + (len(tx_time_ns) - missing) // self._run_slots * self._run_slots
        self._decode(*begun)
        self._decode(tx_time_ns[missing:whole], decode_time_ns[missing:whole])
        self._tx_time_ns = tx_time_ns[whole:].copy()
        self._decode_time_ns = decode_time_ns[whole:].copy()

    def _decode(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array) -> None:
        from tmt.kernels.fec import decode_runs  # noqa: PLC0415

        scheme = self._scheme
        begin = self._rows() - self._emitted
        self._runs += len(tx_time_ns) // self._run_slots
        rows = rows_between(self._window, begin, self._rows() - self._emitted)
        decode_runs(
            tx_time_ns,
            decode_time_ns,
            scheme.data,
            scheme.repair,
            scheme.depth,
            scheme.detection_delay_ns,
            rows.tx_time_ns,
            rows.delay_ns,
            rows.delivered,
            rows.transmissions,
        )

    def _rows(self) -> int:
        return self._runs * self._scheme.depth * self._scheme.data

    def _settled_rows(self) -> int:
        return self._rows()

    def _repair_slots(self) -> int:
        return self._runs * self._scheme.depth * self._scheme.repair

    def _dropped_tail(self) -> int:
        return len(self._tx_time_ns)
