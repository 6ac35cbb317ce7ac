"""The arguments of the simulator's script `clift-ns2/tcl/replay.tcl`: alternating keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tmt.core.units import seconds_text
from tmt.run.link_files import ReadyLink, link_settings
from tmt.spec.settings import values_of

if TYPE_CHECKING:
    from tmt.core.parameters import Kind
    from tmt.core.schemes.parameters import OnlineScheme
    from tmt.run.setup import Setup
    from tmt.spec.links import PlainLink


def arguments(setup: Setup) -> list[str]:
    """Return the script's arguments for one run: its settings have the names of result columns."""
    settings = setup.settings
    given: dict[str, object] = {
        one.column: _text(one.kind, value)
        for one, value in values_of(settings)
        if value is not None and one.column != "code"
    }
    given |= _link_arguments("forward", setup.forward) | _link_arguments("return", setup.back)
    if settings.proxy is not None:
        given["proxy"] = 1
    if settings.coding is not None and settings.coding.block_segments is not None:
        given["code_overhead"] = settings.coding.overhead(settings.coding.block_segments)
    return [str(word) for item in given.items() for word in item]


def _text(kind: Kind, value: Any) -> str:
    match kind:
        case "time":
            return seconds_text(value)
        case "float":
            return f"{value:.15g}"
        case "bool":
            return str(int(value))
        case _:
            return str(value)


def _link_arguments(direction: str, link: ReadyLink | PlainLink) -> dict[str, object]:
    found = link_settings(direction, link)
    if isinstance(link, ReadyLink):
        del found[f"{direction}_offset_ns"]
        found[f"{direction}_offset_s"] = seconds_text(link.file.first_ns + link.link.offset_ns)
        if link.link.scheme is not None:
            found[f"{direction}_scheme"] = scheme_words(link.link.scheme)
    return found


_QUEUE_NAMES = {
    "window_frames": "window",
    "repeat_after_ns": "timeout",
    "retransmission": "synchronous",
    "rlc_mode": "acknowledged",
    "delivery": "segments_in_order",
}
"""Parameters of schemes that the queue's variables call otherwise."""

_NUMBERS = {
    "asynchronous": 0,
    "synchronous": 1,
    "unacknowledged": 0,
    "acknowledged": 1,
    "any-order": 0,
    "in-order": 1,
    "none": 0,
    "chase": 1,
    "incremental": 2,
}
"""Words that are numbers in the queue's variables."""


def scheme_words(scheme: OnlineScheme) -> str:
    """Name a scheme and its parameters as the queue does; ns-2 knows the RTT from the link.

    A parameter that is None has the default of the queue's variable.
    """
    words = [scheme.name]
    for name, value in scheme.describe().items():
        if value is None or name in {"name", "rtt_ns", *scheme.offline_parameters}:
            continue
        words.append(_QUEUE_NAMES.get(name, name.removesuffix("_ns")))
        if isinstance(value, str):
            words.append(str(_NUMBERS[value]))
        else:
            words.append(seconds_text(cast("int", value)) if name.endswith("_ns") else str(value))
    return " ".join(words)
