"""Schemes `rlc` and `rlc-over-...`: radio link control, alone or above another scheme."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.parameters import (
    Delivery,
    MaxRetransmissions,
    PollPdus,
    PollRetransmit,
    Reassembly,
    RlcMode,
    RlcWindow,
    RoundTrip,
    Scheme,
    StatusProhibit,
)
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys

if TYPE_CHECKING:
    from tmt.core.converter import Converter


@dataclass(frozen=True, kw_only=True)
class RlcLayer(Scheme):
    """RLC (3GPP TS 38.322) above a scheme, which carries a segment in each of its rows.

    Parameters
    ----------
    rtt_ns
        Round-trip propagation time of the link: from a status report to the first segment that it causes.
    rlc_mode, delivery
        Acknowledged or unacknowledged; in order or any order.
    max_retransmissions
        Retransmissions of a segment after which the sender gives it up.
    rlc_window
        Most segments that the sender may have sent, counted from the first unacknowledged one.
    poll_pdus
        New segments from poll to poll.
    poll_retransmit_ns
        From a poll to the next one if no status report answers it; 0: twice the RTT, plus the receiver's
        timers.
    reassembly_ns
        From the detection of a gap until the receiver reports it, or gives it up in unacknowledged mode.
    status_prohibit_ns
        Least time between status reports.

    Raises
    ------
    UsageError
        When a parameter is out of range.
    """

    lower: ClassVar[type[Scheme]]
    """The scheme below."""

    rtt_ns: RoundTrip
    rlc_mode: RlcMode = "acknowledged"
    delivery: Delivery = "in-order"
    max_retransmissions: MaxRetransmissions = 8
    rlc_window: RlcWindow = 2048
    poll_pdus: PollPdus = 16
    poll_retransmit_ns: PollRetransmit = 0
    reassembly_ns: Reassembly = 35_000_000
    status_prohibit_ns: StatusProhibit = 0

    def below(self) -> Scheme:
        """Return the scheme below."""
        return self.lower(**{field.name: getattr(self, field.name) for field in fields(self.lower)})

    @property
    def label(self) -> str:
        """``RLC(AM)``, or with the scheme below ``RLC-over-HARQ(10/12, AM)``."""
        mode = "AM" if self.rlc_mode == "acknowledged" else "UM"
        if self.lower is NoScheme:
            return f"RLC({mode})"
        below = f"RLC-over-{self.below().label}"
        return below.replace(")", f", {mode})", 1) if ")" in below else f"{below}({mode})"

    def converter(self) -> Converter:
        """Start a conversion."""
        from tmt.core.schemes.rlc.converter import RlcConverter  # noqa: PLC0415  (numba takes long to import)

        timers_ns = self.reassembly_ns + self.status_prohibit_ns
        settings = {
            "acknowledged": self.rlc_mode == "acknowledged",
            "in_order": self.delivery == "in-order" or self.rlc_mode == "unacknowledged",
            "rtt_ns": self.rtt_ns,
            "poll_pdus": self.poll_pdus,
            "poll_retransmit_ns": self.poll_retransmit_ns or 2 * self.rtt_ns + timers_ns,
            "reassembly_ns": self.reassembly_ns,
            "status_prohibit_ns": self.status_prohibit_ns,
            "max_retransmissions": self.max_retransmissions,
            "window": self.rlc_window,
        }
        return RlcConverter(self.below().converter(), settings)


@dataclass(frozen=True)
class Rlc(RlcLayer, NoScheme):
    """RLC over the bare link."""

    name: ClassVar[str] = "rlc"
    lower: ClassVar[type[Scheme]] = NoScheme


@dataclass(frozen=True)
class RlcOverFec(RlcLayer, Fec):
    """RLC above `fec`."""

    name: ClassVar[str] = "rlc-over-fec"
    lower: ClassVar[type[Scheme]] = Fec


@dataclass(frozen=True)
class RlcOverArq(RlcLayer, Arq):
    """RLC above `arq`."""

    name: ClassVar[str] = "rlc-over-arq"
    lower: ClassVar[type[Scheme]] = Arq


@dataclass(frozen=True)
class RlcOverHarq(RlcLayer, Harq):
    """RLC above `harq`."""

    name: ClassVar[str] = "rlc-over-harq"
    lower: ClassVar[type[Scheme]] = Harq


@dataclass(frozen=True)
class RlcOverHarqProcesses(RlcLayer, HarqProcesses):
    """RLC above `harq-processes`, as in LTE and NR."""

    name: ClassVar[str] = "rlc-over-harq-processes"
    lower: ClassVar[type[Scheme]] = HarqProcesses


@dataclass(frozen=True)
class RlcOverSlidingWindow(RlcLayer, SlidingWindow):
    """RLC above `sliding-window`."""

    name: ClassVar[str] = "rlc-over-sliding-window"
    lower: ClassVar[type[Scheme]] = SlidingWindow


@dataclass(frozen=True)
class RlcOverTetrys(RlcLayer, Tetrys):
    """RLC above `tetrys`."""

    name: ClassVar[str] = "rlc-over-tetrys"
    lower: ClassVar[type[Scheme]] = Tetrys
