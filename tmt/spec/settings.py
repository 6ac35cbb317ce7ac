"""Declared parameters of traffic and path as columns: one for each, with its unit in its name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, Literal

from tmt.core.declaration import Field, declared
from tmt.core.orbit import Orbit
from tmt.spec.experiment import Experiment
from tmt.spec.flow_settings import Resume
from tmt.spec.path import Path, Proxy, Wired
from tmt.spec.programs import Program
from tmt.spec.traffic import Flow, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Spec

ColumnKind = Literal["text", "integer", "number", "flag"]
"""Types of result columns: Parquet string, int64, float64 and bool; Python str, int, float and bool."""

Value = str | int | float | bool | None

KINDS: dict[type[Any], ColumnKind] = {str: "text", int: "integer", float: "number", bool: "flag"}

ADDED = {"s": "_s", "bit/s": "_bps"}
"""Suffixes of columns' names for units that the names of their parameters lack."""

ENDINGS = ADDED | {"packets": "_packets", "byte": "_bytes", "segments": "_segments"}
"""Suffixes of columns' names that tell the unit."""

ELSEWHERE = {"return_link", "return_rate", "return_trace", "backend", "seeds", "user"}
"""Fields that are not columns: a run's links describe them more exactly, and a group's label has its user."""


@dataclass(frozen=True)
class Setting:
    """A declared parameter as the column `name`; `place` is the path to its value from the whole object."""

    name: str
    place: tuple[str, ...]
    field: Field

    @property
    def kind(self) -> ColumnKind:
        """Type of the column."""
        return KINDS[self.field.kind]

    @property
    def label(self) -> str:
        """Title of an axis."""
        param = self.field.param
        return param.label or self.name.removesuffix(ENDINGS.get(param.unit, "")).replace("_", " ")

    def of(self, whole: Experiment | Flow) -> Value:
        """Return the value; None if the object has no such part."""
        found: Any = whole
        for key in self.place:
            found = None if found is None else getattr(found, key)
        return found  # type: ignore[no-any-return]


def _settings(
    kind: type[Spec], place: tuple[str, ...], prefix: str = "", null: str = ""
) -> Iterator[Setting]:
    for key, field in declared(kind).items():
        if key not in ELSEWHERE and not field.is_nested:
            name = f"{prefix}{key}{ADDED.get(field.param.unit, '')}"
            param = replace(field.param, null=field.param.null or null)
            yield Setting(name, (*place, key), replace(field, param=param))


SETTINGS = (
    *_settings(Traffic, ("traffic",)),
    *_settings(Resume, ("traffic", "resume"), "resume_", "without Careful Resume"),
    *_settings(Path, ("path",)),
    Setting("seed", ("seed",), declared(Experiment)["seed"]),
    *_settings(Wired, ("path", "wired"), "wired_", "without a wired hop"),
    *_settings(Proxy, ("path", "proxy"), "proxy_", "without a proxy"),
    *_settings(Orbit, ("path", "orbit"), "orbit_", "without an orbit"),
)
"""Every setting of an experiment except its links."""


GROUP_SETTINGS = (*_settings(Flow, ()), *_settings(Resume, ("resume",), "resume_", "without Careful Resume"))
"""Every setting of a group of flows."""


def columns_of(experiment: Experiment) -> dict[str, Value]:
    """Return the settings of an experiment as result columns; of groups only those with a single value."""
    path = experiment.path
    found = {one.name: one.of(experiment) for one in SETTINGS}
    found |= {"proxy": path.proxy is not None, "queue": path.queue.label}
    found["rtt_series"] = path.rtt_series and File(path.rtt_series).name
    if isinstance(experiment.traffic, Program):
        found["program"] = experiment.traffic.title
    return found | (_of_groups(experiment.traffic) if experiment.traffic.flow else {})


def _of_groups(traffic: Traffic) -> dict[str, Value]:
    sizes = {one.transfer_bytes for one in traffic.flow}
    return {
        "tcp": traffic.variants,
        "flows": sum(one.count for one in traffic.flow if one.direction == "forward"),
        "return_flows": sum(one.count for one in traffic.flow if one.direction == "return"),
        "start_s": min(one.start for one in traffic.flow),
        "transfer_bytes": sizes.pop() if len(sizes) == 1 else None,
    }
