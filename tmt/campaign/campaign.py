"""Runs and their store together: plan, execution and rows."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE
from tmt.campaign.database import PUBLISHED, SCENARIO, StoredRuns, frame
from tmt.campaign.engine import Plan, Progress, Watch, execute, plan
from tmt.campaign.parts import join_parts, see_parts
from tmt.campaign.plan import expand
from tmt.campaign.store import Store
from tmt.core.declaration import Refused
from tmt.spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    import pandas as pd

    from tmt.campaign.parts import Part
    from tmt.campaign.pool import Pool
    from tmt.campaign.runs import ReplayRun, Run
    from tmt.spec.toml import Document

ASSUMED_SPEED = 2000.0
"""Simulated seconds per second of one processor, as long as no run has finished."""

TASK_S = 0.1
"""Processor time of the shortest run or link trace, beside that of the simulation itself."""

PLACE = ("backend", "script", "scheme", "trace")
"""Columns that say which sources decide a run."""

SUPERSEDED = {
    "simulator": "another build or other scripts of the simulator",
    "sources": "other sources of this program",
}
"""Columns of programs, in the order of a run's `programs`, and what other values mean."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Runs that belong together, and their rows in a folder; see `foresee` and `open_campaign`."""

    title: str
    store: StoredRuns
    runs: Sequence[Run]

    def plan(self, *, retry_failed: bool = False) -> Plan:
        """Return the missing runs."""
        return plan(self.runs, self.store, retry_failed=retry_failed)

    def estimate_s(self, todo: Plan, to_convert: int, jobs: int) -> tuple[float, int]:
        """Return an estimate of the duration of `todo`, and the number of finished runs behind it.

        `to_convert` is the number of its link traces.
        """
        sql = f"SELECT count(*), sum(simulated_s), sum(wall_time_s) FROM runs WHERE status = '{DONE}'"
        count, simulated_s, wall_time_s = (self.store.query(sql) or [(0, None, None)])[0]
        most_s = sum(run.most_simulated_s for run in todo.missing)
        speed = simulated_s / wall_time_s if simulated_s and wall_time_s else ASSUMED_SPEED
        tasks_s = TASK_S * (len(todo.missing) + to_convert)
        return (most_s / speed + tasks_s) / jobs, count

    def rows(self) -> pd.DataFrame:
        """Return the rows of these runs, in their order; see `tmt.campaign.columns.COLUMNS`."""
        rows = frame(self.store.table())
        places = {run.key: place for place, run in enumerate(self.runs)}
        rows = rows[rows["key"].isin(places)]
        return rows.sort_values("key", key=lambda keys: keys.map(places)).reset_index(drop=True)

    def warnings(self) -> list[str]:
        """Return a warning for each kind of program whose results are kept, and no longer used."""
        found = []
        for place, (column, what) in enumerate(SUPERSEDED.items()):
            current = {run.programs[place] for run in self.runs}
            columns = ", ".join([*PLACE, column])
            counts = self.store.query(f"SELECT {columns}, count(*) FROM runs GROUP BY {columns}")
            others = [one for one in counts if one[-2] not in current]
            if others:  # some may be results of what the scenario no longer has
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
    """Rows of parts that came into the store when it was opened."""

    def execute(self, todo: Plan, new_pool: Callable[[Sequence[Run]], Pool], watch: Watch) -> Progress:
        """Execute the missing runs, with a pool if there are any; OutputError when results have no room."""
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

    Nothing changes there. `watch` as for `planned`.
    """
    scenario, runs = planned(asked, watch)
    store = StoredRuns(folder if part is None else part.folder(Path(folder)))
    store.look()
    if part is None:
        see_parts(store)
        return Campaign(scenario.title, store, runs)
    return Campaign(f"{scenario.title}: {part}", store, part.share(runs))


def planned(
    asked: Document | Scenario, watch: Callable[[int], None] = lambda _: None
) -> tuple[Scenario, list[ReplayRun]]:
    """Return a scenario and its runs; a refusal names the file that describes it, if there is one.

    `watch` is told how many runs have been planned since its last call.
    """
    if isinstance(asked, Scenario):
        return asked, expand(asked, watch=watch)
    try:
        return asked.scenario, expand(asked.scenario, watch=watch)
    except Refused as refused:
        raise asked.error(refused) from None


@contextmanager
def open_campaign(
    asked: Document | Scenario,
    folder: str | PathLike[str],
    watch: Callable[[int], None] = lambda _: None,
    part: Part | None = None,
) -> Iterator[OpenCampaign]:
    """Plan a scenario and open the folder of its results for an engine; `watch` as for `planned`.

    A part has a folder of its own in it. The whole takes the rows of the parts that it lacks.

    InputError or UsageError when the scenario, a trace that it names or the folder cannot be used;
    SimulatorError when the simulator is not built; OutputError when the folder cannot be written.
    """
    scenario, runs = planned(asked, watch)
    title = scenario.title
    if part is not None:
        title, runs, folder = f"{title}: {part}", part.share(runs), part.folder(Path(folder))
    with closing(Store(folder)) as store:
        joined = 0 if part is not None else join_parts(store)
        scenario.write(store.folder / SCENARIO)
        if scenario.published is not None:
            store.keep(Path(scenario.published), PUBLISHED)
        yield OpenCampaign(title, store, runs, joined)


@contextmanager
def open_runs(title: str, runs: Sequence[Run], folder: str | PathLike[str]) -> Iterator[OpenCampaign]:
    """Open the folder of results for an engine that does `runs`, which no scenario describes."""
    with closing(Store(folder)) as store:
        yield OpenCampaign(title, store, runs)
