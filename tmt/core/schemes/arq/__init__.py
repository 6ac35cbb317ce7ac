"""Scheme `arq`: selective repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.converter import Converter, grown_ring, ring_ends, ring_entries
from tmt.core.schemes.parameters import DetectionDelay, MaxTransmissions, RoundTrip, Scheme

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class Arq(Scheme):
    """Selective repeat (Kuhn 2014, section 3.5.3): NACKed LLDUs are retransmitted before new ones.

    Parameters
    ----------
    rtt_ns
        Round-trip propagation time of the link: a NACK and the retransmission take so long together.
    max_transmissions
        Erasures after which an LLDU is given up; None: never.
    detection_delay_ns
        From the `tx` of an erased slot until the receiver detects the erasure.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "arq"

    rtt_ns: RoundTrip
    max_transmissions: MaxTransmissions = None
    detection_delay_ns: DetectionDelay = 0

    @property
    def label(self) -> str:
        """``ARQ``, with the most transmissions where these are limited."""
        return "ARQ" if self.max_transmissions is None else f"ARQ(max {self.max_transmissions})"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _ArqConverter(self)


class _ArqConverter(Converter):
    def __init__(self, scheme: Arq) -> None:
        from tmt.core.schemes.arq.kernel import NACK, STATE  # noqa: PLC0415

        super().__init__()
        self._scheme = scheme
        self._state = np.zeros(1, STATE)
        self._nacks = np.zeros(1, NACK)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.arq.kernel import UNLIMITED, send_and_repeat  # noqa: PLC0415

        scheme, erased = self._scheme, np.count_nonzero(decode_time_ns == 0)
        self._nacks = grown_ring(self._nacks, *ring_ends(self._state), int(erased))
        return send_and_repeat(
            tx_time_ns,
            decode_time_ns,
            scheme.detection_delay_ns + scheme.rtt_ns,
            scheme.detection_delay_ns,
            UNLIMITED if scheme.max_transmissions is None else scheme.max_transmissions,
            self._state,
            self._nacks,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        return int(ring_entries(self._nacks, *ring_ends(self._state))["row"].min(initial=n_rows))

    def _move_window(self, n_rows: int) -> None:
        self._nacks["row"] -= n_rows

    def _retransmission_slots(self) -> int:
        return int(self._state["head"][0])
