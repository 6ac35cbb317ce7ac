"""A scenario that was written reads as an equal one: every committed one, and any that can be drawn."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from spec.drawn import values
from tmt import Scenario
from tmt.spec.toml import parse, read
from tmt.spec.toml_text import relative_to, text_of

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("scenarios/*.toml"), *ROOT.glob("analysis/*/**/*.toml")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_committed_scenario__is_written_as_it_was_read(path: Path, tmp_path: Path) -> None:
    document = read(path)
    assert document.notes == ()
    document.scenario.write(tmp_path / "s.toml")
    assert Scenario.read(tmp_path / "s.toml") == document.scenario


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(scenario=values(Scenario))
def test_drawn_scenario__is_written_as_it_was_made(scenario: Scenario) -> None:
    assume(scenario.size <= 10_000)  # larger ones take hours
    for folder in (Path(), Path("results/of/it"), Path("/elsewhere")):
        text = text_of(scenario, relative_to(folder))
        assert parse(text, folder / "s.toml", scenario.max_runs).scenario == scenario
    explained = text_of(scenario, relative_to(Path()), explained=True)
    assert parse(explained, Path("s.toml"), scenario.max_runs).scenario == scenario


def test_points__that_differ_in_one_key_share_a_table() -> None:
    text = """\
title = "s"

[[trace]]
file = "phy.parquet"
every = [1, 10]

[[scheme]]
name = "arq"
max_transmissions = ["none", 3]

[[scheme]]
name = "rlc"
below = { name = "harq", data = 10, repair = [2, 5] }

[[path]]
rtt = [0.1, 0.5]
queue_packets = [100, 200]

[[traffic]]
tcp = ["cubic", "bbr"]
duration = 20
"""
    assert text_of(parse(text, Path("s.toml")).scenario, relative_to(Path())) == text
