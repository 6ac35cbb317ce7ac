"""Files of round-trip times, and the paths that follow them."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.experiments import asked
from tmt import PlainLink
from tmt.core.errors import InputError
from tmt.core.problems import Refused
from tmt.io.rtt_series import read_rtt_series
from tmt.run.experiment import fingerprint

S = 10**9


def file_of(folder: Path, text: str) -> str:
    (folder / "delay.csv").write_text(text)
    return str(folder / "delay.csv")


def test_series__is_read_in_seconds_and_in_nanoseconds(tmp_path: Path) -> None:
    expected = [(0, 30_000_000), (1_500_000_000, 30_000_001)]
    text = "# a comment\ntime,rtt\n0,0.03\n\n1.5,0.030000001\n"
    assert read_rtt_series(file_of(tmp_path, text)).tolist() == expected
    text = "time_ns,rtt_ns\n0,30000000\n1500000000,30000001\n"
    assert read_rtt_series(file_of(tmp_path, text)).tolist() == expected
    assert read_rtt_series(file_of(tmp_path, "\ufeff" + text)).tolist() == expected
    (tmp_path / "delay.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_rtt_series(str(tmp_path / "delay.csv.gz")).tolist() == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("time;rtt\n", ":1: the header is time;rtt; needed is time,rtt in seconds, or time_ns,rtt_ns"),
        ("time,rtt\n", ": there are no rows; a series has at least one"),
        ("time,rtt\n0,0.1\n2,0.1\n1,0.1\n", ":4: time is 1, earlier than 2 in the row before; times must increase"),  # noqa: E501
        ("time,rtt\n0,-0.1\n", ":2: rtt is -0.1; the least allowed is 0"),
        ("time,rtt\n0,nan\n", ":2: rtt is nan; a finite number of seconds is needed"),
        ("time_ns,rtt_ns\n0,0.1\n", ":2: rtt_ns is 0.1; a whole number is needed"),
        ("time,rtt\n0\n", ":2: this line has 1 fields; 2 are needed"),
        ("time,rtt\n0,5e9\n", ":2: rtt is 5e9; the most allowed is 4611686018.427387904"),
        ("time_ns,rtt_ns\n9223372036854775808,1\n", ":2: time_ns is 9223372036854775808; the most allowed is 4611686018427387904"),  # noqa: E501
        ("time,rtt\n0," + 70_000 * "1" + "\n", ":2: this line is longer than 65536 bytes; this is not text"),
    ],
)  # fmt: skip
def test_wrong_series__is_refused_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    path = file_of(tmp_path, text)
    with pytest.raises(InputError) as refusal:
        read_rtt_series(path)
    assert str(refusal.value) == path + line


@pytest.mark.parametrize(
    ("settings", "text", "line"),
    [
        ({}, "0,0.1\n2,0.3\n", "rtt: 0.2 is less than the 0.3 s of {path} at 2 s; allowed: 0.3 or more"),
        ({"loop": False}, "5,0.1\n7,0.1\n", "rtt_series: '{path}' lasts 2 s, less than the run, and does not repeat; "  # noqa: E501
            "allowed: a series of 4 s or more, or loop = true"),
    ],
)  # fmt: skip
def test_series_that_does_not_fit__is_refused_before_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], text: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(file_of(tmp_path, f"time,rtt\n{text}")).name
    own = asked(forward=PlainLink(1e6), rtt=0.2, rtt_series=path, duration=4, **settings)
    with pytest.raises(Refused) as refusal:
        own.run()
    assert str(refusal.value) == line.format(path=path)


@pytest.mark.usefixtures("simulator")
def test_fingerprint__is_that_of_the_rows_and_not_of_the_name(tmp_path: Path) -> None:
    def print_of(name: str | None, text: str = "") -> str:
        path = None
        if name is not None:
            path = str(tmp_path / name)
            (tmp_path / name).write_text(text)
        experiment = asked(forward=PlainLink(1e6), rtt=0.2, rtt_series=path, duration=4).experiment
        return fingerprint(experiment)

    one = print_of("a.csv", "time,rtt\n0,0.1\n9,0.2\n")
    assert print_of("b.csv", "time_ns,rtt_ns\n0,100000000\n9000000000,200000000\n") == one
    assert print_of("a.csv", "time,rtt\n0,0.1\n9,0.15\n") != one
    assert print_of(None) != one
