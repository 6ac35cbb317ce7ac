"""Decides which worker gets which task, and which answers count; the workers themselves are elsewhere.

A worker gets tasks after it has shown that it has the programs of the runs' keys. An answer counts if it is
the first to a task that the worker still has, and belongs to the task's run.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from itertools import count
from math import inf
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tmt.campaign.tasks import Simulate
from tmt.core.errors import TmtError, WorkerError
from tmt.core.identity import PACKAGE, loaded_hash
from tmt.run.program import program_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tmt.campaign.columns import Row
    from tmt.campaign.runs import Run
    from tmt.campaign.tasks import Task

SILENCE_S = 60
"""Time beyond the simulation itself after which a worker without an answer is given up."""


class WrongWorkerError(TmtError):
    """A worker's programs differ from those that its task needs."""


class InstalledPrograms(NamedTuple):
    """Hashes of the programs that decide a kind of runs, and of all sources of TMT."""

    stamp_and_scripts: str
    sources: str
    program_file: str


ProgramsByName = dict[str, InstalledPrograms]
"""By the name of the program that executes runs, such as ``ns2``."""


class Answer(NamedTuple):
    """End of the task with a ticket: `result` (of `perform`), `died` (its worker's end) or `error`."""

    ticket: int
    result: Row | None = None
    died: str | None = None
    error: BaseException | None = None


class Slots(NamedTuple):
    """Number of tasks that a worker takes, including waiting ones, and their kinds."""

    number: int
    kinds: tuple[type[Task], ...]


class Workers(Protocol):
    """The processes that execute tasks, and the messages to and from them.

    A worker must have `programs`. A task is given up after `tries` workers have died of it.
    """

    programs: ProgramsByName
    tries: int

    def present(self) -> Mapping[str, Slots]:
        """Return the workers that are there now, by address."""

    def examine(self, addresses: Iterable[str]) -> Mapping[str, ProgramsByName | str]:
        """Return the programs of workers, or the reason why one does not show them."""

    def start(self, ticket: int, address: str, task: Task) -> None:
        """Send a task to a worker."""

    def answers(self, timeout_s: float) -> list[Answer]:
        """Wait at most `timeout_s` for answers. A worker's death is an answer to each of its tasks."""

    def drop(self, ticket: int) -> None:
        """Give up a task without an answer; one may still come."""

    def close(self) -> None:
        """End the open tasks, and the workers that this engine started."""


class _Given(NamedTuple):
    """A task at a worker; `lost` workers have died of it."""

    task: Task
    address: str
    since_s: float
    lost: int


class Pool:
    """Executes tasks on checked workers, and closes them at the end.

    `clock` gives a monotonic time in seconds. WorkerError when a worker present at the start has other
    programs than the engine; later, when all present workers are refused.
    """

    def __init__(self, workers: Workers, clock: Callable[[], float] = time.monotonic) -> None:
        self._workers, self._clock = workers, clock
        self._looked_s, self._awake_s = clock(), 0.0
        self._present: Mapping[str, Slots] = {}
        self._fit: dict[str, Slots] = {}
        self._refused: set[str] = set()
        self._given: dict[int, _Given] = {}
        self._waiting: deque[tuple[Task, int]] = deque()
        self._tickets = count()
        try:
            for address, reason in self._look():
                raise WorkerError(f"worker {address} {reason}")
        except BaseException:
            self.close()
            raise

    def free(self, kind: type[Task]) -> int:
        """Return the number of tasks of a kind for which workers have room."""
        waiting = sum(isinstance(task, kind) for task, _ in self._waiting)
        return max(sum(self._room(address, kind) for address in self._fit) - waiting, 0)

    def submit(self, task: Task) -> None:
        """Start a task; `free` has said that there is room for it."""
        self._waiting.append((task, 0))
        self._give()

    def outcomes(self, timeout_s: float) -> list[tuple[Task, Answer]]:
        """Wait at most `timeout_s` for answers, and return those that end a task, with the task."""
        self._check_left()
        now_s = self._clock()
        # An engine that was stopped (Ctrl-Z) has received no answer meanwhile.
        self._awake_s += min(now_s - self._looked_s, SILENCE_S)
        self._looked_s = now_s
        found = [self._settle(answer) for answer in self._workers.answers(timeout_s)]
        for address, reason in self._look():
            self._refuse(address, reason)
        found += [self._give_up(ticket) for ticket in self._silent()]
        self._give()
        return [outcome for outcome in found if outcome is not None]

    def close(self) -> None:
        """End the open tasks, and the workers that this engine started."""
        self._workers.close()

    def _look(self) -> list[tuple[str, str]]:
        """Update the list of workers; return those who joined with other programs, with the difference."""
        self._present = present = self._workers.present()
        self._refused &= present.keys()
        joined = present.keys() - self._fit.keys() - self._refused
        ours, shown = self._workers.programs, self._workers.examine(sorted(joined))
        wrong = {address: difference(ours, theirs) for address, theirs in shown.items() if theirs != ours}
        unfit = self._refused | wrong.keys()
        self._fit = {address: slots for address, slots in present.items() if address not in unfit}
        return list(wrong.items())

    def _refuse(self, address: str, reason: str) -> None:
        """Give a worker no more tasks while it is present."""
        if address in self._refused:
            return
        warnings.warn(f"worker {address} {reason}; it gets no runs", stacklevel=2)
        self._fit.pop(address, None)
        self._refused.add(address)

    def _check_left(self) -> None:
        """Give up when workers for runs are present and all are refused, unless others may still come."""
        there = [address for address, slots in self._present.items() if Simulate in slots.kinds]
        if there and self._refused.issuperset(there):
            raise WorkerError(
                "no worker is left that answers and has the same programs as this machine; finished runs are "
                "kept; call again"
            )

    def _room(self, address: str, kind: type[Task]) -> int:
        slots = self._fit[address]
        if kind not in slots.kinds:
            return 0
        return slots.number - sum(given.address == address for given in self._given.values())

    def _give(self) -> None:
        """Send waiting tasks to the workers with the most room."""
        for _ in range(len(self._waiting)):
            task, lost = self._waiting.popleft()
            address = max(self._fit, key=lambda address: self._room(address, type(task)), default=None)
            if address is None or self._room(address, type(task)) <= 0:
                self._waiting.append((task, lost))
                continue
            ticket = next(self._tickets)
            self._given[ticket] = _Given(task, address, self._awake_s, lost)
            self._workers.start(ticket, address, task)

    def _settle(self, answer: Answer) -> tuple[Task, Answer] | None:
        """Return a task with the answer that ends it; None if it goes to another worker, or is not open."""
        given = self._given.pop(answer.ticket, None)
        if given is None:
            return None
        task = given.task
        if answer.died is not None:
            return self._try_again(given, answer)
        if isinstance(answer.error, WrongWorkerError) or not belongs(answer.result, task):
            reason = "has other versions of the programs" if answer.error else "has answered with another run"
            self._refuse(given.address, reason)
            self._waiting.append((task, given.lost))
            return None
        return task, answer

    def _silent(self) -> list[int]:
        """Return the tickets of tasks that should have ended long ago."""
        return [
            ticket
            for ticket, given in self._given.items()
            if isinstance(given.task, Simulate)
            # Another task of its worker may have been executed first.
            and self._awake_s - given.since_s > 2 * ((given.task.run.timeout_s or inf) + SILENCE_S)
        ]

    def _give_up(self, ticket: int) -> tuple[Task, Answer] | None:
        given = self._given.pop(ticket)
        self._workers.drop(ticket)
        if given.address in self._workers.present():
            self._refuse(given.address, "does not answer")
        else:  # a local process, which has already been replaced
            self._fit.pop(given.address, None)
        return self._try_again(given, Answer(ticket, died="silent"))

    def _try_again(self, given: _Given, answer: Answer) -> tuple[Task, Answer] | None:
        """Give a task to another worker, unless too many have died of it."""
        others, lost = given.lost, given.lost + 1
        if lost < self._workers.tries:
            self._waiting.append((given.task, lost))
            return None
        died = f"{answer.died}, and {others} others before" if others else answer.died
        return given.task, answer._replace(died=died)


def belongs(result: Row | None, task: Task) -> bool:
    """Whether a result, if any, is the row of a task's run, made by the programs of its key."""
    if result is None or not isinstance(task, Simulate):
        return True
    expected = task.run.key, task.attempt, *task.run.programs
    return tuple(map(result.get, ("key", "attempt", "simulator", "sources"))) == expected


def one_of_each(runs: Iterable[Run]) -> list[Run]:
    """Return one run for each set of programs that the runs need."""
    return list({run.programs: run for run in runs}.values())


def installed_programs(runs: Iterable[Run]) -> ProgramsByName:
    """Return this machine's programs for runs, with all of TMT; ChangedProgramsError if those changed."""
    sources, found = loaded_hash(PACKAGE), {}
    for run in runs:
        name, file = run.program()
        stamp, _ = run.installed_programs()
        found[name] = InstalledPrograms(stamp, sources, program_hash(file))
    return found


def difference(ours: ProgramsByName, theirs: ProgramsByName | str) -> str:
    """Name the part in which a worker's programs differ from the engine's, or why it does not show them."""
    if isinstance(theirs, str):
        return theirs
    parts = [
        f"{part.replace('_', ' ')} of {name}"
        for name, programs in ours.items()
        for part in programs._fields
        if name not in theirs or getattr(programs, part) != getattr(theirs[name], part)
    ]
    return f"has other versions of these programs: {', '.join(parts)}"
