"""Messages about mistakes say what to do, allowed slips get one note on stderr, and results are JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import cases
from processes import on_terminal
from rich.table import Table

from tests.house.conftest import Said
from tmt.campaign.engine import Progress
from tmt.cli import progress
from tmt.cli.tables import print_parts, text_table
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import write_trace


@pytest.mark.parametrize("group", ["", "import", "model"])
def test_group_alone__prints_its_help(tmt: Callable[[str], Said], group: str) -> None:
    status, out, err = tmt(group)
    assert (status, err) == (0, "")
    assert out == tmt(f"{group} --help").out
    assert out.startswith(f"Usage: tmt {group}".rstrip())


MILLISECONDS = "times are in seconds: "


@cases(__file__, "notes.txt")
def test_slip__is_noted_once(tmt: Callable[[str], Said], case: list[str]) -> None:
    words, *notes = case
    status, _, err = tmt(words.removeprefix("$ tmt "))
    assert (status, err.splitlines()) == (0, notes)


def test_decode_times__in_milliseconds_are_noted(folder: Path, tmt: Callable[[str], Said]) -> None:
    (folder / "ms.txt").write_text("0 36\n1 0\n2 36\n3 36\n")
    note = f"note: ms.txt: the median decode time is 36 s; {MILLISECONDS}36 ms is 0.036\n"
    note += (
        "note: ms.txt: slots are 1 s apart and decoded after up to 36 s: is this a rate series? "
        "tmt import table ms.txt OUT.parquet --time 1 --rate 2:Mbit/s reads one\n"
    )
    for arguments in ("inspect ms.txt", "convert ms.txt a.npy --scheme none"):
        assert tmt(arguments)[::2] == (0, note)


def test_import__notes_milliseconds_read_as_seconds(folder: Path, tmt: Callable[[str], Said]) -> None:
    """A delay of 45 ms in a column that is said to be in seconds, and a parameter of 1000 ms."""
    (folder / "t.csv").write_text("t,owd\n0,45\n1,47\n2,49\n")
    said = tmt("import table t.csv x.npy --as link --time t:s --delay owd:s")
    assert f"note: the median delay is 47 s; {MILLISECONDS}47 ms is 0.047\n" in said.out
    (folder / "ping.txt").write_text("64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=4 ms\n" * 2)
    said = tmt("import ping ping.txt x.npy --interval 1000")
    assert f"note: --interval is 1000 s; {MILLISECONDS}1000 ms is 1\n" in said.out
    said = tmt("import ping ping.txt x.npy --interval 1")
    assert MILLISECONDS not in said.out


def test_unsettled_rows__are_noted_beyond_a_half(folder: Path, tmt: Callable[[str], Said]) -> None:
    for unsettled in (2, 3):
        delay = np.where(np.arange(4) < unsettled, -1, 5)
        write_trace(folder / "l.npy", LinkTrace(np.arange(4), delay, delay > 0, np.ones(4, np.uint8)))
        said = tmt("inspect --json l.npy").err
        note = "note: l.npy: 3 of 4 rows are unsettled: open when the trace ends\n"
        assert (note in said, "unsettled" in said) == (unsettled == 3, unsettled == 3)


@pytest.mark.parametrize(("window", "stalled"), [(5, 90), (10, 0)])
def test_full_window_of_tetrys__is_noted_with_the_slots_of_a_round_trip(
    folder: Path, tmt: Callable[[str], Said], window: int, stalled: int
) -> None:
    # Feedback takes 0.5 + 9.5 slots of 1 s: 5 of 10 slots carry source units, and the last 4 of 184.
    (folder / "s.txt").write_text("".join(f"{slot} 0.5\n" for slot in range(184)))
    said = tmt(
        f"convert s.txt a.npy --scheme tetrys --coding-window {window} --repair-interval 65535 --rtt 9.5"
    )
    idle = f"note: a.npy: {stalled} of 184 slots stayed idle: the window was full; "
    expected = f"{idle}coding_window is {window}, and a round trip has 10 slots\n" if stalled else ""
    assert (said.status, said.err) == (0, expected)


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ("rlc --window-pdus 5", "--window-pdus than 5"),
        ("rlc --window-pdus 50", None),
        ("harq-processes --processes 4", "--processes than 4"),
        ("rlc --below harq-processes --below-processes 4", "--below-processes than 4"),
    ],
)
def test_idle_slots__are_noted_with_what_to_raise(
    folder: Path, tmt: Callable[[str], Said], options: str, limit: str | None
) -> None:
    """Feedback takes 0.5 + 9.5 slots of 1 s, in which a window of 5 leaves half of the slots idle."""
    (folder / "s.txt").write_text("".join(f"{slot} 0.5\n" for slot in range(184)))
    said = tmt(f"convert s.txt a.npy --rtt 9.5 --scheme {options}")
    idle = f"of the slots stayed idle: a larger {limit} fills more of them; a round trip has 10 slots\n"
    assert (said.status, idle in said.err) == (0, limit is not None)


@pytest.mark.parametrize(
    ("times", "options", "noted"),
    [
        ((0, 8, 40, 48), "--retransmission synchronous", True),
        ((0, 8, 40, 48), "--retransmission synchronous --slot-time 0.001", False),
        ((0, 8, 40, 48), "", False),
        ((0, 8, 40, 48), "--retransmission synchronous --repetitions 2", False),
        ((0, 1, 2, 3), "--retransmission synchronous", False),
        ((0,), "--retransmission synchronous", False),
    ],
)
def test_synchronous_processes__are_noted_over_a_trace_with_gaps(
    folder: Path, tmt: Callable[[str], Said], times: tuple[int, ...], options: str, noted: bool
) -> None:
    (folder / "s.txt").write_text("".join(f"0.{ms:03} 0.001\n" for ms in times))
    said = tmt(f"convert s.txt a.npy --scheme harq-processes --processes 8 --rtt 0 {options}")
    note = (
        "note: s.txt has gaps between its slots (8 to 32 ms), and synchronous processes count slots, not "
        "time: --slot-time sets the time from slot to slot (0.001 in LTE)\n"
    )
    assert (said.status, said.err) == (0, note if noted else "")


@pytest.mark.ns2
def test_replay__notes_a_trace_shorter_than_the_round_trip(tmt: Callable[[str], Said]) -> None:
    status, out, err = tmt("replay link.parquet --rtt 500 --duration 3 --json")
    assert status == 0
    assert json.loads(out)["rtt_s"] == 500
    assert err.splitlines()[:2] == [
        f"note: --rtt is 500 s; {MILLISECONDS}500 ms is 0.5",
        "note: the forward trace lasts 1.998 s, less than one round trip of 500 s",
    ]


def test_rtt__is_accepted_with_every_scheme(folder: Path, tmt: Callable[[str], Said]) -> None:
    for scheme in ("none", "fec --data 3 --repair 1", "arq", "harq --data 3 --repair 1"):
        assert tmt(f"convert phy.parquet a.npy --rtt 0.1 --scheme {scheme}").status == 0


def test_out_dir__is_made(folder: Path, tmt: Callable[[str], Said]) -> None:
    assert tmt("convert no.parquet -o new/links --scheme none").status == 2
    assert not (folder / "new").exists()
    assert tmt("convert phy.parquet -o new/links --scheme none").status == 0
    assert (folder / "new" / "links" / "phy-none.npy").is_file()


SCENARIO = """
seeds = {seeds}
trace = {{ channel = {{ name = "error-free" }}, rate = 12e6, lldu_bytes = 1500, length = {duration} }}
scheme = {{ name = "none" }}
path = {{ rtt = {rtt} }}
traffic = {{ tcp = "newreno", duration = {duration} }}
"""


@pytest.mark.ns2
def test_results__lie_beside_the_scenario(folder: Path, tmt: Callable[[str], Said]) -> None:
    (folder / "study").mkdir()
    (folder / "study" / "short.toml").write_text(SCENARIO.format(seeds=1, duration=1, rtt=20))
    status, out, err = tmt("run study/short.toml")
    assert status == 0
    assert "study/out/short/results.parquet" in out
    assert (folder / "study" / "out" / "short" / "results.parquet").is_file()
    assert not (folder / "out").exists()
    assert err == f"note: study/short.toml: rtt is 20 s; {MILLISECONDS}20 ms is 0.02\n"


def _record(tmt: Callable[[str], Said], arguments: str) -> dict[str, Any]:
    status, out, err = tmt(f"{arguments} --json")
    assert (status, err) == (0, "")
    record: dict[str, Any] = json.loads(out)
    return record


def test_generate__gives_channel_seed_and_slots(tmt: Callable[[str], Said]) -> None:
    channel = "--channel bernoulli --probability 0.1"
    made = {"phy": "a.npy", "channel": {"channel": "bernoulli", "probability": 0.1}}
    assert _record(tmt, f"generate {channel} --duration 3 --seed 7 a.npy") == made | {
        "seed": 7,
        "slots": 3000,
    }
    assert _record(tmt, f"generate {channel} --over phy.parquet a.npy") == made | {"seed": 1, "slots": 2000}


def test_convert__gives_each_conversion_with_its_counts(tmt: Callable[[str], Said]) -> None:
    (made,) = _record(tmt, "convert phy.parquet a.npy --scheme arq --rtt 0.1 --every 2")["conversions"]
    assert (made["phy"], made["link"], made["every"], made["slots"]) == ("phy.parquet", "a.npy", 2, 1000)
    assert made["scheme"] == {
        "name": "arq",
        "rtt_ns": 100_000_000,
        "max_transmissions": None,
        "detection_delay_ns": 0,
    }
    assert made["data_rows"] + made["retransmission_slots"] == made["slots"]
    assert made["delivered"] + made["lost"] + made["unsettled"] == made["data_rows"]
    both = _record(tmt, "convert phy.parquet --output links --scheme none --scheme fec --data 3 --repair 1")
    assert [one["scheme"]["name"] for one in both["conversions"]] == ["none", "fec"]


@pytest.mark.parametrize(("options", "tool"), [("", None), ("--for mahimahi", "mahimahi")])
def test_export__gives_rows_and_notes(tmt: Callable[[str], Said], options: str, tool: str | None) -> None:
    made = _record(tmt, f"export link.parquet link.txt {options}")
    assert (made["trace"], made["out"], made["for"]) == ("link.parquet", "link.txt", tool)
    assert made["rows"] > 900
    assert all(isinstance(note, str) for note in made["notes"])
    assert bool(made["notes"]) == (tool is not None)


@pytest.mark.parametrize("file_format", ["mahimahi", "auto"])
def test_import__gives_counts_and_notes(folder: Path, tmt: Callable[[str], Said], file_format: str) -> None:
    (folder / "cell.down").write_text("0\n10\n20\n")
    assert _record(tmt, f"import {file_format} cell.down a.npy") == {
        "trace": "a.npy",
        "kind": "phy",
        "format": "mahimahi",
        "rows": 3,
        "erased": 0,
        "notes": [],
    }


FIGURES = ("12345678 ±123456*", "87654321 ±654321", "1000000")


@pytest.mark.parametrize("columns", [1, 30, 200])
def test_print_parts__keeps_what_must_not_wrap_whole(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    table = Table(title="a title", box=None)
    for heading in ("first", "a long heading", "third"):
        table.add_column(heading, no_wrap=True)
    table.add_column("meaning")
    table.add_row(*FIGURES, "words that may stand below each other")
    print_parts(table)
    said = capsys.readouterr().out
    for text in (*FIGURES, "a long heading", "below"):
        assert text in said
    assert "…" not in said
    assert [line for line in said.splitlines() if line.endswith(" ")] == []
    if columns == 200:
        assert "words that may stand below each other" in said


def test_print_parts__takes_brackets_for_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("[red]", box=None)
    table.add_row("a[/bold].parquet")
    print_parts(table)
    assert capsys.readouterr().out.split() == ["[red]", "a[/bold].parquet"]


def test_print_parts__lets_no_heading_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A heading may be a name from a stranger's results."""
    print_parts(text_table("", ["cubic\x1b[2J"], [["1"]], ()))
    assert capsys.readouterr().out.split()[0] == "cubic?[2J"


def test_spinner__shows_a_files_name_as_it_is_and_lets_it_command_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "\x1b]0;["
    folder.mkdir()
    (folder / "b].down").write_text("1\n2\n3\n5\n")
    shown = on_terminal("import", "mahimahi", "\x1b]0;[/b].down", "phy.parquet", folder=tmp_path)
    assert "reads ?]0;[/b].down" in shown
    assert "\x1b]0;" not in shown


def test_progress_lines__name_stage_runs_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr(progress, "LINE_EVERY_S", 15.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s)
    with progress.run_progress("search") as (watch, tell):
        now_s = 110.0
        watch(Progress(total=40, converted=1, conversions=2))  # 10 s: no line is due
        now_s = 116.0
        watch(Progress(total=40, converted=1, conversions=2))
        now_s = 140.0  # the first ten runs, which waited for compiling, say nothing about the others
        watch(Progress(total=40, done=9, failed=1, converted=2, conversions=2))
        now_s = 142.0
        watch(Progress(total=40, done=11, failed=1, converted=2, conversions=2))
        now_s = 160.0  # ten more in 20 s: the other 20 take 40 s
        watch(Progress(total=40, done=19, failed=1, converted=2, conversions=2))
        tell("race")
        now_s = 500.0
        watch(Progress(total=31, done=1))
        now_s = 620.0  # five in 120 s: the other 25 take 600 s
        watch(Progress(total=31, done=6))
    assert capsys.readouterr() == (
        "",
        "search: 1 of 2 link traces, 0 of 40 runs\n"
        "search: 2 of 2 link traces, 10 of 40 runs, 1 failed\n"
        "search: 2 of 2 link traces, 20 of 40 runs, 1 failed, 40 s left\n"
        "race: 1 of 31 runs\n"
        "race: 6 of 31 runs, 10 min left\n",
    )


def test_progress_lines__are_absent_where_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.run_progress("search", shown=False) as (watch, tell):
        tell("race")
        watch(Progress(total=6))
    assert capsys.readouterr() == ("", "")


def test_bar__says_that_kernels_may_compile_until_the_first_slots_are_done(tmp_path: Path) -> None:
    write_trace(tmp_path / "phy.parquet", PhyTrace(np.arange(1, 9) * 1_000_000, np.full(8, 500_000)))
    convert = ("convert", "phy.parquet", "link.parquet", "--scheme", "none")
    shown = on_terminal(*convert, folder=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "kernels"))
    assert "convert (compiles at first use)" in shown
    assert "compiles" not in shown[shown.index("100%") :]
    assert "8 slots = 8 data" in shown


@pytest.mark.parametrize(
    ("total", "ended", "told"),
    [
        # From 40 s on: 5 runs in 6 s, so 10 take 12 s; 6 in 60 s, so 9 take 90 s; 7 in 61 s, so 8 take 70 s.
        (16, {40: 1, 41: 5, 46: 6, 100: 7, 101: 8}, ["", "", "12 s left", "90 s left", "70 s left"]),
        # Two in 100 s: 70 take 3500 s, rounded up to minutes.
        (73, {0: 1, 50: 2, 100: 3}, ["", "", "59 min left"]),
    ],
)
def test_time_left__waits_for_runs_enough(
    total: int, ended: dict[int, int], told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(ended)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    left = progress.TimeLeft()
    assert [left.words(Progress(total=total, done=done)) for done in ended.values()] == told
