"""Runs as the engine executes them: of a scenario's grid, over shared link traces, or of a paper's own
script.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tmt.campaign.link_traces import link_file, read_facts
from tmt.core.errors import InputError
from tmt.core.measure.link_use import arrivals_per_s
from tmt.core.provenance import digest
from tmt.run import load_backend
from tmt.run.experiment import programs_of, run
from tmt.run.motion import series_digest
from tmt.run.ns2 import Simulator
from tmt.run.programs.inputs import with_inputs
from tmt.spec.experiment import TraceLink
from tmt.spec.stacks import HEADER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.campaign.columns import Row
    from tmt.campaign.recipe import Recipe
    from tmt.core.schema import Packing
    from tmt.core.schemes.scheme import Scheme
    from tmt.run.ns2.script import ScriptExperiment
    from tmt.spec.experiment import Experiment

Programs = tuple[str, str]
"""Stamp of a backend's program, and hash of the sources that decide its runs."""


class ReplayRun(NamedTuple):
    """One experiment of the grid; of its link traces only the recipes are known.

    `start` is the run's start in the forward trace: nanoseconds, or a fraction of the trace's length if it is
    a float. The seed draws it, so runs of one seed see the same channel whatever their TCP and scheme. If the
    return link is plain, `return_recipe` is None and `return_start` has no meaning. `template` is the
    experiment without its seed, its traces' files and its start in them; `coordinates` are its point in the
    grid, as result columns. See also `Run`.
    """

    key: str
    experiment: str
    template: Experiment
    coordinates: Row
    seed: int
    recipe: Recipe
    return_recipe: Recipe | None
    start: int | float
    return_start: int | float
    timeout_s: float | None
    keep_records: bool
    programs: Programs
    rtt_series: str | None = None
    """Hash of the series of round-trip times, if there is one."""

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The link traces that the run needs."""
        back = self.return_recipe
        return self.recipe.traces if back is None else (*self.recipe.traces, back)

    @property
    def most_simulated_s(self) -> float:
        """The duration that the experiment asks for."""
        return self.template.traffic.duration

    @property
    def online(self) -> Scheme | None:
        """The scheme that works in the simulator, if any."""
        link = self.template.forward
        return link.scheme if isinstance(link, TraceLink) else None

    @property
    def link_scheme(self) -> Scheme:
        """The scheme of the forward link, in the trace or in the simulator."""
        scheme = self.online or self.recipe.scheme
        assert scheme is not None
        return scheme

    def installed_programs(self) -> Programs:
        """Return the hashes of the backend's program and of the sources, now."""
        models = [model for recipe in self.recipes for model in recipe.models_of_runs]
        found = programs_of(str(self.coordinates["backend"]), self.link_scheme, *models)
        return with_inputs(self.template.traffic, found)

    def program(self) -> tuple[str, Path]:
        """Return the backend's name and its program's file."""
        name = str(self.coordinates["backend"])
        return name, load_backend(name).program()

    def columns(self) -> Row:
        """Return the run's point in the grid."""
        scheme = self.link_scheme
        parameters = dict(_flat(scheme.describe(self.recipe.rtt)))
        if self.online is not None:
            parameters["online"] = True
        return self.coordinates | {
            "trace_parameters": json.dumps(self.recipe.trace_parameters),
            "scheme_name": scheme.full_name,
            "scheme_parameters": json.dumps(parameters),
        }

    def carry_out(self, folder: Path, cache: Path) -> Row:
        """Do the experiment over the link traces of `cache`; return its result columns."""
        series = self.template.path.rtt_series
        if series is not None and series_digest(self.template.path) != self.rtt_series:
            raise InputError(series, "was changed while the campaign ran; call again")
        folder.mkdir()  # without its parents: they may have vanished, and must not come back
        result = run(self._over_traces(cache), folder, timeout_s=self.timeout_s)
        row = result.row | {"simulator": self.programs[0]}
        if self.online is None:
            facts = read_facts(cache, self.recipe)
            trace = link_file(cache, self.recipe)
            row["capacity_bps"] = _capacity_bps(trace, self.template, facts.get("length_ns"))
            row["lldu_loss_ratio"] = facts["lost"] / facts["data_rows"]
        if self.keep_records:
            kept = folder / "kept"
            kept.mkdir()
            result.save(kept)
        return row

    def _over_traces(self, cache: Path) -> Experiment:
        forward, back = self.template.forward, self.template.back
        assert isinstance(forward, TraceLink)
        if isinstance(back, TraceLink) and self.return_recipe is not None:
            back = _placed(cache, back, self.return_recipe, self.return_start)
        forward = _placed(cache, forward, self.recipe, self.start)
        return replace(self.template, seed=self.seed, forward=forward, back=back)


class ScriptRun(NamedTuple):
    """A script experiment, which has no link traces; its figures are stored, its records are not."""

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

    def columns(self) -> Row:
        """Return the script and its settings."""
        return {"script": self.script.script, "script_settings": json.dumps(self.script.settings)}

    def carry_out(self, folder: Path, cache: Path) -> Row:
        """Run the script; return its result columns."""
        return {**self.script.run(folder, self.timeout_s)}


Run = ReplayRun | ScriptRun
"""One run of a campaign, as plain data that is sent to a worker.

`key` is the hash of everything that decides the outcome, `experiment` is the same without the seed.
`programs` are those at the time of planning. After `timeout_s` of wall time it is killed; None waits for
ever. It needs the link traces of `recipes`. `carry_out` works in a new folder and leaves the packet records
to be kept in its subfolder ``kept`` (RunError when the program fails or hangs).
"""


def plan_script_run(script: ScriptExperiment, programs: Programs) -> ScriptRun:
    """Return the run of a script experiment with programs of these hashes."""
    experiment = script.fingerprint(*programs)
    return ScriptRun(digest(experiment, script.seed), experiment, script, programs)


def _flat(table: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the parameters of a scheme; those of the scheme below begin with ``below.``."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield f"{prefix}{key}", value["name"]
            yield from _flat(value, f"{prefix}{key}.")
        elif key != "name":
            yield f"{prefix}{key}", value


def _placed(cache: Path, link: TraceLink, recipe: Recipe, start: float) -> TraceLink:
    facts = read_facts(cache, recipe)
    offset_ns = int(start * facts["span_ns"]) if isinstance(start, float) else start
    path, *others = (str(link_file(cache, one)) for one in recipe.traces)
    return replace(link, path=path, offset_ns=offset_ns, others=tuple(others))


@lru_cache
def _packets_per_s(
    link: Path, packet_bytes: int, lldu_bytes: int | None, packing: Packing, length_ns: int | None
) -> float:
    """Return the packets per second that arrive over a link trace if they are sent back to back."""
    rows = np.load(link, mmap_mode="r", allow_pickle=False)
    return arrivals_per_s(rows, packet_bytes, lldu_bytes or 0, packing, length_ns)


def _capacity_bps(link: Path, experiment: Experiment, length_ns: int | None) -> float:
    """Return the payload rate of full packets sent back to back."""
    link_trace = experiment.forward
    assert isinstance(link_trace, TraceLink)
    rows = (link_trace.lldu_bytes, link_trace.packing or "padded")
    packets_per_s = _packets_per_s(link, experiment.traffic.packet_bytes, *rows, length_ns)
    return float(8 * (experiment.traffic.packet_bytes - HEADER_BYTES) * packets_per_s)
