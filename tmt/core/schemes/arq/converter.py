"""Conversion under scheme `arq`; the queue of NACKs persists between pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.converter import Converter, grown_ring, ring_ends, ring_entries
from tmt.core.declaration import ns
from tmt.core.schemes.arq.kernel import NACK, STATE, UNLIMITED, send_and_repeat

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.arq import Arq
    from tmt.core.trace import Int64Array


class _ArqConverter(Converter):
    def __init__(self, scheme: Arq, rtt_ns: int) -> None:
        super().__init__()
        self._rtt_ns, self._detection_delay_ns = rtt_ns, ns(scheme.detection_delay)
        self._most = UNLIMITED if scheme.max_transmissions is None else scheme.max_transmissions
        self._state = np.zeros(1, STATE)
        self._nacks = np.zeros(1, NACK)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        erased = np.count_nonzero(decode_time_ns == 0)
        self._nacks = grown_ring(self._nacks, *ring_ends(self._state), int(erased))
        return send_and_repeat(
            tx_time_ns,
            decode_time_ns,
            self._detection_delay_ns + self._rtt_ns,
            self._detection_delay_ns,
            self._most,
            self._state,
            self._nacks,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        return int(ring_entries(self._nacks, *ring_ends(self._state))["row"].min(initial=n_rows))

    def _move_window(self, n_rows: int) -> None:
        self._nacks["row"] -= n_rows

    def _retransmission_slots(self) -> int:
        return int(self._state["head"][0])


start = _ArqConverter
