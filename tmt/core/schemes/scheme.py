"""Base of all link-layer schemes, and the parameters that several of them share."""

from __future__ import annotations

from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tmt.core.declaration import MAX_TIME_S, Number, Param, Rules, Seconds, Spec, in_nanoseconds, ns
from tmt.core.errors import InputError
from tmt.core.schema import ES_N0_MDB, MAX_ES_N0_MDB, Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.converter import Converter

MAX_BLOCK = 65_535
"""Most LLDUs in a block or a run of blocks."""

MAX_DELAY_S = MAX_TIME_S // 4
"""Longest RTT or delay (36 years), so that a time of the trace plus several of them still fits an int64."""

MAX_ES_N0_DB = MAX_ES_N0_MDB // 1000

Delay = Annotated[Seconds, Param(most=MAX_DELAY_S)]
RoundTrip = Annotated[Delay, "round-trip propagation time of the link", Param(label="RTT")]
Small = Annotated[int, Param("", 1, MAX_BLOCK)]
Data = Annotated[Small, "data LLDUs of a block or frame, N_D"]
Repair = Annotated[int, "repair LLDUs of a block or frame, N_R", Param("", 0, MAX_BLOCK)]
DetectionDelay = Annotated[Delay, "time until the receiver detects an erased slot"]
RepairInterval = Annotated[Small, "source LLDUs after which one repair LLDU is sent, k"]
Persistency = Annotated[Number | None, "most retransmissions of a frame", Param(absent="unlimited")]


class Scheme(Spec):
    """A link-layer scheme: how its sender and its receiver use the slots of a PHY trace."""

    converts: ClassVar[bool] = True
    """Whether it converts traces; each scheme also runs inside the simulator."""

    takes_packed: ClassVar[bool] = True
    """Whether packets may share a row."""

    uses_rtt: ClassVar[bool] = True
    """Whether it has feedback, which takes the link's RTT."""

    offline_parameters: ClassVar[dict[str, str]] = {}
    """Parameters that only conversions have, with the reason."""

    online: Annotated[
        bool, "whether the scheme works inside the simulator, on the packets that really come"
    ] = field(default=False, kw_only=True)

    def rules(self) -> Rules:
        """Refuse a parameter that conflicts with `online`."""
        if not (self.converts or self.online):
            yield "online", "true", f"is not possible: {self.name} converts no traces"
        for key, reason in self.offline_parameters.items() if self.online else ():
            if getattr(self, key) != self.usual(key):
                yield key, f"{self.usual(key)!r} for a scheme that works online", f"has no meaning: {reason}"
        yield from self.online_rules() if self.online else ()

    def online_rules(self) -> Rules:
        """Yield each parameter with a value that only conversions support, and the allowed values."""
        return iter(())

    def on_link(self, rtt: float) -> Iterator[tuple[str, str]]:
        """Yield each parameter that conflicts with a link's RTT (in seconds), and the allowed values."""
        del rtt
        return iter(())

    @property
    def label(self) -> str:
        """The name in tables and figures, such as ``HARQ(10/12)``."""
        return self.name

    @property
    def full_name(self) -> str:
        """The name with that of the scheme below, such as ``rlc-over-harq``."""
        return self.name

    @property
    def needs_es_n0(self) -> bool:
        """Whether it requires traces with the column `es_n0_mdb`."""
        return False

    def converter(self, rtt: float = 0.0) -> Converter:
        """Start a conversion with this RTT in s; ModuleNotFoundError for a scheme without conversion."""
        found: Converter = import_module(f"{type(self).__module__}.converter").start(self, ns(rtt))
        return found

    def describe(self, rtt: float) -> dict[str, Any]:
        """Return name and parameters for the metadata of link traces, with times in nanoseconds."""
        found: dict[str, Any] = {"name": self.name} | ({"rtt_ns": ns(rtt)} if self.uses_rtt else {})
        own = in_nanoseconds(self, but="online").items()
        return found | {key: one.describe(rtt) if isinstance(one, Scheme) else one for key, one in own}

    def packing_fault(self, packing: str) -> str:
        """Return why this scheme does not support a packing of packets in rows; empty where it does."""
        if packing == "padded" or self.takes_packed:
            return ""
        return f"does not go with packing = {packing!r}: its frames hold LLDUs of one packet"

    def check_columns(self, name: str, columns: tuple[Column, ...]) -> None:
        """Refuse a trace without a column that the scheme needs (InputError, which names both)."""
        if self.needs_es_n0 and ES_N0_MDB not in columns:
            raise InputError(
                name,
                f"there is no column {ES_N0_MDB.name}, which {self.name} with soft combining needs; "
                "`tmt generate --with-es-n0` and `tmt import table --es-n0` write it",
            )
