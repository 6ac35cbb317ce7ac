"""Scheme `harq-processes`: the stop-and-wait HARQ processes of LTE and NR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from tmt.core.declaration import Count, Param, Probability, Rules
from tmt.core.errors import InputError
from tmt.core.schema import MODE
from tmt.core.schemes.scheme import MAX_ES_N0_DB, Delay, DetectionDelay, Scheme, Small

if TYPE_CHECKING:
    from tmt.core.schema import Column

BY_MODE = "by-mode"
"""Value of `combining_threshold_db` that takes the threshold of the mode of an LLDU's first transmission."""


class HarqProcesses(Scheme):
    """N processes send one LLDU each and wait for its feedback; a slot without a free process stays idle.

    LTE has 8 processes, NR 16, and up to 32 over satellites. Combining is maximum-ratio (``chase``), which
    adds the SNRs of an LLDU's transmissions, or by incremental redundancy (``incremental``), which adds their
    mutual information, log2(1 + SNR). A retransmission in an erased slot is decoded when the sum reaches the
    value of one transmission at `combining_threshold_db`. With ``by-mode`` this threshold is the Es/N0 at
    which half of the blocks of the LLDU's own mode are decoded, from the trace's table of modes. A
    retransmission in a slot of another mode is decoded by the slot itself only if that mode needs at least as
    much.
    """

    name: ClassVar[str] = "harq-processes"
    offline_parameters: ClassVar[dict[str, str]] = {"feedback_seed": "the seed of the run draws the faults"}

    processes: Annotated[Small, "stop-and-wait processes, N"] = 16
    max_transmissions: Annotated[
        Count | None, "transmissions after which an LLDU is given up, R", Param(absent="never")
    ] = 4
    retransmission: Annotated[
        Literal["asynchronous", "synchronous"],
        "retransmission in the first slot after the NACK, or in the slots of the process",
    ] = "asynchronous"
    slot_time: Annotated[Delay, "synchronous: time from slot to slot, 0 if the trace has no gaps"] = 0
    repetitions: Annotated[
        Small | None, "feedback off: slots that carry each LLDU, k", Param(absent="feedback on")
    ] = None
    missed_feedback: Annotated[Probability, "probability that feedback does not arrive"] = 0
    false_feedback: Annotated[
        Probability, "probability that an ACK is read as a NACK, or a NACK as an ACK"
    ] = 0
    feedback_seed: Annotated[int, "seed of the missed and false feedback", Param("", 0, 2**63 - 1)] = 0
    combining: Annotated[
        Literal["none", "chase", "incremental"],
        "soft combining of the transmissions of an LLDU, by the trace's es_n0_mdb",
    ] = "none"
    combining_threshold_db: Annotated[
        float | Literal["by-mode"] | None,
        "Es/N0 at which one transmission would be decoded; by-mode: that of its mode",
        Param("dB", -MAX_ES_N0_DB, MAX_ES_N0_DB, absent="no combining"),
    ] = None
    detection_delay: DetectionDelay = 0

    def rules(self) -> Rules:
        """Refuse parameters that mean nothing without feedback, synchronous retransmission or combining."""
        yield from super().rules()
        faulty = self.missed_feedback + self.false_feedback
        if faulty > 1:
            yield "false_feedback", "missed_feedback + false_feedback of at most 1"
        if self.slot_time and self.retransmission == "asynchronous":
            allowed = 'retransmission = "synchronous"'
            yield "slot_time", allowed, "has no meaning: retransmission is asynchronous"
        if self.repetitions is not None and faulty:
            allowed = "missed_feedback and false_feedback of 0"
            yield "repetitions", allowed, "turns feedback off"
        if self.combining == "none" and self.combining_threshold_db is not None:
            allowed = 'combining = "chase" or "incremental"'
            yield "combining_threshold_db", allowed, "has no meaning without combining"
        if self.combining != "none" and self.combining_threshold_db is None:
            allowed = "the Es/N0 in dB at which one transmission is decoded"
            yield "combining_threshold_db", allowed, "is missing"

    def online_rules(self) -> Rules:
        """Refuse thresholds by mode: the simulator has no table of modes."""
        if self.combining_threshold_db == BY_MODE:
            yield "combining_threshold_db", "a number in dB for a scheme that works online"

    @property
    def label(self) -> str:
        """``HARQ-processes(16)``, with combining ``(16, chase)``, with feedback off ``(off x 2)``."""
        what = str(self.processes) if self.repetitions is None else f"off x {self.repetitions}"
        return f"HARQ-processes({what}{'' if self.combining == 'none' else f', {self.combining}'})"

    @property
    def needs_es_n0(self) -> bool:
        """Whether it combines transmissions."""
        return self.combining != "none"

    def check_columns(self, name: str, columns: tuple[Column, ...]) -> None:
        """Refuse a trace without the Es/N0 or modes that it needs (InputError)."""
        super().check_columns(name, columns)
        if self.combining_threshold_db == BY_MODE and MODE not in columns:
            raise InputError(
                name,
                f'there is no column {MODE.name}, which combining_threshold_db = "{BY_MODE}" needs; '
                "`tmt generate --modes` writes it",
            )
