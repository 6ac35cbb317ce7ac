"""The same campaign on a dask.distributed cluster that somebody else has set up.

Link traces are made on this machine. Workers that share the campaign's folder read them there; to others each
trace travels once. Only workers whose programs are ours get runs: they are checked when they join, and again
before each run. When a worker dies, its runs go to others.
"""

from __future__ import annotations

import queue
import secrets
import warnings
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import distributed
from distributed.comm import CommClosedError, get_address_host_port

from tmt.campaign.cluster_workers import (
    WrongWorkerError,
    answer_file,
    examine,
    installed_programs,
    perform_checked,
)
from tmt.campaign.link_traces import Convert, facts_file, link_file
from tmt.campaign.pool import TaskOutcome
from tmt.campaign.tasks import Simulate, Task, perform
from tmt.errors import SimulatorError, TmtError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.campaign.planned_conversions import PlannedConversion

CONNECT_S = 5
"""Time within which the scheduler has to answer."""

QUEUED_PER_THREAD = 2
"""Runs in hand for each thread of the cluster, so that no thread waits for us."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Give a client of the scheduler at `address`, such as ``tcp://node1:8786``, whose workers fit to us.

    Raises
    ------
    UsageError
        When this is no address, no scheduler answers there, or it has no workers.
    SimulatorError
        When a worker has other programs than we have.
    """
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise UsageError(f"--scheduler: {address} is no address such as tcp://node1:8786") from error
    try:
        connect: Any = distributed.Client
        client = connect(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler: no scheduler answers at {address}") from error
    try:
        with _reachable(client):
            _check_workers(client, address)
        yield client
    finally:
        client.close()


def _check_workers(client: Any, address: str) -> None:
    ours = installed_programs()
    workers = client.run(installed_programs)
    if not workers:
        raise UsageError(f"--scheduler: the scheduler at {address} has no workers")
    for worker, theirs in workers.items():
        if theirs != ours:
            raise SimulatorError(
                f"worker {worker} has other versions of these programs: {ours.difference(theirs)}"
            )


@contextmanager
def _reachable(client: Any) -> Iterator[None]:
    """Say in one line that the scheduler has gone."""
    try:
        yield
    except TmtError:
        raise
    except (OSError, CancelledError, distributed.CancelledError) as error:
        raise SimulatorError(
            "--scheduler: the scheduler does not answer any more; finished runs are kept; call again"
        ) from error


class ClusterPool:
    """Simulations on the workers of a scheduler, conversions in threads of this process.

    Parameters
    ----------
    client
        Of the scheduler; see `connected`.
    folder
        The campaign's, which is open.
    jobs
        Conversions at a time.
    """

    def __init__(self, client: Any, folder: Path, jobs: int) -> None:
        self._client = client
        self._ours = installed_programs()
        self._token = secrets.token_hex(16)
        self._token_file = folder.resolve() / "scratch" / f"token-{secrets.token_hex(8)}"
        self._token_file.write_text(self._token)
        self._shares: dict[str, bool] = {}
        self._unfit: set[str] = set()
        self._records = folder / "records"
        self._threads = ThreadPoolExecutor(jobs)
        self._traces: dict[str, Any] = {}
        self._running: dict[Any, Task] = {}
        self._allowed: dict[Any, frozenset[str]] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def free(self) -> int:
        """How many tasks can be submitted, be it that workers come later."""
        with _reachable(self._client):
            threads = self._examine_workers()
        return max(QUEUED_PER_THREAD * threads - len(self._running), 0)

    def submit(self, task: Task) -> None:
        """Have a task done: a conversion here, a simulation by a worker that fits."""
        future: Any
        if isinstance(task, Convert):
            future = self._threads.submit(perform, task)
        else:
            with _reachable(self._client):
                contents = None if all(self._shares.values()) else self._travelling(task)
                fit = list(self._shares)
                future = self._client.submit(
                    perform_checked, task, self._ours, contents, pure=False, workers=fit
                )
                self._allowed[future] = frozenset(fit)
        self._running[future] = task
        future.add_done_callback(self._ended.put)

    def outcomes(self, timeout_s: float) -> list[TaskOutcome]:
        """Wait until a task has ended, at most so long."""
        ended = []
        try:
            ended.append(self._ended.get(timeout=timeout_s))
            while True:
                ended.append(self._ended.get_nowait())
        except queue.Empty:
            pass
        found = [self._outcome(future) for future in ended if future in self._running]
        self._submit_lost()
        return [outcome for outcome in found if outcome is not None]

    def close(self) -> None:
        """Give up what is running and leave the cluster, and the client, as they are."""
        self._token_file.unlink(missing_ok=True)
        self._threads.shutdown(cancel_futures=True)
        if self._client.status == "running":
            self._client.cancel([future for future in self._running if not isinstance(future, Future)])

    def _examine_workers(self) -> int:
        """Check workers that have joined, forget those that have left, and count the threads that fit."""
        threads: dict[str, int] = self._client.nthreads()
        self._unfit &= threads.keys()
        self._shares = {worker: shares for worker, shares in self._shares.items() if worker in threads}
        if joined := [worker for worker in threads if worker not in self._unfit | self._shares.keys()]:
            answers = self._client.run(
                examine, self._token_file, self._token, workers=joined, on_error="return"
            )
            for worker, answer in answers.items():
                if isinstance(answer, BaseException) or answer[0] != self._ours:
                    self._refuse(worker)
                else:
                    self._shares[worker] = answer[1] and self._has_answered(worker)
        return sum(threads[worker] for worker in self._shares)

    def _has_answered(self, worker: str) -> bool:
        """Whether the worker has written the token where we read it."""
        answer = answer_file(self._token_file, worker)
        try:
            return answer.read_text() == self._token
        except OSError:
            return False
        finally:
            answer.unlink(missing_ok=True)

    def _refuse(self, worker: str) -> None:
        warnings.warn(f"worker {worker} has other versions of the programs; it gets no runs", stacklevel=2)
        self._shares.pop(worker, None)
        self._unfit.add(worker)

    def _submit_lost(self) -> None:
        """Submit again the runs whose workers have all left or turned out not to fit."""
        if not self._shares:
            return
        for future, allowed in list(self._allowed.items()):
            if not allowed & self._shares.keys():
                task = self._forget(future)
                with _reachable(self._client):
                    future.cancel()
                self.submit(task)

    def _forget(self, future: Any) -> Task:
        self._allowed.pop(future, None)
        return self._running.pop(future)

    def _travelling(self, task: Simulate) -> list[Any]:
        return [self._trace(task, conversion) for conversion in task.run.conversions]

    def _trace(self, task: Simulate, conversion: PlannedConversion) -> Any:
        """Return a link trace of a run as something that travels to each worker once."""
        if conversion.identity not in self._traces:
            content = (
                link_file(task.cache, conversion).read_bytes(),
                facts_file(task.cache, conversion).read_bytes(),
            )
            self._traces[conversion.identity] = self._client.scatter(content, hash=False)
        return self._traces[conversion.identity]

    def _outcome(self, future: Any) -> TaskOutcome | None:
        """Return how a task has ended; None if it is submitted again."""
        task = self._forget(future)
        try:
            result: dict[str, Any] = future.result()
        except distributed.KilledWorker as error:
            return TaskOutcome(
                task, died=f"killed {error.allowed_failures} times by what it did or by others"
            )
        except WrongWorkerError as error:
            self._refuse(str(error))
            if not self._shares:
                raise SimulatorError(
                    "--scheduler: no worker with the same programs as this machine is left"
                ) from error
            self.submit(task)
            return None
        except (CancelledError, distributed.CancelledError, CommClosedError):
            with _reachable(self._client):
                raise
        except Exception as error:  # the engine judges other errors of a worker
            return TaskOutcome(task, error=error)
        finally:
            if not isinstance(future, Future):
                future.release()
        if isinstance(task, Simulate):
            self._keep_records(task, result.pop("files", {}))
        return TaskOutcome(task, result=result)

    def _keep_records(self, task: Simulate, files: dict[str, bytes]) -> None:
        """Write the records that a worker without our folder has sent."""
        if not files:
            return
        staged = task.scratch / f"{task.run.key}-records"
        staged.mkdir()
        for name, content in files.items():
            (staged / name).write_bytes(content)
        final = self._records / task.run.key
        if not final.exists():
            staged.rename(final)
