"""`tmt replay`: refusals, table, JSON, kept records and figure."""

import json
from pathlib import Path

import pytest
from in_process import tmt

from tmt.spec.columns import RUN_RESULTS

BASIC = ["--rtt", "0.5", "--duration", "5"]


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_run__prints_figures_keeps_records_and_draws(tmp_path: Path) -> None:
    arguments = ["--rate", "2e6", "--tcp", "westwood", *BASIC, "-o", "kept", "--plot", "run.svg"]
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
def test_run__takes_options_of_version_0_2_and_says_todays(tmp_path: Path) -> None:
    old = "--forward-rate 2e6 --queue 20 --window 30 --any-order --keep kept"
    result = tmt("replay", *old.split(), *BASIC, "--json", folder=tmp_path)
    assert result.status == 0
    row = json.loads(result.out)
    assert (row["forward_rate_bps"], row["queue_packets"], row["window_packets"]) == (2e6, 20, 30)
    assert row["in_order"] is False
    assert (tmp_path / "kept" / "result.json").is_file()
    assert result.err.splitlines() == [
        "warning: --forward-rate is called --rate now",
        "warning: --queue is called --queue-packets now",
        "warning: --window is called --window-packets now",
        "warning: --any-order is called --no-in-order now",
        "warning: --keep is called --output now",
    ]
    refused = tmt("replay", "--forward", "missing.npy", *BASIC, folder=tmp_path)
    assert refused.err.splitlines()[0] == "warning: --forward TRACE is called TRACE now"
    assert refused.err.splitlines()[1].startswith("missing.npy: ")


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_json__is_the_row_and_nothing_else(tmp_path: Path) -> None:
    result = tmt("replay", "--rate", "2e6", *BASIC, "--flows", "2", "--json", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    row = json.loads(result.out)
    assert list(row) == [column.name for column in RUN_RESULTS]
    assert (row["tcp"], row["flows"], row["forward_rate_bps"]) == ("cubic", 2, 2e6)


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_run__that_takes_too_long_ends_in_status_1_and_says_what_ran(tmp_path: Path) -> None:
    result = tmt(
        "replay", "--rate", "2e6", "--rtt", "0.5", "--duration", "1e6", "--timeout", "0.2", folder=tmp_path
    )
    assert result.status == 1
    assert "stopped after 0.2 s" in result.err
    assert "duration_s 1000000" in result.err
    assert "Traceback" not in result.err
