"""The options of the link-layer schemes, the same for every command that takes a scheme."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tmt.cli.options import WholeNumber, is_typed, with_options
from tmt.cli.parameter_options import sentence, type_of
from tmt.core.errors import UsageError
from tmt.core.parameters import declared
from tmt.core.schemes.registry import ALL_SCHEMES, ONLINE_SCHEMES, SCHEMES
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.cli.options import Decorator
    from tmt.core.parameters import Declared
    from tmt.core.schemes.parameters import OnlineScheme

S = TypeVar("S", bound="OnlineScheme")


CONVERTING_NAMES = tuple(SCHEMES)
ONLINE_NAMES = tuple(ONLINE_SCHEMES)


def _parameters() -> dict[str, dict[str, Declared]]:
    """Return the schemes that have each parameter (without the RTT), numbers before times."""
    found: dict[str, dict[str, Declared]] = {}
    for scheme, kind in ALL_SCHEMES.items():
        for one in (one for one in declared(kind) if one.name != "rtt_ns"):
            found.setdefault(one.name, {})[scheme] = one
    return dict(sorted(found.items(), key=lambda item: item[0].endswith("_ns")))


_PARAMETERS = _parameters()

SCHEME_PARAMETERS = {
    name: next(iter(having.values())).parameter.flag for name, having in _PARAMETERS.items()
} | {"rtt_ns": "--rtt"}
"""Parameters of the schemes, and the options that set them."""


def options_of_schemes(*names: str, online: bool = False) -> Decorator:
    """Return a decorator that adds the parameters of schemes (without the RTT); an absent option is None.

    Help texts for schemes that run `online` do not list parameters that such schemes refuse.
    """
    options = []
    for name, having in _PARAMETERS.items():
        chosen = {scheme: one for scheme, one in having.items() if scheme in names}
        if not chosen:
            continue
        one = next(iter(chosen.values()))
        whose = "" if len(chosen) == len(names) else f"{', '.join(chosen)}: "
        meaning = one.parameter.meaning if whose else sentence(one.parameter.meaning)
        words = f"{whose}{meaning}.{_default(chosen)}"
        refused = online and all(name in ONLINE_SCHEMES[scheme].offline_parameters for scheme in chosen)
        options.append(click.option(one.parameter.flag, name, type=_type_of(one), help=words, hidden=refused))
    return with_options(*options)


def _spelled(one: Declared) -> str:
    if one.default and one.kind == "time":
        return f"{one.default / NS_PER_S:g}"
    return str(one.default or one.parameter.absent or one.default)


def _type_of(one: Declared) -> click.ParamType[Any]:
    choices = one.parameter.choices
    return click.Choice(choices) if choices else type_of(one)


def _default(having: dict[str, Declared]) -> str:
    """Return the text of a parameter's default: one for all schemes, or each scheme's own."""
    if any(one.is_required for one in having.values()):
        return ""
    said = {scheme: _spelled(one) for scheme, one in having.items()}
    if len(set(said.values())) > 1:
        return f"  [default: {', '.join(f'{text} ({scheme})' for scheme, text in said.items())}]"
    return f"  [default: {next(iter(said.values()))}]"


def scheme_options(scheme: str, most: Mapping[str, int]) -> Decorator:
    """Return a decorator that adds parameters of one scheme with its defaults; `most` bounds numbers."""
    options = []
    for name, having in _PARAMETERS.items():
        if name not in most or scheme not in having:
            continue
        one = having[scheme]
        absent: dict[str, Any] = {"required": True}
        if one.kind == "time":
            absent = {"default": _spelled(one)}
        elif one.default is None:
            absent = {"show_default": one.parameter.absent}
        elif not one.is_required:
            absent = {"default": one.default}
        kind = _type_of(one)
        if isinstance(kind, WholeNumber):
            kind = WholeNumber(int(one.parameter.least or 0), most[name])
        meaning = f"{sentence(one.parameter.meaning)}."
        options.append(click.option(one.parameter.flag, name, type=kind, help=meaning, **absent))
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
        Parameters from elsewhere; schemes that do not have them ignore them.

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
        if name in ctx.params and name not in known and is_typed(name)
    }
    for name in typed:
        if not names:
            raise UsageError(f"{SCHEME_PARAMETERS[name]} means nothing without {flag}")
        # One loop over schemes may give the RTT to each.
        if name != "rtt_ns" and not any(name in own for own in parameters.values()):
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
