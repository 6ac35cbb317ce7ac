"""Conversion under scheme `sliding-window`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.code_converter import CodeConverter
from tmt.core.schemes.sliding_window.kernel import send_and_decode

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.sliding_window import SlidingWindow
    from tmt.core.trace import Int64Array


class _SlidingWindowConverter(CodeConverter):
    def __init__(self, scheme: SlidingWindow, rtt_ns: int) -> None:
        del rtt_ns  # there is no feedback
        super().__init__(scheme.coding_window)
        self._scheme = scheme

    def _send_some(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        return send_and_decode(
            tx_time_ns,
            decode_time_ns,
            self._scheme.coding_window,
            self._scheme.repair_interval,
            self._sender,
            self._receiver,
            self._events,
            begun,
            window,
        )


start = _SlidingWindowConverter
