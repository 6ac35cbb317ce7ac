"""From a campaign's folder to the results that a report shows."""

import hashlib
import os
import shutil
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from processes import execute
from result_rows import frame, run, stored

from tmt.core.errors import InputError
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.io.parquet import write_records
from tmt.results import over_time
from tmt.results.dataset import find_axes
from tmt.results.reading import read_results

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
OURS = [path for path in sorted(SCENARIOS.glob("*.toml")) if "published" in tomllib.loads(path.read_text())]


def test_read_results__orders_runs_by_the_grid_not_by_when_they_ended(tmp_path: Path) -> None:
    rows = [
        run(tcp=tcp, scheme=scheme, scheme_name=name, seed=seed)
        for seed in (2, 1)
        for scheme, name in (("HARQ(10/12)", "harq"), ("own", None), ("none", "none"), ("ARQ", "arq"))
        for tcp in ("cubic", "newreno")
    ]
    runs = read_results(stored(tmp_path / "c", *rows)).runs
    places = list(zip(runs["tcp"], runs["scheme"], runs["seed"], strict=True))
    assert places == [
        (tcp, scheme, seed)
        for tcp in ("newreno", "cubic")
        for scheme in ("none", "ARQ", "HARQ(10/12)", "own")
        for seed in (1, 2)
    ]


def test_read_results__tells_schemes_of_one_label_apart(tmp_path: Path) -> None:
    rows = [
        run(scheme=label, scheme_parameters=parameters)
        for label, parameters in (
            ("HARQ(10/12)", '{"rounds": 1, "rtt_ns": 1}'),
            ("HARQ(10/12)", '{"rounds": 3, "rtt_ns": 2}'),
            ("ARQ", '{"rtt_ns": 1}'),
            ("ARQ", '{"rtt_ns": 2}'),
        )
    ]
    runs = read_results(stored(tmp_path / "c", *rows)).runs
    assert set(runs["scheme"]) == {"HARQ(10/12), rounds=1", "HARQ(10/12), rounds=3", "ARQ"}


def test_read_results__tells_schemes_apart_whose_parameters_have_other_names(tmp_path: Path) -> None:
    sets = ('{"rounds": 1}', '{"rounds": 1, "detection_delay_ns": 5}', '{"copies": 2}', None)
    rows = [run(scheme="ARQ", scheme_parameters=parameters) for parameters in sets]
    runs = read_results(stored(tmp_path / "c", *rows)).runs
    labels = {"ARQ, rounds=1", "ARQ, rounds=1, detection_delay_ns=5", "ARQ, copies=2", "ARQ"}
    assert set(runs["scheme"]) == labels


def test_read_results__puts_no_runs_of_two_versions_into_one_cell(tmp_path: Path) -> None:
    # Seed 1 was run again after a change; the clock of that machine was slow.
    rows = [
        run(seed=1, goodput_bps=1e5, experiment="a"),
        run(seed=2, goodput_bps=2e5, experiment="a"),
        run(seed=1, goodput_bps=3e5, finished_at="2020-01-01T00:00:00+00:00", experiment="b"),
    ]
    results = read_results(stored(tmp_path / "c", *rows))
    assert list(results.runs["goodput_bps"]) == [3e5]
    assert list(results.older["goodput_bps"]) == [1e5, 2e5]
    assert "2 runs of an earlier version" in results.warnings[0]


def test_read_results__takes_only_published_values_of_its_own_scenario(tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    (folder / "scenario.toml").write_text('title = "Ours"\npublished = "p.csv"\n')
    lines = (
        f"goodput_bps,cubic,ARQ,{value},{error},x,{title}"
        for value, error, title in ((1, 0.5, "Ours"), (2, 0, "Other"), (3, "", ""))
    )
    text = "\n".join(["column,tcp,scheme,value,error,source,scenario", *lines])
    (folder / "published.csv").write_text(text + "\n")
    assert [(value.value, value.error) for value in read_results(folder).published] == [(1, 0.5), (3, 0)]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_read_results__reads_published_values_of_our_scenarios(path: Path, tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    shutil.copy(path, folder / "scenario.toml")
    shutil.copy(path.parent / tomllib.loads(path.read_text())["published"], folder / "published.csv")
    assert read_results(folder).published


def test_read_results__names_what_published_values_have_and_no_run(tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    lines = [
        "column,tcp,scheme,value,error,source",
        "goodput_bps,cubic,ARQ,1,0,x",
        "lldu_loss_ratio,,none,1,0,x",
    ]
    (tmp_path / "p.csv").write_text("\n".join(lines))
    assert read_results(folder, tmp_path / "p.csv").warnings == ()
    lines += [f"goodput_bps,{pair},1,0,x" for pair in ("cubik,ARQ", "cubic,HARQ", "Cubic,HARQ", "cubic,arq")]
    lines.append("goodput,cubic,ARQ,1,0,x")
    (tmp_path / "p.csv").write_text("\n".join(lines))
    assert read_results(folder, tmp_path / "p.csv").warnings == (
        "Published values are left out: no finished run has column 'goodput' or TCP 'Cubic', 'cubik' "
        "or scheme 'HARQ', 'arq'.",
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("goodput_bps,cubic,ARQ,nan,0,x", "value 'nan' or error '0' is not a number"),
        ("goodput_bps,cubic,ARQ,1,inf,x", "value '1' or error 'inf' is not a number"),
    ],
)
def test_read_results__refuses_published_values_beside_nothing(row: str, reason: str, tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    (tmp_path / "p.csv").write_text(f"column,tcp,scheme,value,error,source\n{row}\n")
    with pytest.raises(InputError) as refused:
        read_results(folder, tmp_path / "p.csv")
    assert f"p.csv:2: {reason}" in str(refused.value)


def test_read_results__keeps_failures_apart(tmp_path: Path) -> None:
    bad = {"status": "failed", "exit_status": 1, "message": "said x", "command": "ns y", "goodput_bps": None}
    results = read_results(stored(tmp_path / "c", run(), run(seed=2) | bad))
    assert len(results.runs) == 1
    (failure,) = results.failures
    assert failure.name == "cubic, ARQ, sample, seed 2"
    assert (failure.reason, failure.command, failure.output) == ("failed, exit status 1", "ns y", "said x")


def test_failures__are_named_by_all_that_the_campaign_varies(tmp_path: Path) -> None:
    bad = {"status": "timed out", "message": "stopped", "command": "ns y", "goodput_bps": None}
    rows = [run(rtt_s=rtt, hold_s=hold) | bad for rtt in (0.1, 0.5) for hold in (0.2, 0.4)]
    found = read_results(stored(tmp_path / "c", *rows, run(rtt_s=0.1, hold_s=None))).failures
    assert [failure.name for failure in found] == [
        f"cubic, ARQ, sample, RTT {rtt} s, hold time {hold} s, seed 1"
        for rtt in (0.1, 0.5)
        for hold in (0.2, 0.4)
    ]


def test_read_results__of_a_campaign_without_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"c: holds no runs yet; start them with `tmt run`"):
        read_results(stored(tmp_path / "c"))


def test_read_results__without_a_readable_scenario_are_called_as_their_folder(tmp_path: Path) -> None:
    folder = stored(tmp_path / "quick", run())
    assert read_results(folder).title == "quick"
    (folder / "scenario.toml").write_text('title = "Named"\n')
    assert read_results(folder).title == "Named"
    for broken in ("title = broken", f"title = {'[' * 100_000}"):
        (folder / "scenario.toml").write_text(broken)
        assert read_results(folder).title == "quick"


def test_read_results__refuses_records_outside_the_folder(tmp_path: Path) -> None:
    for name in ("../other", str(tmp_path / "other")):
        folder = stored(tmp_path / f"c{len(name)}", run(records=name))
        with pytest.raises(InputError, match="records outside the campaign's folder"):
            read_results(folder)


@pytest.mark.parametrize(("content", "reason"), [(None, "is missing"), (b"PAR1 no more", "is damaged")])
def test_read_results__refuse_damaged_records(tmp_path: Path, content: bytes | None, reason: str) -> None:
    folder = stored(tmp_path / "c", run(records="records/a"))
    if content is not None:
        (folder / "records" / "a" / "packets.parquet").write_bytes(content)
    with pytest.raises(InputError, match=rf"packets\.parquet: {reason}"):
        read_results(folder)


def test_read_results__refuse_an_error_without_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError

    folder = stored(tmp_path / "c", run(records="records/a"))
    write_records(folder / "records/a/packets.parquet", PACKET_RECORDS, np.empty(0, PACKET_RECORDS.dtype), {})
    monkeypatch.setattr(over_time.pq.ParquetFile, "read", fail)
    with pytest.raises(InputError, match=r"packets\.parquet: is damaged: ValueError"):
        read_results(folder)


def test_read_results__of_a_folder_whose_scenario_cannot_be_read_are_refused(tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    (folder / "scenario.toml").mkdir()
    with pytest.raises(InputError, match=r"scenario\.toml: cannot be read: Is a directory"):
        read_results(folder)


def test_read_results__do_not_wait_for_a_pipe_as_scenario(tmp_path: Path) -> None:
    folder = stored(tmp_path / "c", run())
    os.mkfifo(folder / "scenario.toml")
    assert read_results(folder).title == "c"


def test_read_results__believe_only_the_link_trace_that_the_run_had(tmp_path: Path) -> None:
    content = b"a link trace"
    known = hashlib.sha256(content).hexdigest()
    row = run(records="records/a", forward_trace="/home/of/engine/cache/t.npy", forward_sha256=known)
    folder = stored(tmp_path / "c", row)
    for name, table in (("packets", PACKET_RECORDS), ("windows", WINDOW_RECORDS)):
        path = folder / "records" / "a" / f"{name}.parquet"
        write_records(path, table, np.zeros(1, table.dtype), {})

    def link_trace() -> Path | None:
        return read_results(folder).records[0].link_trace

    trace = folder / "cache" / "t.npy"
    assert link_trace() is None
    trace.write_bytes(content)
    assert link_trace() == trace
    trace.write_bytes(b"another trace")
    with pytest.raises(InputError, match=r"t\.npy: is not the link trace that the run 0+ had; remove it"):
        link_trace()
    trace.unlink()
    trace.mkdir()
    with pytest.raises(InputError, match=r"t\.npy: cannot be read: Is a directory"):
        link_trace()


COUNT_THREADS = """
import os, sys
from pathlib import Path
from tmt.results.reading import read_rows

before = len(os.listdir("/proc/self/task"))
read_rows(Path(sys.argv[1]))
print(len(os.listdir("/proc/self/task")) - before)
"""


def test_read_rows__needs_no_threads(tmp_path: Path) -> None:
    """Arrow ends the process by signal 11 where the system refuses it one of several threads."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("this system does not list the threads of a process")
    words = [sys.executable, "-c", COUNT_THREADS, stored(tmp_path / "c", run())]
    end = execute(*words)
    assert (end.stdout, end.stderr) == ("0\n", "")


def test_chosen_rows__have_every_variant_and_scheme_of_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "MOST_RUNS", 8)
    grid = [
        (tcp, scheme, rtt_s)
        for tcp in ("newreno", "cubic")
        for scheme in ("none", "ARQ")
        for rtt_s in (0.1, 0.2, 0.3, 0.4)
    ]
    runs = frame([run(tcp=tcp, scheme=scheme, rtt_s=rtt_s, records="r") for tcp, scheme, rtt_s in grid])
    chosen = over_time.chosen_rows(runs, find_axes(runs))
    assert [grid[row] for row in chosen] == [place for place in grid if place[2] in {0.1, 0.4}]
