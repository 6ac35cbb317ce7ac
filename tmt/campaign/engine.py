"""Executes the runs that a campaign's store lacks, beside other engines."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE, FAILED, KILLED
from tmt.campaign.link_traces import Convert, is_converted
from tmt.campaign.tasks import FullDiskError, Simulate, failed_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.campaign.planned_conversions import PlannedConversion
    from tmt.campaign.pool import Pool, TaskOutcome
    from tmt.campaign.run import Run
    from tmt.campaign.store import Store, StoredRuns

POLL_S = 0.2
"""Longest time between two looks at the rows of other engines."""

LEAST_FREE_BYTES = 1 << 20
"""With less free space on the disk no run is kept: its records may be cut short."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of a scenario, and how many of them the store holds.

    Attributes
    ----------
    runs
        All of them.
    missing
        Runs to execute: those without a row, and failed ones that are to be retried.
    done, failed
        Numbers of runs with a row in the store.
    """

    runs: Sequence[Run]
    missing: Sequence[Run]
    done: int
    failed: int

    def conversions(self, store: StoredRuns) -> list[PlannedConversion]:
        """Return the missing link traces, each once."""
        needed = {made.identity: made for run in self.missing for made in run.conversions}
        return [conversion for conversion in needed.values() if not is_converted(store.cache, conversion)]


@dataclass(slots=True)
class Progress:
    """Progress of an execution; runs that other engines have finished meanwhile count too."""

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
    """Return which runs the store lacks."""
    missing: list[Run] = []
    done = failed = 0
    for run in runs:
        status, _ = store.held.get(run.key, (None, 0))
        has_records = not run.keep_records or (store.records / run.key).exists()
        if status == DONE and has_records:
            done += 1
            continue
        if status not in (None, DONE):
            failed += 1
            if not retry_failed:
                continue
        missing.append(run)
    return Plan(runs, missing, done, failed)


def execute(missing: Sequence[Run], store: Store, pool: Pool, watch: Watch = lambda _: None) -> Progress:
    """Execute the missing runs and keep each row as soon as its run has ended.

    Parameters
    ----------
    watch
        Called after each change and at least every `POLL_S`.

    Raises
    ------
    OutputError
        When there is no room for results; earlier rows are kept.
    """
    return _Execution(missing, store, pool, watch).run()


class _Execution:
    def __init__(self, missing: Sequence[Run], store: Store, pool: Pool, watch: Watch) -> None:
        self._store, self._pool, self._watch = store, pool, watch
        self._attempts = {run.key: store.held.get(run.key, ("", 0))[1] for run in missing}
        self._waiting: dict[str, list[Run]] = {}
        self._ready: deque[Run] = deque()
        self._elsewhere: deque[Run] = deque()
        self._conversions: deque[PlannedConversion] = deque()
        self._made: set[str] = set()
        for run in missing:
            self._sort_in(run)
        self._in_flight = 0
        self._progress = Progress(total=len(missing), conversions=len(self._conversions))

    def run(self) -> Progress:
        while self._conversions or self._ready or self._elsewhere or self._waiting or self._in_flight:
            self._submit()
            for outcome in self._pool.outcomes(POLL_S):
                self._in_flight -= 1
                self._settle(outcome)
            self._watch(self._progress)
        return self._progress

    def _sort_in(self, run: Run) -> None:
        """Queue a run: for its start, or for the link trace that it lacks."""
        missing = [conversion for conversion in run.conversions if not self._is_made(conversion)]
        for conversion in missing:
            if conversion.identity not in self._waiting:
                self._waiting[conversion.identity] = []
                self._conversions.append(conversion)
        (self._waiting[missing[0].identity] if missing else self._ready).append(run)

    def _is_made(self, conversion: PlannedConversion) -> bool:
        if conversion.identity in self._waiting:
            return False
        if conversion.identity not in self._made and is_converted(self._store.cache, conversion):
            self._made.add(conversion.identity)
        return conversion.identity in self._made

    def _submit(self) -> None:
        free = self._pool.free
        while free and self._conversions:
            conversion = self._conversions.popleft()
            self._start(Convert(conversion, self._store.cache, self._store.scratch))
            free -= 1
        if free and not self._ready:
            self._ready, self._elsewhere = self._elsewhere, deque()
        tried = len(self._ready)
        while free and tried:
            tried -= 1
            run = self._ready.popleft()
            if not self._store.claim(run.key):
                self._elsewhere.append(run)
                continue
            self._store.look()
            status, attempt = self._store.held.get(run.key, ("", 0))
            if attempt > self._attempts[run.key]:
                self._store.release(run.key)
                self._count(status)
                continue
            self._start(self._simulation(run, attempt + 1))
            free -= 1

    def _simulation(self, run: Run, attempt: int) -> Simulate:
        return Simulate(run, attempt, self._store.cache, self._store.scratch, self._store.records)

    def _start(self, task: Convert | Simulate) -> None:
        self._pool.submit(task)
        self._in_flight += 1

    def _settle(self, outcome: TaskOutcome) -> None:
        if outcome.error is not None:
            raise outcome.error
        task = outcome.task
        if isinstance(task, Convert):
            error = f"its worker was {outcome.died}" if outcome.result is None else outcome.result["error"]
            self._settle_conversion(task.conversion, error)
            return
        row = outcome.result
        if row is None:
            for folder in self._store.scratch.glob(f"{task.run.key}-*"):
                shutil.rmtree(folder, ignore_errors=True)
            row = failed_row(task, KILLED, f"its worker was {outcome.died}")
        self._keep(row)
        self._store.release(task.run.key)

    def _settle_conversion(self, conversion: PlannedConversion, error: str | None) -> None:
        self._progress.converted += 1
        runs = self._waiting.pop(conversion.identity)
        if error is None:
            self._made.add(conversion.identity)
            for run in runs:
                self._sort_in(run)
            return
        for run in runs:
            if self._store.claim(run.key):
                task = self._simulation(run, self._attempts[run.key] + 1)
                self._keep(failed_row(task, FAILED, f"its link trace could not be made: {error}"))
                self._store.release(run.key)

    def _keep(self, row: dict[str, object]) -> None:
        if shutil.disk_usage(self._store.folder).free < LEAST_FREE_BYTES:
            raise FullDiskError(f"{self._store.folder}: no room is left on the disk")
        self._store.append(row)
        self._count(str(row["status"]))

    def _count(self, status: str) -> None:
        if status == DONE:
            self._progress.done += 1
        else:
            self._progress.failed += 1


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))
