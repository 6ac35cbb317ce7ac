"""Scheme `rlc`: radio link control, alone or above another scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from tmt.core.declaration import Count, Number, Param, Rules
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.scheme import Delay, Scheme

if TYPE_CHECKING:
    from tmt.core.schema import Column


class Rlc(Scheme):
    """RLC (3GPP TS 38.322) above another scheme; a segment is sent in each row of that scheme."""

    name: ClassVar[str] = "rlc"

    below: Annotated[Scheme, "scheme below"] = NoScheme()
    mode: Annotated[Literal["acknowledged", "unacknowledged"], "mode of the RLC entity"] = "acknowledged"
    delivery: Annotated[Literal["in-order", "any-order"], "order in which acknowledged mode delivers"] = (
        "in-order"
    )
    max_retransmissions: Annotated[Number, "retransmissions after which a segment is given up"] = 8
    window_pdus: Annotated[int, "most unacknowledged segments", Param("", 1, 131_072)] = 2048
    poll_pdus: Annotated[Count, "new segments from poll to poll, pollPDU"] = 16
    poll_retransmit: Annotated[
        Delay | None,
        "time from a poll to the next one without a status report, t-PollRetransmit",
        Param(least=1e-9, absent="twice the RTT, plus reassembly and status_prohibit"),
    ] = None
    reassembly: Annotated[Delay, "time for which the receiver waits for a missing segment, t-Reassembly"] = (
        0.035
    )
    status_prohibit: Annotated[Delay, "least time between status reports, t-StatusProhibit"] = 0

    def rules(self) -> Rules:
        """Refuse schemes that RLC cannot use."""
        yield from super().rules()
        if isinstance(self.below, Rlc) or not self.below.converts:
            yield ("below", "name"), "a scheme that converts traces, other than rlc"
        if self.below.online:
            yield ("below", "online"), "false: rlc is online or not, with all that is below"
        for key, reason in self.below.offline_parameters.items() if self.online else ():
            usual = self.below.usual(key)
            if getattr(self.below, key) != usual:
                yield ("below", key), f"{usual!r} for a scheme that works online", f"has no meaning: {reason}"
        if self.online:
            for place, allowed, *_ in self.below.online_rules():
                yield ("below", str(place)), allowed

    @property
    def label(self) -> str:
        """``RLC(AM)``, or with the scheme below ``RLC-over-HARQ(10/12, AM)``."""
        mode = "AM" if self.mode == "acknowledged" else "UM"
        if isinstance(self.below, NoScheme):
            return f"RLC({mode})"
        below = f"RLC-over-{self.below.label}"
        return below.replace(")", f", {mode})", 1) if ")" in below else f"{below}({mode})"

    @property
    def full_name(self) -> str:
        """``rlc``, or with the scheme below ``rlc-over-harq``."""
        return self.name if isinstance(self.below, NoScheme) else f"{self.name}-over-{self.below.name}"

    def check_columns(self, name: str, columns: tuple[Column, ...]) -> None:
        """Refuse a trace without a column that the scheme below needs (InputError)."""
        super().check_columns(name, columns)
        self.below.check_columns(name, columns)

    @property
    def needs_es_n0(self) -> bool:
        """Whether the scheme below does."""
        return self.below.needs_es_n0
