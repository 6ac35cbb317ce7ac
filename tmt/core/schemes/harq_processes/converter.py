"""Conversions under scheme `harq-processes`: asynchronous, synchronous, and with feedback off.

Qualities of transmissions are computed as in `clift-ns2/core/online/combining.cc`. Both languages use the C
library's `pow` and `log2`, and round in the same places, so that they agree to the last bit. NumPy's own
functions differ from those on some processors.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.converter import Converter, ring_ends, ring_entries
from tmt.core.declaration import ns
from tmt.core.errors import InputError
from tmt.core.schema import MAX_ES_N0_MDB
from tmt.core.schemes.harq_processes import BY_MODE
from tmt.core.schemes.harq_processes.kernel import (
    FALSE,
    MISSED,
    PROCESS,
    RIGHT,
    STATE,
    UNLIMITED,
    repeat,
    send_asynchronously,
    send_synchronously,
)
from tmt.core.seeds import uniform_source

if TYPE_CHECKING:
    from typing import Self

    from tmt.core.kernels import Float64Array, Rows
    from tmt.core.schemes.harq_processes import HarqProcesses
    from tmt.core.trace import Int32Array, Int64Array, LinkTrace, Metadata, PhyTrace


class _CombiningConverter(Converter):
    """Conversion by a scheme that may combine transmissions: it holds the quality of the current slots."""

    def __init__(self, scheme: HarqProcesses, rtt_ns: int) -> None:
        super().__init__()
        self._scheme, self._rtt_ns = scheme, rtt_ns
        self._detection_delay_ns = ns(scheme.detection_delay)
        threshold_db = scheme.combining_threshold_db
        # Combined quality at which an LLDU is decoded, by mode: the quality of one transmission at the
        # threshold.
        self._needed_of_mode = np.array([math.inf])
        if isinstance(threshold_db, float):
            self._needed_of_mode = np.array([quality(scheme.combining, 1000.0 * threshold_db)])
        self._quality: Float64Array = np.zeros(0)
        self._needed: Float64Array = np.zeros(0)

    def knowing(self, metadata: Metadata) -> Self:
        """Take the thresholds of the modes (InputError where the metadata lack one that is needed)."""
        if self._scheme.combining_threshold_db == BY_MODE:
            half_db = metadata.get("modes", {}).get("half_db")
            if not half_db:
                raise InputError(
                    "phy trace",
                    "its metadata hold no thresholds of modes, which combining_threshold_db = "
                    f'"{BY_MODE}" takes; `tmt generate --modes` writes them',
                )
            self._needed_of_mode = np.array([quality(self._scheme.combining, 1000.0 * db) for db in half_db])
        return self

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots, none of which waits for later ones, and return the settled rows."""
        self._quality = np.zeros(len(phy))
        if self._scheme.needs_es_n0:
            self._scheme.check_columns("phy trace", phy.columns)
            assert phy.es_n0_mdb is not None
            self._quality = qualities(self._scheme.combining, phy.es_n0_mdb)
        if self._scheme.combining_threshold_db == BY_MODE:
            assert phy.mode is not None
            if len(phy) and phy.mode.max() >= len(self._needed_of_mode):
                most = len(self._needed_of_mode) - 1
                raise InputError(
                    "phy trace", f"mode is {phy.mode.max()}; its table of modes ends with {most}"
                )
            self._needed = self._needed_of_mode[phy.mode]
        else:
            self._needed = np.full(len(phy), self._needed_of_mode[0])
        return super().feed(phy)


class _FeedbackConverter(_CombiningConverter):
    """Conversion with feedback: draws feedback errors, and holds the processes that will retransmit."""

    def __init__(self, scheme: HarqProcesses, rtt_ns: int) -> None:
        super().__init__(scheme, rtt_ns)
        self._most = UNLIMITED if scheme.max_transmissions is None else scheme.max_transmissions
        self._state = np.zeros(1, STATE)
        self._uniform = uniform_source(scheme.feedback_seed)

    def _feedback(self, n_slots: int) -> np.ndarray:
        """Draw one uniform number per slot: the lowest mean missed feedback, the next ones false feedback."""
        missed, false = self._scheme.missed_feedback, self._scheme.false_feedback
        if not missed and not false:
            return np.full(n_slots, RIGHT, np.uint8)
        drawn = self._uniform.random(n_slots)
        faults = np.where(drawn < missed, MISSED, np.where(drawn < missed + false, FALSE, RIGHT))
        return faults.astype(np.uint8)

    def _retransmission_slots(self) -> int:
        return int(self._state["repeat_head"][0])

    def _stalled_slots(self) -> int:
        return int(self._state["stalls"][0])


class _AnyTimeConverter(_FeedbackConverter):
    def __init__(self, scheme: HarqProcesses, rtt_ns: int) -> None:
        super().__init__(scheme, rtt_ns)
        room = 1 << scheme.processes.bit_length()
        self._waiting, self._repeats = np.zeros(room, PROCESS), np.zeros(room, PROCESS)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        scheme = self._scheme
        return send_asynchronously(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._feedback(len(tx_time_ns)),
            scheme.processes,
            self._rtt_ns,
            self._detection_delay_ns,
            self._most,
            self._state,
            self._waiting,
            self._repeats,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        waiting = ring_entries(self._waiting, *ring_ends(self._state))
        repeats = ring_entries(self._repeats, *ring_ends(self._state, "repeat_"))
        oldest = waiting["row"][waiting["again"] == 1].min(initial=n_rows)
        return int(repeats["row"].min(initial=oldest))

    def _move_window(self, n_rows: int) -> None:
        self._waiting["row"] -= n_rows
        self._repeats["row"] -= n_rows


class _SynchronousConverter(_FeedbackConverter):
    def __init__(self, scheme: HarqProcesses, rtt_ns: int) -> None:
        super().__init__(scheme, rtt_ns)
        self._processes = np.zeros(scheme.processes, PROCESS)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        scheme = self._scheme
        return send_synchronously(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._feedback(len(tx_time_ns)),
            ns(scheme.slot_time),
            self._rtt_ns,
            self._detection_delay_ns,
            self._most,
            self._state,
            self._processes,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        return int(self._processes["row"][self._processes["again"] == 1].min(initial=n_rows))

    def _move_window(self, n_rows: int) -> None:
        self._processes["row"] -= n_rows


class _RepetitionConverter(_CombiningConverter):
    def __init__(self, scheme: HarqProcesses, rtt_ns: int) -> None:
        super().__init__(scheme, rtt_ns)
        self._repetitions = scheme.repetitions or 1
        self._left, self._combined = np.zeros(1, np.int64), np.zeros(2)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        return repeat(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._repetitions,
            self._detection_delay_ns,
            self._left,
            self._combined,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        return n_rows - 1 if self._left[0] else n_rows

    def _retransmission_slots(self) -> int:
        return (self._repetitions - 1) * self._rows - int(self._left[0])


def start(scheme: HarqProcesses, rtt_ns: int) -> Converter:
    """Start the conversion that the parameters of feedback and retransmission select."""
    if scheme.repetitions is not None:
        return _RepetitionConverter(scheme, rtt_ns)
    kind = _SynchronousConverter if scheme.retransmission == "synchronous" else _AnyTimeConverter
    return kind(scheme, rtt_ns)


def quality(combining: str, es_n0_mdb: float) -> float:
    """Return the contribution of one transmission to the combined quality; Es/N0 is in thousandths of a dB.

    It is the SNR for ``chase`` (D. Chase, IEEE Trans. Communications 33(5), 1985), and log2(1 + SNR) for
    ``incremental`` (G. Caire and D. Tuninetti, IEEE Trans. Information Theory 47(5), 2001).
    """
    snr = 10.0 ** (es_n0_mdb / 10_000.0)
    return math.log2(1.0 + snr) if combining == "incremental" else snr


def qualities(combining: str, es_n0_mdb: Int32Array) -> Float64Array:
    """Return `quality` for each slot of a trace: [n_slots], int32 to [n_slots], float64."""
    return _table(combining)[es_n0_mdb + MAX_ES_N0_MDB]


@lru_cache(maxsize=2)
def _table(combining: str) -> Float64Array:
    return np.array([quality(combining, mdb) for mdb in range(-MAX_ES_N0_MDB, MAX_ES_N0_MDB + 1)])
