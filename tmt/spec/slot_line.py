"""Slots at regular times: as given, or those of a channel's profile."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from tmt.core.declaration import Count, Param, PositiveSeconds, Rate, Spec
from tmt.core.generate import DEFAULT_DECODE_TIME_NS, Line
from tmt.core.problems import Problem, Refused
from tmt.core.units import seconds_to_ns

if TYPE_CHECKING:
    from tmt.core.channels.base import Channel
    from tmt.core.declaration import Rules
    from tmt.core.modes import Adaptation

DEFAULT_INTERVAL_S = 0.001

NO_LINE_OF_FRAMES = "none with frames, which follow each other at symbol_rate"
EVERY_FRAME = (
    "none with frames; `tmt convert --every`, or every of a trace with a file, gives a user every n-th"
)


class SlotLine(Spec):
    """Slots at regular times."""

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
        """Refuse both a rate and an interval."""
        if self.rate is not None and self.slot_interval is not None:
            yield "slot_interval", "none with a rate, which makes the interval", "stands beside a rate"

    def line(self, channel: Channel, adaptation: Adaptation | None = None) -> tuple[Line, int | None]:
        """Return the slots under a channel, whose profile may give missing values, and the size of an LLDU.

        With an `adaptation` that has frames, they are the times at which the signal is sampled. Refused when
        the channel sets the decode time by its own parameters; when the rate to share, or its size of an
        LLDU, is missing; or when frames have their own rate. UsageError when a slot takes less than 1 ns, or
        longer than the greatest allowed time.
        """
        decode_ns = channel.decode_time_ns or usual_decode_time_ns(adaptation)
        if self.decode_time is not None:
            decode_ns = seconds_to_ns(self.decode_time)
            if channel.decode_time_ns is not None:
                raise _refusal("decode_time", self.decode_time, f"none: parameters of {channel.name} set it")
        rate, lldu_bytes, every = self.rate, self.lldu_bytes, self.every
        if adaptation is not None and adaptation.table.has_frames:
            for key in ("slot_interval", "rate", "lldu_bytes", "every"):
                if getattr(self, key) is not None:
                    reason = f"has no meaning beside modes {adaptation.modes}"
                    allowed = EVERY_FRAME if key == "every" else NO_LINE_OF_FRAMES
                    raise _refusal(key, getattr(self, key), allowed, reason)
            return Line(adaptation.frame_interval_ns, decode_ns), None
        if self.rate is not None and self.lldu_bytes is None:
            raise _refusal("lldu_bytes", None, "the bytes that one slot carries", "is missing: rate needs it")
        if self.slot_interval is None:
            rate, lldu_bytes, every = of_profile(channel, rate, lldu_bytes, every)
        if rate is None or lldu_bytes is None:
            if every is not None:
                raise _refusal("every", every, "none without a rate", "is a share of the line's rate")
            interval_ns = seconds_to_ns(self.slot_interval or DEFAULT_INTERVAL_S)
            return Line(Fraction(interval_ns), decode_ns), lldu_bytes
        return Line.at_rate(Fraction(str(rate)), lldu_bytes, decode_ns, share=every or 1), lldu_bytes


def usual_decode_time_ns(adaptation: Adaptation | None) -> int:
    """Return the decode time of slots; for frames it starts at their end, and must not be 0."""
    return 1 if adaptation is not None and adaptation.table.has_frames else DEFAULT_DECODE_TIME_NS


def of_profile(
    channel: Channel, rate: float | None, lldu_bytes: int | None, every: int | None
) -> tuple[float | None, int | None, int | None]:
    """Return the given settings of the slots, the others from the channel's profile; its share belongs to its
    rate.
    """
    usual = channel.line
    if usual is None:
        return rate, lldu_bytes, every
    if rate is None:
        rate, every = usual.rate_bps.value, every or int(usual.share.value)
    return rate, lldu_bytes or int(usual.lldu_bytes.value), every


def _refusal(key: str, value: float | None, allowed: str, reason: str = "") -> Refused:
    return Refused([Problem((key,), value, "rule", allowed, reason)])
