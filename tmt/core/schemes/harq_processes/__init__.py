"""Scheme `harq-processes`: the stop-and-wait HARQ processes of LTE and NR."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tmt.core.converter import Converter, ring_ends, ring_entries
from tmt.core.errors import UsageError
from tmt.core.schemes.harq_processes.combining import qualities, quality
from tmt.core.schemes.parameters import (
    Combining,
    CombiningThreshold,
    DetectionDelay,
    FalseFeedback,
    FeedbackSeed,
    MaxTransmissions,
    MissedFeedback,
    Processes,
    Repetitions,
    Retransmission,
    RoundTrip,
    Scheme,
    SlotTime,
)
from tmt.core.seeds import uniform_source

if TYPE_CHECKING:
    from tmt.core.kernels import Float64Array, Rows
    from tmt.core.trace import Int64Array, LinkTrace, PhyTrace


@dataclass(frozen=True)
class HarqProcesses(Scheme):
    """N processes send an LLDU each and wait for its feedback; a slot without a free process stays idle.

    Parameters
    ----------
    rtt_ns
        Round-trip propagation time of the link.
    processes
        Number of processes, N: 8 in LTE, 16 in NR, up to 32 over satellites.
    max_transmissions
        Transmissions after which an LLDU is given up, R; None: no limit.
    retransmission
        ``asynchronous``: in the first slot after the NACK; ``synchronous``: in slots of the same process.
    slot_time_ns
        Synchronous: time from slot to slot, which tells the process of a slot; 0: slots without gaps.
    repetitions
        Slots that carry each LLDU without feedback, k; None: feedback is on.
    missed_feedback, false_feedback
        Probabilities that the feedback of a slot does not arrive, and that it is read as its opposite.
    feedback_seed
        Seed of these faults.
    combining
        How the receiver combines the transmissions of an LLDU whose slots are erased. ``none``: not at all;
        ``chase``: maximum-ratio combining, which adds their SNRs; ``incremental``: incremental redundancy,
        which adds their mutual information, log2(1 + SNR).
    combining_threshold_db
        Es/N0 in dB at which one transmission is decoded. A retransmission in an erased slot is decoded when
        the sum reaches that of one transmission at this Es/N0.
    detection_delay_ns
        From the `tx` of an erased slot until the receiver detects the erasure.

    Raises
    ------
    UsageError
        When a parameter is out of range, or has no meaning without feedback.
    """

    name: ClassVar[str] = "harq-processes"
    offline_parameters: ClassVar[dict[str, str]] = {"feedback_seed": "the seed of the run draws the faults"}

    rtt_ns: RoundTrip
    processes: Processes = 16
    max_transmissions: MaxTransmissions = 4
    retransmission: Retransmission = "asynchronous"
    slot_time_ns: SlotTime = 0
    repetitions: Repetitions = None
    missed_feedback: MissedFeedback = 0.0
    false_feedback: FalseFeedback = 0.0
    feedback_seed: FeedbackSeed = 0
    combining: Combining = "none"
    combining_threshold_db: CombiningThreshold = None
    detection_delay_ns: DetectionDelay = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_combining()
        if self._faulty > 1:
            raise UsageError(
                f"missed_feedback and false_feedback are {self._faulty:g} together; at most 1 is allowed"
            )
        if self.slot_time_ns and self.retransmission == "asynchronous":
            raise UsageError(
                f"slot_time_ns is {self.slot_time_ns}, but only synchronous retransmission has a slot time"
            )
        if self.repetitions is not None and self._faulty:
            raise UsageError(
                f"repetitions is {self.repetitions}, which turns feedback off: missed_feedback and "
                "false_feedback must be 0"
            )

    @property
    def label(self) -> str:
        """``HARQ-processes(16)``, with combining ``(16, chase)``, with feedback off ``(off x 2)``."""
        what = str(self.processes) if self.repetitions is None else f"off x {self.repetitions}"
        return f"HARQ-processes({what}{'' if self.combining == 'none' else f', {self.combining}'})"

    @property
    def needs_es_n0(self) -> bool:
        """Whether it combines transmissions."""
        return self.combining != "none"

    def converter(self) -> Converter:
        """Start a conversion."""
        if self.repetitions is not None:
            return _RepetitionConverter(self)
        return (
            _SynchronousConverter(self) if self.retransmission == "synchronous" else _AnyTimeConverter(self)
        )

    @property
    def needed_quality(self) -> float:
        """Combined quality at which a retransmission is decoded: that of one SNR at the threshold."""
        if self.combining_threshold_db is None:
            return math.inf
        return quality(self.combining, 1000.0 * self.combining_threshold_db)

    @property
    def _faulty(self) -> float:
        return self.missed_feedback + self.false_feedback

    def _check_combining(self) -> None:
        threshold_db = self.combining_threshold_db
        if self.combining == "none" and threshold_db is not None:
            raise UsageError(
                f"combining_threshold_db is {threshold_db!r}, but combining is 'none', which has none"
            )
        if self.combining != "none" and threshold_db is None:
            raise UsageError(
                f"combining is {self.combining!r}; it needs combining_threshold_db, the Es/N0 in dB at which "
                "one transmission is decoded"
            )


class _CombiningConverter(Converter):
    """Conversion by a scheme that may combine transmissions: it knows the quality of the slots in hand."""

    def __init__(self, scheme: HarqProcesses) -> None:
        super().__init__()
        self._scheme = scheme
        self._needed = scheme.needed_quality
        self._quality: Float64Array = np.zeros(0)

    def feed(self, phy: PhyTrace) -> LinkTrace:
        """Send the next slots, none of which waits for later ones, and return the rows that are settled."""
        if self._scheme.needs_es_n0:
            self._scheme.check_columns("phy trace", phy.columns)
            assert phy.es_n0_mdb is not None
            self._quality = qualities(self._scheme.combining, phy.es_n0_mdb)
        else:
            self._quality = np.zeros(len(phy))
        return super().feed(phy)


class _FeedbackConverter(_CombiningConverter):
    """Conversion with feedback: draws its faults, and knows the processes that will retransmit."""

    def __init__(self, scheme: HarqProcesses) -> None:
        from tmt.core.schemes.harq_processes.kernel import STATE, UNLIMITED  # noqa: PLC0415

        super().__init__(scheme)
        self._most = UNLIMITED if scheme.max_transmissions is None else scheme.max_transmissions
        self._state = np.zeros(1, STATE)
        self._uniform = uniform_source(scheme.feedback_seed)

    def _feedback(self, n_slots: int) -> np.ndarray:
        """Draw one uniform number per slot: first come the missed ones, then the false ones."""
        from tmt.core.schemes.harq_processes.kernel import FALSE, MISSED, RIGHT  # noqa: PLC0415

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
    def __init__(self, scheme: HarqProcesses) -> None:
        from tmt.core.schemes.harq_processes.kernel import PROCESS  # noqa: PLC0415

        super().__init__(scheme)
        room = 1 << scheme.processes.bit_length()
        self._waiting, self._repeats = np.zeros(room, PROCESS), np.zeros(room, PROCESS)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.harq_processes.kernel import send_asynchronously  # noqa: PLC0415

        scheme = self._scheme
        return send_asynchronously(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._feedback(len(tx_time_ns)),
            scheme.processes,
            scheme.rtt_ns,
            scheme.detection_delay_ns,
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
    def __init__(self, scheme: HarqProcesses) -> None:
        from tmt.core.schemes.harq_processes.kernel import PROCESS  # noqa: PLC0415

        super().__init__(scheme)
        self._processes = np.zeros(scheme.processes, PROCESS)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.harq_processes.kernel import send_synchronously  # noqa: PLC0415

        scheme = self._scheme
        return send_synchronously(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._feedback(len(tx_time_ns)),
            scheme.slot_time_ns,
            scheme.rtt_ns,
            scheme.detection_delay_ns,
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
    def __init__(self, scheme: HarqProcesses) -> None:
        super().__init__(scheme)
        self._repetitions = scheme.repetitions or 1
        self._left, self._combined = np.zeros(1, np.int64), np.zeros(1)

    def _send(self, tx_time_ns: Int64Array, decode_time_ns: Int64Array, begun: int, window: Rows) -> int:
        from tmt.core.schemes.harq_processes.repetition_kernel import repeat  # noqa: PLC0415

        return repeat(
            tx_time_ns,
            decode_time_ns,
            self._quality,
            self._needed,
            self._repetitions,
            self._scheme.detection_delay_ns,
            self._left,
            self._combined,
            begun,
            window,
        )

    def _oldest_open_row(self, n_rows: int) -> int:
        return n_rows - 1 if self._left[0] else n_rows

    def _retransmission_slots(self) -> int:
        return (self._repetitions - 1) * self._rows - int(self._left[0])
