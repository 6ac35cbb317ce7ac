"""Engines as processes of the simulated world: they wait, crash, and are interrupted at any statement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from greenlet import GreenletExit, greenlet

from simulation.workers import SimulatedWorkers
from tmt.campaign import database
from tmt.campaign.campaign import OpenCampaign
from tmt.campaign.columns import DONE
from tmt.campaign.pool import Pool
from tmt.campaign.store import Store
from tmt.campaign.system import System
from tmt.core.errors import TmtError

if TYPE_CHECKING:
    from simulation.world import World


class Process:
    """An engine: one call of `tmt run`.

    Attributes
    ----------
    wakes_at
        Simulated time at which it goes on.
    crashes_in
        Number of statements until it is killed; None while nothing kills it.
    is_idle
        Whether it has found nothing to do.
    lost_its_lock
        Whether somebody has removed the file that shows that it lives.
    error
        Why it ended, unless it ended well.
    """

    def __init__(self, world: World, number: int, *, local: bool, jobs: int, retry_failed: bool) -> None:
        self.world, self.number, self.local, self.jobs = world, number, local, jobs
        self.retry_failed = retry_failed
        self.wakes_at = world.now
        self.crashes_in: int | None = None
        self.crashed = self.ended = self.is_idle = self.lost_its_lock = False
        self._is_alone = False
        self.error: BaseException | None = None
        self.connections: list[sqlite3.Connection] = []
        self.locks: list[BinaryIO] = []
        self.workers: SimulatedWorkers | None = None
        self._thread = greenlet(self._main)

    @property
    def alive(self) -> bool:
        """Whether it has neither ended nor crashed."""
        return not (self.ended or self.crashed)

    def go_on(self) -> None:
        """Let it run until it waits, ends or crashes."""
        self._thread.switch()

    def interrupt(self) -> None:
        """Press Ctrl-C where it waits."""
        if self._thread:
            self._thread.throw(KeyboardInterrupt)

    def crash(self) -> None:
        """End the process as the system does: no code of it runs, its files close, its workers end."""
        self.crashed = True
        self.world.tell(f"engine {self.number} is killed")
        self._close_files()
        if self.workers is not None:
            self.workers.lose_engine()

    def dispose(self) -> None:
        """Free what is left of a process after the schedule, also of one that lives when a schedule fails."""
        self.crashed = True
        if self._thread:
            self._thread.throw(GreenletExit)

    def reach(self, *, may_wait: bool = True) -> None:
        """Come to a statement: the process may be killed here, or another one may run first."""
        if self.crashed:
            raise GreenletExit
        if self.crashes_in is not None:
            self.crashes_in -= 1
            if self.crashes_in <= 0:
                self.crash()
                self.wait(0)
        if may_wait and not self._is_alone and self.world.chance.random() < self.world.trouble.slowness:
            self.wait(self.world.chance.expovariate(1.0))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let nobody else run; the process may still be killed."""
        self._is_alone = True
        yield
        self._is_alone = False

    def wait(self, seconds: float) -> None:
        """Let the others run for so long."""
        self.wakes_at = self.world.now + seconds
        self.world.thread.switch()
        if self.crashed:
            raise GreenletExit

    def _main(self) -> None:
        try:
            self._execute()
            self.world.tell(f"engine {self.number} ends")
        except GreenletExit:
            return
        except BaseException as error:
            if self.crashed:
                return  # of its code that runs while it is freed; a process that is killed runs none
            self.error = error
            self.world.tell(f"engine {self.number} ends: {type(error).__name__}: {error}")
            if not self._may_fail(error):
                raise
        finally:
            self.ended = True
            self._close_files()
        if self.workers is not None and not self.workers.closed:
            self.world.violated("an engine has ended and left its workers")

    def _close_files(self) -> None:
        """Close every file, as the system does when a process ends."""
        for file in (*self.connections, *self.locks):
            file.close()

    def _execute(self) -> None:
        store = ObservedStore(self)
        try:
            campaign = OpenCampaign("simulated", store, self.world.runs)
            todo = campaign.plan(retry_failed=self.retry_failed)
            self.is_idle = not todo.missing
            progress = campaign.execute(todo, lambda _: self._pool(), lambda _: None)
            if (progress.total, progress.ended) != (len(todo.missing), len(todo.missing)):
                self.world.violated(f"{len(todo.missing)} runs were missing, {progress.ended} have ended")
        finally:
            store.close()

    def _pool(self) -> Pool:
        self.workers = SimulatedWorkers(self)
        return Pool(self.workers, lambda: self.world.now)

    def _may_fail(self, error: BaseException) -> bool:
        """Whether an engine may end like this: by a message for its user, or by Ctrl-C."""
        if self.lost_its_lock and isinstance(error, OSError):
            return True
        return isinstance(error, (TmtError, KeyboardInterrupt))


class SimulatedSystem(System):
    """The machine, as one process sees it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open a database; each statement is one at which the process may be killed."""
        connection = database.connect(path, factory=_Connection)
        connection.process = self._process
        self._process.connections.append(connection)
        return connection

    def hold(self, path: Path) -> BinaryIO:
        """Hold a lock until the process is killed."""
        lock = super().hold(path)
        self._process.locks.append(lock)
        return lock

    def free_bytes(self, folder: Path) -> int:
        """Return the room on the simulated disk."""
        return 0 if self._process.world.disk_is_full else 1 << 30


class _Connection(sqlite3.Connection):
    process: Process | None = None

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Come to a statement, then execute it; nobody else runs inside a transaction."""
        if self.process is not None:
            self.process.reach(may_wait=not self.in_transaction)
        return super().execute(sql, *values)


class ObservedStore(Store):
    """A store that tells the world what it has granted and kept."""

    def __init__(self, process: Process) -> None:
        self._process, self._world = process, process.world
        super().__init__(process.world.folder, SimulatedSystem(process))

    def claim(self, key: str) -> bool:
        """Claim a run; no other living engine may have it."""
        granted = super().claim(key)
        if granted:
            owner = self._world.owners.get(key)
            if owner not in (None, self._process) and owner.alive and not owner.lost_its_lock:
                self._world.violated("two engines are at work on one run")
            self._world.owners[key] = self._process
        return granted

    def release(self, key: str) -> None:
        """Release a claim."""
        super().release(key)
        self._world.owners.pop(key, None)

    def append(self, *rows: dict[str, Any]) -> int:
        """Keep rows, but none of a run that another engine has kept, or another living one has claimed."""
        self._process.reach()
        with self._process.alone():  # the world hears of the row before anybody can claim its run
            accepted = super().append(*rows)
        for row in rows if accepted else ():
            owner = self._world.owners.get(row["key"])
            # An engine that has ended has given its claims back; nobody has the run then.
            if owner is not self._process and (owner is None or owner.alive):
                self._world.violated("a late row was accepted after its run was given to another engine")
            self._world.owners.pop(row["key"])
            if row["status"] == DONE:
                self._world.kept.add(row["key"])
        return accepted
