"""Decides when the runs of a campaign start, and stores their outcomes, beside other engines.

The engine uses two objects only: `Store` keeps rows and claims, `Pool` executes tasks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE, FAILED, KILLED
from tmt.campaign.link_traces import Convert, DamagedTraceError, is_converted
from tmt.campaign.rows import NOTHING_HELD
from tmt.campaign.tasks import FullDiskError, Simulate, failed_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.campaign.columns import Row
    from tmt.campaign.database import StoredRuns
    from tmt.campaign.pool import Answer, Pool
    from tmt.campaign.recipe import Recipe
    from tmt.campaign.runs import Run
    from tmt.campaign.store import Store
    from tmt.campaign.tasks import Task

POLL_S = 0.2
"""Longest time between two reads of the rows of other engines."""

MOST_DAMAGES = 3
"""Most restarts of a run because of a damaged link trace."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of a scenario, and the numbers of those in the store: `done` and `failed`.

    `missing` are the runs to execute: those without a row, and failed ones that are to be retried.
    """

    runs: Sequence[Run]
    missing: Sequence[Run]
    done: int
    failed: int

    def conversions(self, store: StoredRuns) -> list[Recipe]:
        """Return the missing link traces, each once."""
        needed = {made.identity: made for run in self.missing for made in run.recipes}
        return [recipe for recipe in needed.values() if not is_converted(store.cache, recipe)]


@dataclass(slots=True)
class Progress:
    """Progress of an execution, including runs that other engines finish meanwhile."""

    total: int
    done: int = 0
    failed: int = 0
    converted: int = 0
    conversions: int = 0

    @property
    def ended(self) -> int:
        """Number of ended runs."""
        return self.done + self.failed


Watch = Callable[[Progress], None]


def plan(runs: Sequence[Run], store: StoredRuns, *, retry_failed: bool = False) -> Plan:
    """Return the runs that the store lacks."""
    missing: list[Run] = []
    done = failed = 0
    for run in runs:
        held = store.held.get(run.key, NOTHING_HELD)
        if held.status == DONE and (not run.keep_records or store.has_records(held)):
            done += 1
            continue
        if held.status not in ("", DONE):
            failed += 1
            if not retry_failed:
                continue
        missing.append(run)
    return Plan(runs, missing, done, failed)


def execute(missing: Sequence[Run], store: Store, pool: Pool, watch: Watch = lambda _: None) -> Progress:
    """Execute the missing runs and keep each row as soon as its run has ended.

    `watch` is called after each change and at least every `POLL_S`. OutputError when there is no room for
    results.
    """
    return _Execution(missing, store, pool, watch).run()


class _Execution:
    def __init__(self, missing: Sequence[Run], store: Store, pool: Pool, watch: Watch) -> None:
        self._store, self._pool, self._watch = store, pool, watch
        self._attempts = {run.key: store.held.get(run.key, NOTHING_HELD).attempt for run in missing}
        self._waiting: dict[str, list[Run]] = {}
        self._ready: deque[Run] = deque()
        self._elsewhere: deque[Run] = deque()
        self._conversions: deque[Recipe] = deque()
        self._made: set[str] = set()
        self._unmade: dict[str, str] = {}
        self._damages: Counter[str] = Counter()
        for run in missing:
            self._sort_in(run)
        self._in_flight = 0
        self._progress = Progress(total=len(missing), conversions=len(self._conversions))

    def run(self) -> Progress:
        while self._conversions or self._ready or self._elsewhere or self._waiting or self._in_flight:
            self._submit()
            for task, answer in self._pool.outcomes(POLL_S):
                self._in_flight -= 1
                self._settle(task, answer)
            self._watch(self._progress)
        return self._progress

    def _sort_in(self, run: Run) -> None:
        """Queue a run: for its start, or for a missing link trace."""
        missing = [recipe for recipe in run.recipes if not self._is_settled(recipe)]
        for recipe in missing:
            if recipe.identity not in self._waiting:
                self._waiting[recipe.identity] = []
                self._conversions.append(recipe)
        (self._waiting[missing[0].identity] if missing else self._ready).append(run)

    def _is_settled(self, recipe: Recipe) -> bool:
        """Whether a link trace exists, or cannot be made."""
        identity = recipe.identity
        if identity in self._waiting:
            return False
        settled = self._made | self._unmade.keys()
        if identity not in settled and is_converted(self._store.cache, recipe):
            self._made.add(identity)
            return True
        return identity in settled

    def _submit(self) -> None:
        while self._conversions and self._pool.free(Convert):
            self._start(Convert(self._conversions.popleft(), self._store.cache, self._store.scratch))
        if not self._ready:
            self._ready, self._elsewhere = self._elsewhere, deque()
        tried = len(self._ready)
        while tried and self._pool.free(Simulate):
            tried -= 1
            run = self._ready.popleft()
            if not self._store.claim(run.key):
                self._elsewhere.append(run)
                continue
            self._store.look()
            held = self._store.held.get(run.key, NOTHING_HELD)
            if held.attempt > self._attempts[run.key]:
                self._store.release(run.key)
                self._count(held.status)
                continue
            task = Simulate(run, self._attempts[run.key] + 1, self._store.cache, self._store.scratch)
            errors = [self._unmade.get(recipe.identity) for recipe in run.recipes]
            if error := next(filter(None, errors), None):
                self._keep(task, failed_row(task, FAILED, f"its link trace could not be made: {error}"))
            else:
                self._start(task)

    def _start(self, task: Task) -> None:
        self._pool.submit(task)
        self._in_flight += 1

    def _settle(self, task: Task, answer: Answer) -> None:
        result, died = answer.result, f"its worker was {answer.died}"
        if isinstance(task, Simulate) and isinstance(answer.error, DamagedTraceError):
            self._make_anew(task, answer.error)
        elif answer.error is not None:
            raise answer.error
        elif isinstance(task, Convert):
            error = died if result is None else result["error"]
            self._settle_conversion(task.recipe, None if error is None else str(error))
        else:
            if result is None:
                self._store.remove_scratch(task.run.key)
                result = failed_row(task, KILLED, died)
            self._keep(task, result)

    def _settle_conversion(self, recipe: Recipe, error: str | None) -> None:
        self._progress.converted += 1
        runs = self._waiting.pop(recipe.identity)
        if error is None:
            self._made.add(recipe.identity)
        else:
            self._unmade[recipe.identity] = error
        for run in runs:
            self._sort_in(run)

    def _make_anew(self, task: Simulate, error: DamagedTraceError) -> None:
        """Check a run's link traces again, and start the run when they are intact."""
        self._damages[task.run.key] += 1
        if self._damages[task.run.key] > MOST_DAMAGES:
            self._keep(task, failed_row(task, FAILED, str(error)))
            return
        self._made -= {recipe.identity for recipe in task.run.recipes}
        self._sort_in(task.run)

    def _keep(self, task: Simulate, row: Row) -> None:
        if not self._store.has_room():
            raise FullDiskError(f"{self._store.folder}: no room is left on the disk")
        if self._store.append(row):
            self._count(str(row["status"]))
        else:
            self._elsewhere.append(task.run)  # another engine considered this one dead

    def _count(self, status: str) -> None:
        if status == DONE:
            self._progress.done += 1
        else:
            self._progress.failed += 1
