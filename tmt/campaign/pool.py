"""Worker processes on this machine: tasks in, outcomes out, and the death of a worker is an outcome too.

Each worker has a pipe of its own, so that it is always known which task a dead worker had in hand.
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

from tmt.campaign.tasks import FullDiskError, Task, perform

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, ForkServerProcess


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended: exactly one of `result` (what `perform` returns), `died` (how its worker ended) and
    `error` (a defect, or a full disk) is set.
    """

    task: Task
    result: dict[str, Any] | None = None
    died: str | None = None
    error: BaseException | None = None


class Pool(Protocol):
    """Where tasks are done."""

    @property
    def free(self) -> int:
        """How many tasks can be submitted that start at once or soon."""

    def submit(self, task: Task) -> None:
        """Have a task done."""

    def outcomes(self, timeout_s: float) -> list[Outcome]:
        """Wait until a task has ended, at most so long, and return those that have."""

    def close(self) -> None:
        """End all workers, with what they have in hand."""


class LocalPool:
    """`jobs` processes that live until `close` and are replaced when they die."""

    def __init__(self, jobs: int) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tmt.campaign.pool", "tmt.experiment.experiment"])
        self._workers = [_Worker(self._context) for _ in range(jobs)]

    @property
    def free(self) -> int:
        """How many workers have nothing to do."""
        return sum(worker.task is None for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Give a task to an idle worker."""
        next(worker for worker in self._workers if worker.task is None).give(task)

    def outcomes(self, timeout_s: float) -> list[Outcome]:
        """Wait until a worker is done or dead, at most so long; dead workers are replaced."""
        busy = {worker.connection: worker for worker in self._workers if worker.task is not None}
        ready = wait(list(busy), timeout_s)
        return [self._outcome(busy[connection]) for connection in ready if isinstance(connection, Connection)]

    def close(self) -> None:
        """End the workers; a simulation that runs is ended with its worker."""
        for worker in self._workers:
            worker.end()

    def _outcome(self, worker: _Worker) -> Outcome:
        task = worker.task
        assert task is not None
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            how = worker.end()
            self._workers[self._workers.index(worker)] = _Worker(self._context)
            return Outcome(task, died=how)
        worker.task = None
        return Outcome(task, **{kind: content})


class _Worker:
    """One process and the engine's end of its pipe."""

    def __init__(self, context: ForkServerContext) -> None:
        self.connection, theirs = context.Pipe()
        self.task: Task | None = None
        self.process: ForkServerProcess = context.Process(target=work, args=(theirs,), daemon=False)
        self.process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.task = task
        with suppress(OSError):  # a worker may have died while it was idle; `outcomes` finds out
            self.connection.send(task)

    def end(self) -> str:
        """End the process, and say how it ended."""
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
    """Do tasks until the engine is gone: the life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to answer
    signal.signal(signal.SIGTERM, _leave)
    tasks: deque[Task | None] = deque()
    arrived = threading.Semaphore(0)
    threading.Thread(target=_receive, args=(connection, tasks, arrived), daemon=True).start()
    while True:
        arrived.acquire()
        task = tasks.popleft()
        if task is None:
            return
        try:
            answer: tuple[str, Any] = ("result", perform(task))
        except FullDiskError as error:
            answer = ("error", error)
        except Exception as error:
            error.add_note(f"while working on {task}")
            answer = ("error", error)
        try:
            connection.send(answer)
        except OSError:
            return


def _receive(connection: Connection, tasks: deque[Task | None], arrived: threading.Semaphore) -> None:
    """Take tasks from the engine; when its end of the pipe closes, even by its death, end the process.

    The signal interrupts a wait for a simulation, which is then ended too.
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
