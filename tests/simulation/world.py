"""A schedule: engines, workers and messages in simulated time, faults that a seed draws, and what must hold.

Each schedule draws its kinds of faults and their rates, so that rare faults meet often in some schedules.
When the faults are used up, one more engine completes the campaign undisturbed.
"""

import heapq
import os
import random
import re
import tempfile
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self
from unittest.mock import patch

import pyarrow.parquet as pq
from greenlet import getcurrent

from simulation.processes import Process
from simulation.runs import OTHERS, all_runs, true_result
from simulation.workers import RemoteWorker
from tmt.campaign import database
from tmt.campaign.columns import DONE
from tmt.campaign.link_traces import Convert, facts_file, link_file
from tmt.campaign.tasks import Simulate, Task

MOST_STEPS = 20_000
MOST_ENGINES = 3
"""At work at once."""

MEMORY = Path("/dev/shm")

ENGINE_NAME = re.compile(r"\d+-[0-9a-f]{16}")
"""Holds a process number and a random one, which do not follow from the seed."""


class ViolationError(AssertionError):
    """Something happened that must never happen."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Probabilities of one schedule, and the kinds of faults that it knows."""

    slowness: float = 0.0
    loss: float = 0.0
    doubling: float = 0.0
    silence: float = 0.0
    failures: float = 0.0
    faults: tuple[str, ...] = ()
    number: int = 0

    @classmethod
    def draw(cls, chance: random.Random) -> Self:
        """Return the trouble of a schedule; about half of the faults are absent."""

        def some(most: float) -> float:
            return chance.choice([0, 0, most / 4, most])

        faults = tuple(name for name in FAULTS if chance.random() < 0.5)
        number = chance.randint(0, 12) if faults else 0
        return cls(some(0.3), some(0.3), some(0.3), some(0.1), some(0.2), faults, number)


class World:
    """One schedule in a folder of its own.

    Parameters
    ----------
    seed
        Decides everything.
    folder
        An empty folder, best in memory.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.trouble = Trouble.draw(self.chance)
        self.folder, self._strangers = folder / "out", folder / "strangers"
        self._strangers.mkdir()
        (self._strangers / "work").write_text("of somebody else")
        self.now = 0.0
        self.log: list[str] = []
        self.thread = getcurrent()
        runs = all_runs()
        self.runs = sorted(self.chance.sample(runs, self.chance.randint(2, len(runs))), key=runs.index)
        recipes = [made.identity for run in self.runs for made in run.recipes]
        self.impossible = set(recipes[:1]) if self.chance.random() < 0.1 else set()
        self.remote: dict[str, RemoteWorker] = {}
        self._join("")
        self.owners: dict[str, Any] = {}
        self.kept: set[str] = set()
        self.disk_is_full = False
        self._excused: set[str] = set()
        self._corruptions = 0
        self._processes: list[Process] = []
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._faults_left = self.trouble.number

    def tell(self, what: str) -> None:
        """Write a line of the log."""
        what = ENGINE_NAME.sub("ENGINE", what.replace(str(self.folder), "out"))
        self.log.append(f"{self.now:9.3f} s  {what}")

    def violated(self, what: str) -> None:
        """Report what must never happen."""
        raise ViolationError(what)

    def number(self) -> int:
        """Return a number that nobody else gets."""
        return next(self._numbers)

    def at(self, delay_s: float, event: Callable[[], None]) -> None:
        """Have something happen later."""
        heapq.heappush(self._events, (self.now + delay_s, next(self._numbers), event))

    def deliveries(self, *, is_sure: bool) -> list[float]:
        """Return the delay of each copy of a message that arrives."""
        if is_sure:
            return [0.001]
        if self.chance.random() < self.trouble.loss:
            return []
        copies = 2 if self.chance.random() < self.trouble.doubling else 1
        return [self.chance.expovariate(1 / self.chance.choice([0.01, 1, 100])) for _ in range(copies)]

    def excuse(self, task: Task) -> None:
        """Note that a task may fail: its worker has died or hangs, or its simulation fails."""
        self._excused.add(task.recipe.identity if isinstance(task, Convert) else task.run.key)

    def check_start(self, process: Process, task: Simulate) -> None:
        """See that a run that starts is its engine's."""
        if self.owners.get(task.run.key) is not process and not process.lost_its_lock:
            self.violated("a run was started without a claim")

    def run(self) -> None:
        """Play the schedule and check the campaign that it leaves."""
        self._start_engine()
        for _ in range(MOST_STEPS):
            if not any(process.alive for process in self._processes):
                if not self._faults_left:
                    break
                self._start_engine()
            if self._faults_left and self.chance.random() < self._fault_rate():
                self._faults_left -= 1
                getattr(self, f"_{self.chance.choice(self.trouble.faults)}")()
            if not self._faults_left:
                self._calm()
            self._step()
        else:
            self.violated("the engines do not end")
        self._read()
        self.trouble = Trouble()
        self._calm()
        last = self._start_engine(retry_failed=True)
        for _ in range(MOST_STEPS):
            if not last.alive:
                break
            self._step()
        else:
            self.violated("the last engine does not end")
        self._check_end(last)

    def dispose(self) -> None:
        """Free what the engines have left that did not end."""
        for process in self._processes:
            process.dispose()

    def _fault_rate(self) -> float:
        """Return the probability of a fault before a step: certain once an engine has found nothing to do.

        Engines that only start and end take few steps, so that the faults which are left would need many.
        """
        return 1.0 if any(process.is_idle for process in self._processes) else 0.1

    def _step(self) -> None:
        """Let the next event happen, or an engine go on; time passes if nothing is due."""
        waiting = [process for process in self._processes if process.alive]
        times = [process.wakes_at for process in waiting] + [event[0] for event in self._events[:1]]
        if not times:
            return
        self.now = max(self.now, min(times))
        due: list[Process | None] = [process for process in waiting if process.wakes_at <= self.now]
        if self._events and self._events[0][0] <= self.now:
            due.append(None)
        chosen = self.chance.choice(due)
        if chosen is None:
            heapq.heappop(self._events)[2]()
        else:
            chosen.go_on()

    def _start_engine(self, *, retry_failed: bool | None = None) -> Process:
        retry = self.chance.random() < 0.3 if retry_failed is None else retry_failed
        is_local, jobs = self.chance.random() < 0.5, self.chance.randint(1, 3)
        process = Process(self, len(self._processes), local=is_local, jobs=jobs, retry_failed=retry)
        self.tell(f"engine {process.number} starts, {'local' if is_local else 'on the cluster'}, {jobs} jobs")
        self._processes.append(process)
        return process

    def _calm(self) -> None:
        """End the lasting faults, and see that one worker is there that fits."""
        self.disk_is_full = False
        for worker in self.remote.values():
            if worker.lie or worker.programs == OTHERS:
                worker.is_there = False
        if not any(worker.is_there for worker in self.remote.values()):
            self._join("")

    def _join(self, lie: str) -> RemoteWorker:
        name = f"worker {len(self.remote)}"
        self.remote[name] = RemoteWorker(name, lie=lie)
        self.tell(f"{name} joins {lie and f'and lies about its {lie}'}")
        return self.remote[name]

    def _any_engine(self) -> Process | None:
        alive = [process for process in self._processes if process.alive]
        return self.chance.choice(alive) if alive else None

    # Faults, by the names in FAULTS.

    def _crash(self) -> None:
        if process := self._any_engine():
            process.crashes_in = self.chance.choice([1, 2, 3, 10, 30, 100])

    def _second_engine(self) -> None:
        if sum(process.alive for process in self._processes) < MOST_ENGINES:
            self._start_engine()

    def _interrupt(self) -> None:
        if process := self._any_engine():
            self.tell(f"engine {process.number} is interrupted")
            process.interrupt()

    def _worker_death(self) -> None:
        process = self._any_engine()
        if process and process.workers:
            process.workers.kill_one()

    def _good_worker(self) -> None:
        self._join("")

    def _other_worker(self) -> None:
        self._join("").programs = OTHERS

    def _lying_worker(self) -> None:
        self._join(self.chance.choice(["programs", "run"]))

    def _leaving_worker(self) -> None:
        worker = self.chance.choice(list(self.remote.values()))
        worker.is_there = False
        self.tell(f"{worker.name} leaves")

    def _changed_worker(self) -> None:
        worker = self.chance.choice(list(self.remote.values()))
        worker.programs = OTHERS
        self.tell(f"{worker.name} gets other programs")

    def _lost_lock(self) -> None:
        """Take the lock of a living engine away, as a network file system may, and start another engine."""
        at_work = {process.number: process for process in self.owners.values() if process.alive}
        process = self.chance.choice([at_work[number] for number in sorted(at_work)]) if at_work else None
        if process:
            process.lost_its_lock = True
            self.tell(f"engine {process.number} loses its lock")
            for lock in process.locks:
                lock.close()
            self._second_engine()

    def _full_disk(self) -> None:
        self.disk_is_full = not self.disk_is_full
        self.tell(f"the disk {'is full' if self.disk_is_full else 'has room'}")

    def _damage(self) -> None:
        """Change, cut, swap or remove a file of the cache."""
        recipes = [made for run in self.runs for made in run.recipes]
        one, other = self.chance.choice(recipes), self.chance.choice(recipes)
        cache = self.folder / "cache"
        path = self.chance.choice([link_file, link_file, facts_file])(cache, one)
        if not path.exists():
            return
        self._corruptions += 1
        how = self.chance.choice(["changed", "cut", "swapped", "removed"])
        self.tell(f"{path.name[:8]}{path.suffix} is {how}")
        content = path.read_bytes()
        if how == "removed":
            path.unlink()
            return
        if how == "changed":
            path.write_bytes(content[:-1] + b"?")
        elif how == "cut":
            path.write_bytes(content[: len(content) // 2])
        elif link_file(cache, other).exists():
            path.write_bytes(link_file(cache, other).read_bytes())
        # Clocks of file systems are coarse; nobody changes a file and its time goes on.
        os.utime(path, ns=(0, 10**18 + self._corruptions))

    def _stranger(self) -> None:
        """Put a link into the engines' folder that leads to somebody else's files."""
        scratch = self.folder / "scratch"
        if scratch.exists():
            (scratch / f"{next(self._numbers)}-{'0' * 16}").symlink_to(self._strangers)

    def _read(self) -> None:
        """Read the rows beside the engines, and check them."""
        if not database.holds_campaign(self.folder):
            return
        sql = "SELECT key, status, attempt, goodput_bps FROM runs"
        rows = database.read(self.folder, lambda connection: connection.execute(sql).fetchall())
        keys = [key for key, *_ in rows]
        if len(set(keys)) < len(keys):
            self.violated("a run has two rows")
        runs = {run.key: run for run in self.runs}
        for key, status, _, measured in rows:
            run = runs[key]
            if status == DONE and measured != true_result(run):
                self.violated("a row is wrong")
            identities = {made.identity for made in run.recipes}
            has_cause = (identities | {key}) & (self.impossible | self._excused)
            if status != DONE and not has_cause and self._corruptions < 3:
                self.violated("a run has failed without a cause")
        done = {key for key, status, *_ in rows if status == DONE}
        if self.kept - done:
            self.violated("a finished run was lost")

    def _check_end(self, last: Process) -> None:
        if last.error is not None:
            self.violated(f"the undisturbed engine has failed: {last.error}")
        self._read()
        sql = f"SELECT key, records, command FROM runs WHERE status = '{DONE}'"
        found = database.read(self.folder, lambda connection: connection.execute(sql).fetchall())
        done = {key for key, *_ in found}
        made_by = {key: command for key, records, command in found if records is not None}
        for key, records, command in found:
            if key in made_by and (self.folder / records / "made_by").read_text() != command:
                self.violated("row and records are of different executions")
        if len(list((self.folder / "records").iterdir())) != len(made_by):
            self.violated("records without a row are left")
        for run in self.runs:
            can_be_done = not {made.identity for made in run.recipes} & self.impossible
            if (run.key in done) != can_be_done:
                self.violated("a run is missing at the end" if can_be_done else "an impossible run is done")
            if run.key in done and run.keep_records and run.key not in made_by:
                self.violated("records are missing at the end")
        left = [path.name for path in (self.folder / "scratch").iterdir() if not path.is_symlink()]
        if left:
            self.violated(f"unfinished files are left: {left}")
        if (self._strangers / "work").read_text() != "of somebody else":
            self.violated("a stranger's file was changed")
        if pq.read_metadata(self.folder / "results.parquet").num_rows != len(self.runs):
            self.violated("results.parquet does not hold all rows")


FAULTS = (
    *("crash", "crash", "second_engine", "interrupt", "worker_death", "good_worker", "other_worker"),
    *("lying_worker", "leaving_worker", "changed_worker", "lost_lock", "full_disk", "damage", "stranger"),
    *("read",),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A schedule in which something happened that must not, or that ended in a defect."""

    seed: int
    reason: str
    log: list[str]


def play(seed: int) -> tuple[list[str], Failure | None]:
    """Play the schedule of a seed, and return its log, and its failure if it has one."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        place = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(TemporaryDirectory(dir=place, prefix="tmt-simulation-")))
        (folder / "copies").mkdir()  # of the database: whoever reads beside an engine copies it
        stack.enter_context(patch.object(tempfile, "tempdir", str(folder / "copies")))
        world = World(seed, folder)
        stack.callback(world.dispose)
        try:
            world.run()
        except Exception as error:
            reason = str(error) if isinstance(error, ViolationError) else f"{type(error).__name__}: {error}"
            return world.log, Failure(seed, reason, world.log)
        return world.log, None
