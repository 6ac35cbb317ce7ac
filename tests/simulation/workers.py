"""Workers of the simulated world, and the messages between them and an engine's pool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from simulation.runs import OTHERS, OURS, result, row_of, trace_content
from tmt.campaign.columns import FAILED
from tmt.campaign.link_traces import Convert, DamagedTraceError, keep_link_trace, link_file, read_facts
from tmt.campaign.pool import Answer, ProgramsByName, Slots, WrongWorkerError
from tmt.campaign.rows import new_records, waiting
from tmt.campaign.tasks import FullDiskError, Simulate, Task, failed_row

if TYPE_CHECKING:
    from simulation.processes import Process

HERE = "here"


@dataclass(slots=True)
class RemoteWorker:
    """A worker of a cluster, which outlives the engines.

    Attributes
    ----------
    programs
        Those that it has.
    lie
        How it deceives: ``"programs"`` shows ours and runs others, ``"run"`` answers with another run.
    """

    name: str
    programs: ProgramsByName = field(default_factory=lambda: OURS)
    lie: str = ""
    is_there: bool = True


class SimulatedWorkers:
    """The workers of one engine; see `tmt.campaign.pool.Workers`.

    A local engine has processes of its own, which end with it. Others use the world's remote workers, and
    threads of their own for link traces.
    """

    def __init__(self, process: Process) -> None:
        self._process, self._world = process, process.world
        self.programs: ProgramsByName = {} if process.local else OURS
        self.tries = 1 if process.local else 3
        self._names = count()
        self._own: dict[str, Slots] = {}
        self._dead: set[str] = set()
        self._shown_other: set[str] = set()
        self._open: dict[int, tuple[str, Task]] = {}
        self._inbox: list[Answer] = []
        self.closed = False
        if process.local:
            for _ in range(process.jobs):
                self._add()
        else:
            self._own[HERE] = Slots(process.jobs, (Convert,))

    def present(self) -> dict[str, Slots]:
        """Return the engine's own workers, and the remote ones that are there."""
        self._process.reach()
        found = dict(self._own)
        if not self._process.local:
            there = [worker.name for worker in self._world.remote.values() if worker.is_there]
            found |= dict.fromkeys(there, Slots(2, (Simulate,)))
        return found

    def examine(self, addresses: Iterable[str]) -> dict[str, ProgramsByName | str]:
        """Return the programs that workers show."""
        return {address: self._shown(address) for address in addresses}

    def start(self, ticket: int, address: str, task: Task) -> None:
        """Send a task to a worker; the message may be late, lost or doubled."""
        self._process.reach()
        if isinstance(task, Simulate):
            self._world.check_start(self._process, task)
            if address in self._shown_other:
                self._world.violated("a worker that has shown another simulator got a run")
        if address in self._dead:  # the pipe breaks
            self._world.excuse(task)
            self._inbox.append(Answer(ticket, died="killed by SIGKILL"))
            return
        self._open[ticket] = address, task
        for delay_s in self._world.deliveries(is_sure=address in self._own):
            duration_s = self._world.chance.uniform(0.1, 30)
            self._world.at(delay_s + duration_s, lambda: self._work(ticket, address, task))

    def answers(self, timeout_s: float) -> list[Answer]:
        """Wait for answers; a busy machine may let an engine wait much longer than it has asked for."""
        self._process.wait(timeout_s * self._world.chance.choice([1, 10, 100, 1000]))
        for address in sorted(self._dead):
            self._replace(address)
        self._dead.clear()
        gone = [
            ticket
            for ticket, (address, _) in self._open.items()
            if address not in self._own and not self._world.remote[address].is_there
        ]
        for ticket in gone:
            self._world.excuse(self._open.pop(ticket)[1])
        found, self._inbox = self._inbox + [Answer(ticket, died="lost") for ticket in gone], []
        return found

    def drop(self, ticket: int) -> None:
        """Give up a task; a process of our own ends and is replaced."""
        address, task = self._open.pop(ticket)
        self._world.excuse(task)
        if address in self._own and self._process.local:
            self._replace(address)

    def close(self) -> None:
        """End the engine's own workers, and cancel what has not begun."""
        self.closed = True
        self._own.clear()
        self._open.clear()

    def lose_engine(self) -> None:
        """End the engine's own workers as the system does when it is killed; remote ones work on."""
        self._own.clear()

    def kill_one(self) -> None:
        """Kill a process of a local engine, whatever it does."""
        if self._process.local and self._own:
            address = self._world.chance.choice(sorted(self._own))
            self._world.tell(f"engine {self._process.number}: worker {address} is killed")
            for ticket, (at, task) in list(self._open.items()):
                if at == address:
                    del self._open[ticket]
                    self._world.excuse(task)
                    self._inbox.append(Answer(ticket, died="killed by SIGKILL"))
            self._dead.add(address)

    def _add(self) -> None:
        self._own[f"process {next(self._names)}"] = Slots(1, (Convert, Simulate))

    def _replace(self, address: str) -> None:
        del self._own[address]
        self._add()

    def _shown(self, address: str) -> ProgramsByName | str:
        if address in self._own:
            return self.programs
        worker = self._world.remote[address]
        if not worker.is_there:
            return "does not answer"
        shown = OURS if worker.lie else worker.programs
        if shown != OURS:
            self._shown_other.add(address)
        return shown

    def _work(self, ticket: int, address: str, task: Task) -> None:
        """Do a task in a worker, if the worker still lives, and send its answer."""
        if address in self._own and address not in self._dead:
            answer = self._do(ticket, task, None)
        elif not self._world.remote.get(address, RemoteWorker("", is_there=False)).is_there:
            return
        elif self._world.chance.random() < self._world.trouble.silence:
            return  # it hangs for ever
        else:
            answer = self._do(ticket, task, self._world.remote[address])
        for delay_s in self._world.deliveries(is_sure=address in self._own):
            self._world.at(delay_s, lambda: self._arrive(address, answer))

    def _arrive(self, address: str, answer: Answer) -> None:
        if self._process.alive and not self.closed and (address in self._own or not self._process.local):
            self._open.pop(answer.ticket, None)
            self._inbox.append(answer)
            self._process.wakes_at = min(self._process.wakes_at, self._world.now)

    def _do(self, ticket: int, task: Task, worker: RemoteWorker | None) -> Answer:
        try:
            if isinstance(task, Convert):
                return Answer(ticket, self._convert(ticket, task))
            return Answer(ticket, self._simulate(ticket, task, worker))
        except (DamagedTraceError, WrongWorkerError, FullDiskError) as error:
            return Answer(ticket, error=error)
        except FileNotFoundError as error:
            # The folder of unfinished files has gone: its engine is dead, or somebody took it for dead.
            return Answer(ticket, error=error)

    def _convert(self, ticket: int, task: Convert) -> dict[str, Any]:
        self._check_room()
        if task.recipe.identity in self._world.impossible:
            return {"error": "it cannot be made"}
        staged = task.scratch / f"{task.recipe.identity}-{ticket}.npy"
        staged.write_bytes(trace_content(task.recipe))
        keep_link_trace(staged, task.recipe, task.cache, {"span_ns": 1})
        return {"error": None}

    def _simulate(self, ticket: int, task: Simulate, worker: RemoteWorker | None) -> dict[str, Any]:
        world, run = self._world, task.run
        lie = "" if worker is None else worker.lie
        if worker is not None and worker.programs != OURS and not lie:
            raise WrongWorkerError
        for recipe in run.recipes:
            read_facts(task.cache, recipe)
        measured = result(run, [link_file(task.cache, made).read_bytes() for made in run.recipes])
        if lie == "programs":
            others = OTHERS["ns2"]
            return row_of(task, measured + 1, (others.stamp_and_scripts, others.sources))
        if lie == "run":
            other = world.chance.choice(world.runs)
            return row_of(task, measured + 1) | {"key": other.key, "attempt": task.attempt + (other == run)}
        if world.chance.random() < world.trouble.failures:
            world.excuse(task)
            return failed_row(task, FAILED, "exit status 1")
        self._check_room()
        row = row_of(task, measured)
        if run.keep_records:
            row["records"] = new_records(run.key)
            folder = waiting(task.scratch, row["records"])
            folder.mkdir()
            row["command"] = f"execution {world.number()}"
            (folder / "made_by").write_text(row["command"])
        return row

    def _check_room(self) -> None:
        if self._world.disk_is_full:
            raise FullDiskError("no room")
