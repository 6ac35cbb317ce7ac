"""Worker processes on this machine; each has its own pipe, so that the task of a dead worker is known."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING

from tmt.campaign.link_traces import Convert
from tmt.campaign.pool import Answer, Slots
from tmt.campaign.tasks import Simulate, Task, perform
from tmt.core.errors import TmtError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.context import ForkServerContext, ForkServerProcess

    from tmt.campaign.pool import ProgramsByName

PRELOADED = ("fork_server", "local_workers", "runs")
"""Modules that are imported by the process that forks workers."""


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class LocalWorkers:
    """`jobs` worker processes, which live until `close`; one that dies is replaced.

    Before each run a worker checks that its programs are still those of the run's key. WorkerError when none
    starts.
    """

    tries = 1

    def __init__(self, jobs: int) -> None:
        self.programs: ProgramsByName = {}
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([f"tmt.campaign.{name}" for name in PRELOADED])
        self._names = count()
        self._workers: dict[str, _Worker] = {}
        try:
            for _ in range(jobs):
                self._add()
        except BaseException:
            self.close()
            raise

    def present(self) -> dict[str, Slots]:
        """Return the workers; each takes one task."""
        return dict.fromkeys(self._workers, Slots(1, (Convert, Simulate)))

    def examine(self, addresses: Iterable[str]) -> dict[str, ProgramsByName | str]:
        """Return that they have this process's programs."""
        return dict.fromkeys(addresses, self.programs)

    def start(self, ticket: int, address: str, task: Task) -> None:
        """Give a task to an idle worker."""
        self._workers[address].give(ticket, task)

    def answers(self, timeout_s: float) -> list[Answer]:
        """Wait at most `timeout_s` for a worker to finish or die; dead workers are replaced."""
        busy = {
            worker.connection: name for name, worker in self._workers.items() if worker.ticket is not None
        }
        ready = wait(list(busy), timeout_s)
        return [self._answer(busy[connection]) for connection in ready if isinstance(connection, Connection)]

    def drop(self, ticket: int) -> None:
        """End the worker that has the task; another one replaces it."""
        name = next(name for name, worker in self._workers.items() if worker.ticket == ticket)
        self._replace(name)

    def close(self) -> None:
        """End the workers; a running simulation ends with its worker."""
        for worker in self._workers.values():
            worker.end()

    def _answer(self, name: str) -> Answer:
        worker = self._workers[name]
        ticket = worker.ticket
        assert ticket is not None
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            return Answer(ticket, died=self._replace(name))
        worker.ticket = None
        return Answer(ticket, **{kind: content})

    def _add(self) -> None:
        self._workers[f"process {next(self._names)}"] = _Worker(self._context)

    def _replace(self, name: str) -> str:
        how = self._workers.pop(name).end()
        self._add()
        return how


class _Worker:
    def __init__(self, context: ForkServerContext) -> None:
        self.connection, theirs = context.Pipe()
        self.ticket: int | None = None
        self.process: ForkServerProcess = context.Process(target=work, args=(theirs,), daemon=False)
        try:
            with _without_current_folder():
                _start_fork_server()
                self.process.start()
        except (BlockingIOError, EOFError) as error:
            raise WorkerError("no worker process can be started; raise the limit of processes") from error
        except (OSError, RuntimeError) as error:
            raise WorkerError(f"no worker process can be started: {error}") from error
        finally:
            theirs.close()

    def give(self, ticket: int, task: Task) -> None:
        self.ticket = ticket
        with suppress(OSError):  # an idle worker may have died; `answers` finds out
            self.connection.send(task)

    def end(self) -> str:
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


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Keep modules of the current folder, such as a script tmt.py, out of the process that forks workers.

    Before Python 3.12.8 that process does not get this one's search path.
    """
    variable = "PYTHONSAFEPATH"
    before = os.environ.get(variable)
    os.environ[variable] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def _start_fork_server() -> None:
    """Start the process that forks workers with Ctrl-C blocked, which would interrupt its imports.

    Only Ctrl-C is blocked: that process needs SIGCHLD, which the parent may have blocked, to notice a
    worker's end.
    """
    resource_tracker.ensure_running()  # unblocks Ctrl-C at its start
    before = signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(connection: Connection) -> None:
    """Execute tasks in a worker process until the engine is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the engine handles Ctrl-C
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a simulator has no exit status if SIGCHLD is ignored
    tasks: SimpleQueue[Task | None] = SimpleQueue()
    try:
        threading.Thread(target=_receive, args=(connection, tasks), daemon=True).start()
    except RuntimeError as error:
        connection.send(("error", WorkerError(f"a worker process cannot start a thread: {error}")))
        return
    if fork_server := sys.modules.get(f"{__package__}.fork_server"):
        fork_server.continue_when_the_parent_dies()
    while (task := tasks.get()) is not None:
        try:
            answer: tuple[str, object] = ("result", perform(task))
        except TmtError as error:
            answer = ("error", error)
        except Exception as error:
            error.add_note(f"while working on {task}")
            answer = ("error", error)
        try:
            connection.send(answer)
        except OSError:
            return


def _receive(connection: Connection, tasks: SimpleQueue[Task | None]) -> None:
    """Take tasks from the engine, and end this process when the engine closes the pipe or dies.

    The signal interrupts the wait for a simulation, and so ends the simulation too.
    """
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        tasks.put(None)
        os.kill(os.getpid(), signal.SIGTERM)


def _leave(*_: object) -> None:
    raise SystemExit(1)
