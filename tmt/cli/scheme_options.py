"""The options that say how a link-layer scheme is set, the same for every command that takes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class _Option:
    """A parameter of schemes: which ones have it, its least value, what it means, what it is by default."""

    schemes: tuple[str, ...]
    least: int
    meaning: str
    default: int | str | None


_OPTIONS = {
    "data": _Option(("fec", "harq"), 1, "data LLDUs of a block, N_D.", None),
    "repair": _Option(("fec", "harq"), 0, "repair LLDUs of a block, N_R.", None),
    "depth": _Option(("fec",), 1, "blocks that are interleaved, I.", 1),
    "extra": _Option(("harq",), 0, "repair LLDUs sent beyond those missing, N_S.", 1),
    "rounds": _Option(("harq",), 0, "most requests for repair, R.", 2),
    "max_transmissions": _Option(("arq",), 1, "erasures after which an LLDU is given up.", "never"),
}


def all_scheme_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the parameters of all schemes, each None where it is not typed."""
    for name, option in reversed(_OPTIONS.items()):
        default = "" if option.default is None else f"  [default: {option.default}]"
        meaning = f"{', '.join(option.schemes)}: {option.meaning}{default}"
        function = click.option(_flag(name), type=click.IntRange(option.least), help=meaning)(function)
    return function


def scheme_options(scheme: str) -> Decorator:
    """Return what gives a command the parameters of one scheme: its own names, required ones and defaults."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name, option in reversed(_OPTIONS.items()):
            if scheme not in option.schemes:
                continue
            absent: dict[str, Any] = {"required": True}
            if isinstance(option.default, int):
                absent = {"default": option.default, "show_default": True}
            elif option.default is not None:
                absent = {"show_default": option.default}
            meaning = option.meaning[0].upper() + option.meaning[1:]
            function = click.option(_flag(name), type=click.IntRange(option.least), help=meaning, **absent)(
                function
            )
        return function

    return decorate


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
