"""The same campaign on an existing dask.distributed cluster.

Link traces are made on this machine. Workers that share the campaign's folder read them there; to others each
trace is sent once. The pool decides which worker gets which run (`tmt.campaign.pool`); the workers execute
`tmt.campaign.cluster_worker`.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import distributed
from distributed.comm import CommClosedError, connect, get_address_host_port

from tmt.campaign.cluster_worker import answer_file, examine, perform_checked
from tmt.campaign.columns import RECORDS
from tmt.campaign.link_traces import Convert, DamagedTraceError, facts_file, link_file
from tmt.campaign.pool import Answer, Slots, belongs, installed_programs, one_of_each
from tmt.campaign.rows import new_records, waiting
from tmt.campaign.tasks import Simulate, Task, perform
from tmt.core.errors import TmtError, UsageError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tmt.campaign.cluster_worker import Files
    from tmt.campaign.columns import Row
    from tmt.campaign.pool import ProgramsByName
    from tmt.campaign.recipe import Recipe
    from tmt.campaign.runs import Run

CONNECT_S = 5
"""Time limit for the scheduler to answer."""

QUEUED_PER_THREAD = 2
"""Runs sent ahead for each thread of the cluster, so that no thread waits."""

HAND_OVER_S = 1.0
"""Time after which the presence of a result's worker is checked; it doubles each time."""

HERE = "this machine"
"""Name of the worker that makes the link traces: threads of this process."""


@contextmanager
def connected(address: str) -> Iterator[distributed.Client]:
    """Yield a client of the scheduler, ``tcp://node1:8786``; UsageError when it or its workers are absent."""
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise UsageError(f"--scheduler: {address} is not an address such as tcp://node1:8786") from error
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's may have a running event loop
            thread.submit(asyncio.run, asyncio.wait_for(_shake_hands(address), CONNECT_S)).result()
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, MemoryError) as error:  # another server sends huge lengths
        raise UsageError(f"--scheduler: no scheduler answers at {address}") from error
    try:
        with _reachable(client):
            if not client.nthreads():
                raise UsageError(f"--scheduler: the scheduler at {address} has no workers")
        yield client
    finally:
        client.close()


async def _shake_hands(address: str) -> None:
    """Connect once; a `Client` waits without limit for a server that accepts and says nothing."""
    security = distributed.Security().get_connection_args("client")
    comm = await connect(address, timeout=CONNECT_S, **security)
    await comm.close()


@contextmanager
def _reachable(client: distributed.Client) -> Iterator[None]:
    """Report in one line that the scheduler is gone."""
    try:
        yield
    except TmtError:
        raise
    except (OSError, CancelledError, distributed.CancelledError) as error:
        raise WorkerError(
            "--scheduler: the scheduler does not answer any more; finished runs are kept; call again"
        ) from error


class ClusterWorkers:
    """The workers of a scheduler for simulations, threads of this process for conversions.

    `folder` is the open campaign's; `jobs` conversions are made at a time; `runs` are to come.
    """

    tries = 3

    def __init__(self, client: distributed.Client, folder: Path, jobs: int, runs: Iterable[Run]) -> None:
        self._samples = one_of_each(runs)
        self.programs: ProgramsByName = installed_programs(self._samples)
        self._client, self._jobs = client, jobs
        self._token = secrets.token_hex(16)
        self._token_file = folder.resolve() / "scratch" / f"token-{secrets.token_hex(8)}"
        self._token_file.write_text(self._token)
        self._threads = ThreadPoolExecutor(jobs)
        self._there: dict[str, int] = {}
        self._shares: dict[str, bool] = {}
        self._traces: dict[str, distributed.Future] = {}
        self._open: dict[int, tuple[distributed.Future, str, Task]] = {}
        self._ended: SimpleQueue[int] = SimpleQueue()

    def present(self) -> dict[str, Slots]:
        """Return the workers of the scheduler, and this machine's threads."""
        with _reachable(self._client):
            self._there = self._client.nthreads()
        slots = {name: Slots(QUEUED_PER_THREAD * count, (Simulate,)) for name, count in self._there.items()}
        return slots | {HERE: Slots(self._jobs, (Convert,))}

    def examine(self, addresses: Iterable[str]) -> dict[str, ProgramsByName | str]:
        """Ask workers for their programs, and for proof that they share the campaign's folder."""
        asked = [address for address in addresses if address != HERE]
        found: dict[str, ProgramsByName | str] = dict.fromkeys(set(addresses) - set(asked), self.programs)
        with _reachable(self._client):
            question = (self._samples, self._token_file, self._token)
            answers = self._client.run(examine, *question, workers=asked, on_error="return") if asked else {}
        for address, answer in answers.items():
            if isinstance(answer, BaseException):
                is_ours = isinstance(answer, TmtError)
                found[address] = f"says: {answer}" if is_ours else "does not show its programs"
            else:
                found[address], shares = answer
                self._shares[address] = shares and self._has_answered(address)
        return found

    def start(self, ticket: int, address: str, task: Task) -> None:
        """Start a task: a conversion here, a simulation on a worker."""
        if isinstance(task, Convert):
            future: distributed.Future = self._threads.submit(lambda: (perform(task), {}))
        else:
            with _reachable(self._client):
                future = self._submitted(task, address)
        self._open[ticket] = future, address, task
        future.add_done_callback(lambda _: self._ended.put(ticket))

    def _submitted(self, task: Simulate, address: str) -> distributed.Future:
        expected, shares = self.programs[task.run.program()[0]], self._shares[address]
        future: distributed.Future = Future()
        try:
            contents = None if shares else [self._trace(task, one) for one in task.run.recipes]
            return self._client.submit(
                perform_checked, task, expected, contents, pure=False, workers=[address]
            )
        except OSError:
            if self._client.status != "running":
                raise
            future.cancel()  # A worker died while a link trace was sent to it: the task counts as lost.
        except DamagedTraceError as error:
            future.set_exception(error)
        return future

    def answers(self, timeout_s: float) -> list[Answer]:
        """Wait at most `timeout_s` for a task to end; a worker that has left the scheduler counts as dead."""
        ended = []
        try:
            ended.append(self._ended.get(timeout=timeout_s))
            while True:
                ended.append(self._ended.get_nowait())
        except Empty:
            pass
        found = [self._answer(ticket) for ticket in ended if ticket in self._open]
        there = {HERE, *self._there}
        left = [ticket for ticket, (_, address, _) in self._open.items() if address not in there]
        for ticket in left:
            self.drop(ticket)
        return found + [Answer(ticket, died="lost") for ticket in left]

    def drop(self, ticket: int) -> None:
        """Cancel a task, so that its worker does not start it."""
        future, *_ = self._open.pop(ticket)
        with _reachable(self._client):
            future.cancel()

    def close(self) -> None:
        """Cancel the open tasks; leave the cluster and the client running."""
        self._token_file.unlink(missing_ok=True)
        self._threads.shutdown(cancel_futures=True)
        if self._client.status == "running":
            futures = [future for future, *_ in self._open.values() if not isinstance(future, Future)]
            self._client.cancel(futures)

    def _has_answered(self, worker: str) -> bool:
        answer = answer_file(self._token_file, worker)
        try:
            return answer.read_text() == self._token
        except OSError:
            return False
        finally:
            answer.unlink(missing_ok=True)

    def _trace(self, task: Simulate, recipe: Recipe) -> distributed.Future:
        """Return a link trace of a run as an object that is sent to each worker once."""
        if recipe.identity not in self._traces:
            files = link_file(task.cache, recipe), facts_file(task.cache, recipe)
            try:
                content = tuple(file.read_bytes() for file in files)
            except OSError as error:
                raise DamagedTraceError(files[0], f"cannot be read: {error.strerror}") from error
            self._traces[recipe.identity] = self._client.scatter(content, hash=False)
        return self._traces[recipe.identity]

    def _forget_traces(self, task: Task) -> None:  # they are sent again
        for recipe in task.run.recipes if isinstance(task, Simulate) else ():
            self._traces.pop(recipe.identity, None)

    def _answer(self, ticket: int) -> Answer:
        future, _, task = self._open.pop(ticket)
        try:
            ended = _result(future)
        except distributed.KilledWorker as error:
            return Answer(ticket, died=f"killed {error.allowed_failures} times by what it did or by others")
        except (CancelledError, distributed.CancelledError, CommClosedError):
            if self._client.status != "running":
                with _reachable(self._client):
                    raise
            # A worker that left the scheduler had the only copy of a link trace that is being sent.
            self._forget_traces(task)
            return Answer(ticket, died="lost")
        except DamagedTraceError as error:
            self._forget_traces(task)
            return Answer(ticket, error=error)
        except Exception as error:  # pool and engine handle other errors of a worker
            return Answer(ticket, error=error)
        finally:
            if not isinstance(future, Future):
                future.release()
        if ended is None:
            return Answer(ticket, died="lost")
        result, files = ended
        if isinstance(task, Simulate) and files and belongs(result, task):
            result[RECORDS] = new_records(task.run.key)
            folder = waiting(task.scratch, result[RECORDS])
            folder.mkdir()
            for name, content in files.items():
                (folder / name).write_bytes(content)
        return Answer(ticket, result=result)


def _result(future: distributed.Future) -> tuple[Row, Files] | None:
    """Return the result of an ended task; None when its worker died with it: dask would wait for ever."""
    timeout_s = HAND_OVER_S
    while True:
        try:
            found: tuple[Row, Files] = future.result(timeout_s)
            return found
        except TimeoutError:
            if isinstance(future, Future) or future.status == "error":  # the task's own error
                raise
            if future.status != "finished":
                return None
            timeout_s *= 2
