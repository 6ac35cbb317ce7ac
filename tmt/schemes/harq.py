"""Scheme `harq`: hybrid ARQ of type II."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.schema import UNSETTLED
from tmt.schemes.converter import Converter, grown_ring
from tmt.schemes.parameters import Scheme, check_count, check_delay, check_run
from tmt.trace import LinkTrace

if TYPE_CHECKING:
    from tmt.trace import Int64Array

SLOTS_PER_CALL = 16_384
"""So that the kernel's ring of requests stays in the cache."""


@dataclass(frozen=True)
class Harq(Scheme):
    """Blocks of data and repair LLDUs; more repair is sent on request.

    Parameters
    ----------
    data, repair
        Data and repair LLDUs of a block's first round, N_D and N_R in Kuhn 2014, section 3.5.4.
    rtt_ns
        Round-trip propagation time of the link: how long a request and its answer travel together.
    extra
        Repair LLDUs sent on top of those that are missing, N_S; 1 fits the paper's results best.
    rounds
        Most requests per block, R; the paper computes with 2.
    detection_delay_ns
        From the `tx` of a round's last slot to the moment at which the receiver knows what is missing.

    Raises
    ------
    UsageError
        When a parameter is out of its range.
    """

    name: ClassVar[str] = "harq"

    data: int
    repair: int
    rtt_ns: int
    extra: int = 1
    rounds: int = 2
    detection_delay_ns: int = 0

    def __post_init__(self) -> None:
        check_count("data", self.data, 1)
        check_count("repair", self.repair, 0)
        check_run(self.data, self.repair)
        check_delay("rtt_ns", self.rtt_ns)
        check_count("extra", self.extra, 0, 65_535)
        check_count("rounds", self.rounds, 0, 2**31 - 1)
        check_delay("detection_delay_ns", self.detection_delay_ns)

    @property
    def label(self) -> str:
        """``HARQ(N_D/N)`` as the papers write it."""
        return f"HARQ({self.data}/{self.data + self.repair})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _HarqConverter(self)


class _HarqConverter(Converter):
    def __init__(self, scheme: Harq) -> None:
        from tmt.kernels.harq import REQUEST, STATE, WINDOW_SLOTS  # noqa: PLC0415
        from tmt.kernels.vectors import WIDTH  # noqa: PLC0415

        super().__init__()
        self._scheme = scheme
        self._state = np.zeros(1, STATE)
        on_air = scheme.data + scheme.repair + WINDOW_SLOTS + WIDTH
        self._air_tx_ns = np.zeros(on_air, np.int64)
        self._air_decode_ns = np.zeros(on_air, np.int64)
        self._requests = np.zeros(1, REQUEST)
        self._arrivals_ns = np.zeros((1, 2 * (scheme.data + scheme.repair) + scheme.extra + 1), np.int64)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array) -> None:
        from tmt.kernels.harq import send_and_repair  # noqa: PLC0415

        scheme, window, state = self._scheme, self._window, self._state
        for start in range(0, len(tx_time_ns), SLOTS_PER_CALL):
            slots = slice(start, start + SLOTS_PER_CALL)
            head, tail = int(state["head"][0]), int(state["tail"][0])
            more = tail - head + len(tx_time_ns[slots]) // (scheme.data + scheme.repair) + 2
            self._requests = grown_ring(self._requests, head, tail, more)
            self._arrivals_ns = grown_ring(self._arrivals_ns, head, tail, more)
            send_and_repair(
                tx_time_ns[slots],
                decode_time_ns[slots],
                scheme.data,
                scheme.repair,
                scheme.extra,
                scheme.rounds,
                scheme.detection_delay_ns + scheme.rtt_ns,
                scheme.detection_delay_ns,
                state,
                self._air_tx_ns,
                self._air_decode_ns,
                self._requests,
                self._arrivals_ns,
                self._emitted,
                window.tx_time_ns,
                window.delay_ns,
                window.delivered,
                window.transmissions,
            )

    def _most_rows(self, n_slots: int) -> int:
        from tmt.kernels.vectors import WIDTH  # noqa: PLC0415

        return self._on_air() + n_slots + WIDTH

    def _rows(self) -> int:
        return int(self._state["rows"][0])

    def _settled_rows(self) -> int:
        from tmt.kernels.harq import oldest_open_row  # noqa: PLC0415

        return int(oldest_open_row(self._state, self._requests))

    def _on_air(self) -> int:
        """Slots of the block that is on air."""
        return int(self._state["on_air"][0])

    def _data_slots(self) -> int:
        return self._rows() + min(self._on_air(), self._scheme.data)

    def _repair_slots(self) -> int:
        blocks = self._rows() // self._scheme.data
        on_air = max(self._on_air() - self._scheme.data, 0)
        return blocks * self._scheme.repair + on_air + int(self._state["requested"][0])

    def _cut_short(self) -> LinkTrace:
        rows = min(self._on_air(), self._scheme.data)
        decode_time_ns = self._air_decode_ns[:rows]
        delivered = decode_time_ns > 0
        return LinkTrace(
            self._air_tx_ns[:rows].copy(),
            np.where(delivered, decode_time_ns, UNSETTLED),
            delivered,
            np.ones(rows, np.uint8),
        )
