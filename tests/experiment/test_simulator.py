"""Reports of failed simulations, with real processes in the simulator's place."""

import os
import pickle
import time
from pathlib import Path

import pytest
from waiting import until

from tmt.core.errors import SimulatorError
from tmt.core.provenance import file_sha256
from tmt.run import RunError
from tmt.run.ns2 import Simulator
from tmt.run.program import STDERR, STDOUT, last_words


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulator:
    """A shell script called as the simulator; each test writes its text."""
    program = tmp_path / "ns"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("CLIFT_NS", str(program))
    return Simulator.find()


def failure(simulator: Simulator, script: str, timeout_s: float | None = None) -> RunError:
    simulator.program.write_text(f"#!/bin/sh\n{script}\n")
    directory = simulator.program.parent / "run"
    directory.mkdir()
    with pytest.raises(RunError) as caught:
        simulator.run(["tcp", "it's cubic"], directory, timeout_s)
    return caught.value


def test_failure__shows_status_command_line_and_last_lines(stand_in: Simulator) -> None:
    error = failure(stand_in, "for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; exit 3")
    assert (error.outcome, error.status, error.timed_out) == ("exit status 3", 3, False)
    assert error.last_words.splitlines() == [f"line {i}" for i in range(3, 8)]
    assert error.argv == [str(stand_in.program), str(stand_in.script), "tcp", "it's cubic"]
    assert f"{stand_in.program} {stand_in.script} tcp 'it'\"'\"'s cubic'" in str(error)
    assert "line 7" in str(error)


def test_failure__without_a_word_on_stderr_shows_stdout(stand_in: Simulator) -> None:
    assert failure(stand_in, "echo only here; exit 1").last_words == "only here"


def test_failure__without_a_word_says_so(stand_in: Simulator) -> None:
    assert "(nothing)" in str(failure(stand_in, "exit 1"))


def test_killed_run__names_the_signal(stand_in: Simulator) -> None:
    error = failure(stand_in, "echo bye >&2; kill -9 $$")
    assert (error.outcome, error.status, error.last_words) == ("killed by SIGKILL", -9, "bye")


def test_hanging_run__is_killed_with_its_children(stand_in: Simulator) -> None:
    words = "sleep 1000000 & echo $! > child; echo waiting >&2; sleep 1000000"
    error = failure(stand_in, words, timeout_s=0.5)
    assert error.timed_out
    assert (error.outcome, error.status, error.last_words) == ("stopped after 0.5 s", None, "waiting")
    child = int((stand_in.program.parent / "run" / "child").read_text())
    until(lambda: not alive(child))  # init may need a moment to take leave of the orphan


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_program_that_cannot_run__is_reported(stand_in: Simulator) -> None:
    stand_in.program.write_bytes(b"\x7fELF no program")
    directory = stand_in.program.parent / "run"
    directory.mkdir()
    with pytest.raises(RunError, match="cannot be started"):
        stand_in.run([], directory)


def test_good_run__keeps_what_was_printed_and_tells_its_time(stand_in: Simulator, tmp_path: Path) -> None:
    stand_in.program.write_text("#!/bin/sh\necho out; echo err >&2; sleep 0.2\n")
    started = time.perf_counter()
    argv, wall_time_s = stand_in.run(["seed", "1"], tmp_path, timeout_s=1e12)
    assert argv[2:] == ["seed", "1"]
    assert 0.2 <= wall_time_s <= time.perf_counter() - started
    assert ((tmp_path / STDOUT).read_text(), (tmp_path / STDERR).read_text()) == ("out\n", "err\n")
    assert last_words(tmp_path) == "err"


def test_missing_simulator__tells_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tmt.run.ns2._HOME", tmp_path)
    monkeypatch.delenv("CLIFT_NS", raising=False)
    with pytest.raises(SimulatorError, match="make setup"):
        Simulator.find()
    monkeypatch.setenv("CLIFT_NS", str(tmp_path / "elsewhere"))
    with pytest.raises(SimulatorError, match="CLIFT_NS"):
        Simulator.find()


def test_stamp__is_of_the_build_and_of_the_scripts(
    stand_in: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tcl").mkdir()
    script = tmp_path / "tcl" / "flows.tcl"
    script.write_text("set a 1\n")
    monkeypatch.setattr("tmt.run.ns2._HOME", tmp_path)
    stamps = [Simulator.find().stamp]
    stand_in.program.write_text("#!/bin/sh\nexit 3\n")
    stamps.append(Simulator.find().stamp)
    (stand_in.program.parent / "stamp").write_text(f"abc123 {file_sha256(stand_in.program)}\n")
    stamps.append(Simulator.find().stamp)
    script.write_text("set a 2\n")
    stamps.append(Simulator.find().stamp)
    assert len(set(stamps)) == 4
    script.write_text("set a 1\n")
    assert Simulator.find().stamp == stamps[2]


@pytest.mark.parametrize("stamp", ["", "abc123\n", "\0"])
def test_stamp_without_the_hash_of_a_program__does_not_count(stamp: str, stand_in: Simulator) -> None:
    """As earlier versions of TMT wrote it."""
    stand_in.program.with_name("stamp").write_text(stamp)
    assert Simulator.find() == stand_in


def test_stamp_of_another_program__is_refused(stand_in: Simulator) -> None:
    """Somebody has copied it."""
    file = stand_in.program.with_name("stamp")
    file.write_text(f"abc123 {'0' * 64}\n")
    with pytest.raises(SimulatorError) as refused:
        Simulator.find()
    assert str(refused.value) == (
        f"{stand_in.program}: the stamp beside it is of another program; `make setup` builds it, or remove "
        f"{file}"
    )


def test_program_that_changes_beside_its_stamp__is_refused(stand_in: Simulator) -> None:
    """As a compilation does without our build script."""
    stand_in.program.with_name("stamp").write_text(f"abc123 {file_sha256(stand_in.program)}\n")
    Simulator.find()
    with stand_in.program.open("a") as program:
        program.write("# compiled again\n")
    with pytest.raises(SimulatorError, match="the stamp beside it is of another program"):
        Simulator.find()


def test_error__survives_the_way_home_from_a_worker() -> None:
    error = RunError(["ns", "a b"], "exit status 1", "last\nwords", program="ns-2", timed_out=True, status=1)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_last_words__are_few_even_of_a_long_line(tmp_path: Path) -> None:
    (tmp_path / STDERR).write_bytes(b"x" * 100_000 + os.urandom(8))
    assert len(last_words(tmp_path)) <= 4096
