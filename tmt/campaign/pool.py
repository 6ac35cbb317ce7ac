"""Worker processes on this machine: they take tasks and give outcomes; a worker's death is an outcome too.

Each worker has a pipe of its own. So the task of a dead worker is always known.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Protocol

from tmt.campaign.tasks import Task, perform
from tmt.errors import SimulatorError, TmtError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, ForkServerProcess


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """How a task ended. Exactly one is set: `result` (of `perform`), `died` (its worker's end) or `error`."""

    task: Task
    result: dict[str, Any] | None = None
    died: str | None = None
    error: BaseException | None = None


class Pool(Protocol):
    """Executes tasks."""

    @property
    def free(self) -> int:
        """Number of tasks that would start at once or soon."""

    def submit(self, task: Task) -> None:
        """Queue a task for execution."""

    def outcomes(self, timeout_s: float) -> list[TaskOutcome]:
        """Wait at most `timeout_s` for a task to end, and return the outcomes of ended tasks."""

    def close(self) -> None:
        """End all workers and the tasks that they execute."""


class LocalPool:
    """`jobs` worker processes, which live until `close`; one that dies is replaced.

    Raises
    ------
    SimulatorError
        When no process can be started.
    """

    def __init__(self, jobs: int) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tmt.campaign.pool", "tmt.campaign.replay_run"])
        self._workers: list[_Worker] = []
        try:
            for _ in range(jobs):
                self._workers.append(_Worker(self._context))
        except BaseException:
            self.close()
            raise

    @property
    def free(self) -> int:
        """Number of idle workers."""
        return sum(worker.task is None for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Give a task to an idle worker."""
        next(worker for worker in self._workers if worker.task is None).give(task)

    def outcomes(self, timeout_s: float) -> list[TaskOutcome]:
        """Wait at most `timeout_s` for a worker to finish or die; dead workers are replaced."""
        busy = {worker.connection: worker for worker in self._workers if worker.task is not None}
        ready = wait(list(busy), timeout_s)
        return [self._outcome(busy[connection]) for connection in ready if isinstance(connection, Connection)]

    def close(self) -> None:
        """End the workers; a running simulation ends with its worker."""
        for worker in self._workers:
            worker.end()

    def _outcome(self, worker: _Worker) -> TaskOutcome:
        task = worker.task
        assert task is not None
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            how = worker.end()
            self._workers[self._workers.index(worker)] = _Worker(self._context)
            return TaskOutcome(task, died=how)
        worker.task = None
        return TaskOutcome(task, **{kind: content})


class _Worker:
    """A process, and the engine's end of its pipe."""

    def __init__(self, context: ForkServerContext) -> None:
        self.connection, theirs = context.Pipe()
        self.task: Task | None = None
        self.process: ForkServerProcess = context.Process(target=work, args=(theirs,), daemon=False)
        try:
            self.process.start()
        except (OSError, EOFError, RuntimeError) as error:
            raise SimulatorError(f"no worker process can be started: {error}") from error
        finally:
            theirs.close()

    def give(self, task: Task) -> None:
        self.task = task
        with suppress(OSError):  # an idle worker may have died; `outcomes` finds out
            self.connection.send(task)

    def end(self) -> str:
        """End the process, and return how it ended."""
        self.connection.close()
        self.process.join(1.0)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(2.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        status = self.process.exitcode or 0
        self.process.close()
        return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


def work(connection: Connection) -> None:
    """Execute tasks in a worker process until the engine is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the engine handles Ctrl-C
    signal.signal(signal.SIGTERM, _leave)
    tasks: deque[Task | None] = deque()
    arrived = threading.Semaphore(0)
    try:
        threading.Thread(target=_receive, args=(connection, tasks, arrived), daemon=True).start()
    except RuntimeError as error:
        connection.send(("error", SimulatorError(f"a worker process cannot start a thread: {error}")))
        return
    while True:
        arrived.acquire()
        task = tasks.popleft()
        if task is None:
            return
        try:
            answer: tuple[str, Any] = ("result", perform(task))
        except TmtError as error:
            answer = ("error", error)
        except Exception as error:
            error.add_note(f"while working on {task}")
            answer = ("error", error)
        try:
            connection.send(answer)
        except OSError:
            return


def _receive(connection: Connection, tasks: deque[Task | None], arrived: threading.Semaphore) -> None:
    """Take tasks from the engine, and end this process when the engine closes the pipe or dies.

    The signal interrupts the wait for a simulation, and so ends the simulation too.
    """
    try:
        while True:
            tasks.append(connection.recv())
            arrived.release()
    except (EOFError, OSError):
        tasks.append(None)
        arrived.release()
        os.kill(os.getpid(), signal.SIGTERM)


def _leave(*_: object) -> None:
    raise SystemExit(1)
