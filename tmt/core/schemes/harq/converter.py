"""Conversion under scheme `harq`; the blocks that wait for repair persist between pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.converter import Converter, grown_ring, ring_ends, ring_entries
from tmt.core.declaration import ns
from tmt.core.schemes.harq.kernel import BLOCK, STATE, send_and_repair

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.harq import Harq
    from tmt.core.trace import Int64Array


class _HarqConverter(Converter):
    def __init__(self, scheme: Harq, rtt_ns: int) -> None:
        super().__init__()
        self._scheme = scheme
        self._rtt_ns, self._detection_delay_ns = rtt_ns, ns(scheme.detection_delay)
        self._state = np.zeros(1, STATE)
        self._blocks = np.zeros(2, BLOCK)
        self._arrivals_ns = np.zeros((2, scheme.data + max(scheme.repair, scheme.extra) + 1), np.int64)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        scheme = self._scheme
        more = len(tx_time_ns) // (scheme.data + scheme.repair) + 2
        head, tail = ring_ends(self._state)
        if tail - head + more > len(self._blocks) - 1:
            self._blocks, self._arrivals_ns = (
                np.concatenate([lines[:1], grown_ring(lines[1:], head, tail, more)])
                for lines in (self._blocks, self._arrivals_ns)
            )
        return send_and_repair(
            tx_time_ns,
            decode_time_ns,
            scheme.data,
            scheme.repair,
            scheme.extra,
            scheme.rounds,
            self._detection_delay_ns + self._rtt_ns,
            self._detection_delay_ns,
            self._state,
            self._blocks,
            self._arrivals_ns,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        new, waiting = self._blocks[0], ring_entries(self._blocks[1:], *ring_ends(self._state))
        oldest = new["row"] if new["left"] > 0 else n_rows
        return int(waiting["row"].min(initial=oldest))

    def _move_window(self, n_rows: int) -> None:
        self._blocks["row"] -= n_rows

    def _repair_slots(self) -> int:
        scheme, left = self._scheme, int(self._blocks["left"][0])
        blocks = -(-self._rows // scheme.data)
        return blocks * scheme.repair - min(left, scheme.repair) + int(self._state["requested_slots"][0])


start = _HarqConverter
