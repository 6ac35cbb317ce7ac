"""Scheme `tetrys`: a convolutional erasure code over GF(256) with feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tmt.core.code_converter import CodeConverter
from tmt.core.schemes.parameters import (
    CodingWindow,
    DetectionDelay,
    RepairInterval,
    RoundTrip,
    Scheme,
)

if TYPE_CHECKING:
    from tmt.core.converter import Converter
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class Tetrys(Scheme):
    """The code of `sliding-window` with feedback, in the manner of RFC 9407.

    Reports of the receiver advance the window's start, and request repair LLDUs for missing source LLDUs. A
    full window stops new source LLDUs.

    Parameters
    ----------
    coding_window
        Most source LLDUs from the first one that the receiver misses, W.
    repair_interval
        Source LLDUs from one regular repair LLDU to the next, k.
    rtt_ns
        Round-trip propagation time of the link: from an event at the receiver until its report arrives.
    detection_delay_ns
        From the `tx` of an erased slot until the receiver detects the erasure.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "tetrys"

    coding_window: CodingWindow
    repair_interval: RepairInterval
    rtt_ns: RoundTrip
    detection_delay_ns: DetectionDelay = 0

    @property
    def label(self) -> str:
        """``Tetrys(W, 1 per k)``."""
        return f"Tetrys({self.coding_window}, 1 per {self.repair_interval})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _TetrysConverter(self)


class _TetrysConverter(CodeConverter):
    def __init__(self, scheme: Tetrys) -> None:
        super().__init__(scheme.coding_window)
        self._scheme = scheme

    def _send_some(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.tetrys.kernel import send_on_feedback  # noqa: PLC0415

        scheme = self._scheme
        return send_on_feedback(
            tx_time_ns,
            decode_time_ns,
            scheme.coding_window,
            scheme.repair_interval,
            scheme.rtt_ns,
            scheme.detection_delay_ns,
            self._sender,
            self._receiver,
            self._events,
            begun,
            window,
        )

    def _stalled_slots(self) -> int:
        sender = self._sender[0]
        return int(sender["slots"] - sender["units"] - sender["repairs"])
