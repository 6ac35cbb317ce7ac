"""Conversion under scheme `tetrys`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.code_converter import CodeConverter
from tmt.core.declaration import ns
from tmt.core.schemes.tetrys.kernel import send_on_feedback

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.tetrys import Tetrys
    from tmt.core.trace import Int64Array


class _TetrysConverter(CodeConverter):
    def __init__(self, scheme: Tetrys, rtt_ns: int) -> None:
        super().__init__(scheme.coding_window)
        self._scheme = scheme
        self._rtt_ns, self._detection_delay_ns = rtt_ns, ns(scheme.detection_delay)

    def _send_some(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        scheme = self._scheme
        return send_on_feedback(
            tx_time_ns,
            decode_time_ns,
            scheme.coding_window,
            scheme.repair_interval,
            self._rtt_ns,
            self._detection_delay_ns,
            self._sender,
            self._receiver,
            self._events,
            begun,
            window,
        )

    def _stalled_slots(self) -> int:
        sender = self._sender[0]
        return int(sender["slots"] - sender["units"] - sender["repairs"])


start = _TetrysConverter
