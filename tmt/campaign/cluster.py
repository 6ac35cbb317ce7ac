"""The same campaign on a dask.distributed cluster that somebody else has set up.

Link traces are made on this machine. Workers that see the campaign's folder read them there; to others each
trace travels once. A worker that dies is the scheduler's to replace: it gives the run to another one.
"""

from __future__ import annotations

import os
import queue
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import distributed
from distributed.comm import get_address_host_port

from tmt.campaign.database import DATABASE
from tmt.campaign.link_traces import Convert, facts_file, link_file
from tmt.campaign.pool import Outcome
from tmt.campaign.tasks import Programs, Simulate, Task, perform, programs_of
from tmt.errors import SimulatorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.campaign.conversions import Conversion

CONNECT_S = 5
"""Time within which the scheduler has to answer."""

QUEUED_PER_THREAD = 2
"""Runs in hand for each thread of the cluster, so that none waits for us."""

Content = tuple[bytes, bytes]
"""A link trace and what is known of it, as they lie in files."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Give a client of the scheduler at `address`, such as ``tcp://node1:8786``, whose workers fit to us.

    Raises
    ------
    UsageError
        When this is no address, no scheduler answers there, or it has no workers.
    SimulatorError
        When a worker has another simulator or other sources of this program than we have.
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
        _check_workers(client, address)
        yield client
    finally:
        client.close()


def _check_workers(client: Any, address: str) -> None:
    ours = _programs()
    workers = client.run(_programs)
    if not workers:
        raise UsageError(f"--scheduler: the scheduler at {address} has no workers")
    for worker, theirs in workers.items():
        if theirs != ours:
            raise SimulatorError(
                f"worker {worker} has sources {theirs[0][:16]} and simulator {theirs[1][:16]}; "
                f"here they are {ours[0][:16]} and {ours[1][:16]}"
            )


class ClusterPool:
    """Simulations on the workers of a scheduler, conversions in threads of this process.

    Parameters
    ----------
    client
        Of the scheduler; see `connected`.
    folder
        The campaign's, which exists.
    jobs
        Conversions at a time.
    """

    def __init__(self, client: Any, folder: Path, jobs: int) -> None:
        self._client = client
        self._shared = all(client.run(_sees, folder.resolve()).values())
        self._records = folder / "records"
        self._threads = ThreadPoolExecutor(jobs)
        self._traces: dict[str, Any] = {}
        self._running: dict[Any, Task] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def free(self) -> int:
        """How many tasks can be submitted, be it that workers come later."""
        threads: int = sum(self._client.nthreads().values())
        return max(QUEUED_PER_THREAD * threads - len(self._running), 0)

    def submit(self, task: Task) -> None:
        """Have a task done: a conversion here, a simulation by a worker."""
        future: Any
        if isinstance(task, Convert):
            future = self._threads.submit(perform, task)
        elif self._shared:
            future = self._client.submit(perform, task, pure=False)
        else:
            future = self._client.submit(perform_away, task, self._travelling(task), pure=False)
        self._running[future] = task
        future.add_done_callback(self._ended.put)

    def outcomes(self, timeout_s: float) -> list[Outcome]:
        """Wait until a task has ended, at most so long."""
        found = []
        try:
            found.append(self._outcome(self._ended.get(timeout=timeout_s)))
            while True:
                found.append(self._outcome(self._ended.get_nowait()))
        except queue.Empty:
            return found

    def close(self) -> None:
        """Give up what is running and leave the cluster, and the client, as they are."""
        self._threads.shutdown(cancel_futures=True)
        self._client.cancel([future for future in self._running if not isinstance(future, Future)])

    def _travelling(self, task: Simulate) -> list[Any]:
        return [self._trace(task, conversion) for conversion in task.run.conversions]

    def _trace(self, task: Simulate, conversion: Conversion) -> Any:
        """Return a link trace of a run as something that travels to each worker once."""
        if conversion.identity not in self._traces:
            content = (
                link_file(task.cache, conversion).read_bytes(),
                facts_file(task.cache, conversion).read_bytes(),
            )
            self._traces[conversion.identity] = self._client.scatter(content, hash=False)
        return self._traces[conversion.identity]

    def _outcome(self, future: Any) -> Outcome:
        task = self._running.pop(future)
        try:
            result: dict[str, Any] = future.result()
        except distributed.KilledWorker as error:
            return Outcome(task, died=f"killed {error.allowed_failures} times by what it did or by others")
        except Exception as error:  # whatever a worker has met is the engine's to judge
            return Outcome(task, error=error)
        finally:
            if not isinstance(future, Future):
                future.release()
        if isinstance(task, Simulate):
            self._keep_records(task, result.pop("files", {}))
        return Outcome(task, result=result)

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


def perform_away(task: Simulate, contents: list[Content]) -> dict[str, Any]:
    """Do a run on a machine that does not see the campaign's folder.

    The link traces are written to a folder of this machine, once. Records that the run asks for come back
    under ``files``.
    """
    place = Path(tempfile.gettempdir()) / f"tmt-worker-{os.getuid()}"
    cache = place / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for conversion, content in zip(task.run.conversions, contents, strict=True):
        _put(cache, conversion, content)
    with tempfile.TemporaryDirectory(dir=place, prefix="run-") as folder:
        records = Path(folder) / "records"
        records.mkdir()
        row = perform(replace(task, cache=cache, scratch=Path(folder), records=records))
        kept = records / task.run.key
        files = {file.name: file.read_bytes() for file in kept.iterdir()} if kept.exists() else {}
        return row | {"files": files}


def _put(cache: Path, conversion: Conversion, content: Content) -> None:
    """Write a link trace and what is known of it into a cache, unless they are there."""
    for path, part in zip(
        (link_file(cache, conversion), facts_file(cache, conversion)), content, strict=True
    ):
        if not path.exists():
            descriptor, staged = tempfile.mkstemp(dir=cache)
            with os.fdopen(descriptor, "wb") as file:
                file.write(part)
            Path(staged).rename(path)


def _programs() -> Programs:
    """Return the hashes of the simulator and of the sources, here or at a worker."""
    return programs_of("ns2")


def _sees(folder: Path) -> bool:
    """Say whether a worker sees the campaign's folder."""
    return (folder / DATABASE).exists()
