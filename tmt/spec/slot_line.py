"""The slots of a generated trace: a regular line, by the time from slot to slot or by a rate."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Count, Param, PositiveSeconds, Problem, Rate, Refused, Spec, ns
from tmt.core.generate import DEFAULT_DECODE_TIME_NS, Line

if TYPE_CHECKING:
    from tmt.core.channels.base import Channel
    from tmt.core.declaration import Rules

DEFAULT_INTERVAL_S = 0.001


class SlotLine(Spec):
    """Slots on a regular line."""

    duration: Annotated[PositiveSeconds, "length of the trace"]
    slot_interval: Annotated[
        PositiveSeconds | None, "time from slot to slot", Param(absent="the rate's, or 0.001 s")
    ] = None
    rate: Annotated[
        Rate | None, "bits of LLDUs per second on the whole line", Param(absent="the profile's")
    ] = None
    lldu_bytes: Annotated[
        Count | None, "useful bytes of an LLDU", Param("byte", absent="the profile's, or unknown")
    ] = None
    every: Annotated[
        Count | None, "every n-th slot of the line is this user's", Param(absent="the profile's, or 1")
    ] = None
    decode_time: Annotated[
        PositiveSeconds | None, "time until a slot is decoded", Param(absent="the channel's, or 0.036 s")
    ] = None

    def rules(self) -> Rules:
        """Refuse a rate beside an interval, and a rate of LLDUs of unknown size."""
        if self.rate is not None and self.slot_interval is not None:
            yield "slot_interval", "none with a rate, which makes the interval", "stands beside a rate"
        if self.rate is not None and self.lldu_bytes is None:
            yield "lldu_bytes", "the bytes that one slot carries", "is missing: rate needs it"

    def line(self, channel: Channel) -> tuple[Line, int | None]:
        """Return the line under a channel, whose profile may give what is left out, and the size of an LLDU.

        Raises
        ------
        Refused
            When the channel sets the decode time by its own parameters, or nothing gives a rate to share.
        UsageError
            When a slot takes less than 1 ns, or longer than any time may be.
        """
        decode_ns = channel.decode_time_ns or DEFAULT_DECODE_TIME_NS
        if self.decode_time is not None:
            decode_ns = ns(self.decode_time)
            if channel.decode_time_ns is not None:
                raise _refusal("decode_time", self.decode_time, f"none: parameters of {channel.name} set it")
        rate, lldu_bytes, every = self.rate, self.lldu_bytes, self.every
        usual = None if self.slot_interval is not None else channel.line
        if usual is not None:
            lldu_bytes = lldu_bytes or int(usual.lldu_bytes.value)
            if rate is None:
                rate, every = usual.rate_bps.value, every or int(usual.share.value)
        if rate is None or lldu_bytes is None:
            if every is not None:
                raise _refusal("every", every, "none without a rate", "is a share of the line's rate")
            return Line(Fraction(ns(self.slot_interval or DEFAULT_INTERVAL_S)), decode_ns), lldu_bytes
        return Line.at_rate(Fraction(str(rate)), lldu_bytes, decode_ns, share=every or 1), lldu_bytes


def _refusal(key: str, value: float, allowed: str, reason: str = "") -> Refused:
    return Refused([Problem((key,), value, "rule", allowed, reason)])
