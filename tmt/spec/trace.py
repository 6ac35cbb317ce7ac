"""PHY traces of a scenario: a file, a channel over it, or a channel over generated slots."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tmt.core.channels import CHANNELS
from tmt.core.channels.base import Channel
from tmt.core.channels.snr import Snr
from tmt.core.declaration import Count, Param, PositiveSeconds, Rate, Seconds, Spec, declared
from tmt.core.generate import Line
from tmt.core.modes import Adaptation
from tmt.core.schema import Packing
from tmt.core.sharing import SCHEDULERS, Sharing
from tmt.core.units import NS_PER_S, seconds_to_ns
from tmt.spec.slot_line import NO_LINE_OF_FRAMES, of_profile, usual_decode_time_ns

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

assert CHANNELS  # a trace chooses among them


class Trace(Spec):
    """A PHY trace: a file, a channel model over generated slots, or a channel over a file."""

    file: Annotated[str | None, "PHY trace", Param(absent="a generated line", is_path=True)] = None
    channel: Annotated[Channel | None, "channel model", Param(absent="the file's own erasures")] = None
    adaptation: Annotated[
        Adaptation | None,
        "choice of a mode for each slot by the channel's Es/N0",
        Param(absent="slots of one size, erased by the channel"),
    ] = None
    rate: Annotated[
        Rate | None, "bits of LLDUs per second on the whole line", Param(absent="the profile's")
    ] = None
    length: Annotated[PositiveSeconds | None, "length of a generated line", Param(absent="the file's")] = None
    decode_time: Annotated[
        PositiveSeconds | None, "decode time of a slot", Param(absent="the channel's, or 0.036 s")
    ] = None
    realisations: Annotated[
        Count | None, "realisations of the channel that the seeds take in turn", Param(absent="one a seed")
    ] = None
    lldu_bytes: Annotated[
        Count | None, "useful bytes of an LLDU", Param("byte", absent="the file's, or the profile's")
    ] = None
    packing: Annotated[Packing | None, "how packets lie in rows", Param(absent="the file's, or padded")] = (
        None
    )
    every: Annotated[
        Count | None, "every n-th slot is this user's", Param(absent="the profile's for its line, else 1")
    ] = None
    sharing: Annotated[
        Sharing | None, "users who share the generated line", Param(absent="it is one user's")
    ] = None
    offset: Annotated[
        Seconds | Literal["drawn"] | None,
        "start of runs in the trace",
        Param(absent="the start of a measured trace, drawn by the seed in all others"),
    ] = None
    label: Annotated[
        str | None, "name in tables; {key} is the value of a key", Param(absent="file, channel and values")
    ] = None

    def rules(self) -> Rules:
        """Refuse missing settings, and settings that have no meaning beside the others."""
        if self.file is None and self.channel is None:
            yield "file", "a file, a channel, or both", "is missing"
            return
        if self.adaptation is not None:
            yield from self._adaptation_rules(self.adaptation)
        if self.sharing is not None:
            yield from self._sharing_rules(self.sharing)
        if isinstance(self.channel, Snr) and self.channel.error_rates is None and self.adaptation is None:
            allowed = "a table of error rates, or adaptation beside the channel"
            yield ("channel", "error_rates"), allowed, "is missing"
        if self.file is not None:
            for key in ("rate", "length", "decode_time"):
                if getattr(self, key) is not None:
                    yield key, "none with a file, whose slots are taken", "has no meaning beside file"
        if self.channel is None and self.realisations is not None:
            yield "realisations", "none without a channel", "has no meaning without a channel"
        if self.file is None and self.channel is not None:
            yield from self._line_rules(self.channel)
        for name in re.findall(r"\{(\w*)\}", self.label or ""):
            if self._values().get(name) is None:
                yield "label", "names of keys that have a value", f"names {{{name}}}, which has no value"

    def _adaptation_rules(self, adaptation: Adaptation) -> Rules:
        if self.file is not None or self.channel is None or not self.channel.has_es_n0:
            having = ", ".join(one.name for one in CHANNELS.values() if one.has_es_n0)
            yield "adaptation", f"none without a generated line of a channel that knows Es/N0: {having}"
        for key in ("rate", "every", "lldu_bytes") if adaptation.table.has_frames else ():
            if getattr(self, key) is not None:
                yield key, NO_LINE_OF_FRAMES, "has no meaning"

    def _sharing_rules(self, sharing: Sharing) -> Rules:
        if self.file is not None:
            reason = "shares a generated line; `tmt share` shares files"
            yield ("sharing", "users"), "none with a file, which has its slots", reason
        if self.every is not None:
            yield "every", "none with sharing", "is a share beside that of sharing"
        if self.adaptation is not None and self.adaptation.table.has_frames:
            yield ("sharing", "users"), "none with frames: modes of slots, such as nr-1", "share slots"
        if sharing.is_one_run and self.adaptation is not None and self.adaptation.below == "idle":
            yield ("adaptation", "below"), "lowest with users in one run", "leaves slots out"
        if sharing.scheduler.uses_rates and self.adaptation is None:
            allowed = ", ".join(name for name, kind in SCHEDULERS.items() if not kind.uses_rates)
            reason = "compares what the users' modes carry"
            yield ("sharing", "scheduler", "name"), f"{allowed}, or any with adaptation", reason

    def _line_rules(self, channel: Channel) -> Rules:
        rate, lldu_bytes, _ = self._of_line()
        if self.adaptation is not None and self.adaptation.table.has_frames:
            rate = lldu_bytes = 1
        for key, value in (("rate", rate), ("length", self.length), ("lldu_bytes", lldu_bytes)):
            if value is None:
                allowed = replace(declared(type(self))[key], is_optional=False).allowed
                needs = "is missing: a generated line of slots needs it"
                adapts = self.adaptation is not None and key != "length"
                slots = ": a slot lasts 8 lldu_bytes / rate, and its mode says what it carries"
                yield key, str(allowed), f"{needs}{slots if adapts else ''}"
        if isinstance(self.offset, float) and self.length is not None and self.offset >= self.length:
            yield "offset", f"less than length, {self.length:g} s"
        if channel.decode_time_ns is not None and self.decode_time is not None:
            yield "decode_time", f"none: {channel.name} sets it by its own parameters"
        interval_ns = self._interval_ns()
        if interval_ns is not None and interval_ns < 1:
            yield "rate", "at most one slot in a nanosecond"

    def _of_line(self) -> tuple[float | None, int | None, int | None]:
        """Return rate, size of an LLDU and share: as given, or those of the channel's profile."""
        every = self.every if self.sharing is None else 1
        given = self.rate, self.lldu_bytes, every
        return given if self.channel is None else of_profile(self.channel, *given)

    def _interval_ns(self) -> Fraction | None:
        if self.adaptation is not None and self.adaptation.table.has_frames:
            return self.adaptation.frame_interval_ns
        rate, lldu_bytes, every = self._of_line()
        if rate is None or lldu_bytes is None:
            return None
        return Fraction(8 * lldu_bytes * NS_PER_S * (every or 1)) / Fraction(str(rate))

    def _values(self) -> dict[str, Any]:
        own = {key: getattr(self, key) for key in declared(type(self)) if key not in _PARTS}
        for part in (self.channel, self.adaptation):
            own |= {} if part is None else {key: getattr(part, key) for key in declared(type(part))}
        return own

    @property
    def is_random(self) -> bool:
        """Whether every seed sees another realisation of a channel."""
        return self.channel is not None and self.channel.is_random

    @cached_property
    def title(self) -> str:
        """The label with its values, or else the file, the channel with its values, and the share."""
        if self.label is not None:
            values = self._values()
            return re.sub(r"\{(\w*)\}", lambda found: _short(values[found[1]]), self.label)
        parts = [] if self.channel is None else [_named(self.channel)]
        parts += [] if self.file is None else [Path(self.file).name]
        text = " over ".join(parts)
        text += "" if self.adaptation is None else f" with {self.adaptation.label}"
        if self.sharing is not None:
            return f"{text}, {self.sharing.label}"
        return f"{text} /{self.every}" if self.every is not None and self.every > 1 else text

    @cached_property
    def line(self) -> Line | None:
        """The regular slots; None over a file."""
        interval_ns = self._interval_ns()
        if self.file is not None or self.channel is None or interval_ns is None:
            return None
        usual_ns = self.channel.decode_time_ns or usual_decode_time_ns(self.adaptation)
        return Line(interval_ns, usual_ns if self.decode_time is None else seconds_to_ns(self.decode_time))

    @property
    def users_in_one_run(self) -> int:
        """Number of users of a run over this trace; 0 if it has the slots of one user."""
        return self.sharing.users if self.sharing is not None and self.sharing.is_one_run else 0

    @property
    def kept(self) -> int:
        """n, if a conversion keeps every n-th slot: 1 for generated slots, which are this user's only."""
        return 1 if self.file is None else self.every or 1

    @property
    def line_lldu_bytes(self) -> int | None:
        """Useful bytes of an LLDU: as given, or of the channel's profile; None if modes decide it."""
        return self._of_line()[1] if self.adaptation is None else None


_PARTS = {"channel", "adaptation", "label"}


def _named(channel: Channel) -> str:
    fields = declared(type(channel))
    said = {*channel.said(), "profile"} if channel.profiles else set(fields)
    own = {key: getattr(channel, key) for key in fields if key in said}
    values = ", ".join(
        f"{key}={Path(value).name if fields[key].param.is_path else _short(value)}"
        for key, value in own.items()
        if value is not None
    )
    return f"{channel.name}({values})" if values else channel.name


def _short(value: float | str | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_short, value)) + "]"
    return value if isinstance(value, str) else f"{value:g}"
