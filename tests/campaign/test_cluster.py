"""A real scheduler and real workers, one of which is killed: the results are those of this machine alone."""

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import distributed
import pytest
from distributed.comm import CommClosedError
from in_process import tmt
from local_cluster import Cluster
from processes import TMT, copied_programs
from result_rows import OF_ONE_EXECUTION, finished_runs, results_of
from scenario_parts import runs_of
from waiting import PATIENCE_S, until

from tmt.campaign.cluster import HERE, QUEUED_PER_THREAD, ClusterWorkers, connected
from tmt.campaign.cluster_worker import perform_away, private_folder
from tmt.campaign.columns import DONE
from tmt.campaign.link_traces import Convert, DamagedTraceError, facts_file, link_file
from tmt.campaign.pool import Answer, Pool
from tmt.campaign.runs import ReplayRun
from tmt.campaign.store import Store
from tmt.campaign.tasks import Simulate, perform
from tmt.core.errors import UsageError
from tmt.core.provenance import file_sha256
from tmt.run.linux import NEEDED

pytestmark = pytest.mark.ns2

MOUNT = 'mount -t tmpfs none "$0" && mkdir -p "$0/remote/scratch" && exec "$@"'


def _with_its_own(folder: Path) -> tuple[str | Path, ...]:
    """Return words before a command that give it a folder of its own in place of `folder`, with a campaign.

    There are none where the machine allows no mounts of its own to a program.
    """
    private = ("unshare", "--user", "--map-root-user", "--mount")
    is_allowed = subprocess.run([*private, "true"], check=False).returncode == 0
    return (*private, "sh", "-c", MOUNT, folder) if is_allowed else ()


def test_run__on_a_cluster_that_loses_a_worker_gives_the_local_rows(
    tmp_path: Path, write_scenario: Callable[..., Path], cluster: Cluster
) -> None:
    """The other worker has a campaign of its own at the same path: its records come back with its rows."""
    scenario = write_scenario(
        tmp_path / "s.toml", tcp='["cubic"]', seeds=6, duration_s=100, grid="records = [1]"
    )
    local, remote = tmp_path / "local", tmp_path / "shared" / "remote"
    remote.parent.mkdir()
    apart = _with_its_own(remote.parent)
    workers = [cluster.start_worker("one"), cluster.start_worker("apart", apart)]
    cluster.await_workers(2)
    assert tmt("run", scenario, "--quiet", "--output", local, folder=tmp_path) == (0, "", "")
    words = ["--quiet", "--output", remote, "--plot", tmp_path / "a.json", "--scheduler", cluster.address]
    command = [TMT, "run", scenario, *words]
    with subprocess.Popen(command) as engine:
        try:
            until(lambda: finished_runs(remote) >= 3, engine)
            workers[0].kill()
            assert engine.wait(PATIENCE_S) == 0
        finally:
            engine.kill()
    assert results_of(remote).equals(results_of(local))
    kept = sorted(path.name.split("-")[0] for path in (local / "records").iterdir())
    assert len(kept) == 2
    assert sorted(path.name.split("-")[0] for path in (remote / "records").iterdir()) == kept


def _append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def _fake_kernel(folder: Path, content: str) -> Path:
    """Return a program that shows the configuration of a kernel of stack linux; all have one stamp."""
    folder.mkdir()
    lines = "".join(f'    puts("{line}");\n' for line in (*NEEDED, content))
    (folder / "linux.c").write_text(f"#include <stdio.h>\nint main(void) {{\n{lines}    return 0;\n}}\n")
    subprocess.run(["gcc", "-o", "linux", "linux.c"], cwd=folder, check=True)
    return _stamped(folder / "linux", "the-same")


def _stamped(program: Path, sources: str) -> Path:
    """Return a program after a stamp for it was written that names these sources."""
    program.with_name("stamp").write_text(f"{sources} {file_sha256(program)}\n")
    return program


def test_pool__gives_runs_to_workers_with_our_programs_only(
    tmp_path: Path,
    write_scenario: Callable[..., Path],
    simulator: Path,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two workers join with another simulator and another kernel; later two get other scripts and sources."""
    monkeypatch.setenv("CLIFT_LINUX", str(_fake_kernel(tmp_path / "kernel", "ours")))
    path = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=3)
    path.write_text(path.read_text() + '[[traffic]]\nstack = "linux"\nduration = 3\n')
    runs = runs_of(path)
    assert {run.program()[0] for run in runs} == {"ns2", "linux"}
    store = Store(tmp_path / "out")
    for conversion in {run.recipe.identity: run.recipe for run in runs}.values():
        assert perform(Convert(conversion, store.cache, store.scratch)) == {"error": None}

    copies = [copied_programs(tmp_path / name).parent for name in ("scripts", "sources")]
    home = {"CLIFT_LINUX": str(tmp_path / "kernel" / "linux"), "CLIFT_NS": str(simulator)}
    for copy in copies:
        cluster.start_worker(copy.name, **home, PYTHONPATH=str(copy))
    cluster.await_workers(2)
    with connected(cluster.address) as client:
        pool = Pool(ClusterWorkers(client, store.folder, 1, runs))
        assert pool.free(Simulate) == 2 * QUEUED_PER_THREAD, "both fit"

        build = tmp_path / "build"
        build.mkdir()
        shutil.copy(simulator, build / "ns")
        _append(build / "ns", "another build of the same sources")
        _stamped(build / "ns", simulator.with_name("stamp").read_text().split()[0])
        kernel = _fake_kernel(tmp_path / "other-kernel", "another")
        cluster.start_worker("simulator", **home | {"CLIFT_NS": str(build / "ns")})
        cluster.start_worker("kernel", **home | {"CLIFT_LINUX": str(kernel)})
        cluster.start_worker("good", **home)
        cluster.await_workers(5)
        with pytest.warns(UserWarning, match="has other versions of these programs") as joined:
            assert pool.outcomes(0.01) == []
        said = " ".join(str(warning.message) for warning in joined)
        assert len(joined) == 2
        assert "program file of ns2;" in said
        assert "program file of linux;" in said
        assert pool.free(Simulate) == 3 * QUEUED_PER_THREAD

        _append(copies[0] / "clift-ns2" / "tcl" / "replay.tcl", "\n# another script\n")
        _append(copies[1] / "tmt" / "core" / "units.py", "\nANOTHER = 1\n")
        with pytest.warns(UserWarning, match="has other versions of the programs") as refused:
            done = _outcomes(pool, [run for run in runs if run.program()[0] == "ns2"], store)
        assert len(refused) == 2
        assert pool.free(Simulate) == QUEUED_PER_THREAD, "the good worker is left"
        assert {row["key"] for row in done} == {run.key for run in runs if run.program()[0] == "ns2"}
        assert {row["status"] for row in done} == {"done"}
        pool.close()
    store.close()


def _at_work(client: distributed.Client, store: Store, run: ReplayRun) -> tuple[ClusterWorkers, str]:
    """Return the workers of a scheduler, and the address of its only one, which has a run with ticket 7."""
    workers = ClusterWorkers(client, store.folder, 1, [run])
    (address,) = set(workers.present()) - {HERE}
    workers.examine([address])
    workers.start(7, address, Simulate(run, 1, store.cache, store.scratch))
    return workers, address


def test_workers__that_die_before_they_hand_over_a_result_are_dead(
    tmp_path: Path, write_scenario: Callable[..., Path], cluster: Cluster
) -> None:
    run = runs_of(write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1))[0]
    store = Store(tmp_path / "out")
    assert perform(Convert(run.recipe, store.cache, store.scratch)) == {"error": None}
    worker = cluster.start_worker("one")
    cluster.await_workers(1)
    with connected(cluster.address) as client:
        workers, _ = _at_work(client, store, run)
        until(lambda: {s.status for key, s in client.futures.items() if "perform" in key} == {"finished"})
        worker.kill()
        assert workers.answers(PATIENCE_S) == [Answer(7, died="lost")]
        workers.close()
    store.close()


def test_task__that_the_scheduler_forgets_is_lost_and_not_the_scheduler(
    tmp_path: Path, write_scenario: Callable[..., Path], cluster: Cluster
) -> None:
    """It forgets tasks whose link trace has gone with a worker; here another client makes it forget one."""
    run = runs_of(write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1, duration_s=4000))[0]
    store = Store(tmp_path / "out")
    assert perform(Convert(run.recipe, store.cache, store.scratch)) == {"error": None}
    cluster.start_worker("one")
    cluster.await_workers(1)
    with connected(cluster.address) as client, connected(cluster.address) as other:
        workers, address = _at_work(client, store, run)
        (key,) = (key for key in client.futures if "perform" in key)
        until(lambda: key in other.processing()[address])
        other.cancel([distributed.Future(key, other)], force=True)
        assert workers.answers(PATIENCE_S) == [Answer(7, died="lost")]
        workers.close()
    store.close()


class _Client:
    """A client of a scheduler whose worker does not share the folder, and dies when data travel to it."""

    status = "running"

    def nthreads(self) -> dict[str, int]:
        return {"tcp://one": 1}

    def run(self, *_: object, **_more: object) -> dict[str, tuple[dict[str, Any], bool]]:
        return {"tcp://one": ({}, False)}

    def scatter(self, *_: object, **_more: object) -> None:
        raise CommClosedError(
            "in <TCP ConnectionPool.scatter local=tcp://here remote=tcp://one>: Stream is closed"
        )

    def cancel(self, futures: list[object]) -> None:
        assert not futures


@pytest.mark.parametrize("is_there", [True, False])
def test_worker__that_dies_while_a_link_trace_travels_to_it_loses_its_task(
    is_there: bool, tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    """Nor does the campaign end where the link trace has gone from the cache: the engine makes it anew."""
    run = runs_of(write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1))[0]
    store = Store(tmp_path / "out")
    if is_there:
        assert perform(Convert(run.recipe, store.cache, store.scratch)) == {"error": None}
    workers, _ = _at_work(_Client(), store, run)
    (answer,) = workers.answers(PATIENCE_S)
    if is_there:
        assert answer == Answer(7, died="lost")
    else:
        assert isinstance(answer.error, DamagedTraceError)
        assert str(answer.error).endswith(".npy: cannot be read: No such file or directory")
    workers.close()
    store.close()


def _outcomes(pool: Pool, runs: list[ReplayRun], store: Store) -> list[dict[str, Any]]:
    """Do runs, and return their rows."""
    for run in runs:
        pool.submit(Simulate(run, 1, store.cache, store.scratch))
    found: list[dict[str, Any]] = []

    def have_all_ended() -> bool:
        for _, answer in pool.outcomes(0.2):
            assert answer.result is not None, answer
            found.append(answer.result)
        return len(found) == len(runs)

    until(have_all_ended)
    return found


def test_run__whose_scheduler_dies_says_so(
    tmp_path: Path, write_scenario: Callable[..., Path], cluster: Cluster
) -> None:
    scenario = write_scenario(tmp_path / "s.toml", tcp='["newreno"]', seeds=20, duration_s=400)
    cluster.start_worker("one")
    cluster.await_workers(1)
    out = tmp_path / "out"
    words = ["run", str(scenario), "--quiet", "--output", str(out), "--scheduler", cluster.address]
    with subprocess.Popen([TMT, *words], stderr=subprocess.PIPE, text=True) as engine:
        try:
            until(lambda: finished_runs(out), engine)
            cluster.scheduler.kill()
            said = engine.communicate(timeout=PATIENCE_S)[1]
        finally:
            engine.kill()
    assert engine.returncode == 1
    assert said.splitlines()[-1] == (
        "--scheduler: the scheduler does not answer any more; finished runs are kept; call again"
    )
    assert len(results_of(out)) >= 1


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9"),
        ("node1", "node1 is not an address such as tcp://node1:8786"),
    ],
)
def test_run__without_a_scheduler_there_says_so(
    address: str, reason: str, tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    scenario = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1)
    result = tmt("run", scenario, "--output", "out", "--scheduler", address, folder=tmp_path)
    assert (result.status, result.err) == (2, f"--scheduler: {reason}\n")
    assert not (tmp_path / "out").exists()


def test_silent_server__is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tmt.campaign.cluster.CONNECT_S", 0.5)
    # In a thread: this one may have an event loop, if a test of the browser ran before.
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as thread:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        thread.submit(asyncio.run, _fail_to_connect(address)).result()


async def _fail_to_connect(address: str) -> None:
    """Do so beside a running event loop, which a notebook has."""
    with pytest.raises(UsageError, match="no scheduler answers"), connected(address):
        pass


def test_another_server__is_no_scheduler() -> None:
    """Dask takes the words of another server for lengths of messages, up to all memory."""
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as thread:
        thread.submit(_greet, server)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UsageError, match="no scheduler answers"), connected(address):
            pass


def _greet(server: socket.socket) -> None:
    server.settimeout(20)
    with suppress(TimeoutError), server.accept()[0] as connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3)
        connection.settimeout(20)
        connection.recv(1 << 16)


def test_perform_away__gives_the_row_and_the_records_of_a_run_at_home(
    tmp_path: Path, write_scenario: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    private_folder.cache_clear()
    (tmp_path / "elsewhere").mkdir()
    scenario = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1, grid="records = [1]")
    run = runs_of(scenario)[1]
    home = Simulate(run, 1, *(tmp_path / name for name in ("cache", "scratch")))
    for folder in (home.cache, home.scratch):
        folder.mkdir()
    for name in (run.recipe.identity, run.key):  # of a worker in another container, which was given up
        (home.scratch / f"{name}-{os.getpid()}").mkdir()
        (home.scratch / f"{name}-{os.getpid()}" / "stdout.txt").touch()
    assert perform(Convert(run.recipe, home.cache, home.scratch)) == {"error": None}
    expected = perform(home)
    assert expected["status"] == DONE
    assert (home.scratch / f"{run.key}-{os.getpid()}").exists()
    kept_there = home.scratch / Path(str(expected["records"])).name
    content = (
        link_file(home.cache, run.recipe).read_bytes(),
        facts_file(home.cache, run.recipe).read_bytes(),
    )
    nowhere = Simulate(run, 1, *(Path("/nowhere") / name for name in ("cache", "scratch")))
    for _ in range(2):
        row, files = perform_away(nowhere, [content])
        (private,) = (tmp_path / "elsewhere").iterdir()
        assert private.stat().st_mode & 0o777 == 0o700
        (private / f"{run.recipe.identity}.npy").write_bytes(b"swapped")  # the next run does not believe it
        assert {name for name in row if row[name] != expected[name]} <= set(OF_ONE_EXECUTION)
        kept = {path.name: path.read_bytes() for path in kept_there.iterdir()}
        assert files.keys() == kept.keys()
        assert files["windows.parquet"].startswith(b"PAR1")
    left = [path.name for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]
    assert sorted(left) == sorted(path.name for path in home.cache.iterdir()), "each trace is there, once"
