"""Workers that cannot start: the engine says so in one line, and ends those that have started."""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import Pipe, get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from processes import execute
from scenario_parts import runs_of
from waiting import until

from tmt.campaign.columns import DONE
from tmt.campaign.link_traces import Convert
from tmt.campaign.local_workers import LocalWorkers, work
from tmt.campaign.pool import SILENCE_S, Answer, Pool
from tmt.campaign.store import Store
from tmt.campaign.tasks import Simulate, Task, perform
from tmt.core.errors import WorkerError


def test_worker__that_cannot_start_a_thread_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    ours, theirs = Pipe()
    with ours, theirs:
        process = get_context("fork").Process(target=work, args=(theirs,))
        process.start()
        process.join()
        kind, error = ours.recv()
    assert (kind, type(error)) == ("error", WorkerError)
    assert str(error) == "a worker process cannot start a thread: can't start new thread"


def test_local_workers__of_which_one_cannot_start_ends_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[ForkServerProcess] = []
    start = ForkServerProcess.start

    def start_one(process: ForkServerProcess) -> None:
        if started:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        start(process)
        started.append(process)

    monkeypatch.setattr(ForkServerProcess, "start", start_one)
    with pytest.raises(WorkerError, match="no worker process can be started; raise the limit of processes"):
        LocalWorkers(2)
    with pytest.raises(ValueError, match="process object is closed"):
        started[0].is_alive()


REFUSED_FORKS = """
import errno, os, sys

def refuse():
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

if any("forkserver" in word for word in sys.orig_argv):
    os.fork = refuse
"""

START = """
from tmt.campaign.local_workers import LocalWorkers
from tmt.core.errors import WorkerError

try:
    LocalWorkers(1)
except WorkerError as error:
    print(error)
"""


def test_local_workers__that_get_no_process_show_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(REFUSED_FORKS)
    words = [sys.executable, "-c", START]
    variables = os.environ | {"PYTHONPATH": str(tmp_path)}
    end = execute(*words, env=variables)
    assert end.stdout == "no worker process can be started; raise the limit of processes\n"
    assert (end.returncode, end.stderr) == (0, "")


HANGING_IMPORT = """
import os, sys
from pathlib import Path

class Hang:
    server = os.getpid()

    def find_spec(self, name, path=None, target=None):
        if name == "tmt.campaign.local_workers" and os.getpid() == self.server:
            raise ImportError("refused to the process that forks workers")
        if name == "tmt.campaign.local_workers":
            Path("hangs").write_text(str(os.getpid()))
            while True:
                pass

if any("forkserver" in word for word in sys.orig_argv):
    sys.meta_path.insert(0, Hang())
"""


def test_worker__whose_import_hangs_ends_with_its_engine(tmp_path: Path) -> None:
    """OpenBLAS asks for ever for memory that the system refuses."""
    (tmp_path / "sitecustomize.py").write_text(HANGING_IMPORT)
    variables = os.environ | {"PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-c", START.replace("LocalWorkers(1)", "LocalWorkers(1).answers(1e6)")]
    hangs = tmp_path / "hangs"
    with subprocess.Popen(words, cwd=tmp_path, env=variables) as engine:
        worker = until(lambda: hangs.exists() and hangs.read_text(), engine)
        engine.kill()
    until(lambda: not Path(f"/proc/{worker}").exists())


class Stopwatch:
    """A clock that a test sets."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def task(write_scenario: Callable[..., Path], tmp_path: Path) -> Iterator[Callable[[float], Simulate]]:
    """Gives a function that makes a task: a run so long, which may take 10 s of wall time."""
    stores = list[Store]()

    def make(duration_s: float) -> Simulate:
        path = tmp_path / f"{duration_s}.toml"
        write_scenario(path, tcp='["cubic"]', seeds=1, duration_s=duration_s, grid="timeout = 10")
        run, store = runs_of(path)[0], Store(tmp_path / path.stem)
        for recipe in run.recipes:
            assert perform(Convert(recipe, store.cache, store.scratch)) == {"error": None}
        stores.append(store)
        return Simulate(run, 1, store.cache, store.scratch)

    yield make
    for store in stores:
        store.close()


@pytest.mark.ns2
def test_worker__that_is_silent_is_replaced_and_gets_no_more(task: Callable[[float], Simulate]) -> None:
    clock, found = Stopwatch(), list[tuple[Task, Answer]]()
    with closing(Pool(LocalWorkers(1), clock)) as pool:
        pool.submit(task(100_000))
        while not found:
            clock.now_s += SILENCE_S
            found = pool.outcomes(0)
        assert [answer.died for _, answer in found] == ["silent"]
        assert clock.now_s >= 2 * (10 + SILENCE_S)
        assert pool.free(Simulate) == 0
        until(lambda: pool.outcomes(0.01) or pool.free(Simulate))
        pool.submit(task(1))
        ((_, answer),) = until(lambda: pool.outcomes(0.1))
    assert answer.result is not None
    assert answer.result["status"] == DONE


@pytest.mark.ns2
def test_worker__is_not_silent_while_its_engine_is_stopped(task: Callable[[float], Simulate]) -> None:
    clock = Stopwatch()
    with closing(Pool(LocalWorkers(1), clock)) as pool:
        pool.submit(task(1))
        clock.now_s = 1e6
        ((_, answer),) = pool.outcomes(0) or until(lambda: pool.outcomes(0.1))
    assert answer.died is None
