"""Experiments from flat settings: those of path and traffic together, with times in nanoseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tmt.core.declaration import declared
from tmt.core.units import NS_PER_S
from tmt.run import experiment as backends
from tmt.spec.experiment import Experiment
from tmt.spec.path import Path
from tmt.spec.traffic import Traffic

if TYPE_CHECKING:
    from tmt.run.measure import ExperimentResult


class Asked(NamedTuple):
    experiment: Experiment

    def run(self, directory: Any = None, timeout_s: float | None = None) -> ExperimentResult:
        return backends.run(self.experiment, directory, timeout_s)

    def fingerprint(self) -> str:
        return backends.fingerprint(self.experiment)


def asked(**settings: Any) -> Asked:
    values = {
        name.removesuffix("_ns"): value / NS_PER_S if name.endswith("_ns") and value is not None else value
        for name, value in settings.items()
    }
    path = {name: values.pop(name) for name in declared(Path) if name in values}
    traffic = {name: values.pop(name) for name in declared(Traffic) if name in values}
    return Asked(Experiment(path=Path(**path), traffic=Traffic(**traffic), **values))
