"""Scheme `harq`: hybrid ARQ of type II."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.converter import Converter, grown_ring, ring_ends, ring_entries
from tmt.core.schemes.parameters import (
    Data,
    DetectionDelay,
    Extra,
    Repair,
    Rounds,
    RoundTrip,
    Scheme,
    check_run,
)

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class Harq(Scheme):
    """Hybrid ARQ of type II (Kuhn 2014, section 3.5.4): the sender adds repair LLDUs on request.

    Parameters
    ----------
    data, repair
        Data and repair LLDUs of a block's first round, N_D and N_R in Kuhn 2014, section 3.5.4.
    rtt_ns
        Round-trip propagation time of the link: a request and its repair LLDUs take so long together.
    extra
        Repair LLDUs sent beyond the missing ones, N_S; 1 fits the paper's results best.
    rounds
        Most requests per block, R; the paper computes with 2.
    detection_delay_ns
        From the `tx` of a round's last slot until the receiver knows how many LLDUs are missing.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "harq"

    data: Data
    repair: Repair
    rtt_ns: RoundTrip
    extra: Extra = 1
    rounds: Rounds = 2
    detection_delay_ns: DetectionDelay = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_run(self.data, self.repair)

    @property
    def label(self) -> str:
        """``HARQ(N_D/N)`` as the papers write it."""
        return f"HARQ({self.data}/{self.data + self.repair})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _HarqConverter(self)


class _HarqConverter(Converter):
    def __init__(self, scheme: Harq) -> None:
        from tmt.core.schemes.harq.kernel import BLOCK, STATE  # noqa: PLC0415

        super().__init__()
        self._scheme = scheme
        self._state = np.zeros(1, STATE)
        self._blocks = np.zeros(2, BLOCK)
        self._arrivals_ns = np.zeros((2, scheme.data + max(scheme.repair, scheme.extra) + 1), np.int64)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.harq.kernel import send_and_repair  # noqa: PLC0415

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
            scheme.detection_delay_ns + scheme.rtt_ns,
            scheme.detection_delay_ns,
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
