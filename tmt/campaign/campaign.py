"""A scenario and its store together: what would run, running it, and what came out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from tmt.backend.ns2.simulator import Simulator
from tmt.campaign.columns import DONE
from tmt.campaign.engine import Plan, Progress, Watch, execute, plan
from tmt.campaign.grid import Run, expand, simulation_s
from tmt.campaign.scenario import Scenario, load
from tmt.campaign.store import PUBLISHED, SCENARIO, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import pandas as pd

    from tmt.campaign.pool import Pool

ASSUMED_SPEED = 2000.0
"""Simulated seconds per second of one processor, where the store holds no run to go by."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """An open campaign; see `open_campaign`."""

    scenario: Scenario
    store: Store
    runs: list[Run]

    def plan(self, *, retry_failed: bool = False) -> Plan:
        """Return what there is to do."""
        return plan(self.runs, self.store, retry_failed=retry_failed)

    def execute(self, todo: Plan, new_pool: Callable[[], Pool], watch: Watch) -> Progress:
        """Execute what is missing in a pool that is made, and closed, only if something is.

        Raises
        ------
        OutputError
            When there is no room for results.
        """
        if not todo.missing:
            return Progress(total=0)
        pool = new_pool()
        try:
            return execute(todo.missing, self.store, pool, watch)
        finally:
            pool.close()

    def estimate_s(self, todo: Plan, jobs: int) -> tuple[float, int]:
        """Return how long `todo` may take, and the number of finished runs that the estimate goes by."""
        table = self.store.table()
        done = table.filter(pc.equal(table["status"], DONE))
        simulated_s = pc.sum(done["simulated_s"]).as_py() or 0.0
        speed = simulated_s / pc.sum(done["wall_time_s"]).as_py() if simulated_s else ASSUMED_SPEED
        return simulation_s(todo.missing) / speed / jobs, len(done) if simulated_s else 0

    def rows(self) -> pd.DataFrame:
        """Return the rows of this scenario's runs, in grid order; see `tmt.campaign.columns.COLUMNS`."""
        rows: pd.DataFrame = self.store.table().to_pandas()
        places = {run.key: place for place, run in enumerate(self.runs)}
        rows = rows[rows["key"].isin(places)]
        return rows.sort_values("key", key=lambda keys: keys.map(places)).reset_index(drop=True)

    def warnings(self) -> list[str]:
        """Return what is odd about the store: results of other versions, which are no longer used."""
        table = self.store.table()
        current = {
            "simulator": (self.runs[0].simulator, "another build of the simulator"),
            "sources": (self.runs[0].sources, "other sources of this program"),
        }
        found = []
        for column, (value, what) in current.items():
            others = table.filter(pc.fill_null(pc.not_equal(table[column], value), True))
            if len(others):
                named = ", ".join(sorted({str(other)[:16] for other in others[column].to_pylist()}))
                found.append(
                    f"{self.store.folder}: {len(others)} results come from {what} ({named}; now "
                    f"{str(value)[:16]}); they are kept, and runs of this scenario are done again"
                )
        return found


@contextmanager
def open_campaign(path: str | PathLike[str], folder: str | PathLike[str]) -> Iterator[Campaign]:
    """Read a scenario and open the folder of its results.

    Raises
    ------
    InputError
        When the scenario, a trace that it names or the folder cannot be used.
    SimulatorError
        When the simulator is not built.
    OutputError
        When the folder cannot be written.
    """
    scenario = load(path)
    stamp = Simulator.find().stamp
    runs = expand(scenario, stamp)
    store = Store(folder)
    try:
        store.keep(scenario.path, SCENARIO)
        if scenario.published is not None:
            store.keep(scenario.published, PUBLISHED)
        yield Campaign(scenario, store, runs)
    finally:
        store.close()
