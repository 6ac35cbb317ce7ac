"""`tmt replay`: refusals, table, JSON, kept records and figure."""

import json
from pathlib import Path

import pytest
from in_process import tmt

from tmt.spec.columns import RUN_RESULTS

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

BASIC = ["--rtt", "0.5", "--duration", "5"]


def test_run__prints_figures_keeps_records_and_draws(tmp_path: Path) -> None:
    arguments = ["--rate", "2e6", "--tcp", "westwood", *BASIC, "-o", "kept", "--plot", "run.svg"]
    result = tmt("replay", *arguments, folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    row = json.loads((tmp_path / "kept" / "result.json").read_text())
    lines = result.out.splitlines()
    assert lines[0] == "westwood (stack modern) over a link, 2 Mbit/s, RTT 0.5 s, 5 s"
    assert f"Goodput {row['goodput_bps'] / 1000:.4g} kbit/s" in [" ".join(line.split()) for line in lines]
    assert f"Median delay {1000 * row['delay_median_s']:.4g} ms" in [" ".join(line.split()) for line in lines]
    assert "TCP payload" in lines[-1]
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 80
    records = {"packets.parquet", "windows.parquet", "result.json", "stdout.txt", "stderr.txt"}
    assert {path.name for path in (tmp_path / "kept").iterdir()} >= records
    assert "Westwood+" in (tmp_path / "run.svg").read_text()


def test_details__are_every_figure_with_what_it_counts(tmp_path: Path) -> None:
    result = tmt("replay", "--rate", "2e6", *BASIC, "--details", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    for words in ("goodput_bps", "TCP payload bytes, each counted once", "cwnd_max_packets", "simulator "):
        assert words in result.out
    assert "replay.tcl tcp cubic stack modern" in result.out


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


def test_json__is_the_row_and_nothing_else(tmp_path: Path) -> None:
    result = tmt("replay", "--rate", "2e6", *BASIC, "--flows", "2", "--json", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    row = json.loads(result.out)
    assert list(row) == [column.name for column in RUN_RESULTS]
    assert (row["tcp"], row["flows"], row["forward_rate_bps"]) == ("cubic", 2, 2e6)


def test_run__that_takes_too_long_ends_in_status_1_and_says_what_ran(tmp_path: Path) -> None:
    words = "replay --rate 2e6 --rtt 0.5 --duration 1e6 --timeout 0.2"
    result = tmt(*words.split(), folder=tmp_path)
    assert result.status == 1
    assert "stopped after 0.2 s" in result.err
    assert "duration_s 1000000" in result.err
    assert "Traceback" not in result.err
