"""Scheme `sliding-window`: a convolutional erasure code over GF(256)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.schemes.converter import Converter, grown_ring, kernel_rows, ring_ends
from tmt.core.schemes.parameters import CodingWindow, RepairInterval, Scheme

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array, LinkTrace

FIELD_POLYNOMIAL = 0x11D
"""x^8 + x^4 + x^3 + x^2 + 1, which generates GF(256) in RFC 8681."""


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


class CodeConverter(Converter):
    """A conversion by the code, with the queue and the decoder of the receiver.

    Parameters
    ----------
    window
        Most source LLDUs that a repair LLDU covers, W.
    """

    def __init__(self, window: int) -> None:
        from tmt.core.kernels.receiver_events import EVENT  # noqa: PLC0415
        from tmt.core.kernels.window_decoder import RECEIVER  # noqa: PLC0415
        from tmt.core.schemes.sliding_window.kernel import SENDER  # noqa: PLC0415

        super().__init__()
        self._coding_window = window
        self._sender, self._receiver = np.zeros(1, SENDER), np.zeros(1, RECEIVER)
        self._receiver["newest"] = -1
        self._receiver["coefficients"][0, :, :window] = coefficients(window)
        self._receiver["system"]["product"] = products()
        self._events = np.zeros(64, EVENT)

    def finish(self) -> LinkTrace:
        """Decode what arrives after the last slot, then return the rows that are left."""
        from tmt.core.kernels.window_decoder import take_last_events  # noqa: PLC0415

        take_last_events(self._coding_window, self._receiver, self._events, kernel_rows(self._window))
        return super().finish()

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        """Send the slots; each time that the queue of events is full, make room for as many again."""
        sent, start = 0, int(self._sender["slots"][0])
        while sent < len(tx_time_ns):
            begun = self._send_some(tx_time_ns[sent:], decode_time_ns[sent:], begun, window)
            sent = int(self._sender["slots"][0]) - start
            head, tail = ring_ends(self._receiver)
            if tail - head == len(self._events):
                self._events = grown_ring(self._events, head, tail, tail - head)
        return begun

    @abstractmethod
    def _send_some(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        """Run the kernel over slots until the queue of events is full; return how many rows have begun."""

    def _oldest_open_row(self, n_rows: int) -> int:
        receiver = self._receiver[0]
        return int(receiver["oldest"] - receiver["first_row"])

    def _move_window(self, n_rows: int) -> None:
        self._receiver["first_row"] += n_rows

    def _repair_slots(self) -> int:
        return int(self._sender["repairs"][0])


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


@cache
def coefficients(window: int) -> np.ndarray:
    """Return the coefficients of all repair keys: [REPAIR_KEYS, window], uint8."""
    from tmt.core.kernels.tinymt32 import coding_coefficients  # noqa: PLC0415
    from tmt.core.kernels.window_decoder import REPAIR_KEYS  # noqa: PLC0415

    return coding_coefficients(REPAIR_KEYS, window)


@cache
def products() -> np.ndarray:
    """Return the table of products in GF(256): [256, 256], uint8."""
    logarithm, power = np.zeros(256, np.int64), np.zeros(510, np.uint8)
    element = 1
    for exponent in range(255):
        power[exponent] = power[exponent + 255] = element
        logarithm[element] = exponent
        element <<= 1
        if element > 255:
            element ^= FIELD_POLYNOMIAL
    table: np.ndarray = power[logarithm[:, None] + logarithm[None, :]]
    table[0, :] = table[:, 0] = 0
    return table
