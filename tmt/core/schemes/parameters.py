"""Base of all schemes: a name, a label, and checks of parameters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tmt.core.errors import InputError, UsageError
from tmt.core.parameters import Parameter, declared
from tmt.core.schema import ES_N0_MDB, MAX_ES_N0_MDB
from tmt.core.units import MAX_TIME_NS, NS_PER_S

if TYPE_CHECKING:
    from tmt.core.converter import Converter
    from tmt.core.parameters import Declared
    from tmt.core.schema import Column

MAX_DELAY_NS = MAX_TIME_NS // 4
"""Longest RTT or detection delay (36 years), so that a time of the trace plus both still fits an int64."""

MAX_BLOCK = 65_535
"""Most LLDUs in a block or a run of blocks."""

MAX_COUNT = 2**31 - 1
"""Largest count of frames, segments or transmissions."""

MAX_ES_N0_DB = MAX_ES_N0_MDB // 1000


RoundTrip = Annotated[int, Parameter("round-trip propagation time of the link", least=0, most=MAX_DELAY_NS)]
Data = Annotated[int, Parameter("data LLDUs of a block or frame, N_D", least=1)]
Repair = Annotated[int, Parameter("repair LLDUs of a block or frame, N_R", least=0)]
Depth = Annotated[int, Parameter("blocks that are interleaved, I", least=1)]
Extra = Annotated[int, Parameter("repair LLDUs sent beyond those missing, N_S", least=0, most=MAX_BLOCK)]
Rounds = Annotated[int, Parameter("most requests for repair, R", least=0, most=MAX_COUNT)]
MaxTransmissions = Annotated[
    int | None,
    Parameter("erasures after which an LLDU is given up", least=1, most=MAX_COUNT, absent="never"),
]
Persistency = Annotated[
    int | None,
    Parameter("most retransmissions of a frame", least=0, most=MAX_COUNT, absent="unlimited"),
]
WindowFrames = Annotated[int, Parameter("most unacknowledged frames, N", least=1, most=MAX_COUNT)]
DetectionDelay = Annotated[
    int,
    Parameter("time in seconds until the receiver detects an erased slot", least=0, most=MAX_DELAY_NS),
]
RepeatAfter = Annotated[
    int,
    Parameter(
        "seconds from a failed frame's end to its retransmission",
        least=0,
        most=MAX_DELAY_NS,
        absent="when the NACK arrives",
    ),
]
Processes = Annotated[int, Parameter("stop-and-wait processes, N", least=1, most=65_535)]
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
        most=MAX_DELAY_NS,
        absent="the trace has no gaps",
    ),
]
Repetitions = Annotated[
    int | None,
    Parameter("feedback off: slots that carry each LLDU, k", least=1, most=65_535, absent="feedback on"),
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
        least=-MAX_ES_N0_DB,
        most=MAX_ES_N0_DB,
        absent="none, needed with --combining",
    ),
]
CodingWindow = Annotated[int, Parameter("source LLDUs that a repair LLDU covers, W", least=1, most=1024)]
RepairInterval = Annotated[
    int, Parameter("source LLDUs after which one repair LLDU is sent, k", least=1, most=65_535)
]
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
    Parameter("retransmissions after which a segment is given up", least=0, most=MAX_COUNT),
]
RlcWindow = Annotated[int, Parameter("most unacknowledged segments", least=1, most=131_072)]
PollPdus = Annotated[int, Parameter("new segments from poll to poll, pollPDU", least=1, most=MAX_COUNT)]
PollRetransmit = Annotated[
    int,
    Parameter(
        "seconds from a poll to the next one without a status report, t-PollRetransmit",
        least=0,
        most=MAX_DELAY_NS,
        absent="twice the RTT, plus --reassembly and --status-prohibit",
    ),
]
Reassembly = Annotated[
    int,
    Parameter(
        "seconds for which the receiver waits for a missing segment, t-Reassembly",
        least=0,
        most=MAX_DELAY_NS,
    ),
]
StatusProhibit = Annotated[
    int,
    Parameter("least seconds between status reports, t-StatusProhibit", least=0, most=MAX_DELAY_NS),
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

    def __post_init__(self) -> None:
        """Refuse values that the declarations do not allow; schemes add checks of several parameters."""
        for one in declared(type(self)):
            value = getattr(self, one.name)
            if not _fits(one, value):
                raise UsageError(f"{one.name} is {value!r}; it must be {_allowed(one)}")

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


def _fits(one: Declared, value: Any) -> bool:
    least, most = one.parameter.least, one.parameter.most
    if value is None:
        return one.is_optional
    if one.kind == "str":
        return value in one.parameter.choices
    is_number = isinstance(value, int | float if one.kind == "float" else int) and not isinstance(value, bool)
    return is_number and (least or 0) <= value <= (math.inf if most is None else most)


def _allowed(one: Declared) -> str:
    """Return the allowed values of a parameter in words."""
    least, most = one.parameter.least, one.parameter.most
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    return {
        "int": f"a whole number {bounds}",
        "float": f"a number {bounds}",
        "time": f"a whole number of nanoseconds {bounds} ({MAX_DELAY_NS // NS_PER_S} s)",
        "str": f"one of {', '.join(one.parameter.choices)}",
    }[one.kind]


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
