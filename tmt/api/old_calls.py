"""Calls of version 0.2, which work for one version more: parameters of models and runs as keywords."""

from __future__ import annotations

import warnings
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from tmt.api.arguments import chosen
from tmt.core.channels import CHANNELS
from tmt.core.declaration import Problem, Refused, Spec, declared
from tmt.core.schemes import SCHEMES
from tmt.spec.experiment import Path
from tmt.spec.old_form import renewed_scheme
from tmt.spec.points import one_of
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
Given = dict[str, Any]


def also(renew: Callable[[Given, Given], str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that takes calls of an old form.

    `renew` gets the arguments that the function has, which it completes, and those that it does not have; it
    returns the call of today.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = signature(function)

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            old = {key: value for key, value in given.items() if key not in known.parameters}
            if not old:
                return function(*args, **given)
            new = {key: value for key, value in given.items() if key in known.parameters}
            new = dict(known.bind_partial(*args, **new).arguments)
            today = renew(new, old)
            warnings.warn(f"this call is deprecated; today it is {today}", DeprecationWarning, stacklevel=2)
            return cast("Callable[..., R]", function)(**new)

        return call

    return decorate


def scheme_by_name(new: Given, old: Given) -> str:
    """Take the parameters of a scheme beside its name."""
    table = renewed_scheme({"name": _name(new.get("scheme"), old)} | old)
    new["scheme"] = chosen("scheme", SCHEMES, table.pop("name"), table)
    return f"convert_trace(trace, tmt.{new['scheme']!r}, ...)"


def channel_by_name(new: Given, old: Given) -> str:
    """Take the parameters of a channel beside its name."""
    new["channel"] = chosen("channel", CHANNELS, _name(new.get("channel"), old), old)
    return f"generate_trace(tmt.{new['channel']!r}, ...)"


def replay_by_keywords(new: Given, old: Given) -> str:
    """Take the settings of a run as keywords."""
    if "return_link" in old:
        new["back"] = old.pop("return_link")
    parts: dict[str, type[Path | Traffic]] = {"path": Path, "traffic": Traffic}
    for key, kind in parts.items():
        if key not in new:
            new[key] = one_of(kind, {name: old.pop(name) for name in declared(kind) if name in old})
    _refuse(old, ("forward", "path", "traffic", "back", "seed", *declared(Path), *declared(Traffic)))
    return f"replay_trace(forward, tmt.{new['path']!r}, tmt.{new['traffic']!r})"


def search_by_keywords(new: Given, old: Given) -> str:
    """Take the link and the transport of a search as keywords, and its folder behind the trace."""
    if "path" in new:
        new["out"] = new.pop("path")
    if "duration_s" in old:
        new["duration"] = old.pop("duration_s")
    for key, kind in (("path", Path), ("traffic", Traffic)):
        names = [name for name in declared(kind) if name in old]
        if key == "path" or names:
            new[key] = one_of(kind, {name: old.pop(name) for name in names})
    _refuse(old, ("trace", "path", "traffic", "objective", "constraint", "schemes", "varied", "duration"))
    return f"tune_trace(trace, tmt.{new['path']!r}, ...)"


def _name(given: object, parameters: Given) -> object:
    """Return the name of a model; an object has its parameters already (Refused)."""
    if isinstance(given, Spec):
        _refuse(parameters, "none: the object has its parameters")
    return given


def _refuse(given: Given, known: str | tuple[str, ...]) -> None:
    """Refuse keywords that nothing takes."""
    if given:
        allowed, reason = "tmt.Path(...) or tmt.Traffic(...) with it", "stands beside path and traffic"
        raise Refused(
            Problem((key,), value, "rule", allowed, reason)
            if isinstance(known, tuple) and key in known
            else Problem((key,), value, "unknown", known)
            for key, value in given.items()
        )
