"""The script that replays TCP: refusals, and equal files for equal arguments."""

import subprocess
from pathlib import Path

import pytest

from tests.ns2.scripts import run_script
from tmt.run import RunError
from tmt.run.ns2 import Simulator

pytestmark = pytest.mark.ns2

SCRIPT = Path(__file__).resolve().parents[2] / "clift-ns2" / "tcl" / "replay.tcl"


def replay(simulator: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    folder.mkdir()
    return run_script(simulator, SCRIPT, folder, *words)


def test_unknown_setting__is_named_with_those_that_exist(simulator: Path, tmp_path: Path) -> None:
    result = replay(simulator, tmp_path / "run", "rtt", "0.5")
    assert result.returncode == 2
    assert result.stderr.startswith("replay.tcl: rtt is not a setting; there are ack_interval_s, ")
    assert result.stderr.count("\n") == 1


def test_bad_trace__leaves_no_records(simulator: Path, tmp_path: Path) -> None:
    bad = SCRIPT.parents[2] / "traces" / "contract" / "no-rows.npy"
    result = replay(simulator, tmp_path / "run", "forward", str(bad))
    assert result.returncode == 2
    assert result.stderr == f"{bad}: there are no rows; a trace has at least one\n"
    assert list((tmp_path / "run").iterdir()) == []


def test_path_beyond_ascii__is_read(simulator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_NS", str(simulator))
    monkeypatch.setenv("LC_ALL", "C")
    folder = tmp_path / "Überlingen"
    folder.mkdir()
    bad = folder / "no-rows.npy"
    bad.write_bytes((SCRIPT.parents[2] / "traces" / "contract" / "no-rows.npy").read_bytes())
    with pytest.raises(RunError) as caught:
        Simulator.find().run(["forward", str(bad)], folder)
    assert caught.value.last_words == f"{bad}: there are no rows; a trace has at least one"


def test_equal_arguments__give_equal_files(simulator: Path, tmp_path: Path) -> None:
    words = "tcp compound flows 3 start_spread_s 2 seed 5 duration_s 20 queue_packets 20"
    for name in ("first", "second"):
        assert replay(simulator, tmp_path / name, *words.split()).returncode == 0
    names = {path.name for path in (tmp_path / "first").iterdir()}
    assert names == {"packets.npy", "windows.npy", "counters.tsv"}
    for name in names:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name


def test_seed__is_the_number_of_a_substream(simulator: Path, tmp_path: Path) -> None:
    """The jump to a substream ends where ns-2's own steps end."""
    script = tmp_path / "substreams.tcl"
    script.write_text("""
        foreach { stepped jumped } [list [new RNG] [new RNG]] {}
        foreach count { 0 1 2 4095 5000 } {
            foreach one [list $stepped $jumped] { $one seed 12345; $one next-random }
            for { set i 0 } { $i < $count } { incr i } { $stepped next-substream }
            if { $count == 0 } { $stepped reset-start-substream }
            [new Clift/Substreams] skip $jumped $count
            foreach one [list $stepped $jumped] {
                set numbers($one) [list [$one all-seeds] [$one next-substream] [$one all-seeds]]
            }
            puts [expr { $numbers($stepped) eq $numbers($jumped) }]
        }
        [new Clift/Substreams] skip $defaultRNG 1000000
    """)
    done = run_script(simulator, script, tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, ["1"] * 5), done.stderr


def test_transfer__ends_the_run_when_it_is_acknowledged(simulator: Path, tmp_path: Path) -> None:
    # 10,000 bytes are 7 segments of 1448: the SYN, then windows of 3 and 6. Three round trips of 0.1 s, and
    # a few tens of microseconds for sending over 1 Gbit/s.
    result = replay(
        simulator,
        tmp_path / "run",
        *["rtt_s", "0.1", "transfer_bytes", "10000", "start_s", "1", "duration_s", "60"],
        *["stack", "2009", "forward_rate_bps", "1e9", "return_rate_bps", "1e9"],
    )
    assert result.returncode == 0, result.stderr
    lines = (tmp_path / "run" / "counters.tsv").read_text().splitlines()
    counters = {name: int(value) for name, value in (line.split("\t") for line in lines)}
    assert counters["end_ns"] == counters["flow_0_completed_ns"]
    assert 1.3e9 < counters["end_ns"] < 1.301e9
