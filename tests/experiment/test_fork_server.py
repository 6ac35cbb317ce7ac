"""Runs that a fork server of ns-2 has forked, against runs for which ns-2 was started."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiments import asked
from waiting import until

from tmt import PlainLink
from tmt.run import RunError
from tmt.run.ns2 import Simulator, fork_server
from tmt.run.program import STDERR, STDOUT

pytestmark = pytest.mark.ns2

TELL = """
puts "$argv0 $argc $argv"
puts "[pwd] [info script] [info level] [info globals argv] [info nameofexecutable] $tcl_interactive"
puts [array get env]
set file [open /proc/self/stat]
puts [expr { [lrange [read $file] 4 5] eq [list [pid] [pid]] ? "leads its session" : "leads none" }]
puts [lsort [glob -tails -directory /proc/self/fd *]]
puts [new RNG]
"""
LINKS = {"forward": PlainLink(1e6), "back": PlainLink(1e6), "seed": 1}
FOREVER = "while 1 { after 1000 }\n"


@pytest.fixture(autouse=True)
def new_server(simulator: Path) -> Iterator[None]:
    """Begin and end without a fork server."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    vars(fork_server._of_this_thread).clear()


def _server() -> int:
    return fork_server._of_this_thread.server.process.pid


def _children() -> list[int]:
    """Return this process's children that are an ns-2: other tests leave other ones."""
    lists = [file.read_text() for file in Path("/proc/self/task").glob("*/children")]
    found = [int(child) for text in lists for child in text.split()]
    return [one for one in found if Path(f"/proc/{one}/comm").read_text() == "ns\n"]


def _folder_of(process: int) -> Path | None:
    try:
        return Path(f"/proc/{process}/cwd").readlink()
    except OSError:
        return None


def _outcome(script: str, folder: Path, *words: str, timeout_s: float = 900) -> tuple[str, str, str]:
    """Run a script in a new folder; return how it ended and what it printed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder.parent / "script.tcl"
    file.write_text(script)
    try:
        Simulator.find().run(words, folder, timeout_s, file)
    except RunError as error:
        return str(error), (folder / STDOUT).read_text(), (folder / STDERR).read_text()
    return "", (folder / STDOUT).read_text(), (folder / STDERR).read_text()


@pytest.mark.parametrize(
    "script",
    [
        TELL,
        f"{TELL}exit 3",
        "proc f {} { error {no such thing} }\nf",
        "break",
        "return -code error said",
        "puts stderr bad; puts -nonewline good; exec kill -9 [pid]",
        "exec kill -SEGV [pid]",
        "{",
        "set ns [new Simulator]; Queue/Clift set lldu_bytes_ nan; new Queue/Clift",
    ],
)
def test_forked_run__ends_and_prints_as_a_started_one(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_USER", "ä {")
    folder, words = tmp_path / "a folder ü" / "run", ("x", "{", "ü \udcff", "")
    forked = [_outcome(script, folder, *words) for _ in range(2)]
    assert _children() == [_server()]
    monkeypatch.setattr("tmt.run.ns2.fork_run", lambda *_: None)
    assert forked == [_outcome(script, folder, *words)] * 2


@pytest.mark.parametrize("stack", ["modern", "2009", "2009-as-shipped"])
def test_forked_replay__leaves_the_same_bytes(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files(name: str) -> dict[str, bytes]:
        folder = tmp_path / name
        settings = LINKS | {"tcp": "cubic", "stack": stack, "flows": 3, "queue_packets": 20}
        asked(**settings, rtt_ns=10**8, duration_ns=20 * 10**9).run(folder)
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    forked = [files("first"), files("second")]
    monkeypatch.setattr("tmt.run.ns2.fork_run", lambda *_: None)
    assert forked == [files("started")] * 2
    assert "packets.npy" in forked[0]


def test_server__stays_until_program_scripts_or_environment_change(
    simulator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def server() -> int:
        assert _outcome("puts $env(HUE)", tmp_path / "run") == ("", f"{os.environ['HUE']}\n", "")
        assert _children() == [_server()]
        return _server()

    build = tmp_path / "build"
    build.mkdir()
    for name in ("ns", "stamp"):
        shutil.copy(simulator.with_name(name), build)
    monkeypatch.setenv("HUE", "red")
    first = server()
    assert server() == first
    monkeypatch.setenv("HUE", "blue")
    servers = [first, server()]
    monkeypatch.setenv("CLIFT_NS", str(build / "ns"))
    servers.append(server())
    shutil.copy(simulator, build / "again")
    (build / "again").rename(build / "ns")
    servers.append(server())
    shutil.copytree(Simulator.find().script.parent, tmp_path / "tcl")
    monkeypatch.setattr("tmt.run.ns2._HOME", tmp_path)
    servers.append(server())
    (tmp_path / "tcl" / "path.tcl").write_text("# another\n")
    servers.append(server())
    assert len(set(servers)) == 6


def test_program_without_a_stamp__is_started_for_each_run(
    simulator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a script that calls ns-2 in a debugger."""
    (tmp_path / "ns").write_text(f'#!/bin/sh\necho called\nexec {simulator} "$@"\n')
    (tmp_path / "ns").chmod(0o755)
    monkeypatch.setenv("CLIFT_NS", str(tmp_path / "ns"))
    assert _outcome("puts done", tmp_path / "run") == ("", "called\ndone\n", "")
    assert not _children()


def test_server__that_was_killed_is_replaced(tmp_path: Path) -> None:
    for _ in range(2):
        assert _outcome("puts done", tmp_path / "run") == ("", "done\n", "")
        os.kill(_server(), signal.SIGKILL)
    _outcome("puts done", tmp_path / "run")
    kill_it = f"exec kill -9 {_server()}; puts done"
    assert _outcome(kill_it, tmp_path / "run") == ("", "done\n", "")


@pytest.mark.parametrize("limit_s", [0.2, fork_server.ANSWER_LIMIT_S])
def test_server__that_does_not_answer_is_replaced(
    limit_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs, or dies with a request."""
    _outcome("puts done", tmp_path / "run")
    os.kill(_server(), signal.SIGSTOP)
    monkeypatch.setattr(fork_server, "ANSWER_LIMIT_S", limit_s)
    if limit_s > 1:
        threading.Timer(0.2, os.kill, (_server(), signal.SIGKILL)).start()
    assert _outcome("puts done", tmp_path / "run") == ("", "done\n", "")
    assert not _children()


def test_run__without_its_folder_cannot_be_started(tmp_path: Path) -> None:
    simulator = Simulator.find()
    server = [str(simulator.program), str(simulator.script.with_name("fork-server.tcl"))]
    environment = {"CLIFT_PARENT": str(os.getpid())}
    assert fork_server.fork_run(server, "", tmp_path / "none", ["x.tcl"], environment) is None
    assert _children() == [_server()]


def test_interrupted_request__leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, interrupted = fork_server._Server._answer, list[bool]()

    def interrupt_first(server: fork_server._Server) -> tuple[int, int]:
        if not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        return answer(server)

    monkeypatch.setattr(fork_server._Server, "_answer", interrupt_first)
    with pytest.raises(KeyboardInterrupt):
        _outcome(FOREVER, tmp_path / "run")
    assert not _children()
    assert _outcome("puts done", tmp_path / "run") == ("", "done\n", "")


def test_forked_run__is_stopped_with_its_children(tmp_path: Path) -> None:
    child = f'puts [exec sleep 1000000 &]; flush stdout; puts stderr "waiting"; {FOREVER}'
    error, said, _ = _outcome(child, tmp_path / "run", timeout_s=0.5)
    assert error.startswith("ns-2: stopped after 0.5 s\n")
    assert error.endswith("waiting")
    until(lambda: _folder_of(int(said)) is None)
    assert _children() == [_server()]


PROGRAM = """
import sys
from pathlib import Path
from tmt.run.ns2 import Simulator
Simulator.find().run([], Path("run").absolute(), 900, Path(sys.argv[1]))
"""


def test_process_that_is_killed__takes_server_and_run_with_it(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "s.tcl").write_text(FOREVER)
    with subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path / "s.tcl"], cwd=tmp_path) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        run = until(lambda: [one for one in children.read_text().split() if _runs(one, tmp_path)], process)
        both = children.read_text().split()
        assert len(both) == 2
        assert run[0] in both
        process.kill()
    until(lambda: not any(Path("/proc", one).exists() for one in both))


def _runs(process: str, folder: Path) -> bool:
    return _folder_of(int(process)) == folder / "run"


def test_process__that_ignores_the_end_of_children_gets_its_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "s.tcl").write_text("puts done")
    ignoring = f"import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n{PROGRAM}"
    subprocess.run([sys.executable, "-W", "error", "-c", ignoring, "s.tcl"], cwd=tmp_path, check=True)


def test_threads__have_servers_of_their_own_which_end_with_them(tmp_path: Path) -> None:
    outcomes, servers = list[tuple[str, str, str]](), list[int]()

    def work(number: int) -> None:
        for _ in range(3):
            outcomes.append(_outcome(f"puts {number}", tmp_path / str(number) / "run"))
        servers.append(_server())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [("", "0\n", "")] * 3 + [("", "1\n", "")] * 3
    assert len(set(servers)) == 2
    assert not _children()


def test_fork_of_this_process__has_a_server_of_its_own(tmp_path: Path) -> None:
    _outcome("puts here", tmp_path / "run")
    before = _server()
    child = os.fork()
    if child == 0:
        done = _outcome("puts there", tmp_path / "there") == ("", "there\n", "")
        os._exit(0 if done and _server() != before and _children() == [_server()] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert _outcome("puts here", tmp_path / "run") == ("", "here\n", "")
    assert _server() == before
