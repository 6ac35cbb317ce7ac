"""`tmt replay`: refusals, table, JSON, kept records and figure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from in_process import tmt

from tmt.spec.run_columns import RUN_RESULTS

if TYPE_CHECKING:
    from pathlib import Path

BASIC = ["--rtt", "0.5", "--duration", "5"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (BASIC, ["--forward", "--forward-rate"]),
        (["--forward-rate", "1e6", "--duration", "5"], ["--rtt"]),
        (["--forward-rate", "1e6", "--rtt", "0.5"], ["--duration"]),
        ([*BASIC, "--forward", "a.npy", "--forward-rate", "1e6"], ["--forward-rate", "exclude"]),
        ([*BASIC, "--forward-rate", "1e6", "--return-lldu-bytes", "33"], ["--return-lldu-bytes", "--return"]),
        ([*BASIC, "--forward", "missing.npy"], ["missing.npy"]),
        ([*BASIC, "--forward-rate", "1e6", "--flows", "5000"], ["flows is 5000", "1000"]),
        ([*BASIC, "--forward-rate", "1e6", "--plot", "run.gif"], ["run.gif", ".svg"]),
        ([*BASIC, "--forward-rate", "1e6", "--start", "5"], ["start of a flow is 5 s"]),
        ([*BASIC, "--forward-rate", "1e6", "--tcp", "vegas"], ["vegas", "westwood"]),
        ([*BASIC, "--forward-rate", "1e6", "--code", "lt"], ["--code", "--tcp fectcp"]),
        ([*BASIC, "--forward-rate", "1e6", "--tcp", "fectcp", "--code", "lz"], ["code is 'lz'", "raptorq"]),
        ([*BASIC, "--forward-rate", "1e6", "--online", "arq"], ["--online arq needs a PHY trace"]),
        ([*BASIC, "--forward-rate", "1e6", "--depth", "2"], ["--depth means nothing without --online"]),
        ([*BASIC, "--forward", "a.npy", "--online", "harq", "--data", "5"], ["--repair is missing"]),
        (
            [*BASIC, "--forward", "a.npy", "--online", "none", "--data", "5"],
            ["--data is no option of --online none"],
        ),
        ([*BASIC, "--forward-rate", "1e6", "--proxy"], ["--proxy needs --wired-rate"]),
        ([*BASIC, "--forward-rate", "1e6", "--wired-loss", "0.1"], ["--wired-loss need --wired-rate"]),
        ([*BASIC, "--forward-rate", "1e6", "--proxy-buffer", "9"], ["--proxy-buffer", "need --proxy"]),
        (
            [
                *BASIC,
                "--forward-rate",
                "1e6",
                "--wired-rate",
                "1e6",
                "--proxy",
                "--proxy-tcp",
                "bbr",
                "--stack",
                "2009",
            ],
            ["proxy's tcp is 'bbr'", "with stack 2009"],
        ),
        (
            [
                *BASIC,
                "--forward",
                "a.npy",
                "--online",
                "go-back-n",
                "--window-frames",
                "4",
                "--repeat-after",
                "0.1",
            ],
            ["repeat_after_ns is 100000000", "500000000"],
        ),
        (["--forward-rate", "1e6", "--rtt", "-1", "--duration", "5"], ["--rtt", "-1"]),
    ],
)
def test_bad_arguments__are_refused_by_name_with_status_2(
    arguments: list[str], words: list[str], tmp_path: Path
) -> None:
    result = tmt("replay", *arguments, folder=tmp_path)
    assert result.status == 2
    assert all(word in result.err for word in words), result.err
    assert "Traceback" not in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_run__prints_figures_keeps_records_and_draws(tmp_path: Path) -> None:
    arguments = ["--forward-rate", "2e6", "--tcp", "westwood", *BASIC, "--keep", "kept", "--plot", "run.svg"]
    result = tmt("replay", *arguments, folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    assert "goodput_bps" in result.out
    assert "TCP payload bytes, each counted once" in result.out
    assert "replay.tcl tcp westwood stack modern" in result.out
    assert {path.name for path in (tmp_path / "kept").iterdir()} >= {
        "packets.parquet",
        "windows.parquet",
        "result.json",
        "stdout.txt",
        "stderr.txt",
    }
    assert "Westwood+" in (tmp_path / "run.svg").read_text()


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_json__is_the_row_and_nothing_else(tmp_path: Path) -> None:
    result = tmt("replay", "--forward-rate", "2e6", *BASIC, "--flows", "2", "--json", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    row = json.loads(result.out)
    assert list(row) == [column.name for column in RUN_RESULTS]
    assert (row["tcp"], row["flows"], row["forward_rate_bps"]) == ("cubic", 2, 2e6)


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_run__that_takes_too_long_ends_in_status_1_and_says_what_ran(tmp_path: Path) -> None:
    result = tmt(
        "replay",
        "--forward-rate",
        "2e6",
        "--rtt",
        "0.5",
        "--duration",
        "1e6",
        "--timeout",
        "0.2",
        folder=tmp_path,
    )
    assert result.status == 1
    assert "stopped after 0.2 s" in result.err
    assert "duration_s 1000000" in result.err
    assert "Traceback" not in result.err
