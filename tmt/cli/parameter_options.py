"""Command-line options made from the declared parameters of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tmt.cli.options import POSITIVE_SECONDS, ROUND_TRIP, SECONDS, Number, WholeNumber, one_of
from tmt.core.errors import UsageError
from tmt.core.units import ns_to_seconds
from tmt.spec.access import Proxy, WiredHop
from tmt.spec.coding import Coding
from tmt.spec.settings import PARAMETERS
from tmt.spec.tcp import FECTCP

if TYPE_CHECKING:
    from tmt.cli.options import Decorator
    from tmt.core.parameters import Declared

_BY_NAME = {one.name: one for one in PARAMETERS if not one.group}


def options_of(*names: str, **defaults: Any) -> tuple[Decorator, ...]:
    """Return the options of parameters of `Settings`; `defaults` replace declared ones."""
    return tuple(_option(_BY_NAME[name], defaults.get(name)) for name in names)


def options_of_group(group: str) -> tuple[Decorator, ...]:
    """Return the options of coding, wired hop or proxy; the value of an absent option is None."""
    return tuple(_option(one) for one in PARAMETERS if one.group == group)


def _option(one: Declared, default: Any = None) -> Decorator:
    parameter = one.parameter
    declared = None if one.is_required else one.default
    default = declared if default is None else default
    meaning = sentence(parameter.meaning)
    if parameter.absent:
        meaning += f"; else {parameter.absent}"
    kind = one_of(parameter.choices, meaning) if parameter.choices else _plain(one, meaning)
    if default is not None and not (one.kind == "bool" and "/" not in parameter.flag):
        kind["help"] += f"  [default: {_shown(one, default)}]"
    # A default of None counts as a value to click, also of a required option.
    given: dict[str, Any] = {}
    if default is not None and not one.group:
        given["default"] = default if one.kind == "bool" else _shown(one, default)
    if one.kind == "bool":
        given["is_flag"] = True
    return click.option(
        parameter.flag,
        _destination(one),
        required=one.is_required and not one.group and default is None,
        show_default=False,
        **kind,
        **given,
    )


def _plain(one: Declared, meaning: str) -> dict[str, Any]:
    """Return type, placeholder and help of an option that takes no word of a list."""
    metavar = {"bit/s": "BIT/S", "packets": "PACKETS", "byte": "BYTES"}.get(one.parameter.unit)
    return {"type": type_of(one), "metavar": metavar, "help": f"{meaning}."}


def sentence(meaning: str) -> str:
    """Return a declared meaning with a capital at its beginning."""
    return meaning[0].upper() + meaning[1:]


def type_of(one: Declared) -> Any:
    """Return click's type of a parameter that takes no word of a list."""
    parameter = one.parameter
    match one.kind:
        case "time":
            usual = ROUND_TRIP if one.name == "rtt_ns" else SECONDS
            return POSITIVE_SECONDS if parameter.least else usual
        case "int":
            return WholeNumber(int(parameter.least or 0))
        case "float":
            return Number(parameter.least, parameter.most)
        case "bool":
            return bool
        case _:
            return str


def _shown(one: Declared, value: Any) -> str:
    if one.kind == "time":
        return f"{ns_to_seconds(value):g}"
    if one.kind == "bool":
        return one.parameter.flag.split("/")[0 if value else 1].removeprefix("--")
    return f"{value:g}" if one.kind == "float" else str(value)


def _destination(one: Declared) -> str:
    return one.prefix + one.name


def taken_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of parameters from `given`, and return them as arguments of `Settings`.

    Raises
    ------
    UsageError
        When options do not go together.
    """
    parts: dict[str, dict[str, Any]] = {"": {}, "coding": {}, "wired": {}, "proxy": {}}
    for one in PARAMETERS:
        value = given.pop(_destination(one))
        if value is not None:
            parts[one.group][one.name] = value
    has_wired, is_split = "rate_bps" in parts["wired"], given.pop("proxy")
    if parts["coding"] and parts[""]["tcp"] != FECTCP:
        raise UsageError(f"{_flags('coding')} need --tcp {FECTCP}")
    if parts["wired"] and not has_wired:
        raise UsageError(f"{_flags('wired', 'rate_bps')} need --wired-rate")
    if parts["proxy"] and not is_split:
        raise UsageError(f"{_flags('proxy')} need --proxy")
    if is_split and not has_wired:
        raise UsageError("--proxy needs --wired-rate: it stands between a wired hop and the link")
    return parts[""] | {
        "coding": Coding(**parts["coding"]) if parts["coding"] else None,
        "wired": WiredHop(**parts["wired"]) if has_wired else None,
        "proxy": Proxy(**parts["proxy"]) if is_split else None,
    }


def _flags(group: str, but: str = "") -> str:
    flags = [one.parameter.flag for one in PARAMETERS if one.group == group and one.name != but]
    return ", ".join(flags[:-1]) + f" and {flags[-1]}"
