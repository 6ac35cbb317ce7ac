"""Scheme `sliding-window`: a convolutional erasure code over GF(256)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tmt.core.code_converter import CodeConverter
from tmt.core.schemes.parameters import CodingWindow, RepairInterval, Scheme

if TYPE_CHECKING:
    from tmt.core.converter import Converter
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class SlidingWindow(Scheme):
    """RFC 8681: after k source LLDUs, a repair LLDU that combines the last W of them at random.

    Parameters
    ----------
    coding_window
        Source LLDUs that a repair LLDU covers, W.
    repair_interval
        Source LLDUs from one repair LLDU to the next, k.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "sliding-window"

    coding_window: CodingWindow
    repair_interval: RepairInterval

    @property
    def label(self) -> str:
        """``Sliding-window(W, 1 per k)``."""
        return f"Sliding-window({self.coding_window}, 1 per {self.repair_interval})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _SlidingWindowConverter(self)


class _SlidingWindowConverter(CodeConverter):
    def __init__(self, scheme: SlidingWindow) -> None:
        super().__init__(scheme.coding_window)
        self._scheme = scheme

    def _send_some(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.sliding_window.kernel import send_and_decode  # noqa: PLC0415

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
