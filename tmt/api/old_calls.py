"""Calls of version 0.2, which work for one version more: parameters of models and runs as keywords."""

from __future__ import annotations

import warnings
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tmt.api.arguments import chosen
from tmt.core.channels.base import Channel
from tmt.core.declaration import Problem, Refused, declared
from tmt.core.schemes.scheme import Scheme
from tmt.spec.old_form import renewed_scheme
from tmt.spec.path import Path
from tmt.spec.points import one_of
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

P, R = ParamSpec("P"), TypeVar("R")
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
            return function(**new)  # type: ignore[call-arg]

        return call

    return decorate


def scheme_by_name(new: Given, old: Given) -> str:
    """Take the parameters of a scheme beside its name."""
    name = new.get("scheme")
    table = renewed_scheme({"name": name} | old)
    new["scheme"] = chosen("scheme", Scheme, table.pop("name"), table)
    return f"convert_trace(trace, tmt.{new['scheme']!r}, ...)"


def channel_by_name(new: Given, old: Given) -> str:
    """Take the parameters of a channel beside its name."""
    new["channel"] = chosen("channel", Channel, new.get("channel"), old)
    return f"generate_trace(tmt.{new['channel']!r}, ...)"


def replay_by_keywords(new: Given, old: Given) -> str:
    """Take the settings of a run as keywords."""
    if "return_link" in old:
        new["back"] = old.pop("return_link")
    of_path = {key: old.pop(key) for key in declared(Path) if key in old}
    of_traffic = {key: old.pop(key) for key in declared(Traffic) if key in old}
    known = tuple(
        dict.fromkeys([*new, "path", "traffic", "seed", "back", *declared(Path), *declared(Traffic)])
    )
    problems = [Problem((key,), value, "unknown", known) for key, value in old.items()]
    if problems:
        raise Refused(problems)
    if of_path or "path" not in new:
        new["path"] = one_of(Path, of_path)
    if of_traffic:
        new["traffic"] = one_of(Traffic, of_traffic)
    return f"replay_trace(forward, tmt.{new['path']!r}, tmt.{new.get('traffic', Traffic())!r})"
