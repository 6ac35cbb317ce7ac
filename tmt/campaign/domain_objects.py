"""The domain objects that tables of a scenario describe: schemes, channels, lines of slots, settings."""

from __future__ import annotations

import re
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tmt.campaign.sections import GeneratedTrace, SchemeSection, TraceFile, Traffic
from tmt.core.channels.base import with_profile
from tmt.core.channels.registry import CHANNELS
from tmt.core.errors import UsageError
from tmt.core.generate import DEFAULT_DECODE_TIME_NS, Line
from tmt.core.schemes.registry import ALL_SCHEMES, SCHEMES
from tmt.core.units import seconds_to_ns
from tmt.spec.access import Proxy, WiredHop
from tmt.spec.coding import Coding
from tmt.spec.settings import PARAMETERS

if TYPE_CHECKING:
    from tmt.core.profile import Profile


def scheme_of(section: Any, rtt_ns: int) -> Any:
    """Return the scheme that a section describes, on a link with the given RTT."""
    kind = ALL_SCHEMES[section.name]
    return kind(**_parameters(kind, section, {"rtt_ns": rtt_ns}))


def channel_of(section: Any) -> Any:
    """Return the channel that a section describes."""
    kind = CHANNELS[section.channel]
    values = _parameters(kind, section, {})
    if kind.profiles:
        given = {name: value for name, value in values.items() if value is not None}
        values = with_profile(kind, section.profile, given)
    return kind(**values)


def settings_of(link: Any, traffic: Any, wired: Any = None, proxy: Any = None) -> dict[str, Any]:
    """Return the arguments of `Settings` that the tables of a path and its traffic give, in domain units."""
    tables = {"link": link, "traffic": traffic, "wired": wired, "proxy": proxy}
    parts: dict[str, dict[str, Any]] = {"": {}, "coding": {}, "wired": {}, "proxy": {}}
    for one in PARAMETERS:
        section = tables.get(one.parameter.table)
        value = None if section is None else getattr(section, one.key)
        if value is not None:
            parts[one.group][one.name] = seconds_to_ns(value) if one.kind == "time" else value
    return parts[""] | {
        "coding": Coding(**parts["coding"]) if parts["coding"] else None,
        "wired": None if wired is None else WiredHop(**parts["wired"]),
        "proxy": None if proxy is None else Proxy(**parts["proxy"]),
    }


def lldu_bytes_of(section: Any) -> int | None:
    """Return the LLDU size that the section of a channel says, or its profile does."""
    profile = _profile_of(section)
    if section.lldu_bytes is None and profile is not None:
        return int(profile.line.lldu_bytes.value)
    return section.lldu_bytes  # type: ignore[no-any-return]


def _profile_of(section: Any) -> Profile | None:
    return CHANNELS[section.channel].profiles.get(getattr(section, "profile", ""))


def line_of(section: Any) -> Line:
    """Return the line of slots that the section of a channel describes.

    Raises
    ------
    UsageError
        When something is missing that no profile says, or is said twice, or runs would start behind its end.
    """
    channel, lldu_bytes = channel_of(section), lldu_bytes_of(section)
    rate, share = section.rate, section.share
    profile = _profile_of(section)
    if rate is None and profile is not None:
        rate = profile.line.rate_bps.value
        share = share or int(profile.line.share.value)
    for name, value in {"rate": rate, "length": section.length, "lldu_bytes": lldu_bytes}.items():
        if value is None:
            raise UsageError(f"{name} is missing, which a channel needs unless it is laid over a trace")
    if isinstance(section.offset, float) and section.offset >= section.length:
        raise UsageError(f"offset is {section.offset:g}; it must be less than length, {section.length:g}")
    if channel.decode_time_ns is not None and section.decode_time is not None:
        raise UsageError(f"decode_time is given, but {channel.name} sets it by its own parameters")
    decode_time_ns = channel.decode_time_ns or DEFAULT_DECODE_TIME_NS
    if section.decode_time is not None:
        decode_time_ns = seconds_to_ns(section.decode_time)
    return Line.at_rate(Fraction(str(rate)), lldu_bytes or 0, decode_time_ns, share=share or 1)


def _parameters(kind: type[Any], section: Any, supplied: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in (one.name for one in fields(kind)):
        if name in supplied:
            values[name] = supplied[name]
            continue
        value = getattr(section, name.removesuffix("_ns"))
        in_ns = name.endswith("_ns") and value is not None
        values[name] = seconds_to_ns(value) if in_ns else value
    return values


def named(section: Any) -> str | None:
    """Return the label of a trace, with the values of keys that it names in braces: ``Es/N0 {es_n0_db} dB``.

    Raises
    ------
    UsageError
        When it names an unknown key of its table, or one without a value.
    """
    values = {name: value for name, value in section if name != "label"}

    def value_of(found: re.Match[str]) -> str:
        value = values.get(found[1])
        if value is None:
            raise UsageError(f"label names {found[0]}, which has no value in this table")
        return f"{value:g}" if isinstance(value, float) else str(value)

    return None if section.label is None else re.sub(r"\{(\w*)\}", value_of, section.label)


def try_out(section: Any) -> None:
    """Have scheme, channel and code check their own parameters, and a trace its label.

    Raises
    ------
    UsageError
        When they are not allowed, or do not go together.
    """
    if isinstance(section, TraceFile | GeneratedTrace):
        named(section)
    if isinstance(section, Traffic) and section.code is not None:
        Coding(code=section.code)
    if isinstance(section, SchemeSection):
        scheme = scheme_of(section, 0)
        if not section.online and section.name not in SCHEMES:
            raise UsageError(
                f"name is {section.name!r}, a scheme that converts no traces; it needs online = true"
            )
        if section.online:
            scheme.check_online()
    elif isinstance(section, GeneratedTrace):
        channel_of(section)
        if section.over is None:
            line_of(section)
            return
        for name in ("rate", "share", "length", "decode_time"):
            if getattr(section, name) is not None:
                raise UsageError(f"{name} is given, which means nothing for a channel over a trace")
