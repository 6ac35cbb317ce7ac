"""Base of all schemes: a name, a label, and checks of parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, ClassVar

from tmt.errors import InputError, UsageError
from tmt.parameters import Parameter
from tmt.schema import ES_N0_MDB
from tmt.units import MAX_TIME_NS, NS_PER_S

if TYPE_CHECKING:
    from tmt.schema import Column
    from tmt.schemes.converter import Converter

MAX_DELAY_NS = MAX_TIME_NS // 4
"""Longest RTT or detection delay (36 years), so that a time of the trace plus both still fits an int64."""

MAX_BLOCK = 65_535
"""Most LLDUs in a block or a run of blocks."""


Data = Annotated[int, Parameter("data LLDUs of a block or frame, N_D", least=1)]
Repair = Annotated[int, Parameter("its repair LLDUs, N_R", least=0)]
Depth = Annotated[int, Parameter("blocks that are interleaved, I", least=1)]
Extra = Annotated[int, Parameter("repair LLDUs sent beyond those missing, N_S", least=0)]
Rounds = Annotated[int, Parameter("most requests for repair, R", least=0)]
MaxTransmissions = Annotated[
    int | None,
    Parameter("erasures after which an LLDU is given up", least=1, absent="never"),
]
Persistency = Annotated[
    int | None,
    Parameter("most retransmissions of a frame", least=0, absent="unlimited"),
]
WindowFrames = Annotated[int, Parameter("most unacknowledged frames, N", least=1)]
DetectionDelay = Annotated[
    int,
    Parameter("time in seconds until the receiver detects an erased slot", least=0),
]
RepeatAfter = Annotated[
    int,
    Parameter(
        "seconds from a failed frame's end to its retransmission",
        least=0,
        absent="when the NACK arrives",
    ),
]
Processes = Annotated[int, Parameter("stop-and-wait processes, N", least=1)]
Retransmission = Annotated[
    str,
    Parameter(
        "retransmission at any time, or in the slots of the process",
        choices=("asynchronous", "synchronous"),
    ),
]
SlotTime = Annotated[
    int,
    Parameter(
        "synchronous: seconds from slot to slot, if the trace has gaps",
        least=0,
        absent="the trace has no gaps",
    ),
]
Repetitions = Annotated[
    int | None,
    Parameter("feedback off: slots that carry each LLDU, k", least=1, absent="feedback on"),
]
MissedFeedback = Annotated[
    float,
    Parameter("probability that feedback does not arrive", least=0, most=1),
]
FalseFeedback = Annotated[
    float,
    Parameter(
        "probability that an ACK is read as a NACK, or a NACK as an ACK",
        least=0,
        most=1,
    ),
]
Combining = Annotated[
    str,
    Parameter(
        "soft combining of the transmissions of an LLDU, by the trace's es_n0_mdb: chase adds their SNRs, "
        "incremental their mutual information",
        choices=("none", "chase", "incremental"),
    ),
]
CombiningThreshold = Annotated[
    float | None,
    Parameter(
        "Es/N0 in dB at which one transmission would be decoded; combined transmissions must reach as much",
        unit="dB",
        least=-100,
        most=100,
        absent="none, needed with --combining",
    ),
]
CodingWindow = Annotated[int, Parameter("source LLDUs that a repair LLDU covers, W", least=1, most=1024)]
RepairInterval = Annotated[int, Parameter("source LLDUs after which one repair LLDU is sent, k", least=1)]
RlcMode = Annotated[
    str,
    Parameter("mode of the RLC entity", choices=("acknowledged", "unacknowledged")),
]
Delivery = Annotated[
    str,
    Parameter("order in which acknowledged mode delivers", choices=("in-order", "any-order")),
]
MaxRetransmissions = Annotated[
    int,
    Parameter("retransmissions after which a segment is given up", least=0),
]
RlcWindow = Annotated[int, Parameter("most unacknowledged segments", least=1)]
PollPdus = Annotated[int, Parameter("new segments from poll to poll, pollPDU", least=1)]
PollRetransmit = Annotated[
    int,
    Parameter(
        "seconds from a poll to the next one without a status report, t-PollRetransmit",
        least=0,
        absent="twice the RTT, plus --reassembly and --status-prohibit",
    ),
]
Reassembly = Annotated[
    int,
    Parameter(
        "seconds for which the receiver waits for a missing segment, t-Reassembly",
        least=0,
    ),
]
StatusProhibit = Annotated[
    int,
    Parameter("least seconds between status reports, t-StatusProhibit", least=0),
]
FeedbackSeed = Annotated[int, Parameter("seed of the missed and false feedback", least=0)]
"""Parameters of schemes: options of the command line and keys of scenarios follow from them."""


@dataclass(frozen=True)
class OnlineScheme(ABC):
    """A link-layer scheme with its checked parameters, for the simulator."""

    name: ClassVar[str]
    """The name that users type, such as harq."""

    offline_parameters: ClassVar[dict[str, str]] = {}
    """Parameters that only conversions know, with the reason."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The name in tables and figures, such as ``HARQ(10/12)``."""

    def describe(self) -> dict[str, object]:
        """Return name and parameters, for the metadata of link traces."""
        return {"name": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}

    @property
    def needs_es_n0(self) -> bool:
        """Whether it takes only traces with the column `es_n0_mdb`."""
        return False

    def check_columns(self, name: str, columns: tuple[Column, ...]) -> None:
        """Refuse a trace without a column that the scheme needs.

        Raises
        ------
        InputError
            Naming the trace and the column.
        """
        if self.needs_es_n0 and ES_N0_MDB not in columns:
            raise InputError(
                name,
                f"there is no column {ES_N0_MDB.name}, which {self.name} with soft combining needs; "
                "`tmt generate --with-es-n0` and `tmt import table --es-n0` write it",
            )

    def check_online(self) -> None:
        """Refuse values of parameters that only conversions know.

        Raises
        ------
        UsageError
            Naming the parameter, its value and the reason.
        """
        for field in fields(self):
            value, reason = getattr(self, field.name), self.offline_parameters.get(field.name)
            if reason is not None and value != field.default:
                raise UsageError(
                    f"{field.name} is {value!r}; {self.name} online knows only {field.default!r}: {reason}"
                )


@dataclass(frozen=True)
class Scheme(OnlineScheme):
    """A scheme that also converts traces."""

    @abstractmethod
    def converter(self) -> Converter:
        """Start a conversion: feed it slots, collect rows."""


def check_count(name: str, value: object, least: int, most: int | None = None) -> None:
    """Refuse a value other than a whole number from `least` to `most`.

    Raises
    ------
    UsageError
        Naming the parameter, its value and the allowed ones.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} is {value!r}; it must be a whole number {allowed}")


def check_delay(name: str, value: object) -> None:
    """Refuse a value other than whole nanoseconds from 0 to `MAX_DELAY_NS`.

    Raises
    ------
    UsageError
        Naming the parameter, its value and the allowed ones.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= value <= MAX_DELAY_NS:  # type: ignore[operator]
        raise UsageError(
            f"{name} is {value!r}; it must be a whole number of nanoseconds from 0 to {MAX_DELAY_NS} "
            f"({MAX_DELAY_NS // NS_PER_S} s)"
        )


def check_probability(name: str, value: object) -> None:
    """Refuse a value other than a number from 0 to 1.

    Raises
    ------
    UsageError
        Naming the parameter, its value and the allowed ones.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{name} is {value!r}; it must be a number from 0 to 1")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a word that is none of the choices.

    Raises
    ------
    UsageError
        Naming the parameter, its value and the allowed ones.
    """
    if value not in choices:
        raise UsageError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")


def check_run(data: int, repair: int, depth: int = 1) -> None:
    """Refuse blocks, or runs of interleaved blocks, of more than `MAX_BLOCK` LLDUs.

    Raises
    ------
    UsageError
        Naming the parameters and the allowed values.
    """
    if depth * (data + repair) > MAX_BLOCK:
        raise UsageError(
            f"depth {depth} x (data {data} + repair {repair}) is {depth * (data + repair)} slots; "
            f"at most {MAX_BLOCK} are allowed"
        )
