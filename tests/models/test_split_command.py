"""`tmt model split`: output, figures, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tmt.cli.model_split import command
from tmt.theory.split import GoBackNLink, SplitScenario, TcpSender, TwoLinks, sweep


def _points(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    points: list[dict[str, Any]] = json.loads(result.stdout)["points"]
    return points


def test_split__passes_on_every_parameter() -> None:
    arguments = (
        "--segments 70 --packet-bytes 1000 --ack-bytes 50 --wired-rate 8e6 --wired-delay 0.03 "
        "--wired-loss 0.02 --wireless-rate 1e6 --wireless-delay 0.002 --wireless-loss 0.04 --burst-frames 5 "
        "--frames 8 --window 6 --frame-processing 0.0001 --residual-loss 0.005 --processing 0.004 "
        "--initial-window 3 --threshold 10 --largest-window 20 --packets-per-ack 1 --timeout 0.7"
    )
    path = TwoLinks(0.001, 0.008, 0.03, 0.002, 0.03 + 50e-6, 0.002 + 400e-6, 0.004, 0.02)
    link = GoBackNLink.losing(0.04, 5, frames=8, window=6, frame_processing_s=1e-4)
    sender = TcpSender(3, 10, 20, 1, 0.7)
    for formula in ("segments", "windows", "printed"):
        expected = sweep([SplitScenario(path, link, sender, sender, 70, 0.005)], formula)
        found = _points(*arguments.split(), "--formula", formula)
        assert [row["latency_s"] for row in found] == pytest.approx([row["latency_s"] for row in expected])
        assert [row["throughput_bps"] for row in found] == pytest.approx(
            [8000 * 70 / row["latency_s"] for row in expected]
        )


def test_split__takes_the_channel_as_q_and_s() -> None:
    point = _points("--error-after-success", "0.01", "--error-after-error", "0.75")[0]
    # q / (q + r) = 0.01 / 0.26; without ARQ 1 - 0.25/0.26 0.99^9 of the packets are lost.
    assert point["frame_error"] == pytest.approx(1 / 26)
    assert point["wireless_loss"] == pytest.approx(1 - 25 / 26 * 0.99**9)
    assert _points("--error-after-success", "0.01")[0]["error_after_error"] == 0.01


def test_split__takes_the_round_trip_for_a_timeout_where_it_is_long() -> None:
    # R_e = 1.2 + 2 x 6 + 2 x 250.01 + 0.032 + 0.16 ms at a delay of 0.25 s; R_2 is 12.18 ms, less than 0.2 s.
    loss = ("--wireless-loss", "0.05", "--wired-delay")
    assert _points(*loss, "0.25")[0] == _points(*loss, "0.25", "--timeout", "0.513412")[0]
    assert _points(*loss, "0.045") == _points(*loss, "0.045", "--timeout", "0.2")
    no_wired_loss = ("--wireless-loss", "0.1", "--wired-loss", "0", "--wired-delay", "0.25")
    assert _points(*no_wired_loss)[2] == _points(*no_wired_loss, "--timeout", "0.2")[2]
    # Through the proxy the wired connection has a round trip of its own: R_1 = 2 x 1.2 + 2 x 250 + 0.032 ms.
    # The connection that loses more is the slower one, and its timeout decides.
    wired_loss = ("--wireless-loss", "0.001", "--wired-loss", "0.02", "--wired-delay", "0.25")
    assert _points(*wired_loss)[2] == _points(*wired_loss, "--timeout", "0.502432")[2]
    assert _points(*wired_loss)[2] != _points(*wired_loss, "--timeout", "0.513412")[2]


def test_split__sweeps_losses_and_delays() -> None:
    points = _points("--wireless-loss", "0:0.1:3", "--wired-delay", "0:0.25:2", "--wired-delay", "0.01")
    assert [(row["wired_delay_s"], row["wireless_loss"]) for row in points[::4]] == [
        (delay, pytest.approx(loss, abs=1e-15)) for delay in (0, 0.25, 0.01) for loss in (0, 0.05, 0.1)
    ]


def test_split__writes_null_for_a_throughput_without_bound() -> None:
    clean = ("--wireless-loss", "0", "--wired-loss", "0")
    assert _points(*clean, "--formula", "printed")[0]["long_run_throughput_bps"] is None
    assert _points(*clean)[0]["long_run_throughput_bps"] == pytest.approx(2e6)


def test_split__draws_a_sweep(tmp_path: Path) -> None:
    path = tmp_path / "sweep.svg"
    _points("--wireless-loss", "0.01", "--wired-delay", "0:0.25:3", "--plot", str(path))
    text = path.read_text()
    assert "one-way delay of the wired link (s)" in text
    assert "split, ARQ" in text
