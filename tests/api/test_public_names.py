"""The names of `import tmt`: data frames, traces and files give the same results, and the same refusals."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import tmt
from tmt import api
from tmt.core.errors import InputError, UsageError
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.schemes.arq import Arq
from tmt.core.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SLOTS = 4000
NAN = float("nan")


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return a PHY trace of 4 s, one slot in five erased, with times in seconds and a column to ignore."""
    slots = np.arange(SLOTS)
    decode_time = np.where(slots % 5, 0.036, 0)
    return pd.DataFrame({"tx_time": slots * 0.001, "decode_time": decode_time, "snr_db": 7.5})


def test_names__are_those_of_the_package() -> None:
    assert tmt.__all__ == api.__all__
    assert set(tmt.__all__) <= set(dir(tmt))
    for name in tmt.__all__:
        assert getattr(tmt, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        tmt.no_such_name  # noqa: B018


def test_import__loads_nothing_before_a_name_is_used() -> None:
    script = (
        "import sys; known = set(sys.modules); import tmt; "
        "print(*(name for name in set(sys.modules) - known if name != 'tmt'))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
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
        assert isinstance(trace, PhyTrace)
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


def test_convert__is_that_of_the_scheme(frame: pd.DataFrame, tmp_path: Path) -> None:
    tmt.write_trace(tmp_path / "phy.parquet", frame)
    by_name = tmt.convert_trace(tmp_path / "phy.parquet", "arq", rtt=0.1, max_transmissions=2, every=2)
    by_value = tmt.convert_trace(frame, Arq(rtt_ns=100_000_000, max_transmissions=2), every=2)
    assert by_name.delay_ns.tolist() == by_value.delay_ns.tolist()
    assert by_name.metadata["scheme"]["max_transmissions"] == 2


def test_schemes__take_the_round_trip_in_one_loop(frame: pd.DataFrame) -> None:
    parameters: dict[str, dict[str, Any]] = {
        "none": {},
        "fec": {"data": 4, "repair": 1},
        "arq": {},
        "harq": {"data": 4, "repair": 1},
    }
    for scheme, values in parameters.items():
        link = tmt.convert_trace(frame, scheme, rtt=0.1, **values)
        assert link.metadata["scheme"]["name"] == scheme


def test_generated_trace__is_inspected_and_fitted() -> None:
    trace = tmt.generate_trace("gilbert-elliott", alpha=0.99, beta=0.5, duration=60, lldu_bytes=33, seed=2)
    summary, report = tmt.inspect_trace(trace), tmt.fit_trace(trace)
    assert isinstance(summary, PhySummary)
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
    assert isinstance(link, LinkSummary)
    assert link.rtt_s == 0.5


def test_channel_with_profiles__takes_what_is_given() -> None:
    trace = tmt.generate_trace("lms", es_n0_db=8, duration=1, slot_interval=0.01)
    assert len(trace) == 100
    assert trace.metadata["generator"]["es_n0_db"] == 8


def test_import__takes_times_in_seconds(tmp_path: Path) -> None:
    (tmp_path / "cell.down").write_text("0\n10\n20\n30\n")
    trace = tmt.import_trace(tmp_path / "cell.down", "mahimahi", from_=0.01)
    assert len(trace) == 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda f: tmt.trace_from_frame(f[:0]), "there are no rows"),
        (lambda f: tmt.trace_from_frame(f[::-1]), "row 2: tx_time_ns is 3998000000, earlier than 3999000000"),
        (lambda f: tmt.trace_from_frame(f - 1), "row 1: tx_time_ns is -1000000000; the least allowed is 0"),
        (lambda f: tmt.trace_from_frame(f.assign(decode_time=NAN)), "row 1: .* write 0 for an erased slot"),
        (lambda f: tmt.trace_from_frame(f.assign(decode_time=np.inf)), "found: decode_time_ns float64"),
        (
            lambda f: tmt.trace_from_frame(f.rename(columns={"tx_time": "t"})),
            "its columns are t, decode_time, snr_db; needed are tx_time, decode_time or ",
        ),
        (
            lambda f: tmt.trace_from_frame(
                pd.DataFrame({"tx_time_ns": [0, 1], "decode_time_ns": [True, False]})
            ),
            "found: decode_time_ns bool",
        ),
        (lambda f: tmt.trace_from_frame(f.assign(decode_time=True)), "found: decode_time_ns bool"),
        (lambda f: tmt.convert_trace(f, "arq"), "rtt is missing: scheme arq needs it"),
        (lambda f: tmt.convert_trace(f, "arc"), "scheme is 'arc'; allowed are none, fec, arq, harq"),
        (lambda f: tmt.convert_trace(f, "none", data=3), "data is no parameter of scheme none; there are"),
        (lambda f: tmt.convert_trace(tmt.convert_trace(f, "none"), "none"), "a PHY trace is needed"),
        (lambda f: tmt.fit_trace(tmt.convert_trace(f, "none")), "a PHY trace is needed"),
        (lambda f: tmt.generate_trace("bernouli", duration=1), "channel is 'bernouli'; allowed are"),
        (lambda f: tmt.generate_trace("bernoulli", duration=1), "probability is missing"),
        (lambda f: tmt.replay_trace(f, rtt=0.1, duration=1), "make a link trace of it by convert_trace"),
        (lambda f: tmt.replay_trace(1e6, rtt=0.1), "duration is missing: a replay needs it"),
        (lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=1, tpc=1), "tpc is no parameter of a replay"),
        (
            lambda f: tmt.replay_trace(1e6, tcp="bbr", stack="2009", rtt=0.1, duration=1),
            "bbr needs stack modern",
        ),
        (lambda f: tmt.convert_trace(f, "arq", rtt="100ms"), "rtt: '100ms' is not a time in seconds"),
        (lambda f: tmt.convert_trace(f, "arq", rtt=-1), "rtt is -1; it must be a time of 0 s or more"),
        (lambda f: tmt.convert_trace(f, "none", every=1.5), "every is 1.5; it must be a whole number"),
        (lambda f: tmt.convert_trace(f, ["arq"], rtt=1), r"scheme is \['arq'\]; allowed are none, fec"),
        (
            lambda f: tmt.convert_trace(f.to_numpy(), "none"),
            "trace: this is of type ndarray; a trace",
        ),
        (lambda f: tmt.write_trace("x.npy", None), "trace: this is of type NoneType; a trace, a data frame"),
        (lambda f: tmt.trace_from_frame([1, 2]), "frame: this is of type list; a data frame is needed"),
        (lambda f: tmt.trace_from_frame(f, lldu_bytes="a"), "lldu_bytes is 'a'; it must be a whole number"),
        (
            lambda f: tmt.trace_from_frame(f.assign(tx_time=pd.to_datetime(f.tx_time, unit="s"))),
            r"data frame: tx_time is of type datetime64\[\w+\]; seconds as numbers are needed",
        ),
        (
            lambda f: tmt.trace_from_frame(f.assign(tx_time="soon")),
            "data frame: tx_time is of type .*; numbers are needed",
        ),
        (lambda f: tmt.trace_from_frame(f + 1e10), "data frame: tx_time: 1.* s is beyond 4611686018 s"),
        (lambda f: tmt.inspect_trace(f, lldu_bytes="1"), "lldu_bytes is '1'; it must be a whole number"),
        (lambda f: tmt.inspect_trace(f, rtt="x"), "rtt: 'x' is not a time in seconds"),
        (lambda f: tmt.generate_trace("error-free", duration="5 s"), "duration: '5 s' is not a time in"),
        (lambda f: tmt.generate_trace("error-free", duration=1, seed=1.5), "seed is 1.5; it must be a whole"),
        (lambda f: tmt.generate_trace("error-free", duration=1, lldu_bytes=0), "lldu_bytes is 0; it must be"),
        (
            lambda f: tmt.generate_trace("bernoulli", probability="0.1", duration=1),
            "probability is '0.1'; it must be a number",
        ),
        (lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=1, flows=1.5), "flows is 1.5; it must be a whole"),
        (lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=1, seed="a"), "seed is 'a'; it must be a whole"),
        (
            lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=1, stack=2009),
            "stack is 2009; it must be a",
        ),
        (
            lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=1, in_order="no"),
            "in_order is 'no'; it must be True or False",
        ),
        (lambda f: tmt.compare_results("out/a", "out/b"), "first is of type str; results of run_scenario or"),
        (lambda f: tmt.replay_trace(1e6, rtt=0.1, duration=0), "duration is 0; it must be from 1 to .* ns"),
        (lambda f: tmt.replay_trace(1e6, rtt=None, duration=1), "rtt is None; it must be a time in seconds"),
        (lambda f: tmt.replay_trace(None, rtt=0.1, duration=1), "this is of type NoneType; a trace, a data"),
        (
            lambda f: tmt.replay_trace(tmt.convert_trace(f[:1], "none"), rtt=0.1, duration=1),
            "trace: a link trace of one row has no rate",
        ),
        (lambda f: tmt.trace_from_frame(f.assign(tx_time=f.tx_time * 1j)), "seconds as numbers are needed"),
        (
            lambda f: tmt.trace_from_frame(tmt.convert_trace(f, "none").to_frame().assign(delay_ns="late")),
            "delay_ns is of type .*; whole numbers are needed",
        ),
        *(
            (lambda f, call=call: call(None), "is of type NoneType; the name of a file or a path is needed")
            for call in (tmt.read_trace, tmt.import_trace, tmt.run_scenario, tmt.read_results)
        ),
    ],
)
def test_refusal__says_what_is_allowed(
    frame: pd.DataFrame, call: Callable[[pd.DataFrame], object], said: str
) -> None:
    with pytest.raises((InputError, UsageError), match=said):
        call(frame)


def test_numbers_of_numpy__are_as_good_as_python_s(frame: pd.DataFrame, tmp_path: Path) -> None:
    """Also in the metadata, which JSON holds."""
    made = tmt.generate_trace(
        "bernoulli",
        probability=np.float32(0.5),
        duration=np.int64(1),
        seed=np.int64(2),
        lldu_bytes=np.uint16(33),
    )
    same = tmt.generate_trace("bernoulli", probability=0.5, duration=1, seed=2, lldu_bytes=33)
    assert made.decode_time_ns.tolist() == same.decode_time_ns.tolist()
    assert made.metadata["lldu_bytes"] == 33
    every_second = tmt.convert_trace(frame, "none", every=np.int64(2))
    assert len(every_second) == len(tmt.convert_trace(frame, "none", every=2))
    trace = tmt.trace_from_frame(frame, lldu_bytes=np.int64(100))
    tmt.write_trace(tmp_path / "phy.parquet", trace)
    assert tmt.read_trace(tmp_path / "phy.parquet").metadata["lldu_bytes"] == 100


@pytest.mark.ns2
def test_replay__takes_numbers_of_numpy() -> None:
    settings = {"rtt": np.float64(0.1), "duration": np.int64(2), "flows": np.int64(2), "seed": np.int64(3)}
    run = tmt.replay_trace(np.float32(2_000_000), in_order=np.True_, **settings)
    same = tmt.replay_trace(2e6, rtt=0.1, duration=2, flows=2, seed=3, in_order=True)
    assert run.row["goodput_bps"] == same.row["goodput_bps"]


@pytest.mark.ns2
def test_replay__gives_the_figures_of_the_command(frame: pd.DataFrame, tmp_path: Path) -> None:
    import json
    from pathlib import Path

    link = tmt.convert_trace(frame, "arq", rtt=0.1)
    tmt.write_trace(tmp_path / "link.npy", link)
    run = tmt.replay_trace(link, rtt=0.1, duration=5, seed=3, start_spread=0.5, return_link=1e6)
    options = "--rtt 0.1 --duration 5 --seed 3 --start-spread 0.5 --return-rate 1e6 --json"
    command = [
        str(Path(sys.executable).with_name("tmt")),
        "replay",
        "--forward",
        "link.npy",
        *options.split(),
    ]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    differing = {key for key, value in json.loads(said).items() if run.row[key] != value}
    assert differing <= {"wall_time_s", "command"}
    assert "goodput_bps" in run._repr_html_()


@pytest.mark.ns2
def test_replay__of_a_frame_has_its_capacity_over_time(frame: pd.DataFrame) -> None:
    """One row per millisecond, each of 1500 bytes; the rows' file goes with the result."""
    run = tmt.replay_trace(tmt.convert_trace(frame, "none"), rtt=0.1, duration=2)
    capacity_bps = run.timeline(bins=2).capacity_bps
    assert capacity_bps == pytest.approx([0.8 * 12e6] * 2, rel=0.01)
    rows = run.forward_trace
    assert rows is not None
    assert rows.is_file()
    del run
    assert not rows.exists()
