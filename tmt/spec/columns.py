"""Settings of an experiment as columns of results: one for each declared parameter of traffic and path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tmt.core.declaration import Field, declared
from tmt.spec.experiment import Experiment
from tmt.spec.path import Path, Proxy, Wired
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.declaration import Spec

ColumnKind = Literal["text", "integer", "number", "flag"]
"""Types of result columns: Parquet string, int64, float64 and bool; Python str, int, float and bool."""

Value = str | int | float | bool | None
"""Value of a result column."""

KINDS: dict[type[Any], ColumnKind] = {str: "text", int: "integer", float: "number", bool: "flag"}
SUFFIXES = {"s": "_s", "bit/s": "_bps"}
"""Endings of columns' names whose parameters have their unit not in the name."""

ELSEWHERE = {"return_link", "return_rate", "return_trace", "backend", "seeds"}
"""Fields that are no columns: the links of a run say more than those of its path do."""


@dataclass(frozen=True)
class Setting:
    """A declared parameter as a column.

    Attributes
    ----------
    name
        Of the column, which is also the backends' name of the setting.
    place
        The way to the value from an experiment.
    """

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
        return self.field.param.label or self.name.removesuffix(self._suffix).replace("_", " ")

    @property
    def _suffix(self) -> str:
        known = SUFFIXES | {"packets": "_packets", "byte": "_bytes", "segments": "_segments"}
        return known.get(self.field.param.unit, "")

    def of(self, experiment: Experiment) -> Value:
        """Return the value; None where the experiment has no such part."""
        found: Any = experiment
        for key in self.place:
            found = None if found is None else getattr(found, key)
        return found  # type: ignore[no-any-return]


def _settings(
    kind: type[Spec], place: tuple[str, ...], prefix: str = "", null: str = ""
) -> Iterator[Setting]:
    for key, field in declared(kind).items():
        if key not in ELSEWHERE and not field.is_nested:
            name = f"{prefix}{key}{SUFFIXES.get(field.param.unit, '')}"
            param = replace(field.param, null=field.param.null or null)
            yield Setting(name, (*place, key), replace(field, param=param))


SETTINGS = (
    *_settings(Traffic, ("traffic",)),
    *_settings(Path, ("path",)),
    Setting("seed", ("seed",), declared(Experiment)["seed"]),
    *_settings(Wired, ("path", "wired"), "wired_", "without a wired hop"),
    *_settings(Proxy, ("path", "proxy"), "proxy_", "without a proxy"),
)
"""Every setting of an experiment but its links."""


def columns_of(experiment: Experiment) -> dict[str, Value]:
    """Return the settings of an experiment as result columns."""
    return {one.name: one.of(experiment) for one in SETTINGS} | {"proxy": experiment.path.proxy is not None}
