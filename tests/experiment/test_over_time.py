"""A run over time on the terminal: bars by hand, and a real replay."""

from __future__ import annotations

import math

import pytest
from click.testing import CliRunner

from tmt.cli.bar_panels import BLOCKS, Marks, Panel, bars, columns_in, draw
from tmt.cli.replay_command import command


def test_bars__are_as_high_as_their_values() -> None:
    # Four characters of eight steps: 32 steps stand for 8, so 1 is 4 steps, 3 is a character and 4 steps.
    assert bars(Panel("", [0, 1, 2, 3, 8, math.nan]), BLOCKS) == [
        "        8 |    █",
        "          |    █",
        "          |   ▄█",
        "        0 | ▄███",
    ]


def test_bars__show_small_values_and_cut_those_above_the_top() -> None:
    assert bars(Panel("", [1e-9, 5.0], top=1.0), BLOCKS)[-1] == "        0 |▁█"
    assert bars(Panel("", [0.0, math.nan]), BLOCKS)[-1] == "        0 |"


def test_draw__has_an_axis_and_plain_signs_where_the_encoding_has_no_blocks() -> None:
    lines = draw([Panel("rate", [1.0] * 10), Marks("losses", [0, 2, 0, 1, *[0] * 6])], 50, "ascii")
    assert lines == [
        "rate",
        "        1 |##########",
        "          |##########",
        "          |##########",
        "        0 |##########",
        "losses",
        "        3 | | |",
        "          +----------",
        "           0     50 s",
    ]


@pytest.mark.ns2
def test_replay__prints_a_run_over_time_that_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    arguments = [
        "--forward-rate",
        "2e6",
        "--tcp",
        "cubic",
        "--rtt",
        "0.1",
        "--duration",
        "10",
        "--flows",
        "2",
    ]
    said = CliRunner().invoke(command, [*arguments, "--over-time"], catch_exceptions=False).output
    lines = said[said.index("capacity of the link") :].splitlines()
    assert [line for line in lines if line[0].isalpha()] == [
        "capacity of the link, Mbit/s",
        "goodput of 2 flows, Mbit/s",
        "one-way delay, median, ms",
        "queue, greatest length, packets",
        "congestion window of 2 flows, segments",
        "packets lost on the link",
        "packets dropped by the queue",
    ]
    assert max(map(len, lines)) <= 60
    # The link's rate is constant, so each row of its panel has one sign; 2 Mbit/s fill the lowest row.
    assert all(len(set(line[11:].ljust(columns_in(60)))) == 1 for line in lines[1:5])
    assert lines[4] == f"{'0':>9} |{'█' * columns_in(60)}"
    assert lines[1].startswith(lines[6][:11])  # capacity and goodput share a scale
    refused = CliRunner().invoke(command, [*arguments, "--over-time", "--json"])
    assert refused.exit_code != 0
    assert "cannot stand beside --json" in str(refused.exception)
