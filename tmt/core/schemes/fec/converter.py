"""Conversion under scheme `fec`: a run of interleaved blocks at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.converter import Converter
from tmt.core.declaration import ns
from tmt.core.schemes.fec.kernel import decode_runs

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.fec import Fec
    from tmt.core.trace import Int64Array


class _FecConverter(Converter):
    """Sends whole runs; the slots of an incomplete run wait for the next chunk."""

    def __init__(self, scheme: Fec, rtt_ns: int) -> None:
        super().__init__()
        del rtt_ns  # there is no feedback
        self._scheme, self._detection_delay_ns = scheme, ns(scheme.detection_delay)
        self._runs = 0

    def _slots_to_send(self, n_slots: int) -> int:
        return n_slots - n_slots % self._run_slots

    def _most_rows(self, n_slots: int) -> int:
        return n_slots // self._run_slots * self._scheme.depth * self._scheme.data

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        del begun  # every row is settled at once, so none waits in the window
        scheme = self._scheme
        self._runs += len(tx_time_ns) // self._run_slots
        decode_runs(
            tx_time_ns,
            decode_time_ns,
            scheme.data,
            scheme.repair,
            scheme.depth,
            self._detection_delay_ns,
            window,
        )
        return self._most_rows(len(tx_time_ns))

    @property
    def _run_slots(self) -> int:
        return self._scheme.depth * (self._scheme.data + self._scheme.repair)

    def _repair_slots(self) -> int:
        return self._runs * self._scheme.depth * self._scheme.repair


start = _FecConverter
