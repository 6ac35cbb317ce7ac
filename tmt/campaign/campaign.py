"""Runs and their store together: size, plan, execution and rows."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE
from tmt.campaign.database import PUBLISHED, SCENARIO, StoredRuns, frame
from tmt.campaign.engine import Plan, Progress, Watch, execute, plan
from tmt.campaign.parts import join_parts, see_parts, stored_parts
from tmt.campaign.plan import expand
from tmt.campaign.recipe import Source, realisation, recipes_of
from tmt.campaign.store import Store
from tmt.io.atomic import write_text
from tmt.spec.scenario import Scenario
from tmt.spec.toml_text import relative_to, text_of
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Set
    from os import PathLike

    import pandas as pd

    from tmt.campaign.parts import Part
    from tmt.campaign.pool import Pool
    from tmt.campaign.runs import ReplayRun, Run
    from tmt.spec.toml import Document

ASSUMED_SPEED = 2000.0
"""Assumed simulated seconds per second of one processor before any run has finished."""

TASK_S = 0.1
"""Processor time of the shortest run or link trace, beyond the simulation itself."""

PLACE = ("backend", "script", "scheme", "trace")
"""Columns that identify the sources that decide a run."""

SUPERSEDED = {
    "simulator": "another build or other scripts of the simulator",
    "sources": "other sources of this program",
}
"""Columns of programs, in the order of a run's `programs`, and the meaning of a changed value."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Numbers of runs and of link traces to make, and an estimate of the time from `known` finished runs."""

    title: str
    runs: int
    done: int
    failed: int
    to_run: int
    to_convert: int
    seconds: float
    known: int


@dataclass(frozen=True, slots=True)
class Campaign:
    """Runs that belong together, and their rows in a folder; see `foresee` and `open_campaign`."""

    title: str
    store: StoredRuns
    runs: Sequence[Run]

    def plan(self, *, retry_failed: bool = False) -> Plan:
        """Return the missing runs."""
        return plan(self.runs, self.store, retry_failed=retry_failed)

    def outlook(self, todo: Plan, jobs: int) -> Outlook:
        """Return the size of the campaign, and the work `todo` with `jobs` simulations at a time."""
        sql = f"SELECT count(*), total(simulated_s), total(wall_time_s) FROM runs WHERE status = '{DONE}'"
        timed = self.store.query(sql)
        if not any(count for count, *_ in timed):
            timed = [one for part in stored_parts(self.store.folder) for one in part.query(sql)]
        known, simulated_s, wall_time_s = map(sum, zip(*timed, strict=True)) if timed else (0, 0, 0)
        speed = simulated_s / wall_time_s if simulated_s and wall_time_s else ASSUMED_SPEED
        to_run, to_convert = len(todo.missing), len(todo.conversions(self.store))
        most_s = sum(run.most_simulated_s for run in todo.missing)
        seconds = (most_s / speed + TASK_S * (to_run + to_convert)) / jobs
        counts = len(todo.runs), todo.done, todo.failed, to_run, to_convert
        return Outlook(self.title, *counts, seconds, known)

    def rows(self) -> pd.DataFrame:
        """Return the rows of these runs, in their order; see `tmt.campaign.columns.COLUMNS`."""
        rows = frame(self.store.table())
        places = {run.key: place for place, run in enumerate(self.runs)}
        rows = rows[rows["key"].isin(places)]
        return rows.sort_values("key", key=lambda keys: keys.map(places)).reset_index(drop=True)

    def warnings(self) -> list[str]:
        """Return a warning for each kind of program whose stored results are no longer used."""
        found = []
        for place, (column, what) in enumerate(SUPERSEDED.items()):
            current = {run.programs[place] for run in self.runs}
            columns = ", ".join([*PLACE, column])
            counts = self.store.query(f"SELECT {columns}, count(*) FROM runs GROUP BY {columns}")
            others = [one for one in counts if one[-2] not in current]
            if others:  # some may be results of earlier versions of the scenario
                places = {tuple(map(run.columns().get, PLACE)) for run in self.runs}
                others = [one for one in others if one[:-2] in places]
            if others:
                named, now = (
                    ", ".join(sorted({str(value)[:16] for value in values}))
                    for values in ((one[-2] for one in others), current)
                )
                found.append(
                    f"{self.store.folder}: {sum(one[-1] for one in others)} results come from {what} "
                    f"({named}; now {now}); they are kept, and runs of this scenario are done again"
                )
        return found


@dataclass(frozen=True, slots=True)
class OpenCampaign(Campaign):
    """A campaign whose folder is open for an engine; see `open_campaign`."""

    store: Store
    joined: int = 0
    """Rows of parts that were added to the store when it was opened."""

    def execute(self, todo: Plan, new_pool: Callable[[Sequence[Run]], Pool], watch: Watch) -> Progress:
        """Execute the missing runs, with a pool if needed; OutputError when there is no room for results."""
        if not todo.missing:
            return Progress(total=0)
        with closing(new_pool(todo.missing)) as pool:
            return execute(todo.missing, self.store, pool, watch)


def foresee(
    asked: Document | Scenario,
    folder: str | PathLike[str],
    watch: Callable[[int], None] = lambda _: None,
    part: Part | None = None,
) -> Campaign:
    """Plan a scenario, or a part of it, and read its rows in a folder, which need not exist.

    Nothing is changed there. `watch` as for `planned`.
    """
    _, title, runs, place = _share(asked, folder, watch, part)
    store = StoredRuns(place)
    store.look()
    if part is None:
        see_parts(store)
    return Campaign(title, store, runs)


def planned(
    asked: Document | Scenario, watch: Callable[[int], None] = lambda _: None
) -> tuple[Scenario, list[ReplayRun]]:
    """Return a scenario and its runs; a refusal names the file of the scenario, if there is one.

    `watch` is called with the number of newly planned runs.
    """
    if isinstance(asked, Scenario):
        return asked, expand(asked, watch=watch)
    with asked.named():
        return asked.scenario, expand(asked.scenario, watch=watch)


def _share(
    asked: Document | Scenario, folder: str | PathLike[str], watch: Callable[[int], None], part: Part | None
) -> tuple[Scenario, str, Sequence[ReplayRun], Path]:
    """Return a scenario, and title, runs and folder of the whole or of a part."""
    scenario, runs = planned(asked, watch)
    if part is None:
        return scenario, scenario.title, runs, Path(folder)
    return scenario, f"{scenario.title}: {part}", part.share(runs), part.folder(Path(folder))


@contextmanager
def open_campaign(
    asked: Document | Scenario,
    folder: str | PathLike[str],
    watch: Callable[[int], None] = lambda _: None,
    part: Part | None = None,
    path_of: Callable[[str], str] | None = None,
) -> Iterator[OpenCampaign]:
    """Plan a scenario and open the folder of its results for an engine; `watch` as for `planned`.

    A part has its own folder inside it. The whole copies missing rows from the parts. The folder keeps the
    scenario with its files as named by `path_of`, by default relative to the folder.

    InputError or UsageError when the scenario, a trace that it names or the folder cannot be used;
    SimulatorError when the simulator is not built; OutputError when the folder cannot be written.
    """
    scenario, title, runs, place = _share(asked, folder, watch, part)
    with closing(Store(place)) as store:
        joined = 0 if part is not None else join_parts(store)
        named = text_of(scenario, path_of or relative_to(store.folder))
        write_text(store.folder / SCENARIO, named)
        if scenario.published is not None:
            store.keep(Path(scenario.published), PUBLISHED)
        yield OpenCampaign(title, store, runs, joined)


@contextmanager
def open_runs(title: str, runs: Sequence[Run], folder: str | PathLike[str]) -> Iterator[OpenCampaign]:
    """Open the folder of results for an engine that does `runs` without a scenario."""
    with closing(Store(folder)) as store:
        yield OpenCampaign(title, store, runs)


def outlook_of(scenario: Scenario, jobs: int) -> Outlook:
    """Return the size of a scenario without results; traces of two files count as two."""
    lanes = len(scenario.trace) * len(scenario.scheme) * len(scenario.path)
    seeds = [len(scenario.each_seed) if one.seeds is None else one.seeds for one in scenario.loads]
    most_s = lanes * sum(one.duration * count for one, count in zip(scenario.loads, seeds, strict=True))
    to_convert = _link_traces(scenario)
    seconds = (most_s / ASSUMED_SPEED + TASK_S * (scenario.size + to_convert)) / jobs
    return Outlook(scenario.title, scenario.size, 0, 0, scenario.size, to_convert, seconds, 0)


def _link_traces(scenario: Scenario) -> int:
    seeds = {seed for one in scenario.loads if one.seeds for seed in range(1, one.seeds + 1)}
    if any(one.seeds is None for one in scenario.loads):
        seeds |= set(scenario.each_seed)
    realised: dict[str, set[int]] = {}
    for trace, scheme, path in product(scenario.trace, scenario.scheme, scenario.path):
        source = _unread(trace)
        back = source if path.return_trace is None else _unread(Trace(path.return_trace))
        for recipe, own in zip(recipes_of(source, back, scheme, path, 1), (source, back), strict=True):
            for one in () if recipe is None else recipe.traces:
                realised.setdefault(one.identity, set()).update(_numbers(own, seeds))
    return sum(map(len, realised.values()))


def _numbers(source: Source, seeds: Set[int]) -> set[int]:
    return {realisation(source, seed) for seed in seeds} if source.trace.is_random else {0}


def _unread(trace: Trace) -> Source:
    """Return a trace that is identified by its file instead of its slots."""
    return Source(trace, (), None, trace.packing or "padded", (), sha256=trace.file or "")
