"""Conversion by a sliding-window code, shared by the schemes that use the code."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.converter import Converter, grown_ring, kernel_rows, ring_ends
from tmt.core.kernels.gf256 import coding_coefficients
from tmt.core.kernels.window_decoder import EVENT, RECEIVER, REPAIR_KEYS, take_last_events

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array, LinkTrace


FIELD_POLYNOMIAL = 0x11D
"""x^8 + x^4 + x^3 + x^2 + 1, which generates GF(256) in RFC 8681."""

SENDER = np.dtype([(name, np.int64) for name in ("slots", "units", "repairs", "since_repair")])
"""State of the sender: slots, source units and repair units sent so far, and source units since the last
regular repair unit.
"""


class CodeConverter(Converter):
    """A conversion by the code, with the receiver's queue and decoder; a repair unit covers `window`, W."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self._coding_window = window
        self._sender, self._receiver = np.zeros(1, SENDER), np.zeros(1, RECEIVER)
        self._receiver["newest"] = -1
        self._receiver["coefficients"][0, :, :window] = coefficients(window)
        self._receiver["system"]["product"] = products()
        self._events = np.zeros(64, EVENT)

    def finish(self) -> LinkTrace:
        """Decode what arrives after the last slot, then return the rows that are left."""
        take_last_events(self._coding_window, self._receiver, self._events, kernel_rows(self._window))
        return super().finish()

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        """Send the slots; double the queue of events each time it is full."""
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


@cache
def coefficients(window: int) -> np.ndarray:
    """Return the coefficients of all repair keys: [REPAIR_KEYS, window], uint8."""
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
