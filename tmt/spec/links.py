"""The links of a path: one over a trace, or one of constant rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError
from tmt.core.parameters import check_range
from tmt.core.schema import PACKINGS, Packing
from tmt.core.units import MAX_TIME_NS

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.schemes.parameters import OnlineScheme

MOST_RATE_BPS = 1e12
"""Upper bound on the rate of a link, so that no run counts more bytes than 64 bits hold."""


@dataclass(frozen=True, slots=True)
class TraceLink:
    """A link that serves packets by a link trace, or by a scheme that works on a PHY trace meanwhile.

    Attributes
    ----------
    path
        The link trace, in any format that `tmt.io` reads; with `scheme` a PHY trace.
    lldu_bytes
        Useful bytes of one LLDU; None takes the number from the file's metadata, or 1500 where it has none.
        Not allowed where rows have sizes of their own.
    packing
        How packets lie in rows; None takes it from the file's metadata, or ``padded`` where it has none.
    offset_ns
        Where in the trace the run starts, counted from its first row.
    scheme
        The scheme that works inside the simulator, on the packets that really come ("online").
    """

    path: str | PathLike[str]
    lldu_bytes: int | None = None
    offset_ns: int = 0
    scheme: OnlineScheme | None = None
    packing: Packing | None = None

    def __post_init__(self) -> None:
        if self.lldu_bytes is not None:
            check_range("lldu_bytes", self.lldu_bytes, 1, 2**31 - 1)
        check_range("offset_ns", self.offset_ns, 0, MAX_TIME_NS)
        if self.packing is not None and self.packing not in PACKINGS:
            raise UsageError(f"packing is {self.packing!r}; it must be one of {', '.join(PACKINGS)}")
        if self.scheme is not None:
            self.scheme.check_online()


@dataclass(frozen=True, slots=True)
class PlainLink:
    """A link of constant rate that loses nothing."""

    rate_bps: float

    def __post_init__(self) -> None:
        check_range("rate_bps", self.rate_bps, 1, MOST_RATE_BPS)


Link = TraceLink | PlainLink
