"""Arguments of the public functions: files, traces, data frames, and names of objects.

Calls of version 0.2, which pass parameters of models and runs as keywords, work for one more version
(`also`).
"""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from tmt import io
from tmt.campaign.local_workers import default_jobs
from tmt.core.channels import CHANNELS
from tmt.core.checks import DecodeTimes, checked
from tmt.core.declaration import Count, Spec, declared, taken
from tmt.core.errors import InputError, UsageError
from tmt.core.problems import Problem, Refused
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.schemes import SCHEMES
from tmt.core.trace import LinkTrace, PhyTrace, Trace, make_trace
from tmt.core.units import NS_PER_S, ns_to_seconds, seconds_to_ns
from tmt.io.text import layout_of, text_names
from tmt.spec import toml
from tmt.spec.old_form import renewed_scheme
from tmt.spec.path import Path as LinkPath
from tmt.spec.points import one_of
from tmt.spec.scenario import Scenario
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")
SpecT = TypeVar("SpecT", bound=Spec)
Given = dict[str, Any]

AnyTrace = Trace | pd.DataFrame | str | os.PathLike[str]
"""A trace, a data frame with its columns, or the name of its file."""

_NEEDED = "a trace, a data frame or the name of a file is needed"

EXACT_S = 1e6
"""Below this, times in seconds become whole nanoseconds by multiplication and rounding."""


def path_of(what: str, given: object) -> Path:
    """Return the path that an argument gives (UsageError when it is neither text nor a path)."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{what} is of type {type(given).__name__}; the name of a file or a path is needed")
    return Path(given)


def processes_of(jobs: int | None) -> int:
    """Return the number of simultaneous simulations; by default one for each processor (Refused)."""
    return default_jobs() if jobs is None else int(taken("jobs", Count, jobs))


def chosen(
    key: str, kinds: Mapping[str, type[SpecT]], given: object, parameters: Mapping[str, Any] | None = None
) -> SpecT:
    """Return an object that is given itself or by its class's name (Refused); messages name `key`."""
    for kind in kinds.values():
        if isinstance(given, kind):
            return given
    if not isinstance(given, str):
        raise Refused([Problem((key,), given, "type", f"an object, or a name: {', '.join(kinds)}")])
    if given not in kinds:
        raise Refused([Problem((key,), given, "choice", tuple(kinds))])
    return one_of(kinds[given], {"name": given, **(parameters or {})})


def scenario_of(given: Scenario | str | os.PathLike[str]) -> tuple[Scenario | toml.Document, Path]:
    """Return a scenario, given itself or by its file; and that file, or a name made from the title.

    InputError or UsageError when it is no scenario.
    """
    if isinstance(given, Scenario):
        return given, Path(re.sub(r"[^\w-]+", "-", given.title).strip("-") or "scenario")
    path = path_of("scenario", given)
    asked = toml.read(path)
    for note in asked.notes:
        warnings.warn(note, DeprecationWarning, stacklevel=3)
    return asked, path


@contextmanager
def named(key: str) -> Iterator[None]:
    """Name the argument in refusals of an object that is made from it."""
    try:
        yield
    except Refused as refused:
        raise Refused(one.within(key) for one in refused.problems) from None


def trace_of(given: AnyTrace) -> Trace:
    """Return a trace, given itself, as a data frame, or by the name of its file (InputError)."""
    if isinstance(given, pd.DataFrame):
        return trace_from_frame(given)
    if isinstance(given, str | os.PathLike):
        return io.read_trace(given)
    if not isinstance(given, PhyTrace | LinkTrace):
        raise InputError("trace", f"this is of type {type(given).__name__}; {_NEEDED}")
    return checked(given)


def phy_of(given: AnyTrace) -> PhyTrace:
    """Return a PHY trace, given as for `trace_of` (InputError)."""
    trace = trace_of(given)
    if not isinstance(trace, PhyTrace):
        raise InputError("trace", "this is a link trace; a PHY trace is needed")
    return trace


def trace_from_frame(frame: pd.DataFrame, *, lldu_bytes: int | None = None) -> Trace:
    """Return the trace in a data frame.

    A PHY trace has the columns ``tx_time`` and ``decode_time`` in seconds, or ``tx_time_ns`` and
    ``decode_time_ns`` in whole nanoseconds; a decode time counts from sending, 0 means erased. It may
    have ``es_n0_mdb`` and ``mode``. A link trace has ``tx_time``, ``delay``, ``delivered`` and
    ``transmissions``, or the first two in nanoseconds. Both may have ``size_bytes``. Other columns are
    ignored.

    Parameters
    ----------
    frame
        One row per slot or LLDU, in the order of sending.
    lldu_bytes
        Useful bytes of one LLDU, if there is no column ``size_bytes``.

    Raises
    ------
    InputError
        When a column is missing or has another type, or a row is not allowed in a trace.
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError("frame", f"this is of type {type(frame).__name__}; a data frame is needed")
    layout = layout_of([str(name) for name in frame.columns])
    if layout is None:
        needed = " or ".join(
            ", ".join(text_names(table.columns, seconds=seconds))
            for seconds in (True, False)
            for table in (PHY_TRACE, LINK_TRACE)
        )
        found = ", ".join(map(str, frame.columns))
        other = "tmt.import_trace(file, 'table', time=..., received=...) reads a file with other columns"
        raise InputError("data frame", f"its columns are {found}; needed are {needed}; {other}")
    columns: dict[str, Any] = {}
    for column in layout.columns:
        name = column.name.removesuffix("_ns") if layout.seconds else column.name
        values = frame[name]
        if column.null is not None:
            try:
                values = values.astype("Float64" if layout.seconds else "Int64").fillna(
                    ns_to_seconds(column.null) if layout.seconds else column.null
                )
            except (ValueError, TypeError):
                needed = "numbers" if layout.seconds else "whole numbers"
                raise InputError(
                    "data frame", f"{name} is of type {values.dtype}; {needed} are needed"
                ) from None
        array = values.to_numpy(dtype=float, na_value=np.nan) if values.isna().any() else values.to_numpy()
        if column.dtype == "|b1" and np.isin(array, (0, 1)).all():  # as files spell flags
            array = array.astype(bool)
        columns[column.name] = _nanoseconds(name, array) if name != column.name else array
    metadata = {} if lldu_bytes is None else {"lldu_bytes": taken("lldu_bytes", Count, lldu_bytes)}
    trace = checked(make_trace(layout.table, columns, metadata))
    decode_times = DecodeTimes()
    decode_times.see(trace)
    if reason := decode_times.reason(seconds=layout.seconds):
        raise InputError("data frame", reason)
    return trace


def _nanoseconds(name: str, seconds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert seconds as `seconds_to_ns` does (InputError); flags and NaN pass, for later checks."""
    if seconds.dtype == bool:
        return seconds
    if seconds.dtype.kind in "mMc":
        raise InputError("data frame", f"{name} is of type {seconds.dtype}; seconds as numbers are needed")
    try:
        numbers = np.asarray(seconds, dtype=float)
    except (ValueError, TypeError):
        raise InputError("data frame", f"{name} is of type {seconds.dtype}; numbers are needed") from None
    if not np.isfinite(numbers).all():
        return numbers
    if (np.abs(numbers) < EXACT_S).all():
        rounded: npt.NDArray[np.int64] = np.rint(numbers * NS_PER_S).astype(np.int64)
        return rounded
    try:
        exact = [seconds_to_ns(number) for number in numbers.tolist()]
    except ValueError as error:
        raise InputError("data frame", f"{name}: {error}") from None
    return np.array(exact, np.int64)


def also(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that also accepts calls of an old form, which `OLD_CALLS` translates."""
    known = signature(function)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        old = {key: value for key, value in given.items() if key not in known.parameters}
        if not old:
            return function(*args, **given)
        new = {key: value for key, value in given.items() if key in known.parameters}
        new = dict(known.bind_partial(*args, **new).arguments)
        today = OLD_CALLS[function.__name__](new, old)
        warnings.warn(f"this call is deprecated; today it is {today}", DeprecationWarning, stacklevel=2)
        return cast("Callable[..., R]", function)(**new)

    return call


def scheme_by_name(new: Given, old: Given) -> str:
    """Accept the parameters of a scheme beside its name."""
    table = renewed_scheme({"name": _name(new.get("scheme"), old)} | old)
    new["scheme"] = chosen("scheme", SCHEMES, table.pop("name"), table)
    return f"convert_trace(trace, tmt.{new['scheme']!r}, ...)"


def channel_by_name(new: Given, old: Given) -> str:
    """Accept the parameters of a channel beside its name."""
    new["channel"] = chosen("channel", CHANNELS, _name(new.get("channel"), old), old)
    return f"generate_trace(tmt.{new['channel']!r}, ...)"


def replay_by_keywords(new: Given, old: Given) -> str:
    """Accept the settings of a run as keywords."""
    if "return_link" in old:
        new["back"] = old.pop("return_link")
    parts: dict[str, type[LinkPath | Traffic]] = {"path": LinkPath, "traffic": Traffic}
    for key, kind in parts.items():
        if key not in new:
            new[key] = one_of(kind, {name: old.pop(name) for name in declared(kind) if name in old})
    _refuse(old, ("forward", "path", "traffic", "back", "seed", *declared(LinkPath), *declared(Traffic)))
    return f"replay_trace(forward, tmt.{new['path']!r}, tmt.{new['traffic']!r})"


def search_by_keywords(new: Given, old: Given) -> str:
    """Accept the link and the transport of a search as keywords, and its folder after the trace."""
    if "path" in new:
        new["out"] = new.pop("path")
    if "duration_s" in old:
        new["duration"] = old.pop("duration_s")
    for key, kind in (("path", LinkPath), ("traffic", Traffic)):
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
    """Refuse keywords that no object has."""
    if given:
        allowed, reason = "tmt.Path(...) or tmt.Traffic(...) with it", "stands beside path and traffic"
        raise Refused(
            Problem((key,), value, "rule", allowed, reason)
            if isinstance(known, tuple) and key in known
            else Problem((key,), value, "unknown", known)
            for key, value in given.items()
        )


OLD_CALLS: dict[str, Callable[[Given, Given], str]] = {
    "convert_trace": scheme_by_name,
    "generate_trace": channel_by_name,
    "replay_trace": replay_by_keywords,
    "tune_trace": search_by_keywords,
}
"""Functions that receive and complete the arguments that a function has, and receive those that it does not
have.

They return the call in its present form.
"""
