"""Experiments from flat settings: those of path and traffic together, with times in nanoseconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from tmt import Experiment, Path, Traffic
from tmt.core.declaration import declared
from tmt.core.units import NS_PER_S
from tmt.run import experiment as backends
from tmt.run.experiment import ExperimentResult


class Asked(NamedTuple):
    experiment: Experiment

    def run(self, directory: Any = None, timeout_s: float | None = None) -> ExperimentResult:
        return backends.run(self.experiment, directory, timeout_s)

    def fingerprint(self) -> str:
        return backends.fingerprint(self.experiment)

    def changed(self, **settings: Any) -> Asked:
        path, traffic, rest = _sorted(settings)
        own = self.experiment
        return Asked(
            replace(own, path=replace(own.path, **path), traffic=replace(own.traffic, **traffic), **rest)
        )


def asked(**settings: Any) -> Asked:
    path, traffic, rest = _sorted(settings)
    return Asked(Experiment(path=Path(**path), traffic=Traffic(**traffic), **rest))


def asker(**settings: Any) -> Callable[..., Asked]:
    """Return a function that asks for an experiment with settings, some of which it changes."""
    return lambda **changes: asked(**(settings | changes))


def number(result: ExperimentResult, name: str) -> float:
    """Return a figure of a run, which is a number."""
    value = result.row[name]
    assert isinstance(value, int | float), f"{name} is {value}"
    return value


def _sorted(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the settings of the path, those of the traffic and the rest, with times in seconds."""
    rest = {
        name.removesuffix("_ns"): value / NS_PER_S if name.endswith("_ns") and value is not None else value
        for name, value in settings.items()
    }
    path = {name: rest.pop(name) for name in declared(Path) if name in rest}
    traffic = {name: rest.pop(name) for name in declared(Traffic) if name in rest}
    return path, traffic, rest
