"""`tmt model`: output, figures, refusals."""

import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import altair as alt
import click
import pytest
from click.testing import CliRunner, Result

from tmt.cli.model_command import command
from tmt.theory import (
    Bursts,
    FeedbackFaults,
    RegularLink,
    TwoStateChannel,
    arq,
    blind_repetition,
    erasure_count_law,
    harq,
    harq_processes,
    rlc_unacknowledged,
    sliding_window,
)
from tmt.theory.channel import Performance

CHANNEL = ["--alpha", "0.99", "--beta", "0.5", "--rtt", "0.5"]


def _run(*arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def _points(*arguments: str) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = json.loads(_run(*arguments, "--json").stdout)["points"]
    return points


def _examples() -> list[str]:
    context = click.Context(command)
    members = (command.get_command(context, name) for name in command.list_commands(context))
    text = "".join(member.help or "" for member in (command, *members) if member).replace("\\\n", " ")
    return [re.sub(r"\s+", " ", line) for line in re.findall(r"^ *tmt model (.*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("example", _examples())
def test_model__prints_its_examples(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = _run(*shlex.split(example))
    assert result.exit_code == 0
    assert "efficiency" in result.stdout or "throughput" in result.stdout


def assert_same(point: dict[str, Any], expected: Performance) -> None:
    for name in ("efficiency", "recovery_delay_s", "residual_loss"):
        assert point[name] == getattr(expected, name)


def test_model__gives_programs_what_the_library_gives() -> None:
    (point,) = _points("harq", "--data", "5", "--repair", "7", "--rounds", "2", *CHANNEL)
    link = RegularLink(500_000_000, 1_000_000, 36_000_000)
    assert_same(point, harq(TwoStateChannel(0.99, 0.5), link, 5, 7, extra=1, rounds=2))


def test_model__passes_on_every_time_and_error_probability() -> None:
    (point,) = _points(
        *("arq", "--max-transmissions", "3", *CHANNEL, "--error-good", "0.02", "--error-bad", "0.6"),
        *("--slot-interval", "0.004", "--decode-time", "0.01", "--detection-delay", "0.1"),
    )
    link = RegularLink(500_000_000, 4_000_000, 10_000_000, 100_000_000)
    assert_same(point, arq(TwoStateChannel(0.99, 0.5, 0.02, 0.6), link, 3))


def test_model__passes_on_the_parameters_of_the_schemes_of_today() -> None:
    channel, link = TwoStateChannel(0.99, 0.5), RegularLink(500_000_000, 1_000_000, 1_000_000, 1_000_000)
    times = ("--decode-time", "0.001", "--detection-delay", "0.001")
    faults = FeedbackFaults(0.05, 0.02)
    for words, expected in (
        (
            "harq-processes --processes 32 --max-transmissions 3 --retransmission synchronous "
            "--missed-feedback 0.05 --false-feedback 0.02",
            harq_processes(channel, link, 32, 3, faults, synchronous=True),
        ),
        ("harq-processes --repetitions 3", blind_repetition(channel, link, 3)),
        ("sliding-window --coding-window 20 --repair-interval 4", sliding_window(channel, link, 20, 4)),
        (
            "rlc --mode unacknowledged --reassembly 0.05",
            rlc_unacknowledged(Bursts.of(channel), link, 50_000_000),
        ),
    ):
        (point,) = _points(*words.split(), *CHANNEL, *times)
        assert_same(point, expected)


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("rlc --alpha 0.9999 --beta 0.5 --rtt 0.12", ""),
        ("rlc --alpha 0.99 --beta 0.5 --rtt 0.12", "a recovery meets up to 1.9 other bursts"),
        ("sliding-window --coding-window 100 --repair-interval 8 --alpha 0.999 --beta 0.1 --rtt 1", ""),
        (
            "sliding-window --coding-window 13 --repair-interval 8 --alpha 0.999 --beta 0.9 --rtt 1",
            "above 5% the model's loss is rough",
        ),
    ],
)
def test_model__says_where_its_assumption_ends(words: str, note: str) -> None:
    said = _run(*words.split()).stderr
    assert note in said
    assert bool(said) == bool(note)


def test_model__sweeps_ranges_and_repetitions_with_exact_ends() -> None:
    points = _points("none", "--alpha", "0.99", "--beta", "0.1:0.98:5", "--beta", "0.99", "--rtt", "0")
    betas = [point["beta"] for point in points]
    assert betas == pytest.approx([0.1, 0.32, 0.54, 0.76, 0.98, 0.99])
    assert (betas[0], betas[4]) == (0.1, 0.98)


def test_model__shows_the_laws() -> None:
    arguments = ("none", *CHANNEL, "--laws", "3")
    (point,) = _points(*arguments)
    assert point["laws"]["erasure_count"] == erasure_count_law(TwoStateChannel(0.99, 0.5), 3).tolist()
    assert point["laws"]["burst_length"] == pytest.approx([0.5, 0.25, 0.125])
    assert "P(m, 3)" in _run(*arguments).stdout


def test_model__writes_null_where_nothing_is_printed() -> None:
    arguments = ("fec", "--data", "3", "--repair", "3", *CHANNEL, "--formula", "printed")
    (point,) = _points(*arguments)
    assert point["residual_loss"] is None
    assert "not printed" in _run(*arguments).stdout


def test_model__names_the_printed_arq_formula() -> None:
    (point,) = _points("arq", "--alpha", "1", "--beta", "0.5", "--rtt", "0.5", "--formula", "printed")
    assert math.isclose(point["recovery_delay_s"], 0.75)


@pytest.mark.parametrize("rtt", ["0.5", "0.01"])
def test_model__says_when_the_channel_remembers_too_much(rtt: str) -> None:
    arguments = ("harq", "--data", "10", "--repair", "2", "--alpha", "0.98", "--beta", "0.93")
    note = _run(*arguments, "--rtt", rtt).stderr
    # rho = 0.91: rho^10 = 0.39, rho^500 = 3e-21.
    assert ("up to 0.39" in note) == (rtt == "0.01")


def test_model__draws_a_sweep(tmp_path: Path) -> None:
    sweep = ("fec", "--data", "4", "--repair", "2", "--alpha", "0.99", "--beta", "0.1:0.9:3", "--rtt", "0.5")
    _run(*sweep, "--plot", str(tmp_path / "sweep.json"))
    chart = json.loads((tmp_path / "sweep.json").read_text())
    alt.Chart.from_dict(chart, validate=True)
    points = json.loads(_run(*sweep, "--json").stdout)["points"]
    assert [row["x"] for row in chart["datasets"]["rows"]] == [0.1, 0.5, 0.9]
    for column in ("efficiency", "recovery_delay_s", "residual_loss"):
        assert [row[column] for row in chart["datasets"]["rows"]] == [point[column] for point in points]
    titles = [panel["layer"][0]["title"]["text"] for panel in chart["vconcat"]]
    assert titles == ["Throughput efficiency", "Recovery delay (s)", "Residual loss"]


def test_model__shows_no_figure_where_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    without_erasures = ["arq", "--alpha", "0.9", "--beta", "0.5", "--rtt", "1", "--error-bad", "0"]
    nothing_arrives = ["none", "--alpha", "0", "--beta", "1", "--rtt", "1"]
    of_today = [
        [scheme, *options.split(), *nothing_arrives[1:]]
        for scheme, options in (
            ("rlc", ""),
            ("sliding-window", "--coding-window 4 --repair-interval 2"),
            ("harq-processes", "--repetitions 2"),
            ("harq-processes", "--detection-delay 0.036"),
        )
    ]
    for arguments in (without_erasures, nothing_arrives, *of_today):
        command.main(arguments, standalone_mode=False)
        said = capsys.readouterr().out
        assert "nan" not in said
        assert " - " in said
