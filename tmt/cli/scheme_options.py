"""The options that say how a link-layer scheme is set, the same for every command that takes one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from tmt.cli.options import SECONDS, WholeNumber, with_options
from tmt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.cli.options import Decorator
    from tmt.schemes import OnlineScheme

S = TypeVar("S", bound="OnlineScheme")


@dataclass(frozen=True, slots=True)
class _Option:
    """A parameter of schemes: which ones have it, its least value, what it means, what it is by default."""

    schemes: tuple[str, ...]
    least: int
    meaning: str
    default: int | str | None


MOST_MODELLED = 65_535
"""The most that a model takes of any number, the largest block of a scheme; more takes too long."""

CONVERTING_NAMES = ("none", "fec", "arq", "harq")
"""Schemes that convert traces."""

ONLINE_NAMES = (*CONVERTING_NAMES, "hybrid", "go-back-n")
"""Schemes that work inside the simulator."""

_OPTIONS = {
    "data": _Option(("fec", "harq", "hybrid", "go-back-n"), 1, "data LLDUs of a block or frame, N_D.", None),
    "repair": _Option(("fec", "harq", "hybrid", "go-back-n"), 0, "its repair LLDUs, N_R.", None),
    "depth": _Option(("fec",), 1, "blocks that are interleaved, I.", 1),
    "extra": _Option(("harq",), 0, "repair LLDUs sent beyond those missing, N_S.", 1),
    "rounds": _Option(("harq",), 0, "most requests for repair, R.", 2),
    "max_transmissions": _Option(("arq",), 1, "erasures after which an LLDU is given up.", "never"),
    "persistency": _Option(("hybrid", "go-back-n"), 0, "most repetitions of a frame.", "unlimited"),
    "window_frames": _Option(("go-back-n",), 1, "frames that may be under way, N.", None),
}


_TIMES = {
    "detection_delay_ns": _Option(
        ONLINE_NAMES, 0, "time in seconds until the receiver knows that a slot was erased.", 0
    ),
    "repeat_after_ns": _Option(
        ("go-back-n",),
        0,
        "seconds from a frame's end to its repetition, where it fails.",
        "when the report is there",
    ),
}


def options_of_schemes(*names: str) -> Decorator:
    """Return what gives a command the parameters of schemes but the RTT, each None where it is not typed."""
    options = []
    for name, option in (_OPTIONS | _TIMES).items():
        having = [scheme for scheme in names if scheme in option.schemes]
        if not having:
            continue
        default = "" if option.default is None else f"  [default: {option.default}]"
        whose = "" if len(having) == len(names) else f"{', '.join(having)}: "
        meaning = option.meaning if whose else _sentence(option.meaning)
        of_what = SECONDS if name in _TIMES else WholeNumber(option.least)
        options.append(
            click.option(SCHEME_PARAMETERS[name], name, type=of_what, help=f"{whose}{meaning}{default}")
        )
    return with_options(*options)


def scheme_options(scheme: str) -> Decorator:
    """Return what gives a command the parameters of one scheme: its own names, required ones and defaults."""
    options = []
    for name, option in _OPTIONS.items():
        if scheme not in option.schemes:
            continue
        absent: dict[str, Any] = {"required": True}
        if isinstance(option.default, int):
            absent = {"default": option.default, "show_default": True}
        elif option.default is not None:
            absent = {"show_default": option.default}
        of_what, meaning = WholeNumber(option.least, MOST_MODELLED), _sentence(option.meaning)
        options.append(click.option(SCHEME_PARAMETERS[name], type=of_what, help=meaning, **absent))
    return with_options(*options)


def chosen_schemes(flag: str, names: Sequence[str], kinds: Mapping[str, type[S]], **known: int) -> list[S]:
    """Build the schemes that `flag` names from the options of the running command.

    Parameters
    ----------
    flag
        The option that names schemes, for messages.
    kinds
        The schemes that it can name.
    known
        Parameters that come from elsewhere; a scheme that does not have them goes without.

    Raises
    ------
    UsageError
        When an option belongs to none of the schemes, or one is missing.
    """
    ctx = click.get_current_context()
    parameters = {name: [field.name for field in fields(kinds[name])] for name in names}
    if len(parameters) < len(names):
        raise UsageError(f"{flag} {', '.join(names)}: each scheme can be given once")
    typed = {
        name: ctx.params[name]
        for name in SCHEME_PARAMETERS
        if name in ctx.params
        and name not in known
        and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    for name in typed:
        if not names:
            raise UsageError(f"{SCHEME_PARAMETERS[name]} means nothing without {flag}")
        if not any(name in own for own in parameters.values()):
            allowed = "; ".join(
                f"{scheme} takes {', '.join(SCHEME_PARAMETERS[of] for of in own if of not in known)}"
                for scheme, own in parameters.items()
            )
            raise UsageError(
                f"{SCHEME_PARAMETERS[name]} is no option of {flag} {', '.join(names)}: {allowed}"
            )
    given = typed | known
    for scheme in names:
        for field in fields(kinds[scheme]):
            if field.name not in given and field.default is field.default_factory:
                raise UsageError(f"{SCHEME_PARAMETERS[field.name]} is missing: {flag} {scheme} needs it")
    return [
        kinds[scheme](**{name: value for name, value in given.items() if name in parameters[scheme]})
        for scheme in names
    ]


def _sentence(meaning: str) -> str:
    return meaning[0].upper() + meaning[1:]


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


SCHEME_PARAMETERS = {name: _flag(name.removesuffix("_ns")) for name in (*_OPTIONS, *_TIMES, "rtt_ns")}
"""Parameters of the schemes, and the options that set them."""
