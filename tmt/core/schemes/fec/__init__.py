"""Scheme `fec`: forward error correction, with interleaving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tmt.core.converter import Converter
from tmt.core.schemes.parameters import (
    Data,
    Depth,
    DetectionDelay,
    Repair,
    Scheme,
    check_run,
)

if TYPE_CHECKING:
    from tmt.core.kernels import Rows
    from tmt.core.trace import Int64Array


@dataclass(frozen=True)
class Fec(Scheme):
    """FEC (Kuhn 2014, sections 3.5.1 and 3.5.2): any `data` LLDUs of a block recover it.

    Parameters
    ----------
    data, repair
        Data and repair LLDUs of a block, N_D and N_R in Kuhn 2014, section 3.5.1.
    depth
        Interleaving depth: the number of blocks that share a run of slots.
    detection_delay_ns
        From the `tx` of a run's last slot until the receiver gives up the blocks that it cannot recover.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    name: ClassVar[str] = "fec"

    data: Data
    repair: Repair
    depth: Depth = 1
    detection_delay_ns: DetectionDelay = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_run(self.data, self.repair, self.depth)

    @property
    def label(self) -> str:
        """``FEC(N_D/N)`` as the papers write it, with the interleaving depth where there is one."""
        depth = f" x {self.depth}" if self.depth > 1 else ""
        return f"FEC({self.data}/{self.data + self.repair}){depth}"

    def converter(self) -> Converter:
        """Start a conversion."""
        return _FecConverter(self)


class _FecConverter(Converter):
    """Sends whole runs; the slots of an incomplete run wait for the next chunk."""

    def __init__(self, scheme: Fec) -> None:
        super().__init__()
        self._scheme = scheme
        self._runs = 0

    def _slots_to_send(self, n_slots: int) -> int:
        return n_slots - n_slots % self._run_slots

    def _most_rows(self, n_slots: int) -> int:
        return n_slots // self._run_slots * self._scheme.depth * self._scheme.data

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.fec.kernel import decode_runs  # noqa: PLC0415

        del begun  # every row is settled at once, so that none waits in the window
        scheme = self._scheme
        self._runs += len(tx_time_ns) // self._run_slots
        decode_runs(
            tx_time_ns,
            decode_time_ns,
            scheme.data,
            scheme.repair,
            scheme.depth,
            scheme.detection_delay_ns,
            window,
        )
        return self._most_rows(len(tx_time_ns))

    @property
    def _run_slots(self) -> int:
        return self._scheme.depth * (self._scheme.data + self._scheme.repair)

    def _repair_slots(self) -> int:
        return self._runs * self._scheme.depth * self._scheme.repair
