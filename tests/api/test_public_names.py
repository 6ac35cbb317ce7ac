"""The names of `import tmt`: data frames, traces and files give the same results, and the same refusals."""

import ast
import sys
from collections.abc import Callable
from contextlib import chdir
from importlib import import_module
from inspect import isfunction, signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from answers import assert_answer, cases
from processes import execute

import tmt
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import LinkTrace

SLOTS = 4000


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return a PHY trace of 4 s, one slot in five erased, with times in seconds and a column to ignore."""
    slots = np.arange(SLOTS)
    decode_time = np.where(slots % 5, 0.036, 0)
    return pd.DataFrame({"tx_time": slots * 0.001, "decode_time": decode_time, "snr_db": 7.5})


def test_names__are_those_that_editors_see() -> None:
    """Type checkers read the imports below TYPE_CHECKING, and Python imports a name when it is used."""
    stubs = {
        alias.asname: (statement.module, alias.name)
        for statement in ast.walk(ast.parse(Path(tmt.__file__).read_text()))
        if isinstance(statement, ast.ImportFrom) and statement.module not in {"importlib", "tmt"}
        for alias in statement.names
    }
    assert set(stubs) == set(tmt.__all__) <= set(dir(tmt))
    for name, (module, there) in stubs.items():
        assert name == there
        assert getattr(tmt, name) is getattr(import_module(str(module)), there)
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        tmt.no_such_name  # noqa: B018


def test_import__loads_nothing_before_a_name_is_used() -> None:
    script = (
        "import sys; known = set(sys.modules); import tmt; "
        "print(*(name for name in set(sys.modules) - known if name != 'tmt'))"
    )
    result = execute(sys.executable, "-c", script, check=True)
    assert {name.split(".")[0] for name in result.stdout.split()} <= {"importlib", "warnings"}


def test_frame__in_seconds_and_in_nanoseconds_are_one_trace(frame: pd.DataFrame) -> None:
    in_ns = pd.DataFrame(
        {
            "decode_time_ns": (frame["decode_time"] * 1e9).round().astype("int64"),
            "tx_time_ns": range(0, SLOTS * 1_000_000, 1_000_000),
        }
    )
    for given in (frame, in_ns, in_ns.convert_dtypes()):
        trace = tmt.trace_from_frame(given, lldu_bytes=33)
        assert trace.tx_time_ns.tolist() == in_ns["tx_time_ns"].tolist()
        assert trace.decode_time_ns.tolist() == in_ns["decode_time_ns"].tolist()
        assert trace.metadata == {"lldu_bytes": 33}


def test_frame__of_a_time_of_day_is_read_digit_by_digit() -> None:
    frame = pd.DataFrame({"tx_time": [1_700_000_000.123457, 1_700_000_000.2], "decode_time": [0.1, 0]})
    assert tmt.trace_from_frame(frame).tx_time_ns.tolist() == [
        1_700_000_000_123_457_000,
        1_700_000_000_200_000_000,
    ]


def test_link_trace__survives_frame_and_file(frame: pd.DataFrame, tmp_path: Path) -> None:
    link = tmt.convert_trace(frame, "arq", rtt=0.1)
    assert (link.delay_ns == -1).any()
    tmt.write_trace(tmp_path / "link.csv", link)
    for other in (
        tmt.trace_from_frame(link.to_frame()),
        tmt.trace_from_frame(pd.read_csv(tmp_path / "link.csv")),
        tmt.read_trace(tmp_path / "link.csv"),
    ):
        assert isinstance(other, LinkTrace)
        for column in link.columns:
            assert getattr(other, column.name).tolist() == getattr(link, column.name).tolist(), column.name


@pytest.mark.parametrize("name", [name for name in tmt.__all__ if isfunction(getattr(tmt, name))])
def test_functions__have_each_keyword_in_their_signature(name: str) -> None:
    parameters = signature(getattr(tmt, name)).parameters.values()
    several = [one.name for one in parameters if one.kind is one.VAR_KEYWORD]
    assert several == (["options"] if name == "import_trace" else [])


def test_scenario__runs_as_a_value_and_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scenario = tmt.Scenario(
        title="Two schemes, one path",
        trace=tmt.Trace(channel=tmt.ErrorFree(), rate=1e6, length=5, lldu_bytes=1500),
        scheme=(tmt.NoScheme(), tmt.Rlc(below=tmt.Harq(data=4, repair=1))),
        path=tmt.Path(rtt=0.1),
        traffic=tmt.Traffic("cubic", duration=1),
    )
    results = scenario.run(jobs=1)
    assert len(results.runs) == 2
    assert (tmp_path / "out" / "Two-schemes-one-path" / "results.parquet").is_file()
    scenario.write(tmp_path / "two.toml")
    assert tmt.Scenario.read(tmp_path / "two.toml") == scenario
    again = tmt.run_scenario(tmp_path / "two.toml", tmp_path / "out" / "Two-schemes-one-path")
    assert again.runs["key"].tolist() == results.runs["key"].tolist()


def test_convert__is_that_of_the_scheme(frame: pd.DataFrame, tmp_path: Path) -> None:
    tmt.write_trace(tmp_path / "phy.parquet", frame)
    by_value = tmt.convert_trace(tmp_path / "phy.parquet", tmt.Arq(max_transmissions=2), rtt=0.1, every=2)
    with pytest.warns(DeprecationWarning, match=r"convert_trace\(trace, tmt.Arq\(max_transmissions=2\), ..."):
        by_name = tmt.convert_trace(frame, "arq", rtt=0.1, max_transmissions=2, every=2)
    assert by_name.delay_ns.tolist() == by_value.delay_ns.tolist()
    assert by_value.metadata["scheme"]["max_transmissions"] == 2


def test_schemes__take_the_round_trip_in_one_loop(frame: pd.DataFrame) -> None:
    for scheme in (tmt.NoScheme(), tmt.Fec(data=4, repair=1), tmt.Arq(), tmt.Harq(data=4, repair=1)):
        link = tmt.convert_trace(frame, scheme, rtt=0.1)
        assert link.metadata["scheme"]["name"] == scheme.name


def test_flat_rlc_of_old_calls__stands_above_its_scheme(frame: pd.DataFrame) -> None:
    with pytest.warns(DeprecationWarning, match=r"tmt.Rlc\(below=Fec\(data=4, repair=1\), reassembly=0.05\)"):
        link = tmt.convert_trace(frame, "rlc-over-fec", rtt=0.1, data=4, repair=1, reassembly=0.05)
    assert link.metadata["scheme"]["below"]["repair"] == 1


def test_generated_trace__is_inspected_and_fitted() -> None:
    trace = tmt.generate_trace(tmt.GilbertElliott(0.99, 0.5), 60, lldu_bytes=33, seed=2)
    summary, report = tmt.inspect_trace(trace), tmt.fit_trace(trace)
    assert (summary.times.rows, summary.erased) == (60_000, int((trace.decode_time_ns == 0).sum()))
    assert (
        report.models["gilbert"].parameters["alpha"].low
        < 0.99
        < report.models["gilbert"].parameters["alpha"].high
    )
    assert "33" in trace._repr_html_()
    assert "erasure_rate" in summary._repr_html_()
    assert report.verdict[:20] in report._repr_html_()
    link = tmt.inspect_trace(tmt.convert_trace(trace, "none"), rtt=0.5)
    assert link.rtt_s == 0.5


def test_channel_with_profiles__takes_what_is_given() -> None:
    trace = tmt.generate_trace(tmt.Lms(es_n0_db=8), 1, slot_interval=0.01)
    assert len(trace) == 100
    assert trace.metadata["generator"]["es_n0_db"] == 8
    with pytest.warns(DeprecationWarning, match=r"generate_trace\(tmt.Lms\(es_n0_db=8.0\), ..."):
        same = tmt.generate_trace("lms", es_n0_db=8, duration=1, slot_interval=0.01)
    assert same.decode_time_ns.tolist() == trace.decode_time_ns.tolist()


def test_channel_with_profiles__has_the_profile_s_line_unless_told_otherwise() -> None:
    """As `tmt generate` has: one of ten users of a line of 2.63 Mbit/s with slots of 33 bytes."""
    trace = tmt.generate_trace(tmt.Lms(es_n0_db=8), 1)
    assert trace.metadata["lldu_bytes"] == 33
    assert len(trace) == -(-2_630_000 // (10 * 8 * 33))


def test_import__takes_times_in_seconds(tmp_path: Path) -> None:
    (tmp_path / "cell.down").write_text("0\n10\n20\n30\n")
    trace = tmt.import_trace(tmp_path / "cell.down", "mahimahi", from_=0.01)
    assert len(trace) == 3


def test_numbers_of_numpy__are_as_good_as_python_s(frame: pd.DataFrame, tmp_path: Path) -> None:
    """Also in the metadata, which JSON holds."""
    made = tmt.generate_trace(
        tmt.Bernoulli(np.float32(0.5)), np.int64(1), seed=np.int64(2), lldu_bytes=np.uint16(33)
    )
    same = tmt.generate_trace(tmt.Bernoulli(0.5), 1, seed=2, lldu_bytes=33)
    assert made.decode_time_ns.tolist() == same.decode_time_ns.tolist()
    assert made.metadata["lldu_bytes"] == 33
    every_second = tmt.convert_trace(frame, "none", every=np.int64(2))
    assert len(every_second) == len(tmt.convert_trace(frame, "none", every=2))
    trace = tmt.trace_from_frame(frame, lldu_bytes=np.int64(100))
    tmt.write_trace(tmp_path / "phy.parquet", trace)
    assert tmt.read_trace(tmp_path / "phy.parquet").metadata["lldu_bytes"] == 100


@pytest.mark.ns2
def test_replay__takes_numbers_of_numpy() -> None:
    path = tmt.Path(rtt=np.float64(0.1), in_order=np.True_)
    traffic = tmt.Traffic(duration=np.int64(2), flows=np.int64(2))
    run = tmt.replay_trace(np.float32(2_000_000), path, traffic, seed=np.int64(3))
    same = tmt.replay_trace(2e6, 0.1, tmt.Traffic("cubic", duration=2, flows=2), seed=3)
    assert run.row["goodput_bps"] == same.row["goodput_bps"]
    today = r"replay_trace\(forward, tmt.Path\(rtt=0.1\), tmt.Traffic\(duration=2.0, flows=2\)\)"
    with pytest.warns(DeprecationWarning, match=today):
        old = tmt.replay_trace(2e6, rtt=0.1, duration=2, flows=2, seed=3)
    assert old.row["goodput_bps"] == same.row["goodput_bps"]


@pytest.mark.ns2
def test_replay__gives_the_figures_of_the_command(frame: pd.DataFrame, tmp_path: Path) -> None:
    import json

    link = tmt.convert_trace(frame, "arq", rtt=0.1)
    tmt.write_trace(tmp_path / "link.npy", link)
    traffic = tmt.Traffic(duration=5, start_spread=0.5)
    run = tmt.replay_trace(link, 0.1, traffic, seed=3, back=1e6)
    options = "--rtt 0.1 --duration 5 --seed 3 --start-spread 0.5 --return-rate 1e6 --json"
    command = [str(Path(sys.executable).with_name("tmt")), "replay", "link.npy", *options.split()]
    said = execute(*command, cwd=tmp_path, check=True).stdout
    differing = {key for key, value in json.loads(said).items() if run.row[key] != value}
    assert differing <= {"wall_time_s", "command"}
    assert "goodput_bps" in run._repr_html_()


@pytest.mark.ns2
def test_replay__of_a_frame_has_its_capacity_over_time(frame: pd.DataFrame) -> None:
    """One row per millisecond, each of 1500 bytes; the rows' file goes with the result."""
    run = tmt.replay_trace(tmt.convert_trace(frame, "none"), 0.1, tmt.Traffic(duration=2))
    capacity_bps = run.timeline(bins=2).capacity_bps
    assert capacity_bps == pytest.approx([0.8 * 12e6] * 2, rel=0.01)
    rows = run.forward_trace
    assert rows.is_file()
    del run
    assert not rows.exists()


@cases(__file__, "refusals.txt")
@pytest.mark.filterwarnings("ignore:this call is deprecated")
def test_refusal__says_what_is_allowed(frame: pd.DataFrame, case: list[str], tmp_path: Path) -> None:
    call, answer = case
    with chdir(tmp_path), pytest.raises((InputError, UsageError)) as refused:
        eval(call, {"tmt": tmt, "f": frame, "np": np, "pd": pd})
    assert_answer(str(refused.value), answer)


@pytest.mark.parametrize("call", [tmt.read_trace, tmt.import_trace, tmt.run_scenario, tmt.read_results])
def test_refusal__of_what_is_no_name(call: Callable[[object], object]) -> None:
    with pytest.raises(UsageError, match="is of type NoneType; the name of a file or a path is needed"):
        call(None)
