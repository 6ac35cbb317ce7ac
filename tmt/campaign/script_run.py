"""A run of a paper's own script, as the engine does it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tmt.core.provenance import digest
from tmt.run.ns2.simulator import Simulator

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.recipe import Recipe
    from tmt.campaign.run import Programs
    from tmt.run.ns2.script import ScriptExperiment


class ScriptRun(NamedTuple):
    """One script experiment: without link traces, until it ends; its figures are kept, its records are not.

    See `tmt.campaign.run.Run` and `plan_script_run`.
    """

    key: str
    experiment: str
    script: ScriptExperiment
    programs: Programs
    timeout_s: float | None = None
    keep_records: bool = False
    recipes: tuple[Recipe, ...] = ()

    @property
    def seed(self) -> int:
        """The script's seed."""
        return self.script.seed

    @property
    def most_simulated_s(self) -> float:
        """The script's duration; 0 if it has none."""
        return float(self.script.settings.get("duration_s", 0.0))

    def installed_programs(self) -> Programs:
        """Return the hashes of simulator, script and sources, now."""
        return self.script.programs()

    def program(self) -> tuple[str, Path]:
        """Return the script's name and the simulator's file."""
        return self.script.script, Simulator.find().program

    def columns(self) -> dict[str, Any]:
        """Return the script and its settings."""
        return {"script": self.script.script, "script_settings": json.dumps(self.script.settings)}

    def carry_out(self, folder: Path, cache: Path) -> dict[str, Any]:
        """Run the script; return its result columns."""
        return self.script.run(folder, self.timeout_s)


def plan_script_run(script: ScriptExperiment, programs: Programs) -> ScriptRun:
    """Return the run of a script experiment with programs of these hashes."""
    experiment = script.fingerprint(*programs)
    return ScriptRun(digest(experiment, script.seed), experiment, script, programs)
