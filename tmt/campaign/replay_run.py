"""A run of a scenario's grid: one experiment over link traces that runs share."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.campaign.link_traces import link_file, read_facts
from tmt.core.measure.capacity import arrivals_per_s
from tmt.core.units import NS_PER_S
from tmt.run import load_backend
from tmt.run.fingerprint import programs_of
from tmt.spec.coding import CODING_NAMES
from tmt.spec.links import TraceLink
from tmt.spec.tcp import HEADER_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.planned_conversions import PlannedConversion
    from tmt.campaign.run import Programs
    from tmt.core.schema import Packing
    from tmt.run.experiment import Experiment
    from tmt.spec.settings import Value


class ReplayRun(NamedTuple):
    """One experiment of the grid, before anything is known of its link traces but how to make them.

    `start` says where in the forward trace it starts, in nanoseconds, or as a part of the trace's length when
    it is a float: the seed draws it, so that runs of one seed see the same channel whatever their TCP and
    scheme. If the return link is plain, `return_conversion` is None and `return_start` means nothing.
    `template` is the experiment without its seed, its traces' files and its start in them; `coordinates` are
    its place in the grid, as result columns. See also `tmt.campaign.run.Run`.
    """

    key: str
    experiment: str
    template: Experiment
    coordinates: dict[str, Value]
    seed: int
    conversion: PlannedConversion
    return_conversion: PlannedConversion | None
    start: int | float
    return_start: int | float
    timeout_s: float | None
    keep_records: bool
    programs: Programs

    @property
    def conversions(self) -> tuple[PlannedConversion, ...]:
        """The link traces that the run needs."""
        back = self.return_conversion
        return (self.conversion,) if back is None else (self.conversion, back)

    @property
    def most_simulated_s(self) -> float:
        """The duration that the experiment asks for."""
        return self.template.duration_ns / NS_PER_S

    @property
    def online(self) -> Any:
        """The scheme that works in the simulator, if one does."""
        return getattr(self.template.forward_link, "scheme", None)

    @property
    def link_scheme(self) -> Any:
        """The scheme of the forward link, wherever it works."""
        return self.online or self.conversion.scheme

    def installed_programs(self) -> Programs:
        """Return the hashes of the backend's program and of the sources, now."""
        models = (model for conversion in self.conversions for model in conversion.models)
        return programs_of(str(self.coordinates["backend"]), *models)

    def program(self) -> tuple[str, Path]:
        """Return the backend's name and its program's file."""
        name = str(self.coordinates["backend"])
        return name, load_backend(name).program()

    def columns(self) -> dict[str, Any]:
        """Return the run's place in the grid."""
        scheme = self.link_scheme
        parameters = asdict(scheme)
        if self.online is not None:
            parameters["online"] = True
        return self.coordinates | {
            "trace_parameters": json.dumps(self.conversion.trace_parameters),
            "scheme_name": scheme.name,
            "scheme_parameters": json.dumps(parameters),
        }

    def carry_out(self, folder: Path, cache: Path) -> dict[str, Any]:
        """Do the experiment over the link traces of `cache`; return its result columns."""
        result = self._over_traces(cache).run(folder, timeout_s=self.timeout_s)
        # If codes vary, TCP's runs stand beside FECTCP's.
        listed = {name: self.coordinates[name] for name in CODING_NAMES}
        row = result.row | {name: value for name, value in listed.items() if value is not None}
        if self.online is None:
            row["capacity_bps"] = _capacity_bps(link_file(cache, self.conversion), self.template)
            row["lldu_loss_ratio"] = _loss_ratio(read_facts(cache, self.conversion))
        if self.keep_records:
            kept = folder / "kept"
            kept.mkdir()
            result.save(kept)
        return row

    def _over_traces(self, cache: Path) -> Experiment:
        """Return the experiment over the link traces of the cache."""
        forward, back = self.template.forward_link, self.template.return_link
        assert isinstance(forward, TraceLink)
        if isinstance(back, TraceLink) and self.return_conversion is not None:
            back = _placed(cache, back, self.return_conversion, self.return_start)
        forward = _placed(cache, forward, self.conversion, self.start)
        return replace(self.template, seed=self.seed, forward_link=forward, return_link=back)


def _placed(cache: Path, link: TraceLink, conversion: PlannedConversion, start: float) -> TraceLink:
    """Return the link over a link trace of the cache, from where the run starts in it."""
    facts = read_facts(cache, conversion)
    offset_ns = int(start * facts["span_ns"]) if isinstance(start, float) else start
    return replace(link, path=link_file(cache, conversion), offset_ns=offset_ns)


@lru_cache
def _packets_per_s(link: Path, packet_bytes: int, lldu_bytes: int | None, packing: Packing) -> float:
    """Return the packets per second that arrive over a link trace if they are sent back to back."""
    rows = np.load(link, mmap_mode="r", allow_pickle=False)
    return arrivals_per_s(rows, packet_bytes, lldu_bytes or 0, packing)


def _capacity_bps(link: Path, experiment: Experiment) -> float:
    """Return the payload rate of full packets sent back to back."""
    link_trace = experiment.forward_link
    assert isinstance(link_trace, TraceLink)
    rows = (link_trace.lldu_bytes, link_trace.packing or "padded")
    packets_per_s = _packets_per_s(link, experiment.packet_bytes, *rows)
    return float(8 * (experiment.packet_bytes - HEADER_BYTES) * packets_per_s)


def _loss_ratio(facts: dict[str, Any]) -> float:
    """Return the share of a link trace's LLDUs that its scheme gave up."""
    return float(facts["lost"] / facts["data_rows"])
