"""Scheme `none`: no retransmission, no redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tmt.core.converter import Converter
from tmt.core.schemes.parameters import DetectionDelay, Scheme

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class NoScheme(Scheme):
    """Every slot carries a data LLDU, once; an erased one is lost.

    Parameters
    ----------
    detection_delay_ns
        From the `tx` of an erased slot until the receiver detects the erasure.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "none"

    detection_delay_ns: DetectionDelay = 0

    @property
    def label(self) -> str:
        """``none``."""
        return "none"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _NoSchemeConverter(self)


class _NoSchemeConverter(Converter):
    def __init__(self, scheme: NoScheme) -> None:
        super().__init__()
        self._scheme = scheme

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.none.kernel import send_once  # noqa: PLC0415

        del begun  # every row is settled at once, so that none waits in the window
        send_once(tx_time_ns, decode_time_ns, self._scheme.detection_delay_ns, window)
        return len(tx_time_ns)
