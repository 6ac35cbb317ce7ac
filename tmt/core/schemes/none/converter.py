"""Conversion under scheme `none`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.converter import Converter
from tmt.core.declaration import ns
from tmt.core.schemes.none.kernel import send_once

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.schemes.none import NoScheme
    from tmt.core.trace import Int64Array


class _NoSchemeConverter(Converter):
    def __init__(self, scheme: NoScheme, rtt_ns: int) -> None:
        super().__init__()
        del rtt_ns  # no LLDU is sent twice
        self._detection_delay_ns = ns(scheme.detection_delay)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        del begun  # every row is settled at once, so none waits in the window
        send_once(tx_time_ns, decode_time_ns, self._detection_delay_ns, window)
        return len(tx_time_ns)


start = _NoSchemeConverter
